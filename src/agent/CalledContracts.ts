/**
 * The contracts of the write tools that a reply calls. A newer version of the program may resume a run. If the contract
 * of a tool has changed, its idempotency keys have changed too, and a call that was started under an old key cannot be
 * found.
 */
import type { ToolReference } from "#domain/tool/ToolDefinition"
import { compiledOf } from "#pipeline/call/CompiledTool"
import type { GuardedTurn } from "#src/guard/Guard"
import * as Effect from "effect/Effect"
import type { Reply } from "./Steps.ts"

type ContractServices = Pick<GuardedTurn["Service"], "definitionOf" | "sha256">

/**
 * Returns the digest of everything that a call's key depends on, with the policies of the guard and the running fiber;
 * undefined for reads and unknown tools.
 */
const contractOf = (
  { definitionOf, sha256 }: ContractServices,
  tool: ToolReference | undefined
): Effect.Effect<string | undefined> =>
  tool === undefined
    ? Effect.undefined
    : Effect.map(definitionOf(tool), ({ access, id, idempotency: { fields, mode }, name }) => {
        const { jsonSchema } = compiledOf(tool).contract
        return access === "read"
          ? undefined
          : sha256(JSON.stringify([mode, fields, jsonSchema, ...(id === name ? [] : [id])]))
      })

/** Returns the contracts of the writes that a reply calls, by tool name. */
export const contractsOf = (
  guard: ContractServices,
  tools: ReadonlyMap<string, ToolReference>,
  reply: Reply
): Effect.Effect<Readonly<Record<string, string>>> => {
  if (reply._tag === "Failed") return Effect.succeed({})
  const parts = reply.said.content.flatMap(({ content, role }) => (role === "assistant" ? content : []))
  const names = parts.flatMap((part) => (part.type === "tool-call" ? [part.name] : []))
  const named = Effect.forEach(names, (name) =>
    Effect.map(contractOf(guard, tools.get(name)), (contract) => (contract === undefined ? [] : [[name, contract]]))
  )
  return Effect.map(named, (entries) => Object.fromEntries(entries.flat()))
}

/** True if a write's contract has changed since the write was called, or its tool was removed. */
export const hasChanged = (
  guard: ContractServices,
  tools: ReadonlyMap<string, ToolReference>,
  contracts: Readonly<Record<string, string>>,
  name: string
): Effect.Effect<boolean> =>
  Object.hasOwn(contracts, name)
    ? Effect.map(contractOf(guard, tools.get(name)), (contract) => contracts[name] !== contract)
    : Effect.succeed(false)

/**
 * The contracts of the write tools that a reply calls. A newer version of the program may resume a run. If a tool has
 * changed, its idempotency keys have changed too, and a call that was started under an old key cannot be found.
 */
import type { ToolReference } from "#domain/tool/ToolDefinition"
import { compiledOf } from "#pipeline/call/CompiledTool"
import type { Reply } from "./Steps.ts"

type Sha256 = (text: string) => string

/** Returns the digest of everything that a call's key depends on; undefined for reads and unknown tools. */
export const contractOf = (sha256: Sha256, tool: ToolReference | undefined): string | undefined => {
  if (tool === undefined) return undefined
  const { contract, definition } = compiledOf(tool)
  const { fields, mode } = definition.idempotency
  const id = definition.id === definition.name ? [] : [definition.id]
  return definition.access === "read" ? undefined : sha256(JSON.stringify([mode, fields, contract.jsonSchema, ...id]))
}

/** Returns the contracts of the writes that a reply calls, by tool name. */
export const contractsOf = (
  sha256: Sha256,
  tools: ReadonlyMap<string, ToolReference>,
  reply: Reply
): Readonly<Record<string, string>> => {
  if (reply._tag === "Failed") return {}
  const parts = reply.said.content.flatMap(({ content, role }) => (role === "assistant" ? content : []))
  const names = parts.flatMap((part) => (part.type === "tool-call" ? [part.name] : []))
  return Object.fromEntries(
    names.flatMap((name) => {
      const contract = contractOf(sha256, tools.get(name))
      return contract === undefined ? [] : [[name, contract]]
    })
  )
}

/** True if a write's contract has changed since the write was called, or its tool was removed. */
export const hasChanged = (
  sha256: Sha256,
  tools: ReadonlyMap<string, ToolReference>,
  contracts: Readonly<Record<string, string>>,
  name: string
): boolean => Object.hasOwn(contracts, name) && contracts[name] !== contractOf(sha256, tools.get(name))

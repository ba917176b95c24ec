/**
 * Under which contracts a reply's writes were called. A run may be gone on with by a newer program: where a tool has changed,
 * its keys have too, and what was begun under the old ones cannot be told from what was not.
 */
import type { ToolReference } from "#domain/tool/ToolDefinition"
import { compiledOf } from "#pipeline/call/CompiledTool"
import type { Reply } from "./Steps.ts"

type Sha256 = (text: string) => string

/** What the key of a call hangs on; undefined of what only reads, and of a name that no tool has. */
export const contractOf = (sha256: Sha256, tool: ToolReference | undefined): string | undefined => {
  if (tool === undefined) return undefined
  const { contract, definition } = compiledOf(tool)
  const { fields, mode } = definition.idempotency
  return definition.access === "read" ? undefined : sha256(JSON.stringify([mode, fields, contract.jsonSchema]))
}

/** By name, of the writes that a reply calls. */
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

/** Whether a write that was called under these contracts is of another one now, or of a tool that is gone. */
export const isOther = (
  sha256: Sha256,
  tools: ReadonlyMap<string, ToolReference>,
  contracts: Readonly<Record<string, string>>,
  name: string
): boolean => Object.hasOwn(contracts, name) && contracts[name] !== contractOf(sha256, tools.get(name))

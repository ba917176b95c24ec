/** Tells of a tool of effect/ai which guarded tool it is the face of. */
import type { ToolReference } from "#domain/tool/ToolDefinition"
import type * as Tool from "effect/ai/Tool"
import * as Context from "effect/Context"

/** An annotation of the tools in a toolbox's toolkit. Absent where a tool is none of ours. */
export const GuardedBy = Context.Reference<ToolReference | undefined>("effect-toolguard/GuardedBy", {
  defaultValue: () => undefined
})

/** The guarded tools of a toolkit by name; undefined where it holds others too, or none. */
export const guardedTools = (
  tools: Readonly<Record<string, Tool.Any>>
): ReadonlyMap<string, ToolReference> | undefined => {
  const found = new Map<string, ToolReference>()
  for (const [name, tool] of Object.entries(tools)) {
    const guarded = Context.get(tool.annotations, GuardedBy)
    if (guarded === undefined) return undefined
    found.set(name, guarded)
  }
  return found.size === 0 ? undefined : found
}

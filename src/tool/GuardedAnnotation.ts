/** Annotates an effect/ai tool with its guarded tool. */
import type { ToolReference } from "#domain/tool/ToolDefinition"
import type * as Tool from "effect/ai/Tool"
import * as Context from "effect/Context"

/** The guarded tool of each tool in a toolbox's toolkit. Undefined for tools that are not guarded. */
export const GuardedBy = Context.Reference<ToolReference | undefined>("effect-toolguard/GuardedBy", {
  defaultValue: () => undefined
})

/** Returns the guarded tools of a toolkit by name. Undefined if it is empty or contains a tool that is not guarded. */
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

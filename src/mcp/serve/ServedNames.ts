/** [2.10] Refuses a second tool with the name or the id of a tool that the MCP server already has. */
import { titleOf } from "#pipeline/ToolRegistry"
import type { AnyTool } from "#src/tool/ToolClass"
import type { McpServer } from "effect/ai/McpServer"
import * as Effect from "effect/Effect"

/** The tools of each server. Effect's server would replace a tool with the next tool of the same name. */
const byServer = new WeakMap<McpServer["Service"], Set<AnyTool>>()

/**
 * Adds tools to a server. Dies with a `RangeError` if another class has the name or the id of one of them. The same
 * class may be in several toolboxes.
 */
export const add = (server: McpServer["Service"], tools: Iterable<AnyTool>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const served = byServer.get(server) ?? new Set()
    byServer.set(server, served)
    for (const tool of tools) {
      for (const other of served) {
        if (other.key === tool.key) continue
        if (other.toolName === tool.toolName) return refused(other, tool, "name", tool.toolName)
        if (other.toolId === tool.toolId) return refused(other, tool, "id", tool.toolId)
      }
      served.add(tool)
    }
    return Effect.void
  })

const refused = (other: AnyTool, tool: AnyTool, field: "id" | "name", value: string): Effect.Effect<never> =>
  Effect.die(
    new RangeError(
      `${titleOf(other)} and ${titleOf(tool)} are in two toolboxes of one MCP server and have the same ${field} "${value}". ` +
        `Give one of the two its own \`${field}\`, or serve its toolbox on a separate MCP server.`
    )
  )

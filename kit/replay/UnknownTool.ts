/**
 * Whether a failure says that there is no tool of the name that was called, or no server of the name that it was called
 * on: it names what was called, and says that this is unknown.
 */
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

/** What such a failure is. */
export const unknownTool = { class: "ToolArgError", code: "unknown_tool" } as const

const unknown =
  /\bis not an? (?:valid|known|available) (?:tool|function)\b|\b(?:unknown|unrecogni[sz]ed|no such|nonexistent|invalid|unavailable) (?:tool|function|action|server|method)\b|\b(?:tool|function|action|server|method)\b(?: named| called|:)? ?(?:\\*['"`][^'"`\n]{1,80}['"`]|[\w./-]{1,80})? (?:was |is )?(?:not (?:found|defined|registered|configured|known|available|recogni[sz]ed)|does(?: not|n't) exist|isn't (?:available|registered)|(?:an? )?(?:not valid|not known|not available))\b/i

/** The names that a call of a tool behind a tool gives. */
const namesIn = (args: unknown): ReadonlyArray<string> =>
  isJsonObject(args)
    ? ["tool_name", "tool", "toolName", "server_name", "server", "serverName", "function", "function_name"]
        .map((field) => args[field])
        .filter((name) => typeof name === "string")
    : []

/** Whether a failure names what was called and says that it does not exist. */
export const isUnknownTool = (
  text: string,
  { arguments: args, tool }: { readonly tool: string; readonly arguments: unknown }
): boolean => {
  const said = unknown.exec(text)
  if (said === null) return false
  const from = Math.max(0, said.index - 60)
  return [tool, ...namesIn(args)].some(
    (name) => name.length >= 3 && text.slice(from, said.index + said[0].length + 120).includes(name)
  )
}

/**
 * Recognises failures that report an unknown tool or server. Their text names the tool or server and says that it does
 * not exist.
 */
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

/** The class and code of a failure that reports an unknown tool. */
export const unknownTool = { class: "ToolArgError", code: "unknown_tool" } as const

const unknown =
  /\bis not an? (?:valid|known|available) (?:tool|function)\b|\b(?:unknown|unrecogni[sz]ed|no such|nonexistent|invalid|unavailable) (?:tool|function|action|server|method)\b|\b(?:tool|function|action|server|method)\b(?: named| called|:)? ?(?:\\*['"`][^'"`\n]{1,80}['"`]|[\w./-]{1,80})? (?:was |is )?(?:not (?:found|defined|registered|configured|known|available|recogni[sz]ed)|does(?: not|n't) exist|isn't (?:available|registered)|(?:an? )?(?:not valid|not known|not available))\b/i

/** Returns the names of tools and servers in the arguments of a tool that calls other tools. */
const namesIn = (args: unknown): ReadonlyArray<string> =>
  isJsonObject(args)
    ? ["tool_name", "tool", "toolName", "server_name", "server", "serverName", "function", "function_name"]
        .map((field) => args[field])
        .filter((name) => typeof name === "string")
    : []

/** True if a failure names the called tool or server and says that it does not exist. */
export const isUnknownTool = (
  text: string,
  { arguments: args, tool }: { readonly tool: string; readonly arguments: unknown }
): boolean => {
  const match = unknown.exec(text)
  if (match === null) return false
  const from = Math.max(0, match.index - 60)
  return [tool, ...namesIn(args)].some(
    (name) => name.length >= 3 && text.slice(from, match.index + match[0].length + 120).includes(name)
  )
}

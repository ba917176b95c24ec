/** Translates the reason why an answer ended to the names of effect/ai. */
import type * as Response from "effect/ai/Response"

/** The calls of an answer: none, all with complete arguments, or some with truncated arguments. */
export type Calls = "none" | "complete" | "cut"

/**
 * Translates a provider's reason by its table; a reason that is not in the table is `other`.
 *
 * Several servers report `stop` for an answer with calls, or `tool_calls` for an answer without calls: then the calls
 * decide. Without a reason (the empty text), an answer with truncated calls is `unknown`.
 */
export const of = (
  known: ReadonlyMap<string, Response.FinishReason>,
  reason: string,
  calls: Calls
): Response.FinishReason => {
  if (reason === "" && calls === "cut") return "unknown"
  const found = reason === "" ? "stop" : (known.get(reason) ?? "other")
  if (found !== "stop" && found !== "tool-calls") return found
  return calls === "none" ? "stop" : "tool-calls"
}

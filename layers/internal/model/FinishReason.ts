/** Why an answer ended, in the words of effect/ai. */
import type * as Response from "effect/ai/Response"

/** The calls of an answer: none, all with complete arguments, or some with arguments that are cut. */
export type Calls = "none" | "complete" | "cut"

/**
 * Translates a provider's reason with its table; a reason that the table lacks is `other`.
 *
 * Several servers say `stop` after calls, or `tool_calls` without any: between these two the calls decide. Without a
 * reason (the empty text) an answer whose calls are cut is `unknown`.
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

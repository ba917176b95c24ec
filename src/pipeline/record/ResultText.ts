/**
 * The JSON text of a result, written once per call: budgets and loops compare it, and the model reads it.
 *
 * The comparison includes the parts of a result. The text is written when the result arrives, because a handler may
 * keep changing a value that it has returned.
 */
import type { Success } from "#domain/call/Outcome"
import { type CompiledTool, encoderOf } from "#pipeline/call/CompiledTool"

/** The longest text that is compared directly, in characters. A longer text is compared by its SHA-256. */
const maxLength = 512

/**
 * Returns the outcome with its JSON text and digest. A result that JSON cannot hold has no text; its digest is
 * `unique`, so it equals no other result.
 */
export const written = (
  tool: CompiledTool,
  outcome: Success,
  sha256: (text: string) => string,
  unique: string
): Success & { readonly digest: string } => {
  const { digest } = outcome
  if (digest !== undefined) return { ...outcome, digest }
  try {
    const encoded = encoderOf(tool, outcome)(outcome.value)
    const json = JSON.stringify(encoded)
    const value = tool.result.steady === undefined ? json : tool.result.steady(encoded)
    const text = outcome.parts === undefined ? value : `${value}${JSON.stringify(outcome.parts)}`
    return json === undefined
      ? { ...outcome, digest: unique }
      : { ...outcome, json, digest: text.length <= maxLength ? text : sha256(text) }
  } catch {
    return { ...outcome, digest: unique }
  }
}

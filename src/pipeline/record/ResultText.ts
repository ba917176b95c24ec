/**
 * The JSON text of a result, written once per call: budgets and loops compare it, and the model reads it.
 *
 * The comparison includes the parts of a result. The text is written when the result arrives, because a handler may
 * keep changing a value that it has returned.
 */
import { type Steps, whole } from "#domain/json/Steps"
import { type Outcome, type Success, success } from "#domain/call/Outcome"
import { type CompiledTool, encoderOf } from "#pipeline/call/CompiledTool"
import { isLarge } from "#pipeline/call/LargeData"

/** The longest text that is compared directly, in characters. A longer text is compared by its SHA-256. */
const maxLength = 512

/**
 * Returns the outcome with its JSON text and digest. A result that JSON cannot hold has no text; its digest is
 * `unique`, so it equals no other result.
 */
export const written = (...of: Parameters<typeof writing>): WrittenSuccess => whole(writing(...of))

type WrittenSuccess = Success & { readonly digest: string }

/** Returns the same as `written`, in steps if the text is large. */
function* writing(
  tool: CompiledTool,
  outcome: Success,
  sha256: (text: string) => string,
  unique: string
): Steps<WrittenSuccess> {
  const { digest } = outcome
  if (digest !== undefined) return { ...outcome, digest }
  try {
    const encoded = encoderOf(tool, outcome)(outcome.value)
    const json = JSON.stringify(encoded)
    if (isLarge(json?.length ?? 0)) yield
    const value = tool.result.steady === undefined ? json : tool.result.steady(encoded)
    const text = outcome.parts === undefined ? value : `${value}${JSON.stringify(outcome.parts)}`
    return json === undefined
      ? { ...outcome, digest: unique }
      : { ...outcome, json, digest: text.length <= maxLength ? text : sha256(text) }
  } catch {
    return { ...outcome, digest: unique }
  }
}

/** Returns the outcome with the digest of its data, in steps if the data is large. */
export function* compared(
  tool: CompiledTool,
  outcome: Outcome,
  sha256: (text: string) => string,
  unique: string
): Steps<Outcome> {
  if (outcome._tag === "Success") return yield* writing(tool, outcome, sha256, unique)
  if (outcome.failure._tag !== "PartialData" || outcome.digest !== undefined) return outcome
  const { digest } = yield* writing(tool, success(outcome.failure.data, outcome.parts), sha256, unique)
  return { ...outcome, digest }
}

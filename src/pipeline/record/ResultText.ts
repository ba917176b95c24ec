/**
 * The JSON text of a result, written once a call: budgets and loops compare it, and the model reads it. What stands beside it is
 * part of what is compared.
 *
 * Written when the result comes, not when it is compared: a handler may go on changing a value that it gave.
 */
import type { Success } from "#domain/call/Outcome"
import type { CompiledTool } from "#pipeline/call/CompiledTool"

/** Longest text that is compared as it is; of a longer one its SHA-256 is. */
const longest = 512

/**
 * The outcome with its JSON text and digest. A result that cannot be written as JSON has no text and equals none:
 * its digest is `unique`.
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
    const json = JSON.stringify(tool.result.encode(outcome.value))
    const value = tool.result.steady === undefined ? json : tool.result.steady(outcome.value)
    const text = outcome.parts === undefined ? value : `${value}${JSON.stringify(outcome.parts)}`
    return json === undefined
      ? { ...outcome, digest: unique }
      : { ...outcome, json, digest: text.length <= longest ? text : sha256(text) }
  } catch {
    return { ...outcome, digest: unique }
  }
}

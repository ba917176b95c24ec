/** Outcomes that a store kept as text, decoded by their tool before anybody sees them. */
import type { Outcome } from "#domain/call/Outcome"
import * as Result from "effect/Result"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import { changed } from "#pipeline/call/Refusal"

/**
 * The outcome with its result decoded; undefined where the tool cannot read it any more, its contract having changed
 * since. An outcome that was never stored is given as it is.
 */
export const revived = (tool: CompiledTool, outcome: Outcome): Outcome | undefined => {
  if (outcome.isEncoded !== true) return outcome
  const { isEncoded: _, ...rest } = outcome
  if (rest._tag === "Success") {
    const value = tool.result.decode(rest.value)
    return Result.isSuccess(value) ? { ...rest, value: value.success } : undefined
  }
  if (rest.failure._tag !== "PartialData") return rest
  const data = tool.result.decode(rest.failure.data)
  return Result.isSuccess(data) ? { ...rest, failure: changed(rest.failure, { data: data.success }) } : undefined
}

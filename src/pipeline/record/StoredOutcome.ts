/** Writes outcomes for stores that outlive the process, and reads them back. */
import type { Outcome } from "#domain/call/Outcome"
import * as OutcomeText from "#domain/call/OutcomeText"
import * as Enforcement from "#domain/turn/Enforcement"
import * as Result from "effect/Result"
import type { Call } from "#pipeline/call/Call"
import { changed, refuse } from "#pipeline/call/Refusal"

/** The fields of a call that both directions need: its tool, its name in a failure, and what its caller can read. */
type Subject = Pick<Call, "tool" | "name" | "traceId" | "turn" | "acceptsAnyShape">

/** Writes an outcome with its tool's schema. An outcome whose result cannot be written becomes `done_unreadable`. */
export const write = (call: Subject, outcome: Outcome): string => {
  try {
    return OutcomeText.write(outcome, call.tool.result.encode)
  } catch (cause) {
    return OutcomeText.write(unreadable(call, "Its answer could not be written.", cause), (value) => value)
  }
}

/**
 * Reads an outcome with the call's tool. An outcome that cannot be read becomes `done_unreadable`, because the action
 * was done nevertheless.
 */
export const read = (call: Subject, text: string): Outcome => {
  const outcome = OutcomeText.read(text)
  if (outcome === undefined) return unreadable(call, "Its stored outcome is damaged.", text.slice(0, 200))
  return revived(call, outcome) ?? unreadable(call, "The tool's contract has changed since then.", undefined)
}

/**
 * Decodes the result of a stored outcome with the tool. Returns undefined if the tool's contract has changed and the
 * tool can no longer read the result. An outcome that was never stored is returned unchanged.
 *
 * A raw result is decoded too: the contract may have been loosened since. If it still violates the contract, a caller
 * that accepts any shape gets it while the tool only advises.
 */
export const revived = (
  { acceptsAnyShape, tool, turn }: Pick<Call, "tool" | "acceptsAnyShape" | "turn">,
  outcome: Outcome
): Outcome | undefined => {
  if (outcome._tag === "Success" && outcome.isRaw === true) {
    const { isEncoded: _, isRaw: __, ...rest } = outcome
    const value = tool.result.decode(rest.value)
    if (Result.isSuccess(value)) return { ...rest, value: value.success }
    return acceptsAnyShape && Enforcement.modeOf(tool.definition.enforce, turn) === "advise"
      ? { ...rest, isRaw: true }
      : undefined
  }
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

const unreadable = (call: Subject, why: string, cause: unknown): Outcome =>
  refuse(call, "done_unreadable", {
    detail: `The action was done. ${why}`,
    sideEffect: call.tool.definition.access === "read" ? "none" : "committed",
    cause
  })

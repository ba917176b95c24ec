/** The flags of a success in its envelope [5.1]. */
import { isProven, type Success } from "#domain/call/Outcome"
import * as EffectHint from "#domain/failure/EffectHint"

/** The fields of a success's envelope besides its result. */
export interface SuccessFlags {
  readonly empty?: true
  readonly used_fallback?: string
  readonly _idempotent?: true
  readonly unchanged?: true
  readonly executed?: false
  readonly notice?: string
}

const blank = /^"(?:\s|\\[nrtf])*"$/

const isEmpty = (text: string): boolean =>
  text === "[]" || text === "{}" || text === "null" || (text.charCodeAt(0) === 0x22 && blank.test(text))

const readAgain = (millis: number): string => {
  const seconds = Math.ceil(millis / 1_000)
  return `Not finished yet. Call again after ${seconds} ${seconds === 1 ? "second" : "seconds"} for a new status.`
}

/** Returns the notice on a write whose result does not prove that it was done; `undefined` for other results. */
const unproven = (
  { isAccepted, readAgainMillis, statedFailure }: Success,
  lookup: string | undefined
): string | undefined => {
  if (statedFailure !== undefined) return `${statedFailure} ${EffectHint.unproven(lookup)}`
  if (isAccepted !== true) return undefined
  return readAgainMillis === undefined
    ? EffectHint.accepted(lookup)
    : `${EffectHint.onlyAccepted} ${readAgain(readAgainMillis)}`
}

const joined = (...sentences: ReadonlyArray<string | undefined>): string | undefined => {
  const present = sentences.filter((sentence) => sentence !== undefined)
  return present.length === 0 ? undefined : present.join(" ")
}

/**
 * Returns the flags of a success; `undefined` if there are none. `lookup` names a tool that can look up whether the action
 * was done.
 */
export const flagsOf = (outcome: Success, text: string, lookup?: string): SuccessFlags | undefined => {
  const { idempotent, loop, notExecuted, readAgainMillis, unchanged, usedFallback } = outcome
  const empty = isEmpty(text)
  const hasNotice = loop !== undefined && loop._tag !== "Proceed"
  if (
    !empty &&
    !hasNotice &&
    usedFallback === undefined &&
    idempotent === undefined &&
    unchanged === undefined &&
    notExecuted === undefined &&
    readAgainMillis === undefined &&
    isProven(outcome)
  ) {
    return undefined
  }
  const notice =
    joined(notExecuted, unproven(outcome, lookup)) ??
    (hasNotice && loop.pattern !== "identical" ? loop.reason : undefined) ??
    (readAgainMillis === undefined ? undefined : readAgain(readAgainMillis))
  const isUnchanged = unchanged === true || (hasNotice && loop.pattern === "identical")
  return {
    ...(empty ? { empty } : {}),
    ...(usedFallback === undefined ? {} : { used_fallback: usedFallback }),
    ...(idempotent === undefined ? {} : { _idempotent: idempotent }),
    ...(isUnchanged ? { unchanged: true } : {}),
    ...(notExecuted === undefined ? {} : { executed: false }),
    ...(notice === undefined ? {} : { notice })
  }
}

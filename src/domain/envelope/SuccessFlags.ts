/** The flags of a success in its envelope [5.1]. */
import type { Success } from "#domain/call/Outcome"
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

/** Returns what the model reads about a result of a write that states a failure. */
const unproven = (sentence: string, lookup: string | undefined): string => `${sentence} ${EffectHint.unproven(lookup)}`

const joined = (...sentences: ReadonlyArray<string | undefined>): string | undefined => {
  const present = sentences.filter((sentence) => sentence !== undefined)
  return present.length === 0 ? undefined : present.join(" ")
}

/**
 * Returns the flags of a success; `undefined` if there are none. `lookup` names a tool that can look up whether the action
 * was done.
 */
export const flagsOf = (
  { idempotent, loop, notExecuted, readAgainMillis, statedFailure, unchanged, usedFallback }: Success,
  text: string,
  lookup?: string
): SuccessFlags | undefined => {
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
    statedFailure === undefined
  ) {
    return undefined
  }
  const notice =
    joined(notExecuted, statedFailure === undefined ? undefined : unproven(statedFailure, lookup)) ??
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

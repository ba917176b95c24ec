/** The flags of a success in its envelope [5.1]. */
import type { Success } from "#domain/call/Outcome"

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

/** Returns the flags of a success; `undefined` if there are none. */
export const flagsOf = (
  { idempotent, loop, notExecuted, readAgainMillis, unchanged, usedFallback }: Success,
  text: string
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
    readAgainMillis === undefined
  ) {
    return undefined
  }
  const notice =
    notExecuted ??
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

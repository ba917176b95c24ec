/**
 * Recognises codes of letters that name a failure, such as `INVALID_ARGUMENT`, `Throttling.User` and `card_declined`.
 *
 * A code may also be data: a currency (`USD`), a country, a voucher (`SAVE-10`). A code therefore names a failure only if
 * one of its words does, or if it has several words and the message beside it reads as a failure.
 */
import { readsAsFailure } from "./ErrorText.ts"

const failing =
  /^(?:invalid|error|errors|err|fail|failed|failure|failing|fault|exception|denied|deny|declined|rejected|refused|forbidden|unauthori[sz]ed|unauthenticated|unavailable|unreachable|unsupported|unprocessable|unexpected|unable|missing|expired|exceeded|insufficient|exhausted|throttled|throttling|timeout|conflict|duplicate|duplicated|locked|blocked|disabled|malformed|illegal|mismatch|incorrect|aborted|overloaded|busy|precondition|violation|violated|cannot|cant|broken|crashed|corrupt|corrupted|notfound|authfailure|outofstock|outofmemory)$/

/** Words that are a failure only together with another word: `NO_STOCK`, but not the country `NO`. */
const failingWithAnother = /^(?:no|not|too|without|already|deleted|gone|bad|wrong|unknown|required|internal)$/

const longestCode = 80

/** Returns the words of a code: `InvalidAccessKeyId.NotFound` has six. */
const wordsOf = (code: string): ReadonlyArray<string> =>
  code
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "")

/** True if a code names a failure. `message` is the text beside it. */
export const isFailureCode = (code: string, message: string): boolean => {
  if (code.length > longestCode || !/^[A-Za-z][\w.:/-]*$/.test(code)) return false
  const words = wordsOf(code)
  if (words.some((word) => failing.test(word))) return true
  return (
    words.length > 1 &&
    (words.some((word) => failingWithAnother.test(word)) || (/[_.]/.test(code) && readsAsFailure(message)))
  )
}

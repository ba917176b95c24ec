/**
 * Recognises alphabetic codes that name a failure, such as `INVALID_ARGUMENT`, `Throttling.User` and `card_declined`.
 *
 * **Details**
 *
 * - A code may also be data: a currency (`USD`), a country, a voucher (`SAVE-10`). A code therefore names a failure
 *   only if one of its words does, or if it has several words and the message alongside it reads as a failure.
 * - A code may name the action that the tool did: `ORDER_CREATED`, or `PO_REJECTED` from the tool `reject_po`. Such a
 *   code, and a message that reports a success, outweigh the words of failures.
 * - A state (`LOCKED`, `REJECTED`) or a word such as `NO` names a failure only if the message reads as a failure, or if
 *   the code denies access (`ACCESS_DENIED`). Otherwise the code is ambiguous.
 */
import { readsAsFailure } from "./ErrorText.ts"
import { namesOtherThing, namesSuccess, reportOf } from "./ReportedSuccess.ts"

const failing =
  /^(?:invalid|error|errors|err|fail|failed|failure|failing|fault|exception|forbidden|unauthori[sz]ed|unauthenticated|unavailable|unreachable|unsupported|unprocessable|unexpected|unable|exceeded|insufficient|exhausted|throttled|throttling|timeout|conflict|missing|malformed|illegal|mismatch|incorrect|overloaded|precondition|violation|violated|cannot|cant|crashed|corrupt|corrupted|notfound|authfailure|outofstock|outofmemory)$/

/** States that are a failure of one tool and the purpose of another. */
const states =
  /^(?:denied|deny|declined|rejected|refused|expired|duplicate|duplicated|locked|blocked|disabled|deactivated|aborted|busy|broken|frozen|held|suspended|banned|restricted|revoked|terminated|cancell?ed)$/

/** Words that are a failure only together with another word: `NOT_FOUND`. */
const failingWithAnother = /^(?:not|too|already|bad|wrong|unknown)$/

/** Words that may be a failure together with another word: `NO_STOCK`, but not the country `NO`, or `NO_SHOW_FEE`. */
const doubtfulWithAnother = /^(?:no|without|deleted|gone|required|internal)$/

/** Things whose denial is a failure regardless of the message. */
const gates = /^(?:access|permission|authorization|authentication|login)$/

const longestCode = 80

/** Returns the words of a code: `InvalidAccessKeyId.NotFound` has six. */
const wordsOf = (code: string): ReadonlyArray<string> =>
  code
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "")

/** The meaning of a code. An ambiguous code proves neither a failure nor a success. */
type Meaning = "failure" | "ambiguous" | "none"

/** Returns the meaning of a code. `message` is the text alongside it, and `tool` the name of the tool. */
export const meaningOf = (code: string, message: string, tool: string): Meaning => {
  const report = reportOf(message, tool)
  if (code.length > longestCode || !/^[A-Za-z][\w.:/-]*$/.test(code) || report === "done") return "none"
  const words = wordsOf(code)
  const isFailure = readsAsFailure(message)
  if (!isFailure && report === "nothing" && namesSuccess(words, tool)) return "none"
  const hasOthers = words.length > 1
  const has = (pattern: RegExp): boolean => words.some((word) => pattern.test(word))
  if (has(failing) || (hasOthers && has(failingWithAnother)) || (has(states) && has(gates))) return "failure"
  if (isFailure && (has(states) || (hasOthers && /[_.]/.test(code)))) return "failure"
  if (has(states) || report === "other" || namesOtherThing(words, tool)) return "ambiguous"
  return hasOthers && has(doubtfulWithAnother) ? "ambiguous" : "none"
}

/** True if a code names a failure. */
export const isFailureCode = (code: string, message: string, tool: string): boolean =>
  meaningOf(code, message, tool) === "failure"

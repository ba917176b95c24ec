/**
 * The rules by which class, code, hint, `next_step`, `retryable` and `side_effect` of one failure agree [5.2], as pure
 * functions that return the rules that a failure breaks.
 */
import type { EnvelopeError } from "#domain/envelope/EnvelopeError"

const invites = /\b(?:try again|again later|call (?:it |the tool )?again|then try|retry)\b/i
const forbids = /\b(?:do not|never) (?:call|repeat|retry|try|send|make)\b|\bwill fail again\b/i

/** True if a hint asks for the identical call. */
const asksToRepeat = (hint: string): boolean =>
  invites.test(hint.replace(new RegExp(forbids, "gi"), "")) && !forbids.test(hint)

type Rule = (error: EnvelopeError) => boolean

const effectOf = ({ side_effect }: EnvelopeError) => side_effect ?? "none"

/** The rules for every error that a model reads. */
const rules: Readonly<Record<string, Rule>> = {
  "only a transient failure is retryable": ({ error_class, retryable }) => !retryable || error_class === "transient",
  "only a call that did nothing is retryable": (error) => !error.retryable || effectOf(error) === "none",
  "retryable means wait": ({ next_step, retryable }) => !retryable || next_step === "wait",
  "`wait` is used only if the failure is retryable or a person must decide": ({ human_review, next_step, retryable }) =>
    next_step !== "wait" || retryable || human_review === true,
  "a retryable failure states when to retry": ({ retry_after_ms, retryable }) =>
    !retryable || retry_after_ms !== undefined,
  "only a retryable failure has remaining retries": ({ max_retries, retryable }) =>
    max_retries === undefined || (retryable && max_retries > 0),
  "a hint asks for the identical call only if the failure is retryable": ({ hint, next_step, retryable }) =>
    retryable || next_step === "fix_arguments" || next_step === "continue" || !asksToRepeat(hint),
  "a retryable failure's hint does not forbid the repetition": ({ hint, retryable }) =>
    !retryable || !forbids.test(hint),
  "if the action was done, the next step is `continue`, or it is `stop` and the hint forbids a repetition": (error) =>
    effectOf(error) !== "committed" ||
    (error.error_class === "partial_data" && error.next_step === "continue") ||
    (error.next_step === "stop" && forbids.test(error.hint)),
  "if the action was done, the message or the hint says so": (error) =>
    effectOf(error) !== "committed" || /\bwas done\b/.test(`${error.message} ${error.hint}`),
  "an unknown side effect is asked about or looked up, and a run that a person must settle stops": (error) =>
    effectOf(error) !== "unknown" ||
    error.next_step === "ask_user" ||
    error.next_step === (error.human_review === true ? "stop" : "use_other_tool"),
  "if the side effect is unknown, the message or the hint says so": (error) =>
    effectOf(error) !== "unknown" || /\bnot known\b|\bunknown\b/i.test(`${error.message} ${error.hint}`),
  "arguments are fixed only if nothing was done": (error) =>
    error.next_step !== "fix_arguments" || effectOf(error) === "none",
  "an outcome that needs a person is unknown": (error) =>
    error.code !== "outcome_unknown" || effectOf(error) === "unknown",
  "human_review agrees with the class": ({ error_class, human_review }) =>
    (human_review === true) === (error_class === "human_review"),
  "`continue` comes with the arguments of the next call": ({ next, next_step }) =>
    next_step !== "continue" || next !== undefined
}

/** Returns the rules that an error breaks. */
export const contradictions = (error: EnvelopeError): ReadonlyArray<string> =>
  Object.keys(rules).filter((rule) => rules[rule]?.(error) === false)

/** Returns the rule that a typed failure breaks if its hint asks to repeat an action that may have been done. */
export const contradictionsOfHint = (hint: string, sideEffect: string): ReadonlyArray<string> =>
  sideEffect !== "none" && asksToRepeat(hint)
    ? ["a typed failure's hint does not ask to repeat an action that may have been done"]
    : []

/** Returns the rule that an HTTP status breaks: 4xx other than 408, and 503, say that nothing was done [3.3]. */
export const contradictionsOfStatus = (status: number, sideEffect: string): ReadonlyArray<string> =>
  sideEffect !== "none" && ((status >= 400 && status < 500 && status !== 408) || status === 503)
    ? ["a status that says that nothing was done agrees with the side effect"]
    : []

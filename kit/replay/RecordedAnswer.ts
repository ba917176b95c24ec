/**
 * What a recorded answer was: a result, a piece of one, or a failure and of which class.
 *
 * **Details**
 *
 * - A log holds what the client showed: failures stand there as text, with a flag or without, in success envelopes, in
 *   JSON in JSON. The ready-made checks find them (`Recognisers`), the classifier of errors says what they are.
 * - What only looks like a failure passes: a command that ran has done its work, whatever it found (SPEC 3.4).
 * - Answers that nothing speaks against are not parsed: see `Suspicion`.
 */
import { hiddenFailureIn } from "effect-toolguard/internal/domain/answers/HiddenFailure"
import { innerErrorIn } from "effect-toolguard/internal/domain/answers/InnerError"
import * as Classification from "effect-toolguard/internal/domain/classification/Classification"
import type { FailureTag } from "effect-toolguard/internal/domain/failure/Failure"
import type { FailureCode } from "effect-toolguard/internal/domain/failure/FailureCode"
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { answersIn } from "effect-toolguard/internal/domain/answers/WrappedAnswers"
import { endOf, isCommand, isOfHarness } from "./CommandAnswer.ts"
import { emptiness, isFetched } from "./EmptyAnswer.ts"
import { isUnknownTool, unknownTool } from "./UnknownTool.ts"
import { pieceMissing } from "./MissingPiece.ts"
import { isSuspect } from "./Suspicion.ts"

/** An answer as the log holds it, and what is known of its call. */
export interface Recorded {
  readonly tool: string
  readonly text: string
  /** The log says that it is an error. */
  readonly isError: boolean
  /** Parsed, where they could be. */
  readonly arguments: unknown
}

export type Judged =
  | { readonly _tag: "Success" }
  | { readonly _tag: "Partial"; readonly detail: string }
  | {
      readonly _tag: "Failure"
      readonly class: FailureTag
      readonly code: FailureCode
      /** One line. */
      readonly detail: string
    }

const success: Judged = { _tag: "Success" }

/** Judges an answer. Pure and total. */
export const judge = (recorded: Recorded): Judged =>
  recorded.isError || isSuspect(recorded.text) ? weighed(recorded) : success

const weighed = (recorded: Recorded): Judged => {
  const { arguments: args, text, tool } = recorded
  const answers = answersIn(text)
  const failed = isCommand(tool, args) ? ofCommand(recorded, answers) : ofTool(recorded, answers)
  if (failed !== undefined) return failed
  const missing = pieceMissing(text, answers, args)
  return missing === undefined ? success : { _tag: "Partial", detail: oneLine(missing) }
}

/** The failure that a command's answer is; undefined where it did its work. */
const ofCommand = (recorded: Recorded, answers: ReadonlyArray<unknown>): Judged | undefined => {
  const texts = answers.filter((answer) => typeof answer === "string")
  const end = texts.map(endOf).find((found) => found !== undefined)
  if (end?._tag === "TimedOut") return classified("Transient", "timeout", texts.join("\n"))
  if (end?._tag === "Missing") return classified("Permanent", "missing_software", texts.join("\n"))
  if (end !== undefined) return undefined
  const message = innerErrorIn(answers) ?? texts.find(isOfHarness)
  return recorded.isError || message !== undefined ? failure(message ?? recorded.text, recorded) : undefined
}

/** The failure that another tool's answer is; undefined where there is none. */
const ofTool = (recorded: Recorded, answers: ReadonlyArray<unknown>): Judged | undefined => {
  const { arguments: args, isError, text, tool } = recorded
  const hidden = hiddenFailureIn(answers)
  const message = hidden?.message ?? (isError ? text : undefined)
  const isSaidByPage =
    message !== undefined &&
    !isError &&
    pageSays.test(message) &&
    isFetched(tool, args) &&
    innerErrorIn(answers) === undefined
  const empty = message === undefined || isSaidByPage ? emptiness(tool, args, answers) : undefined
  if (empty !== undefined) return classified("SemanticGarbage", "tool_failed", empty)
  return message === undefined ? undefined : failure(hidden?.error ?? text, recorded)
}

/** How a page begins that says itself why it has no content. */
const pageSays =
  /^(?:sorry|oops|something went wrong|please|you |access denied|forbidden|not found|page not|[45]\d\d\b)/i

const failure = (error: unknown, recorded: Recorded): Judged => {
  const { code, detail, tag } = Classification.classify(error, { access: "read", arguments: recorded.arguments })
  const own = isUnknownTool(typeof error === "string" ? error : recorded.text, recorded)
    ? unknownTool
    : { class: tag, code }
  return { _tag: "Failure", ...own, detail }
}

const classified = (tag: FailureTag, code: FailureCode, text: string): Judged => ({
  _tag: "Failure",
  class: tag,
  code,
  detail: oneLine(text)
})

const oneLine = (text: string): string => cut(text.trim().replace(/\s+/g, " "), 200)

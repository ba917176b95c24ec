/**
 * Classifies a recorded answer: a success, a partial result, or a failure with its class and code.
 *
 * **Details**
 *
 * - A log contains what the client showed. Failures appear as text with or without a flag, in success envelopes, or in
 *   nested JSON. The library's checks find the failures, and its classifier determines their class.
 * - An answer that only looks like a failure is a success. A command that ran succeeded, for example, whatever it
 *   printed [3.4].
 * - JSON from a tool whose results have a contract is read as the guard reads it under this contract, and not searched
 *   for failures of any other form.
 * - If the answer of a write states its own failure next to data, as in `{"ok": false, "data": …}`, it is a failure
 *   [3.3]. The exceptions are the same as for a live tool: a field that the contract declares, and the state of an
 *   entity.
 * - Most successful answers of reads are never parsed (see `Prefilter`).
 */
import { failureIn, hiddenFailureIn } from "effect-toolguard/internal/domain/answers/HiddenFailure"
import { soleFailureIn } from "effect-toolguard/internal/domain/answers/texts/SoleFailure"
import {
  failedPartIn,
  flaggedFailureIn,
  type Statement
} from "effect-toolguard/internal/domain/answers/statements/Statement"
import { innerErrorIn } from "effect-toolguard/internal/domain/answers/InnerError"
import { QuotedError } from "effect-toolguard/internal/domain/classification/QuotedError"
import * as Classification from "effect-toolguard/internal/domain/classification/Classification"
import type { FailureTag } from "effect-toolguard/internal/domain/failure/Failure"
import type { FailureCode } from "effect-toolguard/internal/domain/failure/FailureCode"
import type { Access } from "effect-toolguard/internal/domain/tool/Access"
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { answersIn } from "effect-toolguard/internal/domain/answers/WrappedAnswers"
import { endOf, errorOf, isCommand, isHarnessError } from "./CommandAnswer.ts"
import { emptiness, isFetched } from "./EmptyAnswer.ts"
import * as Content from "#kit/traffic/Content"
import { isUnknownTool, unknownTool } from "./UnknownTool.ts"
import { missingIn } from "./PartialAnswer.ts"
import { needsParsing } from "./Prefilter.ts"

/** An answer as logged, with its call. */
export interface RecordedCallAnswer {
  readonly tool: string
  readonly text: string
  /** True if the log marks the answer as an error. */
  readonly isError: boolean
  /** The parsed arguments; undefined if they cannot be parsed. */
  readonly arguments: unknown
  /** Default: `read`. */
  readonly access?: Access
  /** True if the contract of the results declares the field at a path. Default: it declares none. */
  readonly declares?: (path: ReadonlyArray<string>) => boolean
  /** Returns what a parsed answer states under the contract of the results. Absent if their contract is not known. */
  readonly readBy?: (answer: unknown) => ContractReading
}

/** What an answer states under a contract: a failure, a doubt or a missing part; `undefined` if it states none. */
export type ContractReading = Statement | { readonly _tag: "Partial"; readonly detail: string } | undefined

/** The classification of a recorded answer. */
export type ClassifiedAnswer =
  | { readonly _tag: "Success" }
  | { readonly _tag: "Partial"; readonly detail: string }
  | {
      readonly _tag: "Failure"
      readonly class: FailureTag
      /** One of the guard's codes. In the guard's own records it can also be the code of one of the tool's checks. */
      readonly code: string
      /** Describes the failure in one line. */
      readonly detail: string
    }

const success: ClassifiedAnswer = { _tag: "Success" }

/** Classifies an answer. The function is pure, and never throws. */
export const classify = (recorded: RecordedCallAnswer): ClassifiedAnswer => {
  const read = ofContract(recorded)
  if (read !== undefined) return read
  const classification = recorded.isError || needsParsing(recorded.text) ? parsedAndClassified(recorded) : success
  return classification._tag === "Failure" ? classification : (ofFlag(recorded) ?? classification)
}

/** Classifies JSON by the contract of the results. Returns `undefined` for any other text, and without a contract. */
const ofContract = (recorded: RecordedCallAnswer): ClassifiedAnswer | undefined => {
  const { access = "read", isError, readBy, text } = recorded
  if (readBy === undefined || isError || !json.test(text)) return undefined
  if (access === "read" && !needsParsing(text)) return success
  const value = Content.parsed(text)
  if (typeof value !== "object") return undefined
  const read = readBy(value)
  if (read === undefined || read._tag === "Result") return success
  return read._tag === "Failure" ? failure(read.error, recorded) : { _tag: "Partial", detail: oneLine(read.detail) }
}

const json = /^\s*[{[]/

/** The longest answer that is searched for a flag, in characters. */
const longestFlagged = 65_536

/** Returns the failure that the answer of a write states next to data, or the part that failed, if any. */
const ofFlag = (recorded: RecordedCallAnswer): ClassifiedAnswer | undefined => {
  const { access = "read", arguments: args, declares, text, tool } = recorded
  if (access === "read" || text.length > longestFlagged || isCommand(tool, args)) return undefined
  const source = { tool, arguments: args, declares: declares ?? declaresNothing }
  const error = flaggedFailureIn(text, source)
  if (error !== undefined) return failure(error, recorded)
  const missing = failedPartIn(text, source)
  return missing === undefined ? undefined : { _tag: "Partial", detail: oneLine(missing) }
}

const declaresNothing = (): boolean => false

const parsedAndClassified = (recorded: RecordedCallAnswer): ClassifiedAnswer => {
  const { arguments: args, text, tool } = recorded
  const answers = answersIn(text)
  const failed = isCommand(tool, args) ? ofCommand(recorded, answers) : ofTool(recorded, answers)
  if (failed !== undefined) return failed
  const missing = missingIn(text, answers, args)
  if (missing !== undefined) return { _tag: "Partial", detail: oneLine(missing) }
  // a text in place of the JSON of a contract breaks it, unless it states a failure
  const sole =
    recorded.readBy !== undefined || isCommand(tool, args)
      ? undefined
      : soleFailureIn(answers, tool, recorded.access ?? "read")
  return sole === undefined ? success : failure(sole.error, recorded)
}

/** Returns the failure in a command's answer, or `undefined` if the command ran. */
const ofCommand = (recorded: RecordedCallAnswer, answers: ReadonlyArray<unknown>): ClassifiedAnswer | undefined => {
  const error = errorOf(answers, recorded.arguments)
  const texts = error === undefined ? answers.filter((answer) => typeof answer === "string") : [error]
  const end = texts.map(endOf).find((found) => found !== undefined)
  if (end?._tag === "TimedOut") return classified("Transient", "timeout", texts.join("\n"))
  if (end?._tag === "Missing") return classified("Permanent", "missing_software", texts.join("\n"))
  if (end !== undefined) return undefined
  const message = innerErrorIn(answers) ?? error ?? texts.find(isHarnessError)
  return recorded.isError || message !== undefined ? failure(message ?? recorded.text, recorded) : undefined
}

/** Returns the failure in the answer of a tool that runs no commands, or `undefined` if the tool did not fail. */
const ofTool = (recorded: RecordedCallAnswer, answers: ReadonlyArray<unknown>): ClassifiedAnswer | undefined => {
  const { arguments: args, isError, text, tool } = recorded
  // a text that the log marks as an error is read as the result of an MCP tool with that mark
  const stated = isError ? failureIn({ isError, content: [{ type: "text", text }] }) : hiddenFailureIn(answers, tool)
  const message = stated?.message
  const isSaidByPage =
    message !== undefined &&
    !isError &&
    pageSays.test(message) &&
    isFetched(tool, args) &&
    innerErrorIn(answers) === undefined
  const empty = message === undefined || isSaidByPage ? emptiness(tool, args, answers) : undefined
  if (empty !== undefined) return classified("SemanticGarbage", "tool_failed", empty)
  return stated === undefined ? undefined : failure(stated.error, recorded)
}

/** Matches the start of a page that explains why the page has no content. */
const pageSays =
  /^(?:sorry|oops|something went wrong|please|you |access denied|forbidden|not found|page not|[45]\d\d\b)/i

const failure = (error: unknown, recorded: RecordedCallAnswer): ClassifiedAnswer => {
  const { access = "read", arguments: args } = recorded
  const { code, detail, tag } = Classification.classify(error, { access, arguments: args })
  const evidence = error instanceof QuotedError ? error.evidence : error
  const classification = isUnknownTool(typeof evidence === "string" ? evidence : recorded.text, recorded)
    ? unknownTool
    : { class: tag, code }
  return { _tag: "Failure", ...classification, detail: oneLine(detail) }
}

const classified = (tag: FailureTag, code: FailureCode, text: string): ClassifiedAnswer => ({
  _tag: "Failure",
  class: tag,
  code,
  detail: oneLine(text)
})

const oneLine = (text: string): string => cut(text.trim().replace(/\s+/g, " "), 200)

/**
 * The `error` of an envelope: the description of a failure that a model reads, in at most 600 characters [5.2], [5.5].
 *
 * - `next_step` comes from the row of the code in `FailureCode`, or from the class if the code has no row. If no
 *   attempts remain, `retryable` is false, and neither `next_step` nor the default `hint` of a transient failure says
 *   `wait`.
 * - In `message` and `hint`, each character that a reader cannot see is written as its code point in brackets, such as
 *   `[U+202E]`.
 * - `details` has the fields of a declared refusal. If they do not fit, long texts are cut, and large values are
 *   described by their size.
 * - `retryable` refers to the identical call after `retry_after_ms`. A failure that is not retryable has a
 *   `retry_after_ms` only if its upstream has stated a wait. A pending approval is not retryable, but its next step is
 *   `wait`, because the model waits for a person.
 * - `side_effect` is left out if it is `none` and the tool only reads or the arguments are wrong.
 * - If the side effect is `committed`, the next step is `stop`, except for partial data with `next`.
 * - If the side effect is `unknown` and the tool reported the failure, the model reads that it is not known whether
 *   anything was done [3.3].
 *
 * **Gotchas**
 *
 * The length is counted in code units of the JSON text, with escapes and without `next` and `approval_url`.
 */
import * as Duration from "effect/Duration"
import type { Access } from "#domain/tool/Access"
import { type Failure, type FailureTag, isRefusal, type SideEffect } from "#domain/failure/Failure"
import { codes, info, type NextStep } from "#domain/failure/FailureCode"
import * as EffectHint from "#domain/failure/EffectHint"
import * as JsonLength from "#domain/json/JsonLength"
import type { JsonObject } from "#domain/json/JsonObject"
import { shown } from "#domain/text/VisibleText"
import * as RefusalDetails from "./RefusalDetails.ts"

/** A failure class as the model reads it. */
export type ErrorClass =
  | "tool_arg_error"
  | "schema_mismatch"
  | "partial_data"
  | "semantic_garbage"
  | "transient"
  | "resource"
  | "permanent"
  | "human_review"

/** The description of a failure that a model reads, in this order of fields. */
export interface EnvelopeError {
  readonly error_class: ErrorClass
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly next_step: NextStep
  readonly fields?: ReadonlyArray<string>
  /** The fields of a declared refusal; absent for every other failure. */
  readonly details?: JsonObject
  readonly side_effect?: SideEffect
  readonly retryable: boolean
  readonly retry_after_ms?: number
  readonly max_retries?: number
  /** How often the tool was executed for this call, if more than once. */
  readonly attempts?: number
  readonly human_review?: true
  readonly approval_url?: string
  readonly next?: unknown
  readonly trace_id?: string
}

/** The facts about the failed call besides its failure. */
interface ErrorContext {
  readonly access: Access
  /** The address of the approval request. It takes precedence over the address in the failure. */
  readonly approvalUrl?: string | undefined
  /** True if the failure is recalled, because the identical call failed before. */
  readonly recalled?: true | undefined
  /** The number of attempts that remain for the identical call in this turn. Absent if they are not counted. */
  readonly remaining?: number | undefined
  /** The milliseconds after which the identical call may be made again. Default: the wait that the failure states. */
  readonly retryAfterMillis?: number | undefined
  /** The notice of the loop detector. */
  readonly notice?: string | undefined
  /** The names of the fallbacks that also failed. */
  readonly tried?: ReadonlyArray<string> | undefined
  /** A tool of the model that looks up whether the action was done. */
  readonly lookup?: string | undefined
}

/** The longest JSON text of an error without `next` and `approval_url`, in code units. Source: [5.5]. */
const limit = 600

interface ClassInfo {
  readonly name: ErrorClass
  readonly nextStep: NextStep
  readonly hint: string
}

const classes: Record<FailureTag, ClassInfo> = {
  ToolArgError: { name: "tool_arg_error", nextStep: "fix_arguments", hint: "Correct the arguments and call again." },
  SchemaMismatch: { name: "schema_mismatch", nextStep: "use_other_tool", hint: codes.invalid_result.hint },
  PartialData: { name: "partial_data", nextStep: "continue", hint: "Continue with `next` for the rest." },
  SemanticGarbage: {
    name: "semantic_garbage",
    nextStep: "use_other_tool",
    hint: "Do not use this result. Try other arguments or another tool, or tell the user."
  },
  Transient: { name: "transient", nextStep: "wait", hint: codes.temporary_failure.hint },
  Resource: { name: "resource", nextStep: "stop", hint: codes.limit_exceeded.hint },
  Permanent: { name: "permanent", nextStep: "use_other_tool", hint: codes.tool_failed.hint },
  HumanReview: {
    name: "human_review",
    nextStep: "ask_user",
    hint: "A person must decide. Ask the user how to continue."
  }
}

/** Returns the `error_class` of a failure: its tag in snake_case. */
export const errorClass = (tag: FailureTag): ErrorClass => classes[tag].name

const longestName = 64
const maxTried = 5
const longestRead = 2_000
const alreadyMade = "You already made this identical call; it failed and will fail again. "
const alreadyFailed = "You already made this identical call; it failed. "
const alreadyActed = "You already made this identical call. "
const alreadyPart = "You already made this identical call; it was not made again. "
const alreadyRefused = "You already made this identical call; it was refused and will be refused again. "

const isRetryable = (failure: Failure, context: ErrorContext): boolean =>
  failure._tag === "Transient" &&
  failure.sideEffect === "none" &&
  context.recalled !== true &&
  (context.remaining === undefined ? failure.code !== "retry_budget_exceeded" : context.remaining > 0)

const isDone = (failure: Failure): boolean => failure.sideEffect === "committed"

/** True if it is not known what the call did, and no person has to decide. */
const isUncertain = ({ _tag, sideEffect }: Failure): boolean => sideEffect === "unknown" && _tag !== "HumanReview"

/** Returns the arguments of the follow-up call, unless there are none or JSON cannot represent them. */
const continuation = (failure: Failure): unknown => {
  if (failure._tag !== "PartialData" || failure.next === undefined) return undefined
  try {
    return JSON.stringify(failure.next) === undefined ? undefined : failure.next
  } catch {
    return undefined
  }
}

const nextStep = (failure: Failure, retryable: boolean, next: unknown, lookup: string | undefined): NextStep => {
  if (next !== undefined) return "continue"
  if (isDone(failure)) return "stop"
  if (isUncertain(failure)) return lookup === undefined ? "ask_user" : "use_other_tool"
  if (failure._tag === "PartialData") return "fix_arguments"
  if (retryable && failure.code === "retry_budget_exceeded") return "wait"
  const usual = info(failure.code)?.nextStep ?? classes[failure._tag].nextStep
  if (usual !== "wait" || retryable || failure._tag === "HumanReview") return usual
  return failure._tag === "Transient" ? "use_other_tool" : classes[failure._tag].nextStep
}

const hint = (failure: Failure, step: NextStep, retryable: boolean, lookup: string | undefined): string => {
  if (step !== "continue" && isDone(failure)) return doneHint(failure)
  if (step !== "continue" && isUncertain(failure)) return uncertainHint(failure, lookup)
  const usual = usualHint(failure)
  const isUsual = failure.hint.trim() === "" || failure.hint === usual
  if (!isUsual) return failure.hint
  if (failure._tag === "PartialData" && step !== "continue") return "Ask for less, so that the answer is complete."
  return failure._tag === "Transient" && !retryable ? codes.retry_budget_exceeded.hint : usual
}

/** Returns the hint for an unknown effect: after a failure that the tool reported, or a result that proves nothing. */
const uncertainHint = (failure: Failure, lookup: string | undefined): string =>
  failure._tag === "PartialData" || failure.hint === EffectHint.unproven()
    ? EffectHint.unproven(lookup)
    : EffectHint.uncertain(lookup)

/** Returns the hint for an action that was done although its call failed. */
const doneHint = (failure: Failure): string => {
  if (failure.code === "done_without_result") return codes.done_without_result.hint
  return isUnread(failure) ? codes.done_unreadable.hint : EffectHint.done
}

const isUnread = ({ _tag }: Failure): boolean => _tag === "SchemaMismatch"

/** Returns the message of a failure for the model: its detail, and whether the action was done. */
const messageOf = (failure: Failure): string => {
  const detail = line(failure.detail)
  const known = detail === "" ? (info(failure.code)?.meaning ?? "The tool gave no reason.") : detail
  return isDone(failure) && !isUnread(failure) && failure._tag !== "PartialData"
    ? `${failure.tool} was done, then: ${known}`
    : known
}

/** Returns the beginning of the message of a recalled failure. */
const repetition = (failure: Failure): string => {
  if (failure.sideEffect === "none")
    return isRefusal(failure) ? alreadyRefused : failure.code === "tool_failed" ? alreadyFailed : alreadyMade
  return failure._tag === "PartialData" ? alreadyPart : alreadyActed
}

const refusedHint = "Nothing was done. Choose another way, or tell the user why it was refused."

const usualHint = (failure: Failure): string =>
  failure._tag === "Permanent" && isRefusal(failure)
    ? refusedHint
    : (info(failure.code)?.hint ?? classes[failure._tag].hint)

/**
 * Returns the text on one line: each run of white space becomes one space, and each other hidden character becomes its
 * code point in brackets. Reads at most `longestRead` characters.
 */
const line = (text: string): string => shown(text.slice(0, longestRead).replace(/\s+/gu, " ").trim())

const tail = (tried: ReadonlyArray<string> | undefined): string =>
  tried === undefined || tried.length === 0
    ? ""
    : ` Also failed: ${JsonLength.cut(tried.slice(0, maxTried).join(", "), 100)}.`

/** Returns the leading paths whose list fits into `room`. */
const fitFields = (fields: ReadonlyArray<string>, room: number): ReadonlyArray<string> => {
  let left = room - fieldsFrame
  const end = fields.findIndex((field) => (left -= JsonLength.of(field) + `"",`.length) < 0)
  return end < 0 ? fields : fields.slice(0, end)
}
const fieldsFrame = `,"fields":[]`.length

/** The parts that are shortened or left out if an error is too long. */
interface Extras {
  readonly fields: ReadonlyArray<string>
  readonly details: JsonObject | undefined
}

type Assemble = (message: string, hint: string, extras: Extras) => EnvelopeError

const size = (error: EnvelopeError): number =>
  JSON.stringify({ ...error, approval_url: undefined, next: undefined }).length

/**
 * Shortens an error that is too long: the fields get at most a quarter of the room, the details at most half, the hint
 * at least two fifths of the remaining room, and the message the rest.
 */
const fit = (assemble: Assemble, message: string, suffix: string, hint: string, extras: Extras): EnvelopeError => {
  const whole = assemble(message + suffix, hint, extras)
  if (size(whole) <= limit) return whole
  const empty = limit - size(assemble("", "", { fields: [], details: undefined }))
  const fields = fitFields(extras.fields, Math.floor(empty / 4))
  const details = extras.details === undefined ? undefined : RefusalDetails.fit(extras.details, Math.floor(empty / 2))
  const fitting = { fields, details }
  const room = limit - size(assemble(suffix, "", fitting))
  const hintRoom = Math.max(Math.floor((room * 2) / 5), room - JsonLength.of(message))
  const shortHint = JsonLength.cut(hint, hintRoom)
  return assemble(JsonLength.cut(message, room - JsonLength.of(shortHint)) + suffix, shortHint, fitting)
}

/** The wait before a retryable call if nothing states one, in milliseconds. */
const defaultRetryMillis = 1_000

/** Returns the wait that the upstream stated, in milliseconds; undefined if it stated none or an infinite one. */
const statedMillis = (failure: Failure): number | undefined => {
  if ((failure._tag !== "Transient" && failure._tag !== "Resource") || failure.retryAfter === undefined)
    return undefined
  const millis = Math.ceil(Duration.toMillis(failure.retryAfter))
  return Number.isFinite(millis) ? millis : undefined
}

/** Creates the `error` of an envelope, and shortens its texts. The texts must already be redacted. */
export const make = (failure: Failure, context: ErrorContext): EnvelopeError => {
  const retryable = isRetryable(failure, context)
  const next = continuation(failure)
  const step = nextStep(failure, retryable, next, context.lookup)
  const retryAfterMs = retryable
    ? (context.retryAfterMillis ?? statedMillis(failure) ?? defaultRetryMillis)
    : statedMillis(failure)
  const approvalUrl = failure._tag === "HumanReview" ? (context.approvalUrl ?? failure.approvalUrl) : undefined
  const assemble: Assemble = (message, hint, { details, fields }) => ({
    error_class: errorClass(failure._tag),
    code: JsonLength.cut(failure.code, longestName),
    message,
    hint,
    next_step: step,
    ...(fields.length === 0 ? {} : { fields }),
    ...(details === undefined ? {} : { details }),
    ...(isImpliedNone ? {} : { side_effect: failure.sideEffect }),
    retryable,
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    ...(retryable && context.remaining !== undefined ? { max_retries: context.remaining } : {}),
    ...(failure.attempts === undefined ? {} : { attempts: failure.attempts }),
    ...(failure._tag === "HumanReview" ? { human_review: true } : {}),
    ...(approvalUrl === undefined ? {} : { approval_url: approvalUrl }),
    ...(next === undefined ? {} : { next }),
    ...(failure.traceId === "" ? {} : { trace_id: JsonLength.cut(failure.traceId, longestName) })
  })
  const isImpliedNone = failure.sideEffect === "none" && (context.access === "read" || failure._tag === "ToolArgError")
  const usual = hint(failure, step, retryable, context.lookup)
  const message = messageOf(failure)
  const repeated = repetition(failure)
  return fit(
    assemble,
    context.recalled === true ? repeated + message : message,
    tail(context.tried),
    line(context.notice === undefined || failure.code === "loop_detected" ? usual : `${context.notice} ${usual}`),
    { fields: failure.fields ?? [], details: RefusalDetails.of(failure) }
  )
}

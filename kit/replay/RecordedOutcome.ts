/**
 * Uses the outcomes of the guard's own records unchanged in a replay [15.2].
 *
 * **Details**
 *
 * - The stages of the replay decide whether they would have let the call pass. A call that passes ends as its record
 *   says: with the same class, code, side effect, attempts and decisions. The outcome is not classified again, and no
 *   check runs.
 * - A call that was refused or answered without an attempt ends before `retry`, so it spends no budget. A call that was
 *   refused before its arguments were decoded ends before `parse`, because its text may have been cut for the record.
 */
import * as AnsweredEnvelope from "effect-toolguard/internal/domain/answers/AnsweredEnvelope"
import { type CallRecord, plain } from "effect-toolguard/internal/domain/call/CallRecord"
import { failed, type Outcome, success } from "effect-toolguard/internal/domain/call/Outcome"
import { changed, isRefusal } from "effect-toolguard/internal/domain/failure/Failure"
import { Compiled, type CompiledTool } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import type { Stage } from "effect-toolguard/internal/pipeline/call/Stage"
import * as StatedAnswer from "effect-toolguard/internal/pipeline/answer/StatedAnswer"
import * as Pipeline from "effect-toolguard/internal/pipeline/Pipeline"
import * as Effect from "effect/Effect"
import { pipe } from "effect/Function"
import * as Result from "effect/Result"
import * as Content from "#kit/traffic/Content"
import type { GuardedEnd } from "#kit/traffic/Conversation"
import type { TimelineCall } from "#kit/traffic/Timeline"
import type { CallableTool } from "./CallableTool.ts"
import { accessOf } from "./NamedAccess.ts"
import { type ClassifiedAnswer, classify, type ContractReading, type RecordedCallAnswer } from "./RecordedAnswer.ts"

/** The end of a call in the log: the classification of its answer, or a declared refusal, which only the guard's own records contain. */
export type LoggedEnd = ClassifiedAnswer | { readonly _tag: "Refused"; readonly code: string; readonly detail: string }

/**
 * Returns how a call ended, from the guard's record, otherwise by classifying its answer. Returns `undefined` if the log
 * has neither. `tool` is the replayed tool, if any.
 */
export const loggedEnd = (
  { answer, call }: Pick<TimelineCall, "answer" | "call">,
  args: () => unknown,
  tool?: CallableTool
): LoggedEnd | undefined => {
  if (call.end !== undefined) return endOfRecord(call.end)
  if (answer === undefined) return undefined
  const { isError, text } = answer
  const sent = args()
  return classify({ tool: call.name, arguments: sent, text, isError, ...contractOf(call.name, tool, sent) })
}

/** Returns the access of a tool, and the contract of its results. The access of an unlisted tool is guessed. */
const contractOf = (
  name: string,
  tool: CallableTool | undefined,
  args: unknown
): Pick<RecordedCallAnswer, "access" | "declares" | "readBy"> => {
  if (tool === undefined) return { access: accessOf(name) }
  const { definition, result } = tool[Compiled]
  const { access } = definition
  // a contract of text permits any text, and an unknown contract declares nothing
  if (tool.isUntyped === true) return { access }
  return result.text === "json"
    ? { access, declares: result.declares, readBy: (answer) => readingOf(tool[Compiled], answer, args) }
    : { access, declares: () => true }
}

/** Returns what a parsed answer states, as the stage `decodeResult` reads it. */
const readingOf = (tool: CompiledTool, given: unknown, args: unknown): ContractReading => {
  const isPartial = tool.definition.enforce !== "advise" && !tool.result.declares(["status"])
  const partial = isPartial ? AnsweredEnvelope.partialOf(given) : undefined
  const answer = partial === undefined ? given : partial.data
  const { decoded, received } = StatedAnswer.decodedBy(tool.result.decode, tool, answer)
  const conforms = decoded._tag === "Success"
  const stated = StatedAnswer.statedIn(tool, received, { arguments: args, isValue: false, conforms })
  if (stated?._tag === "Failure" || partial === undefined || !conforms) return stated
  return { _tag: "Partial", detail: partial.detail ?? "The tool states that the result is incomplete." }
}

/** Converts the outcome in a record to the end of a call. */
export const endOfRecord = ({ outcome }: GuardedEnd): LoggedEnd => {
  if (outcome._tag === "Success") return { _tag: "Success" }
  const { _tag, code, detail } = outcome.failure
  if (isRefusal(outcome.failure)) return { _tag: "Refused", code, detail }
  return _tag === "PartialData" ? { _tag: "Partial", detail } : { _tag: "Failure", class: _tag, code, detail }
}

/**
 * True if the guard had seen the ids in the arguments of a call. A replay cannot look for the ids, because the guard's
 * records omit the user's messages.
 */
export const hasSeenIds = ({ decisions }: GuardedEnd): boolean => decisions.every(({ stage }) => stage !== "provenance")

/** The current call of a replay. */
export interface CurrentCall {
  /** Returns how the call ended according to its record, or `undefined` in the log of another program. */
  readonly end: () => GuardedEnd | undefined
  /** Returns the text of the call's result. */
  readonly text: () => string
  /** Notes that the call ends as its record says. */
  readonly markAsRecorded: () => void
}

/** Returns the stages of a replay: the production stages, and stages that end a call as recorded. */
export const stages = (current: CurrentCall) => {
  const before = (name: string, applies: (end: GuardedEnd) => boolean) =>
    Pipeline.insertBefore(name, stageOf(current, applies))
  return pipe(
    Pipeline.stages,
    before("parse", (end) => hasNoAttempt(end) && refusedEarly.has(end.decisions.at(-1)?.stage ?? "")),
    before("retry", hasNoAttempt),
    before("run", (end) => !hasNoAttempt(end))
  )
}

const hasNoAttempt = ({ attempts }: GuardedEnd): boolean => attempts.length === 0

/** The stages that can refuse a call before its arguments are decoded. */
const refusedEarly: ReadonlySet<string> = new Set(["locate", "parse", "authorize"])

const stageOf = (current: CurrentCall, applies: (end: GuardedEnd) => boolean): Stage => ({
  name: "recorded",
  make: Effect.succeed((tool) => (next) => (call) => {
    const end = current.end()
    if (end === undefined || !applies(end)) return next(call)
    current.markAsRecorded()
    call.trace.isStarted = !hasNoAttempt(end)
    call.trace.attempts.push(...end.attempts)
    return Effect.succeed(outcomeOf(tool, end, current.text()))
  })
})

/** Returns the recorded outcome, with the result as the replayed tool decodes it. */
const outcomeOf = (tool: CompiledTool, { outcome, resultDigest, usedFallback }: GuardedEnd, text: string): Outcome => {
  const notes = {
    ...(resultDigest === undefined ? {} : { digest: resultDigest }),
    ...(usedFallback === undefined ? {} : { usedFallback })
  }
  if (outcome._tag === "Success") return { ...success(resultOf(tool, text)), ...notes }
  const { failure } = outcome
  return failure._tag === "PartialData"
    ? { ...failed(changed(failure, { data: resultOf(tool, text) })), ...notes }
    : { ...failed(failure), ...notes }
}

/** Decodes a result. Returns the text if decoding fails because the contract has changed or the log is redacted. */
const resultOf = (tool: CompiledTool, text: string): unknown =>
  Result.getOrElse(tool.result.decode(Content.parsed(text)), () => text)

/**
 * Restores the recorded arguments and the side of the rollout in the record of a replayed call, and the recorded end if
 * `endsAsRecorded`. Otherwise the replayed guard has decided differently, and the end of the replayed call is kept.
 */
export const restored = (
  record: CallRecord,
  { arguments: args, end }: TimelineCall["call"],
  endsAsRecorded: boolean
): CallRecord =>
  end === undefined
    ? record
    : {
        ...plain(record),
        ...(typeof args === "string" ? { argumentsText: args } : { arguments: args }),
        ...(end.enforcement === undefined ? {} : { enforcement: end.enforcement }),
        ...(endsAsRecorded ? end : {})
      }

/**
 * [15.2] The outcomes of the guard's own records, which a replay uses unchanged.
 *
 * **Details**
 *
 * - The stages of the replay decide whether they would have let the call pass. A call that passes ends as its record says:
 *   with the same class, code, side effect, attempts and decisions. No rule classifies it, and no check runs again.
 * - A call that was refused or answered without an attempt ends before `retry`, so that it spends no budget. One that the
 *   parser refused ends before `parse`, because its text may have been cut for the record.
 */
import { type CallRecord, plain } from "effect-toolguard/internal/domain/call/CallRecord"
import { failed, type Outcome, success } from "effect-toolguard/internal/domain/call/Outcome"
import { changed } from "effect-toolguard/internal/domain/failure/Failure"
import type { CompiledTool } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import type { Stage } from "effect-toolguard/internal/pipeline/call/Stage"
import * as Pipeline from "effect-toolguard/internal/pipeline/Pipeline"
import * as Effect from "effect/Effect"
import { pipe } from "effect/Function"
import * as Result from "effect/Result"
import * as Content from "#kit/traffic/Content"
import type { GuardedEnd } from "#kit/traffic/Conversation"
import type { TimelineCall } from "#kit/traffic/Timeline"
import { type Judged, judge } from "./RecordedAnswer.ts"

/** How a recorded call ended: according to the guard's record, otherwise by judging its answer. Undefined without either. */
export const judged = (
  { answer, call }: Pick<TimelineCall, "answer" | "call">,
  args: () => unknown
): Judged | undefined => {
  if (call.end !== undefined) return judgedBy(call.end)
  if (answer === undefined) return undefined
  return judge({ tool: call.name, arguments: args(), text: answer.text, isError: answer.isError })
}

/** The judgement that a record contains. */
export const judgedBy = ({ outcome }: GuardedEnd): Judged => {
  if (outcome._tag === "Success") return { _tag: "Success" }
  const { _tag, code, detail } = outcome.failure
  return _tag === "PartialData" ? { _tag: "Partial", detail } : { _tag: "Failure", class: _tag, code, detail }
}

/**
 * Whether the guard had seen the ids in the arguments of a call. Its records omit the user's messages, in which a
 * replay would have to find them.
 */
export const hasSeenIds = ({ decisions }: GuardedEnd): boolean => decisions.every(({ stage }) => stage !== "provenance")

/** The current call of a replay. */
export interface Current {
  /** How it ended according to its record; undefined in the log of another program. */
  readonly end: () => GuardedEnd | undefined
  /** The text of its result. */
  readonly text: () => string
  /** Notes that it ends as its record says. */
  readonly markAsRecorded: () => void
}

/** The stages of a replay: the production stages, and the stages that end a call as recorded. */
export const stages = (current: Current) => {
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

/** The stages that refuse a call before its arguments are decoded. */
const refusedEarly: ReadonlySet<string> = new Set(["locate", "parse", "authorize"])

const stageOf = (current: Current, applies: (end: GuardedEnd) => boolean): Stage => ({
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

/** The recorded outcome, with the result as the replayed tool decodes it. */
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

/** A result that the tool cannot decode stays text: its contract has changed, or the log has redacted it. */
const resultOf = (tool: CompiledTool, text: string): unknown =>
  Result.getOrElse(tool.result.decode(Content.parsed(text)), () => text)

/**
 * The record of a replayed call with its arguments as recorded, and with its recorded end if `endsAsRecorded`. Otherwise the
 * replayed guard has decided differently.
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
        ...(endsAsRecorded ? end : {})
      }

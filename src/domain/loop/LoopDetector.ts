/**
 * Detects calls of a conversation that repeat without progress, as a pure fold over the calls [7.3].
 *
 * | pattern | the model is notified | a person is asked |
 * | --- | --- | --- |
 * | `identical`: the same call with the same result | 2nd | 3rd, which is not run (`ask`) |
 * | `cycle`: two to four calls in a cycle, same results | 3 times in a row | next call that continues it |
 * | `same_failure`: class, code and path equal, arguments different | 4th | 5th |
 * | `no_progress`: nothing new | 8 calls in a row | 9th |
 *
 * These are the default thresholds (`LoopThresholds`).
 *
 * **Details**
 *
 * - `ask` decides before a call runs, and `step` records how the call ended. Call `ask` first, then `step`, both live
 *   and offline.
 * - Counts of identical calls restart after a successful write of another tool or with other arguments, in another
 *   turn (a new message of the user), and when the result changes. Recalled calls and refusals count as the same
 *   result.
 * - A successful write whose repeats are allowed belongs to no pattern. Once it is recalled instead, it counts as the
 *   second identical call.
 * - Counts of a failure restart after a success of the same tool, or a successful write of any tool.
 * - Progress is a result that differs from the result of the previous identical call, or a failure that was not seen
 *   before.
 * - A reading of the status of unfinished work, when it is due (`StatusPoll`), counts as the first identical call and
 *   belongs to no other pattern.
 * - The identical call within a second of a pending result gets that result again and counts (`PendingResult`). The
 *   call that the model then makes at the stated time runs, and does not increase the count.
 * - After a Transient failure, the model reads when it may call again (`readyAt`). A call at that time or later counts
 *   as the first identical call. A call that comes sooner, is made after the guard's wait, and fails as Transient again
 *   counts as the next.
 * - A poll that succeeds, or fails as Transient, does not count. A call that waits for a person, or for the same action
 *   to finish, counts only for `no_progress`. The same applies to a call that was not made because it came too soon or
 *   because the circuit was open.
 * - PartialData counts as a result and not as a failure, because consecutive pages have the same code.
 * - If a person lets the conversation continue, all counts restart (`approved`).
 * - Except for `identical`, no person is asked about calls of the round in which the model is notified, because the
 *   model has not been able to react.
 */
import type { LoopDecision, LoopEvent, LoopQuestion, LoopVerdict } from "./LoopEvent.ts"
import * as LoopLog from "./LoopLog.ts"
import { repetition, cycleOf, type FoundPattern, found } from "./LoopPattern.ts"
import { type FailureCount, initial, type LoopState } from "./LoopState.ts"
import * as LoopThresholds from "#domain/tool/LoopThresholds"
import * as PendingResult from "./PendingResult.ts"
import * as StatusPoll from "./StatusPoll.ts"

export type { LoopDecision, LoopEvent, LoopQuestion, LoopVerdict } from "./LoopEvent.ts"
export type { LoopPattern } from "./LoopPattern.ts"
export { initial, LoopSnapshot, restore, snapshot, type LoopState } from "./LoopState.ts"

const maxFailures = 16
const proceed: LoopVerdict = { _tag: "Proceed" }

const thresholdsOf = ({ thresholds = LoopThresholds.defaults }: LoopQuestion): LoopThresholds.LoopThresholds =>
  thresholds

/** True for the codes with which the guard refuses repeated calls without an attempt. */
const isRefusal = (code: string): boolean => code === "retry_budget_exceeded" || code === "loop_detected"
/** True if a code asks the model to repeat the identical call later. */
const isWaiting = (code: string): boolean => code === "requires_human_approval" || code === "in_progress"

/** Returns the position after which the calls with a key count. */
const restartedAt = (state: LoopState, key: string): number =>
  state.wroteBy === key ? state.wroteElseAt : state.wroteAt

/** True if an earlier identical call counts: no write has succeeded and the user has sent no message since then. */
const isCounted = (state: LoopState, before: LoopLog.Entry, turn: string | undefined): boolean =>
  before.at > restartedAt(state, before.key) && before.turn === (turn ?? "")

const isEnd = (state: LoopState, turn: string | undefined): boolean =>
  state.deniedIn !== "" && state.deniedIn === (turn ?? noTurn)
/** The name of the turn if the host has no turns. */
const noTurn = "?"

/** Returns the previous identical call, unless counts have restarted since. */
const lastOf = (state: LoopState, question: LoopQuestion): LoopLog.Entry | undefined => {
  const key = LoopLog.keyOf(question.key)
  const before = LoopLog.find(state.log, key, LoopLog.hashOf(key))
  return before === undefined || !isCounted(state, before, question.turn) ? undefined : before
}

/**
 * Decides on a call before it runs. The decision is `Stop` for an identical call after the model was notified, by
 * default the third, and `Proceed` for any other call. Unfinished work and pending results have separate decisions.
 */
export const ask = (state: LoopState, question: LoopQuestion): LoopDecision => {
  const last = lastOf(state, question)
  const count = last?.count ?? 0
  const status = last?.status
  const { identical } = thresholdsOf(question)
  if (status !== undefined) {
    const { at } = question
    if (at === undefined) return { _tag: "Unfinished", status }
    if (StatusPoll.isDue(status, at)) return proceed
    if (count < identical) return { _tag: "Early", waitMillis: status.endedAt + status.toldMillis - at }
  }
  if (last?.pending !== undefined && question.now !== undefined) {
    const waitMillis = PendingResult.earlyMillis(last.pending, question.now)
    if (waitMillis === 0 && last.pending.isTold) return proceed
    // another call in between may have changed the result
    if (waitMillis > 0 && last.at === state.log.size && count < identical) return { _tag: "Early", waitMillis }
  }
  if (count < identical || question.poll === true || isReady(last, question)) return proceed
  const reason = `The ${repetition(last, count)}. It is not made again.`
  return { _tag: "Stop", isEnd: isEnd(state, question.turn), pattern: "identical", count: count + 1, reason }
}

/** True if the time has come at which the model was asked to make the call again. */
const isReady = (before: LoopLog.Entry | undefined, { now }: LoopQuestion): boolean =>
  before?.readyAt !== undefined && now !== undefined && now >= before.readyAt

/** True if a model has read when it may make the call again, after a Transient failure of the identical call. */
export const isTold = (state: LoopState, question: LoopQuestion): boolean =>
  lastOf(state, question)?.readyAt !== undefined

/** Returns the wait before a model may read a status of unfinished work again; undefined for any other result. */
export const statedMillis = (state: LoopState, question: LoopQuestion): number | undefined =>
  lastOf(state, question)?.status?.toldMillis

/** Returns how often the identical call can still run while its result stays the same. */
export const remaining = (state: LoopState, question: LoopQuestion): number =>
  question.poll === true
    ? Infinity
    : Math.max(0, thresholdsOf(question).identical - (lastOf(state, question)?.count ?? 0))

const unknownTool = "unknown_tool"

/** Returns the failure with its new count. */
const countFailure = (
  failures: ReadonlyArray<FailureCount>,
  tool: string,
  signature: string,
  key: string,
  sameFailure: number
): FailureCount => {
  const before = failures.find((failure) => failure.signature === signature && failure.tool === tool)
  if (before === undefined) return { tool, signature, count: 1, keys: [key] }
  if (before.keys.includes(key)) return before
  return { tool, signature, count: before.count + 1, keys: [...before.keys, key].slice(-sameFailure) }
}

/** Returns the failures that still count after a success. */
const afterSuccess = (failures: ReadonlyArray<FailureCount>, event: LoopEvent): ReadonlyArray<FailureCount> =>
  event.access === "read" ? failures.filter(({ tool }) => tool !== event.tool && tool !== unknownTool) : []

/** Records the outcome of a call, and returns the new state with the verdict on the call. */
export const step = (
  state: LoopState,
  event: LoopEvent
): { readonly state: LoopState; readonly verdict: LoopVerdict } => {
  const { access, outcome, tool } = event
  const thresholds = thresholdsOf(event)
  const isFailure = outcome._tag === "Failure" && outcome.class !== "PartialData"
  const code = outcome._tag === "Failure" ? outcome.code : ""
  const key = LoopLog.keyOf(event.key)
  const hash = LoopLog.hashOf(key)
  const before = LoopLog.find(state.log, key, hash)
  const isPolled = event.poll === true && (!isFailure || outcome.class === "Transient")
  if (isPolled && before === undefined) return { state, verdict: proceed }

  const recalled = event.recalled === true || isRefusal(code)
  const at = state.log.size + 1
  const signature = outcome._tag === "Failure" ? `${outcome.class} ${code} ${outcome.path ?? ""}` : ""
  const digest =
    recalled && before !== undefined
      ? before.digest
      : LoopLog.digestOf(
          outcome._tag === "Success"
            ? outcome.digest
            : LoopLog.ofFailure(signature, isFailure ? "" : shown(outcome.digest))
        )
  const isUnmade = event.isUnmade === true
  // a Transient failure after another, regardless of its code
  const failedAgain = isFailure && before?.readyAt !== undefined && event.readyAt !== undefined
  const isSame =
    before !== undefined && (failedAgain || before.digest === digest || LoopLog.sameResult(before, { digest }))
  const isProgress = !isFailure && !recalled
  const isRepeat = isProgress && access !== "read" && event.isRepeatable === true
  const counted = before !== undefined && isCounted(state, before, event.turn) ? before : undefined
  const isAgain = isSame && counted !== undefined && !isWaiting(code) && !isRepeat && !isReady(before, event)
  const known = counted?.status
  const isDue = known === undefined || event.at === undefined || StatusPoll.isDue(known, event.at)
  const isTransient = isFailure && outcome.class === "Transient" && known !== undefined
  const isRead = !recalled && isDue && (isTransient || (!isFailure && event.isUnfinished === true))
  const status = isRead
    ? StatusPoll.read(known, event.at ?? 0, event.endedAt ?? event.at ?? 0, isTransient)
    : known !== undefined && (recalled || (!isDue && (isTransient || event.isUnfinished === true)))
      ? StatusPoll.asked(known, event.at ?? 0)
      : undefined
  const pending = PendingResult.after(counted?.pending, event, recalled)
  const isTold = !recalled && counted?.pending?.isTold === true
  const count = isPolled ? 0 : isRead ? 1 : isAgain ? before.count + (isUnmade || isTold ? 0 : 1) : 1
  const turn = event.turn ?? ""
  const isExempt = isPolled || isRepeat || isRead || isUnmade
  // a refused call that was not made keeps the time of the call before it
  const readyAt = isUnmade && isRefusal(code) ? before?.readyAt : event.readyAt
  const log = LoopLog.append(state.log, {
    key,
    hash,
    tool,
    digest: isRead && isTransient && before !== undefined ? before.digest : digest,
    count,
    at,
    turn,
    isExempt,
    pending,
    readyAt,
    status
  })
  if (isPolled || isRead) return { state: { ...state, log }, verdict: proceed }

  const failedTool = code === unknownTool ? unknownTool : tool
  const failure =
    isFailure && !recalled && !isWaiting(code)
      ? countFailure(state.failures, failedTool, signature, key, thresholds.sameFailure)
      : undefined
  const others = failure === undefined ? state.failures : state.failures.filter((other) => !isOf(other, failure))
  const isNew = isProgress ? !isSame || isRepeat : failure !== undefined && others.length === state.failures.length
  const period = isSame ? cycleOf(log, thresholds) : 0
  const wrote = isProgress && access !== "read"
  const after: LoopState = {
    log,
    failures:
      failure === undefined
        ? isProgress
          ? afterSuccess(state.failures, event)
          : state.failures
        : [...others.slice(1 - maxFailures), failure],
    stale: isNew ? 0 : state.stale + 1,
    cycling: period > 0 ? state.cycling + 1 : 0,
    wroteBy: wrote ? key : state.wroteBy,
    wroteAt: wrote ? at : state.wroteAt,
    wroteElseAt: wrote && key !== state.wroteBy ? state.wroteAt : state.wroteElseAt,
    toldIn: state.toldIn,
    deniedIn: state.deniedIn
  }
  const hits = found(after, isUnmade ? 0 : count, failure, period, thresholds)
  return hits.length === 0 ? { state: after, verdict: proceed } : judge(after, event, hits)
}

const isOf = (self: FailureCount, that: FailureCount): boolean =>
  self.tool === that.tool && self.signature === that.signature

const shown = (digest: LoopLog.Digest | undefined): string =>
  digest === undefined ? "" : typeof digest === "string" ? digest : LoopLog.digestOf(digest)()

/**
 * Combines the patterns into one verdict. The first pattern that asks a person decides. If no pattern asks a person,
 * the first pattern decides.
 */
const judge = (
  state: LoopState,
  event: LoopEvent,
  hits: ReadonlyArray<FoundPattern>
): { readonly state: LoopState; readonly verdict: LoopVerdict } => {
  const toldIn = event.round === undefined ? "" : `${event.turn ?? noTurn} ${event.round}`
  const wasJustNotified = toldIn !== "" && toldIn === state.toldIn
  const next = hits.find((hit) => hit.isNextHit && (hit.pattern === "identical" || !wasJustNotified))
  const { count, pattern, reason } = next ?? hits[0]!
  return next === undefined
    ? { state: { ...state, toldIn }, verdict: { _tag: "Tell", pattern, count, reason } }
    : { state, verdict: { _tag: "Stop", isEnd: isEnd(state, event.turn), pattern, count, reason } }
}

/** Records that a person lets the conversation continue. All counts restart. */
export const approved = (state: LoopState): LoopState => ({ ...initial, toldIn: state.toldIn })

/** Records a successful write that is not in the log, such as a program's write. All counts restart. */
export const wrote = (state: LoopState): LoopState => ({
  ...state,
  failures: [],
  stale: 0,
  cycling: 0,
  wroteBy: "",
  wroteAt: state.log.size,
  wroteElseAt: state.log.size
})

/** Records that a person denied a call or could not be reached. The next `Stop` of this turn ends the run. */
export const denied = (state: LoopState, turn?: string): LoopState => ({ ...state, deniedIn: turn ?? noTurn })

/** Folds `step` over events. Returns the state after all events, and the verdict on each. */
export const fold = (
  events: Iterable<LoopEvent>,
  from: LoopState = initial
): { readonly state: LoopState; readonly verdicts: ReadonlyArray<LoopVerdict> } => {
  const verdicts: Array<LoopVerdict> = []
  let state = from
  for (const event of events) {
    const next = step(state, event)
    state = next.state
    verdicts.push(next.verdict)
  }
  return { state, verdicts }
}

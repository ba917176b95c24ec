/**
 * Folds the calls of a turn into its history: failures to recall, committed side effects, denials, and the latest results
 * of each tool.
 *
 * **Details**
 *
 * - A failure is recalled until any tool has written. The failure of a call that changed something is recalled for the
 *   whole turn [4.6]. An incomplete result is recalled with its failure while it is held.
 * - `UnsettledWrites` decides whether a write is made again after an answered error, if it may have changed something.
 * - `DoubtfulWrites` holds the writes whose effect is unknown.
 * - `RepeatedWrites` decides whether a write that succeeded is made again.
 * - A denial, or an answer in words, applies to the whole turn [10.4].
 * - At most `heldResults` results of a tool are held for its checks. The records of writes are not dropped (`CallMap`),
 *   except in a session after their counts have lapsed. `RecentEntries` bounds everything else.
 */
import * as HashMap from "effect/HashMap"
import type { Access } from "#domain/tool/Access"
import * as EffectHint from "#domain/failure/EffectHint"
import * as Failure from "#domain/failure/Failure"
import type { FailedOutcome, Outcome, Success } from "#domain/call/Outcome"
import type { Repeats } from "#domain/tool/PolicyInput"
import * as CallMap from "./CallMap.ts"
import * as DoubtfulWrites from "./DoubtfulWrites.ts"
import * as HeldResults from "./HeldResults.ts"
import * as Lapses from "./Lapses.ts"
import * as Recallable from "./Recallable.ts"
import * as RecentEntries from "./RecentEntries.ts"
import * as RepeatedWrites from "./RepeatedWrites.ts"
import * as UnsettledWrites from "./UnsettledWrites.ts"

/** The history of one turn. */
export interface TurnHistory {
  readonly failures: RecentEntries.RecentEntries<Failure.Failure>
  /** Failures of calls that changed something. */
  readonly committed: CallMap.CallMap<Failure.Failure>
  /** The incomplete results of writes that were or may have been done. */
  readonly incomplete: HeldResults.HeldResults<HeldResults.FailedPart>
  readonly unsettled: UnsettledWrites.UnsettledWrites
  readonly doubts: DoubtfulWrites.DoubtfulWrites
  readonly writes: RepeatedWrites.RepeatedWrites
  /** The last results of reads that return the status of unfinished work. */
  readonly statuses: HeldResults.HeldResults
  /** The calls of a session, whose counts lapse. */
  readonly lapses: Lapses.Lapses
  readonly denials: RecentEntries.RecentEntries<Failure.Failure>
  readonly results: HashMap.HashMap<string, ReadonlyArray<unknown>>
  /** The first idempotency key of each call that the model sent with a key. */
  readonly keys: CallMap.CallMap<string>
  /** The last poll of each call. */
  readonly polls: RecentEntries.RecentEntries<PollTimes>
  /** The number of bytes of the held salvaged answers. */
  readonly salvaged: number
}

/** The times of a poll, in epoch milliseconds. */
export interface PollTimes {
  readonly startedAt: number
  readonly lastAt: number
  /** True if the awaited result has arrived. */
  readonly isOver: boolean
}

/** The history of a turn without calls. */
export const empty: TurnHistory = {
  failures: RecentEntries.empty(),
  committed: CallMap.empty(),
  incomplete: HeldResults.empty,
  unsettled: UnsettledWrites.empty,
  doubts: DoubtfulWrites.empty,
  writes: RepeatedWrites.empty,
  statuses: HeldResults.empty,
  lapses: Lapses.empty,
  denials: RecentEntries.empty(),
  results: HashMap.empty(),
  keys: CallMap.empty(),
  polls: RecentEntries.empty(),
  salvaged: 0
}

/** The maximum number of results of one tool that a turn holds. */
export const heldResults = 10
/** The maximum number of bytes of salvaged answers that a turn holds. */
export const salvagedBytes = 262_144

/** True if a failure has the text of a salvaged answer. The answer of an identical call would be truncated again. */
const isSalvaged = (failure: Failure.Failure, bytes: number): boolean =>
  failure._tag === "PartialData" && failure.code === "salvaged" && bytes > 0

/**
 * The decision of a turn about a call before the call is made.
 *
 * - `Again`: the call is made although the effect of an identical write is or was unknown.
 * - `Watched`: the read is made, and its success is recorded.
 * - `Full`: the write is not made, because the turn has made `CallMap.maxCalls` different writes.
 */
export type RecallResult =
  | {
      readonly _tag: "Failed"
      readonly failure: Failure.Failure
      /** The incomplete result of a write, if it is held. */
      readonly part?: HeldResults.FailedPart
    }
  | { readonly _tag: "Again"; readonly isFirst: boolean }
  | { readonly _tag: "Watched" }
  | { readonly _tag: "Full" }
  | Exclude<RepeatedWrites.WriteDecision, { readonly _tag: "Made" }>

/** Returns the recalled failure of an identical call earlier in this turn; undefined without such a failure. */
export const recall = (history: TurnHistory, key: string): Failure.Failure | undefined =>
  CallMap.get(history.committed, key) ?? RecentEntries.get(history.failures, key)

/** Decides on a call before it is made; undefined if it is made. A write that is made counts as running until `ended`. */
export const begin = (
  history: TurnHistory,
  key: string,
  write: RepeatedWrites.WriteQuestion | undefined
): readonly [RecallResult | undefined, TurnHistory] => {
  const failure = recall(history, key)
  if (failure !== undefined) return [failedBefore(history, key, failure), history]
  if (write === undefined) return [UnsettledWrites.isEmpty(history.unsettled) ? undefined : watched, history]
  const [before, unsettled] = UnsettledWrites.begin(history.unsettled, key, write.repeats)
  if (typeof before === "object") return [failedBefore(history, key, before), history]
  if (before === undefined && isFull(history, key)) return [full, history]
  const [decision, writes] = RepeatedWrites.begin(history.writes, write)
  if (decision._tag !== "Made") return [decision, history]
  return [
    before === undefined ? undefined : { _tag: "Again", isFirst: before === "again" },
    { ...history, writes, unsettled }
  ]
}

const failedBefore = ({ incomplete }: TurnHistory, key: string, failure: Failure.Failure): RecallResult => {
  const part = failure.code === withoutPart ? HeldResults.get(incomplete, key) : undefined
  return part === undefined ? { _tag: "Failed", failure } : { _tag: "Failed", failure, part }
}

const watched: RecallResult = { _tag: "Watched" }
const full: RecallResult = { _tag: "Full" }

/** True if a call is new to the turn, and the turn makes no further new writes. */
const isFull = ({ committed, doubts, unsettled, writes }: TurnHistory, key: string): boolean =>
  RepeatedWrites.isFull(writes, key) || [committed, doubts, unsettled.writes].some(CallMap.isFull)

/** Records that a write is no longer running. */
export const stopped = (history: TurnHistory, key: string): TurnHistory => {
  const writes = RepeatedWrites.end(history.writes, key)
  return writes === history.writes ? history : { ...history, writes }
}

/** Records that a fallback did or may have done the action of a write, so that the write is not made again. */
export const replaced = (
  history: TurnHistory,
  key: string,
  outcome: Outcome,
  by: { readonly callId: string; readonly key: string }
): TurnHistory => {
  if (outcome._tag === "Success")
    return { ...history, writes: RepeatedWrites.succeeded(history.writes, key, outcome, by) }
  const after = judged(history, { key, isFresh: true }, outcome)
  return outcome.failure.sideEffect === "none" ? history : failed(after, key, outcome)
}

/** Records that a person lets the repetition of a write continue. */
export const restarted = (history: TurnHistory, key: string): TurnHistory => ({
  ...history,
  writes: RepeatedWrites.restarted(history.writes, key)
})

/** Records the failure of a call that ran or was refused, unless a repetition of the call may end differently. */
export const failed = (before: TurnHistory, key: string, outcome: FailedOutcome): TurnHistory => {
  const { bytes = 0, failure } = outcome
  const history = isActingPart(outcome)
    ? { ...before, incomplete: HeldResults.holdPart(before.incomplete, key, outcome) }
    : before
  if (failure.sideEffect === "committed")
    return wrote({ ...history, committed: CallMap.set(history.committed, key, withoutData(failure)) })
  if (Recallable.mayHaveActed(failure))
    return { ...history, unsettled: UnsettledWrites.failed(history.unsettled, key, withoutData(failure)) }
  if (Recallable.isRecallable(failure))
    return { ...history, failures: RecentEntries.set(history.failures, key, failure) }
  if (!isSalvaged(failure, bytes) || history.salvaged + bytes > salvagedBytes) return history
  return {
    ...history,
    failures: RecentEntries.set(history.failures, key, failure),
    salvaged: history.salvaged + bytes
  }
}

/** True for the incomplete result of a write that was or may have been done. */
const isActingPart = (outcome: FailedOutcome): outcome is HeldResults.FailedPart =>
  outcome.failure._tag === "PartialData" && outcome.failure.sideEffect !== "none"

/** The code of an incomplete result that is not held. */
const withoutPart = "retry_budget_exceeded"

/** Returns the failure to recall without its data, which is held separately and is already in the conversation. */
const withoutData = (failure: Failure.Failure): Failure.Failure =>
  failure._tag !== "PartialData"
    ? failure
    : Failure.ofCode(withoutPart, {
        tool: failure.tool,
        detail: "Its result was incomplete. That result is above; the call was not made again.",
        hint: EffectHint.ofPart(failure.sideEffect),
        sideEffect: failure.sideEffect,
        traceId: failure.traceId
      })

/** Records that a call changed something. Forgets the recorded failures, because calls that failed may now succeed. */
export const wrote = (history: TurnHistory): TurnHistory =>
  RecentEntries.isEmpty(history.failures) ? history : { ...history, failures: RecentEntries.empty(), salvaged: 0 }

/** Records a result for the checks of the same tool. */
export const answered = (history: TurnHistory, tool: string, result: unknown): TurnHistory => {
  const found = HashMap.get(history.results, tool)
  const before = found._tag === "Some" ? found.value : []
  return { ...history, results: HashMap.set(history.results, tool, [...before.slice(1 - heldResults), result]) }
}

/** A call that has ended. */
interface FinishedCall extends DoubtfulWrites.EndedCall {
  readonly tool: string
  readonly access: Access
  /** True if the tool has checks, which receive its earlier results. */
  readonly isChecked: boolean
  /** True if a model made the call. A program's failures and repeats are not counted. */
  readonly isModels: boolean
  readonly callId: string
  readonly repeats: Repeats | undefined
  /** The idempotency key of the action; empty if the action has no key. */
  readonly idempotencyKey: string
}

/** Records whether the effect of a write is unknown. */
const judged = (history: TurnHistory, call: DoubtfulWrites.EndedCall, outcome: Outcome): TurnHistory => {
  const doubts = DoubtfulWrites.ended(history.doubts, call, outcome)
  return doubts === history.doubts ? history : { ...history, doubts }
}

/** Records the outcome of a call. */
export const ended = (before: TurnHistory, call: FinishedCall, outcome: Outcome): TurnHistory => {
  const { access, callId, idempotencyKey, isFresh, isModels, key, repeats } = call
  const history = access === "read" || !isModels ? before : judged(stopped(before, key), call, outcome)
  if (outcome._tag === "Failure") {
    if (isModels) return failed(history, key, outcome)
    return outcome.failure.sideEffect === "committed" ? wrote(history) : history
  }
  if (!isFresh) return history
  const settled = isModels ? settledBy(history, access, key) : history
  const changed = access === "read" ? settled : wrote(settled)
  const written =
    access === "read" || !isModels || repeats === undefined
      ? changed
      : { ...changed, writes: RepeatedWrites.succeeded(changed.writes, key, outcome, { key: idempotencyKey, callId }) }
  // checks read results of the tool's Type
  return call.isChecked && outcome.isRaw !== true ? answered(written, call.tool, outcome.value) : written
}

/** Records the success of a model's call in the writes whose effects are unknown. */
const settledBy = (history: TurnHistory, access: Access, key: string): TurnHistory => {
  const { unsettled } = history
  if (UnsettledWrites.isEmpty(unsettled)) return history
  const after = access === "read" ? UnsettledWrites.looked(unsettled) : UnsettledWrites.succeeded(unsettled, key)
  return { ...history, unsettled: after }
}

/** Returns the earlier results of a tool in this turn, oldest first. */
export const previous = (history: TurnHistory, tool: string): ReadonlyArray<unknown> => {
  const found = HashMap.get(history.results, tool)
  return found._tag === "Some" ? found.value : []
}

/** Records the idempotency key of a call. The first key of a call is kept. */
export const keyed = (history: TurnHistory, call: string, key: string): TurnHistory =>
  CallMap.get(history.keys, call) === undefined ? { ...history, keys: CallMap.set(history.keys, call, key) } : history

/** Records that a person denied a call, or answered it in words. */
export const denied = (history: TurnHistory, binding: string, failure: Failure.Failure): TurnHistory => ({
  ...history,
  denials: RecentEntries.set(history.denials, binding, failure)
})

/** Returns the refusal of a call that a person denied, or answered in words, in this turn. */
export const denial = (history: TurnHistory, binding: string): Failure.Failure | undefined =>
  RecentEntries.get(history.denials, binding)

/** Holds the status of unfinished work, so that a call that comes too soon gets this status again. */
export const holdStatus = (history: TurnHistory, key: string, outcome: Success): TurnHistory => ({
  ...history,
  statuses: HeldResults.hold(history.statuses, key, outcome)
})

/** Records a poll. */
export const polls = (history: TurnHistory, key: string, polled: PollTimes): TurnHistory => ({
  ...history,
  polls: RecentEntries.set(history.polls, key, polled)
})

/** Returns the last poll of a call; undefined if the call has not been polled. */
export const polled = (history: TurnHistory, key: string): PollTimes | undefined =>
  RecentEntries.get(history.polls, key)

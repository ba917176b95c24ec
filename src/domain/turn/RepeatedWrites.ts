/**
 * Records the writes of a turn that succeeded or are running, and decides whether a model may make the identical write
 * again [4.6].
 *
 * **Details**
 *
 * - `once`: a write that succeeded is not made again in the turn, unless the model sends another idempotency key, which a
 *   person confirms.
 * - `allowed`: the write is made up to 10 times, or as often as `loop.repeats` of the tool allows. If a person lets it
 *   continue after that, counting starts again.
 * - While a write without a key runs, the identical write is not started. With a key, the store of keys joins the two.
 * - The first result is held to be returned again (`HeldResults`).
 * - A turn forgets no write, regardless of its outcome (`CallMap`). Only a session drops writes: those whose counts
 *   have lapsed, once the map is full.
 */
import { isProven, type Success } from "#domain/call/Outcome"
import type { Repeats } from "#domain/tool/PolicyInput"
import * as CallMap from "./CallMap.ts"
import * as HeldResults from "./HeldResults.ts"

/** The successes of one write in a turn. */
interface RepeatedWrite {
  /** The number of successes since counting started. */
  readonly times: number
  readonly running: number
  /** The idempotency key of the latest success; empty if it had no key. */
  readonly key: string
  /** The id of the call that succeeded first. */
  readonly callId: string
  /** True if the first result proves that the action was done [3.3]. Kept even if the result is not held. */
  readonly isProven: boolean
}

/** The writes of a turn. */
export interface RepeatedWrites {
  readonly writes: CallMap.CallMap<RepeatedWrite>
  /** The first results. */
  readonly firsts: HeldResults.HeldResults
}

/** The facts about a write that decide whether it is made. */
export interface WriteQuestion {
  /** Tool and canonical arguments. */
  readonly call: string
  readonly repeats: Repeats | undefined
  /** The maximum number of successes in a turn, if repeats are allowed. */
  readonly maxRepeats: number
  /** True if the store of idempotency keys joins identical writes that run at the same time. */
  readonly isKeyed: boolean
  /** The key that the model sent; empty if it sent none. */
  readonly modelKey: string
  /** True if a person lets the repetition continue. */
  readonly isContinued: boolean
  /** The id of a call that a crashed process may have started. Its own success is not a repetition. */
  readonly resumedId: string | undefined
}

/** The decision whether a write is made. `Running`: an identical write is running. */
export type WriteDecision = { readonly _tag: "Made" } | { readonly _tag: "Running" } | RepeatedDecision

/** The write is not made, because it succeeded `times` times. */
interface RepeatedDecision {
  readonly _tag: "Repeated"
  /** The first result, if it is held. */
  readonly first: Success | undefined
  readonly times: number
  /** True if the first result proves that the action was done. */
  readonly isProven: boolean
}

/** No writes. */
export const empty: RepeatedWrites = { writes: CallMap.empty(), firsts: HeldResults.empty }

const none: RepeatedWrite = { times: 0, running: 0, key: "", callId: "", isProven: true }
const made: WriteDecision = { _tag: "Made" }

const decide = (self: RepeatedWrites, before: RepeatedWrite, question: WriteQuestion): WriteDecision => {
  const { call, isContinued, isKeyed, modelKey, maxRepeats, repeats, resumedId } = question
  const { running, times } = before
  if (repeats === undefined || (times > 0 && resumedId === before.callId)) return made
  const repeated: WriteDecision = {
    _tag: "Repeated",
    first: HeldResults.get(self.firsts, call),
    times,
    isProven: before.isProven
  }
  if (repeats === "allowed") {
    if (times + running < maxRepeats || isContinued) return made
    return times < maxRepeats ? { _tag: "Running" } : repeated
  }
  if (times > 0) return modelKey !== "" && modelKey !== before.key ? made : repeated
  return running > 0 && !isKeyed ? { _tag: "Running" } : made
}

/** True if a call is new to the turn, and the turn makes no further new writes. */
export const isFull = ({ writes }: RepeatedWrites, call: string): boolean =>
  CallMap.isFull(writes) && CallMap.get(writes, call) === undefined

/** Drops the writes that pass `isOver`, unless they are running. */
export const drop = (self: RepeatedWrites, isOver: (call: string) => boolean): RepeatedWrites => ({
  ...self,
  writes: CallMap.filter(self.writes, ({ running }, call) => running > 0 || !isOver(call))
})

/** Decides whether a write is made. A write that is made counts as running until `end`. */
export const begin = (self: RepeatedWrites, question: WriteQuestion): readonly [WriteDecision, RepeatedWrites] => {
  const { call, isContinued } = question
  const before = CallMap.get(self.writes, call) ?? none
  const decision = decide(self, before, question)
  if (decision._tag !== "Made") return [decision, self]
  const times = isContinued ? 0 : before.times
  return [
    decision,
    { ...self, writes: CallMap.set(self.writes, call, { ...before, times, running: before.running + 1 }) }
  ]
}

/** Returns the effect that the successes of a write prove; undefined if it has not succeeded. */
export const effectOf = ({ writes }: RepeatedWrites, call: string): "committed" | "unknown" | undefined => {
  const before = CallMap.get(writes, call)
  return before === undefined || before.times === 0 ? undefined : before.isProven ? "committed" : "unknown"
}

/** Records that a write is no longer running. */
export const end = (self: RepeatedWrites, call: string): RepeatedWrites => {
  const before = CallMap.get(self.writes, call)
  if (before === undefined || before.running === 0) return self
  return { ...self, writes: CallMap.set(self.writes, call, { ...before, running: before.running - 1 }) }
}

/** Records a success, after `end`. */
export const succeeded = (
  self: RepeatedWrites,
  call: string,
  outcome: Success,
  { callId, key }: Pick<RepeatedWrite, "callId" | "key">
): RepeatedWrites => {
  const before = CallMap.get(self.writes, call) ?? none
  const isFirst = before.callId === ""
  const first = isFirst ? { callId, isProven: isProven(outcome) } : {}
  const after = { ...before, times: before.times + 1, key, ...first }
  return {
    writes: CallMap.set(self.writes, call, after),
    firsts: isFirst ? HeldResults.hold(self.firsts, call, outcome) : self.firsts
  }
}

/** Records that the successes of a write no longer count. The next success is held as the first. */
export const lapsed = (self: RepeatedWrites, call: string): RepeatedWrites => {
  const before = CallMap.get(self.writes, call)
  return before === undefined
    ? self
    : { ...self, writes: CallMap.set(self.writes, call, { ...none, running: before.running }) }
}

/** Records that a person lets the repetition of a write continue: counting starts again. */
export const restarted = (self: RepeatedWrites, call: string): RepeatedWrites => {
  const before = CallMap.get(self.writes, call)
  return before === undefined ? self : { ...self, writes: CallMap.set(self.writes, call, { ...before, times: 0 }) }
}

/**
 * Returns the sentence that tells the model that a write was not made again. `by` is the fallback that returned the
 * first result.
 */
export const notAgain = (
  name: string,
  { by, isProven, times }: Pick<RepeatedDecision, "isProven" | "times"> & { readonly by?: string | undefined }
): string => {
  const done = isProven ? "done" : "called"
  const what =
    times > 1
      ? `${name} was ${done} ${times} times with these arguments in this turn${by === undefined ? "" : `, the first time by ${by}`}.`
      : by === undefined
        ? `${name} was ${done} before with these arguments in this turn.`
        : `${by} was ${done} before, in place of ${name} with these arguments, in this turn.`
  return `${what} It was not ${done} again; this is its first result.`
}

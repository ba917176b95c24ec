/**
 * The four ways in which calls go round without getting anywhere, and from when on (SPEC 7.1, 7.3).
 *
 * Judges a state after its latest call; what leads to that state is in `LoopDetector`.
 */
import * as LoopLog from "./LoopLog.ts"
import type { FailureCount, LoopState } from "./LoopState.ts"

export type LoopPattern = "identical" | "cycle" | "same_failure" | "no_progress"

/** A pattern that holds. */
export interface Found {
  readonly pattern: LoopPattern
  /** How often it was seen: calls, or times round of a cycle. */
  readonly count: number
  /** One sentence for the model or a person. */
  readonly reason: string
  /** True where the model was told before, so that a person comes next. */
  readonly isNextHit: boolean
}

/** Identical calls with the same result from which on the model is told. */
export const tellIdentical = 2
/** Times round from which on a circle is one. */
const cycleRounds = 3
/** Most calls in a circle. */
const longestCycle = 4
/** Equal failures with different arguments. */
export const equalFailures = 4
/** Calls in a row without anything new. */
const staleCalls = 8

/** What identical calls came to, in words that are true of results and of failures. */
export const cameTo = (entry: LoopLog.Entry | undefined, count: number): string =>
  entry !== undefined && LoopLog.isFailure(entry)
    ? `identical call failed in the same way ${count} times`
    : `identical call gave the same result ${count} times`

/** The period of a cycle that the latest calls end with, or 0. */
export const cycleOf = (log: LoopLog.LoopLog): number => {
  for (let period = 2; period <= longestCycle; period++) {
    const calls = log.recent.slice(-period * cycleRounds)
    if (calls.length < period * cycleRounds) return 0
    const isCircle = calls.every((call, i) => {
      const before = calls[i - period]
      return before === undefined || (before.key === call.key && LoopLog.sameResult(before, call))
    })
    if (isCircle && calls.slice(1, period).some((call) => call.key !== calls[0]?.key)) return period
  }
  return 0
}

/** The patterns that hold, the one that counts most first. `count`, `failure` and `period` are those of the latest call. */
export const found = (
  state: LoopState,
  count: number,
  failure: FailureCount | undefined,
  period: number
): ReadonlyArray<Found> => {
  const all: Array<Found> = []
  const add = (pattern: LoopPattern, times: number, isNextHit: boolean, reason: string): void => {
    all.push({ pattern, count: times, reason, isNextHit })
  }
  if (count >= tellIdentical) {
    const reason = `This ${cameTo(state.log.recent.at(-1), count)}. Repeating it brings nothing new.`
    add("identical", count, count > tellIdentical, reason)
  }
  if (period > 0) {
    const reason = `The same ${period} calls go round in a circle, and nothing changes. Do something else.`
    add("cycle", cycleRounds + Math.floor((state.cycling - 1) / period), state.cycling > 1, reason)
  }
  if (failure !== undefined && failure.count >= equalFailures) {
    const reason = `${failure.count} calls with different arguments failed in the same way. Change the approach.`
    add("same_failure", failure.count, failure.count > equalFailures, reason)
  }
  if (state.stale >= staleCalls) {
    const reason = `The last ${state.stale} calls brought nothing new. Answer with what you have, or do something else.`
    add("no_progress", state.stale, state.stale > staleCalls, reason)
  }
  return all
}

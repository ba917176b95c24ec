/** Finds the four patterns of calls without progress [7.1], [7.3] in the state that `LoopDetector` computes. */
import * as LoopLog from "./LoopLog.ts"
import type { FailureCount, LoopState } from "./LoopState.ts"
import type { LoopThresholds } from "#domain/tool/LoopThresholds"

/** The name of a pattern. */
export type LoopPattern = "identical" | "cycle" | "same_failure" | "no_progress"

/** A pattern found in a conversation. */
export interface FoundPattern {
  readonly pattern: LoopPattern
  /** The number of calls, or of rounds of a cycle. */
  readonly count: number
  /** One sentence for the model or a person. */
  readonly reason: string
  /** True if the model was notified of the pattern before. A person is then asked. */
  readonly isNextHit: boolean
}

/** The maximum number of calls in one period of a cycle. */
const longestCycle = 4

/** Describes identical calls by their common result or failure. */
export const repetition = (entry: LoopLog.Entry | undefined, count: number): string =>
  entry !== undefined && LoopLog.isFailure(entry)
    ? `identical call failed in the same way ${count} times`
    : `identical call gave the same result ${count} times`

/** Returns the period of the cycle at the end of the log, or 0 if there is no cycle. */
export const cycleOf = (log: LoopLog.LoopLog, { cycles }: LoopThresholds): number => {
  for (let period = 2; period <= longestCycle; period++) {
    const calls = log.recent.slice(-period * cycles)
    if (calls.length < period * cycles) return 0
    const isCycle = calls.every((call, i) => {
      if (call.isExempt) return false
      const before = calls[i - period]
      return before === undefined || (before.key === call.key && LoopLog.sameResult(before, call))
    })
    if (isCycle && calls.slice(1, period).some((call) => call.key !== calls[0]?.key)) return period
  }
  return 0
}

/** Returns the patterns found, most important first. `count`, `failure` and `period` belong to the latest call. */
export const found = (
  state: LoopState,
  count: number,
  failure: FailureCount | undefined,
  period: number,
  { cycles, identical, noProgress, sameFailure }: LoopThresholds
): ReadonlyArray<FoundPattern> => {
  const all: Array<FoundPattern> = []
  const add = (pattern: LoopPattern, times: number, isNextHit: boolean, reason: string): void => {
    all.push({ pattern, count: times, reason, isNextHit })
  }
  if (count >= identical) {
    const reason = `This ${repetition(state.log.recent.at(-1), count)}. Repeating it yields nothing new.`
    add("identical", count, count > identical, reason)
  }
  if (period > 0) {
    const reason = `The same ${period} calls repeat in a cycle, and nothing changes. Do something else.`
    add("cycle", cycles + Math.floor((state.cycling - 1) / period), state.cycling > 1, reason)
  }
  if (failure !== undefined && failure.count >= sameFailure) {
    const reason = `${failure.count} calls with different arguments failed in the same way. Change the approach.`
    add("same_failure", failure.count, failure.count > sameFailure, reason)
  }
  if (state.stale >= noProgress) {
    const reason = `The last ${state.stale} calls yielded nothing new. Answer with what you have, or do something else.`
    add("no_progress", state.stale, state.stale > noProgress, reason)
  }
  return all
}

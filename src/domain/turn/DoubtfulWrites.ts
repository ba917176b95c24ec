/**
 * Records the writes of a turn after which it is not known whether anything was done, whatever their failures were
 * called [3.3].
 *
 * A later identical call may prove of itself that it did nothing. It proves nothing about the earlier one, so what the
 * model reads stays `unknown` until the write succeeds, a lookup finds no effect, or a person settles it.
 */
import type { Outcome } from "#domain/call/Outcome"
import * as CallMap from "./CallMap.ts"

/** What is known about the calls that left the effect of a write unknown. */
export interface Doubt {
  /** True if the upstream answered each of them with an error. */
  readonly isAnswered: boolean
  /** True if a handler was still running when its call ended, so that a lookup that finds nothing proves nothing. */
  readonly isRunning: boolean
}

/** The writes whose effects are unknown. */
export type DoubtfulWrites = CallMap.CallMap<Doubt>

/** No writes. */
export const empty: DoubtfulWrites = CallMap.empty()

/** Returns the doubt about a write; undefined if there is none. */
export const get = (self: DoubtfulWrites, call: string): Doubt | undefined => CallMap.get(self, call)

/** A call that has ended. */
export interface Ended {
  readonly key: string
  /** True if the tool ran. A replayed or repeated result does not count. */
  readonly isFresh: boolean
  /** True if a handler of the call has not ended. Default false. */
  readonly isRunning?: boolean
  /**
   * True if the call began in doubt. Its failure then has the effect `none` only if earlier calls did nothing either.
   * Default true.
   */
  readonly wasInDoubt?: boolean
}

/** Records the outcome of a write. */
export const ended = (
  self: DoubtfulWrites,
  { isFresh, isRunning = false, key, wasInDoubt = true }: Ended,
  outcome: Outcome
): DoubtfulWrites => {
  const before = get(self, key)
  if (outcome._tag === "Failure" && outcome.failure.sideEffect === "unknown") {
    // a recalled failure is that of an earlier call
    if (before !== undefined && !isFresh) return self
    return CallMap.set(self, key, {
      isAnswered: outcome.isAnswered === true && before?.isAnswered !== false,
      isRunning: isRunning || before?.isRunning === true
    })
  }
  const isSettled = isFresh && (outcome._tag === "Success" || (outcome.failure.sideEffect === "none" && wasInDoubt))
  return isSettled && before !== undefined ? CallMap.remove(self, key) : self
}

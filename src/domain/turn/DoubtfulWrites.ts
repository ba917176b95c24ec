/**
 * Records the writes of a turn after which it is not known whether anything was done, regardless of the codes of their
 * failures [3.3].
 *
 * A later identical call may prove that it did nothing itself. It proves nothing about the earlier call, so the model
 * reads `unknown` until the write succeeds, a lookup finds no effect, or a person settles it.
 */
import type { Outcome } from "#domain/call/Outcome"
import * as CallMap from "./CallMap.ts"

/** The facts about the calls that left the effect of a write unknown. */
export interface Doubt {
  /** True if the upstream answered each of them with an error. */
  readonly isAnswered: boolean
  /** True while a handler of one of them has not ended. A lookup that finds nothing then proves nothing. */
  readonly isRunning: RunningTest
}

/** Returns true until the handlers of a call have ended. They may outlive their call. */
export type RunningTest = () => boolean

/** The value for a call whose handlers have all ended. */
export const noneRunning: RunningTest = () => false

const anyRunning = (self: RunningTest, that: RunningTest): RunningTest =>
  self === noneRunning ? that : that === noneRunning ? self : () => self() || that()

/** The writes whose effects are unknown. */
export type DoubtfulWrites = CallMap.CallMap<Doubt>

/** No writes. */
export const empty: DoubtfulWrites = CallMap.empty()

/** Returns the doubt about a write; undefined if its effect is not in doubt. */
export const get = (self: DoubtfulWrites, call: string): Doubt | undefined => CallMap.get(self, call)

/** A call that has ended. */
export interface EndedCall {
  readonly key: string
  /** True if the tool ran. A replayed or repeated result does not count. */
  readonly isFresh: boolean
  /** Returns true while a handler of the call has not ended. Default: all have ended. */
  readonly isRunning?: RunningTest
  /**
   * True if the call began in doubt. Its failure then has the effect `none` only if earlier calls did nothing either.
   * Default true.
   */
  readonly wasInDoubt?: boolean
}

/** Records the outcome of a write. */
export const ended = (
  self: DoubtfulWrites,
  { isFresh, isRunning = noneRunning, key, wasInDoubt = true }: EndedCall,
  outcome: Outcome
): DoubtfulWrites => {
  const before = get(self, key)
  if (outcome._tag === "Failure" && outcome.failure.sideEffect === "unknown") {
    // a recalled failure belongs to an earlier call
    if (before !== undefined && !isFresh) return self
    return added(self, key, { isAnswered: outcome.isAnswered === true, isRunning })
  }
  const isSettled = isFresh && (outcome._tag === "Success" || (outcome.failure.sideEffect === "none" && wasInDoubt))
  return isSettled && before !== undefined ? CallMap.remove(self, key) : self
}

/** Records that a write was interrupted after its handler was started. */
export const interrupted = (self: DoubtfulWrites, key: string, isRunning: RunningTest): DoubtfulWrites =>
  added(self, key, { isAnswered: false, isRunning })

/** Adds a doubt to the earlier doubt about the write. */
const added = (self: DoubtfulWrites, key: string, { isAnswered, isRunning }: Doubt): DoubtfulWrites => {
  const before = get(self, key)
  return CallMap.set(self, key, {
    isAnswered: isAnswered && before?.isAnswered !== false,
    isRunning: anyRunning(before?.isRunning ?? noneRunning, isRunning)
  })
}

/** A clock that can jump forward without firing timers, as after a machine has slept or a thread was blocked. */
import { Clock, Effect } from "effect"

export interface JumpingClock {
  readonly clock: Clock.Clock
  readonly jump: (millis: number) => void
}

/** Wraps the current clock. */
export const jumpingClock: Effect.Effect<JumpingClock> = Effect.map(Clock.Clock, (clock) => {
  let jumped = 0
  const millis = () => clock.currentTimeMillisUnsafe() + jumped
  const nanos = () => clock.currentTimeNanosUnsafe() + BigInt(jumped) * 1_000_000n
  const monotonic = () => clock.monotonicTimeNanosUnsafe() + BigInt(jumped) * 1_000_000n
  return {
    jump: (by) => {
      jumped += by
    },
    clock: {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: monotonic,
      monotonicTimeNanos: Effect.sync(monotonic),
      sleep: (duration) => clock.sleep(duration)
    }
  }
})

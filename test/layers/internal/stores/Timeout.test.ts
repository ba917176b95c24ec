import * as Timeout from "#layers/internal/stores/Timeout"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

/** A step that never ends, and whether it was interrupted. */
const hanging = () => {
  let isInterrupted = false
  const step = Effect.onInterrupt(Effect.never, () =>
    Effect.sync(() => {
      isInterrupted = true
    })
  )
  return { step, isInterrupted: () => isInterrupted }
}

describe("Timeout", () => {
  // the real clock has a timer of its own
  for (const [name, wrap] of [
    ["interruptible", Effect.interruptible],
    ["uninterruptible", Effect.uninterruptible]
  ] as const) {
    it.live(`12.3 a step that hangs is interrupted after its limit, in an ${name} caller`, () =>
      Effect.gen(function* () {
        const { isInterrupted, step } = hanging()
        const error = yield* Effect.flip(wrap(Timeout.within(step, Duration.millis(20))))
        assert.isTrue(Cause.isTimeoutError(error))
        assert.isTrue(isInterrupted())
      })
    )
  }

  it.live("12.3 a step has its own answer and failure within the limit, at once or later", () =>
    Effect.gen(function* () {
      const limit = Duration.seconds(5)
      const later = Effect.andThen(Effect.sleep("1 millis"), Effect.succeed("later"))
      assert.strictEqual(yield* Timeout.within(Effect.succeed("at once"), limit), "at once")
      assert.strictEqual(yield* Timeout.within(later, limit), "later")
      assert.strictEqual(yield* Effect.flip(Timeout.within(Effect.flip(later), limit)), "later")
    })
  )

  it.live("12.3 an interrupted caller interrupts its step", () =>
    Effect.gen(function* () {
      const { isInterrupted, step } = hanging()
      const caller = yield* Effect.forkChild(Timeout.within(step, Duration.seconds(5)), { startImmediately: true })
      yield* Fiber.interrupt(caller)
      assert.isTrue(isInterrupted())
    })
  )

  it.effect("12.3 a test controls the time of the limit", () =>
    Effect.gen(function* () {
      const { isInterrupted, step } = hanging()
      const failing = yield* Effect.forkChild(Effect.flip(Timeout.within(step, Duration.seconds(5))))
      yield* TestClock.adjust("4999 millis")
      assert.isFalse(isInterrupted())
      yield* TestClock.adjust("1 millis")
      assert.isTrue(Cause.isTimeoutError(yield* Fiber.join(failing)))
      assert.isTrue(isInterrupted())
    })
  )

  it.live("12.1 the caller of a step is the fiber that waits for it, also if steps contain steps", () =>
    Effect.gen(function* () {
      const callerOf = Effect.withFiber((fiber) => Effect.succeed(Timeout.callerOf(fiber)))
      const limit = Duration.seconds(5)
      const own = yield* callerOf
      assert.strictEqual(yield* Timeout.within(Timeout.within(callerOf, limit), limit), own)
      assert.notStrictEqual(yield* Effect.flatMap(Effect.forkChild(callerOf), Fiber.join), own)
    })
  )
})

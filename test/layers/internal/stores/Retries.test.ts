import * as Retries from "#layers/internal/stores/Retries"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { TestClock } from "effect/testing"

/** A step that fails `failures` times with the number of the attempt, and the attempts made. */
const failing = (failures: number) => {
  let attempts = 0
  const step = Effect.suspend(() => (++attempts <= failures ? Effect.fail(attempts) : Effect.succeed("done")))
  return { step, attempts: () => attempts }
}

const schedule = Schedule.exponential("50 millis").pipe(Schedule.upTo({ times: 2 }))

describe("Retries", () => {
  it.effect("12.3 a step that succeeds is made once", () =>
    Effect.gen(function* () {
      const { attempts, step } = failing(0)
      assert.strictEqual(yield* Retries.retry(step, schedule), "done")
      assert.strictEqual(attempts(), 1)
    })
  )

  it.effect("12.3 a step is retried after the delays of its schedule, and fails with its last error", () =>
    Effect.gen(function* () {
      const { attempts, step } = failing(3)
      const retrying = yield* Effect.forkChild(Effect.flip(Retries.retry(step, schedule)))
      const after: Array<number> = []
      for (const millis of [49, 1, 99, 1]) {
        yield* TestClock.adjust(`${millis} millis`)
        after.push(attempts())
      }
      assert.deepStrictEqual(after, [1, 2, 2, 3])
      assert.strictEqual(yield* Fiber.join(retrying), 3)
    })
  )
})

/** What every layer of RetryQuota promises (SPEC 4.11): 10 % of the calls, and 10 a minute in any case. */
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { RetryQuota } from "#services/RetryQuota"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

/** How many of `wanted` retries are granted. */
const granted = ({ take }: RetryQuota["Service"], tool: string, wanted: number) =>
  Effect.map(
    Effect.all(
      Array.from({ length: wanted }, () => take(tool)),
      { concurrency: "unbounded" }
    ),
    (all) => all.filter((isGranted) => isGranted).length
  )

const call = ({ called }: RetryQuota["Service"], tool: string, times: number) => {
  for (let i = 0; i < times; i += 1) called(tool)
}

export const retryQuotaContract = (name: string, layer: Layer.Layer<RetryQuota, DatabaseUnavailable>): void => {
  describe(`RetryQuota (${name})`, () => {
    const using = <A, E>(use: (quota: RetryQuota["Service"]) => Effect.Effect<A, E>) =>
      Effect.flatMap(RetryQuota, use).pipe(Effect.provide(layer))

    it.effect("4.11 ten retries a minute are always granted", () =>
      using((quota) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* granted(quota, "a", 50), 10)
          assert.strictEqual(yield* granted(quota, "a", 50), 0)
          yield* TestClock.adjust("30 seconds")
          assert.strictEqual(yield* granted(quota, "a", 50), 5)
          yield* TestClock.adjust("10 minutes")
          assert.strictEqual(yield* granted(quota, "a", 50), 10)
        })
      )
    )

    it.effect("4.11 beyond that a call earns a tenth of a retry", () =>
      using((quota) =>
        Effect.gen(function* () {
          call(quota, "a", 205)
          assert.strictEqual(yield* granted(quota, "a", 100), 30)
          assert.strictEqual(yield* granted(quota, "a", 100), 0)
        })
      )
    )

    it.effect("4.11 ten calls earn one retry, nine none", () =>
      using((quota) =>
        Effect.gen(function* () {
          yield* granted(quota, "a", 10)
          call(quota, "a", 9)
          assert.strictEqual(yield* granted(quota, "a", 1), 0)
          call(quota, "a", 1)
          assert.strictEqual(yield* granted(quota, "a", 1), 1)
        })
      )
    )

    it.effect("4.11 at most a hundred earned retries are kept", () =>
      using((quota) =>
        Effect.gen(function* () {
          call(quota, "a", 10_000)
          assert.strictEqual(yield* granted(quota, "a", 1_000), 110)
        })
      )
    )

    it.effect("4.11 each tool is counted separately", () =>
      using((quota) =>
        Effect.gen(function* () {
          call(quota, "a", 100)
          assert.deepStrictEqual([yield* granted(quota, "a", 50), yield* granted(quota, "b", 50)], [20, 10])
        })
      )
    )
  })
}

/** Tests that every layer of RetryQuota must pass [4.11]: retries for 10 % of the calls, and at least 10 per minute. */
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { RetryQuota } from "#services/RetryQuota"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

/** Requests retries, and returns how many are granted. */
const granted = ({ take }: RetryQuota["Service"], tool: string, requested: number) =>
  Effect.map(
    Effect.all(
      Array.from({ length: requested }, () => take(tool)),
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

    it.effect("4.11 ten retries per minute are always granted", () =>
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

    it.effect("4.11 each call adds a tenth of a retry", () =>
      using((quota) =>
        Effect.gen(function* () {
          call(quota, "a", 205)
          assert.strictEqual(yield* granted(quota, "a", 100), 30)
          assert.strictEqual(yield* granted(quota, "a", 100), 0)
        })
      )
    )

    it.effect("4.11 ten calls add one retry, nine calls none", () =>
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

    it.effect("4.11 calls add at most a hundred retries", () =>
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

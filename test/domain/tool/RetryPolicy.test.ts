import { Permanent, Resource, Transient } from "#domain/failure/Failure"
import * as RetryPolicy from "#domain/tool/RetryPolicy"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Random, Schedule, Schema } from "effect"
import { TestClock } from "effect/testing"

const failure = (retryAfter?: Duration.Input) =>
  new Transient({
    tool: "search",
    code: "unavailable",
    detail: "down",
    hint: "wait",
    sideEffect: "none",
    traceId: "t",
    ...(retryAfter === undefined ? {} : { retryAfter: Duration.fromInputUnsafe(retryAfter) })
  })

const policy = (over: Partial<RetryPolicy.RetryPolicy> = {}): RetryPolicy.RetryPolicy => ({
  attempts: 10,
  baseMillis: 200,
  capMillis: 1_000,
  jitter: "none",
  ...over
})

/** Rounds to whole nanoseconds, as a Duration does. */
const rounded = (millis: number) => Duration.toMillis(Duration.millis(millis))

/** Returns the delays of a policy until its schedule ends, if every attempt fails immediately. */
const delays = (policy: RetryPolicy.RetryPolicy, failures: (n: number) => Transient, remaining = 1e9) =>
  Effect.gen(function* () {
    const step = yield* Schedule.toStep(RetryPolicy.schedule(policy, remaining))
    const found: Array<number> = []
    let at = 0
    while (true) {
      const next = yield* Effect.result(step(at, failures(found.length)))
      if (next._tag === "Failure") return found
      const millis = Duration.toMillis(next.success[1])
      found.push(millis)
      at += millis
    }
  })

describe("RetryPolicy.delayMillis", () => {
  it("4.11 doubles from the base up to the cap", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 4, 5, 60, 2_000].map((retry) => RetryPolicy.delayMillis(policy(), retry, 0.5)),
      [200, 400, 800, 1_000, 1_000, 1_000, 1_000]
    )
  })

  it("4.11 equal jitter waits half of the delay and a random part of the other half", () => {
    const equal = policy({ jitter: "equal" })
    assert.deepStrictEqual(
      [0, 0.5, 1 - Number.EPSILON].map((random) => RetryPolicy.delayMillis(equal, 2, random)),
      [200, 300, 400 - 200 * Number.EPSILON]
    )
  })

  it("4.11 full jitter waits a random part of the whole delay", () => {
    const full = policy({ jitter: "full" })
    assert.deepStrictEqual(
      [0, 0.25].map((random) => RetryPolicy.delayMillis(full, 3, random)),
      [0, 200]
    )
  })

  it("4.11 decorrelated jitter waits between the base and three times the previous delay", () => {
    const decorrelated = policy({ jitter: "decorrelated" })
    assert.deepStrictEqual(
      [RetryPolicy.delayMillis(decorrelated, 1, 0), RetryPolicy.delayMillis(decorrelated, 1, 0.5)],
      [200, 400]
    )
    assert.strictEqual(RetryPolicy.delayMillis(decorrelated, 2, 0.5, 300), 550)
    assert.strictEqual(RetryPolicy.delayMillis(decorrelated, 3, 0.9, 900), 1_000)
  })

  it.effect.prop(
    "4.11 no jitter exceeds the cap or goes below zero",
    {
      retry: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5_000 })),
      random: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.999_999 })),
      base: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 })),
      cap: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 })),
      jitter: Schema.Literals(["equal", "full", "decorrelated", "none"])
    },
    ({ base, cap, jitter, random, retry }) =>
      Effect.sync(() => {
        const delay = RetryPolicy.delayMillis({ attempts: 3, baseMillis: base, capMillis: cap, jitter }, retry, random)
        assert.isTrue(delay >= 0 && delay <= cap, `${delay}`)
      })
  )
})

describe("RetryPolicy.delayMillis at its bounds", () => {
  it("4.11 a base of zero means no delay after any number of retries", () => {
    for (const jitter of ["equal", "full", "decorrelated", "none"] as const) {
      const policy = { attempts: 3, baseMillis: 0, capMillis: 1_000, jitter }
      for (const retry of [1, 2, 10, 5_000]) assert.strictEqual(RetryPolicy.delayMillis(policy, retry, 0.5), 0, jitter)
    }
  })
})

describe("RetryPolicy.statedMillis", () => {
  it("4.7 before the last attempt it is longer than every delay of the schedule and than Retry-After", () => {
    for (const jitter of ["equal", "full", "decorrelated", "none"] as const) {
      const told = policy({ attempts: 6, jitter, capMillis: 5_000 })
      for (const attempt of [1, 2, 3, 4, 5]) {
        let longest = told.baseMillis
        for (let n = 1; n <= attempt; n++) longest = RetryPolicy.delayMillis(told, n, 0.999999, longest)
        for (const random of [0, 0.999999]) {
          assert.isAbove(RetryPolicy.statedMillis(told, attempt, failure(), random), longest)
          assert.isAbove(RetryPolicy.statedMillis(told, attempt, failure("4 seconds"), random), 4_000)
        }
      }
    }
  })

  it("4.7 before the last attempt it is a quarter to a half longer than the longest delay or Retry-After", () => {
    const at = (over: Partial<RetryPolicy.RetryPolicy>, attempt: number, random: number, after?: Duration.Input) =>
      RetryPolicy.statedMillis(policy(over), attempt, failure(after), random)
    assert.deepStrictEqual(
      [
        at({ jitter: "equal" }, 1, 0),
        at({ jitter: "equal" }, 1, 1),
        at({ jitter: "equal" }, 2, 0.5),
        at({ jitter: "full" }, 9, 0),
        at({ jitter: "decorrelated" }, 1, 0),
        at({ jitter: "none" }, 2, 0.9),
        at({ jitter: "equal" }, 1, 1, "600 millis"),
        // a Retry-After of exactly the cap does not end the retries
        at({ jitter: "equal" }, 1, 1, "1 second")
      ],
      [250, 300, 550, 1_250, 750, 500, 900, 1_500]
    )
  })

  it("4.7 without jitter, the wait after the last attempt has none", () => {
    const last = policy({ attempts: 2 })
    assert.deepStrictEqual(
      [
        RetryPolicy.statedMillis(last, 2, failure(), 0.9),
        RetryPolicy.statedMillis(last, 2, failure("60 seconds"), 0.9)
      ],
      [400, 60_000]
    )
  })

  it("4.11 after the last attempt it is the next delay, or Retry-After with jitter of at most a tenth", () => {
    const told = policy({ attempts: 4, baseMillis: 1_000, capMillis: 20_000, jitter: "equal" })
    const at = (random: number, after?: Duration.Input) =>
      RetryPolicy.statedMillis(told, 4, after === undefined ? failure() : failure(after), random)
    assert.deepStrictEqual([at(0), at(0.5), at(1)], [4_000, 6_000, 8_000])
    assert.deepStrictEqual([at(0, "60 seconds"), at(1, "60 seconds")], [60_000, 66_000])
    // a Retry-After beyond the cap ends the retries
    assert.strictEqual(RetryPolicy.statedMillis(told, 1, failure("60 seconds"), 0), 60_000)
    // the jitter is at most the cap
    assert.strictEqual(RetryPolicy.statedMillis(told, 1, failure("1 hour"), 1), 3_620_000)
  })
})

describe("RetryPolicy.schedule", () => {
  it("2.9 the defaults are four attempts, a first delay of 1 s, a longest delay of 20 s and equal jitter", () => {
    assert.deepStrictEqual(RetryPolicy.defaults, {
      attempts: 4,
      baseMillis: 1_000,
      capMillis: 20_000,
      jitter: "equal"
    })
  })

  it.effect("4.11 attempts count the first execution", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* delays(policy({ attempts: 1 }), () => failure()), [])
      assert.deepStrictEqual(yield* delays(policy({ attempts: 4 }), () => failure()), [200, 400, 800])
    })
  )

  it.effect("4.11 is deterministic for a seed, and each kind of jitter follows its formula", () =>
    Effect.gen(function* () {
      const seeded = <A, E>(effect: Effect.Effect<A, E>) => Random.withSeed(effect, "storm")
      const randoms = yield* seeded(Effect.all(Array.from({ length: 5 }, () => Random.next)))
      for (const jitter of ["equal", "full", "none"] as const) {
        const expected = randoms.map((random, i) => rounded(RetryPolicy.delayMillis(policy({ jitter }), i + 1, random)))
        const some = policy({ jitter, attempts: 6 })
        assert.deepStrictEqual(yield* seeded(delays(some, () => failure())), expected, jitter)
        assert.deepStrictEqual(yield* seeded(delays(some, () => failure())), expected, jitter)
      }
      let previous = 200
      const decorrelated = randoms.map((random) => (previous = Math.min(1_000, 200 + (previous * 3 - 200) * random)))
      assert.deepStrictEqual(
        yield* seeded(delays(policy({ jitter: "decorrelated", attempts: 6 }), () => failure())),
        decorrelated.map(rounded)
      )
    })
  )

  it.effect("4.11 Retry-After is the minimum of the next delay only", () =>
    Effect.gen(function* () {
      const found = yield* delays(policy({ attempts: 5 }), (n) => failure(n === 1 ? "900 millis" : undefined))
      assert.deepStrictEqual(found, [200, 900, 800, 1_000])
    })
  )

  it.effect("4.11 a Retry-After below the policy's delay changes nothing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* delays(policy({ attempts: 3 }), () => failure("1 millis")), [200, 400])
    })
  )

  it.effect("4.11 a Retry-After beyond the cap ends the retries", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* delays(policy(), () => failure("1001 millis")), [])
      assert.deepStrictEqual((yield* delays(policy(), () => failure("1 second"))).slice(0, 2), [1_000, 1_000])
    })
  )

  it.effect("4.11 a delay that would end after the remaining time is not started", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* delays(policy(), () => failure(), 1_400), [200, 400, 800])
      assert.deepStrictEqual(yield* delays(policy(), () => failure(), 1_399), [200, 400])
      assert.deepStrictEqual(yield* delays(policy(), () => failure(), 0), [])
      assert.deepStrictEqual(yield* delays(policy(), () => failure(), -5), [])
    })
  )

  it.effect("4.11 the time of the attempts counts against the time left", () =>
    Effect.gen(function* () {
      let runs = 0
      const slow = Effect.delay(
        Effect.suspend(() => {
          runs += 1
          return Effect.fail(failure())
        }),
        "500 millis"
      )
      const fiber = yield* Effect.forkChild(Effect.flip(Effect.retry(slow, RetryPolicy.schedule(policy(), 1_500))))
      yield* TestClock.adjust("1 minute")
      yield* Effect.yieldNow
      // after the first failure, waits end at 200 and 1,100 ms, and attempts fail at 700 and 1,600 ms
      assert.strictEqual(runs, 3)
      assert.isDefined(fiber.pollUnsafe())
    })
  )

  it("4.11 the minimum delay is the Retry-After of a Transient failure, and zero for failures that are not retried", () => {
    assert.strictEqual(RetryPolicy.floorMillis(failure("3 seconds")), 3_000)
    assert.strictEqual(RetryPolicy.floorMillis(failure()), 0)
    const { code, detail, hint, sideEffect, tool, traceId } = failure()
    const details = { code, detail, hint, sideEffect, tool, traceId }
    const retryAfter = Duration.hours(1)
    assert.deepStrictEqual(
      [new Permanent(details), new Resource({ ...details, retryAfter })].map(RetryPolicy.floorMillis),
      [0, 0]
    )
  })
})

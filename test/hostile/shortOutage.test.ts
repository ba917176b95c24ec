import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Random } from "effect"
import { TestClock } from "effect/testing"
import { ask, response, start, tool, within } from "../pipeline/support.ts"

/** Creates a tool whose upstream answers 503 until a time, in milliseconds. */
const upstream = (definition: object, downMillis: number, headers: Record<string, string> = {}) =>
  tool("call_it", { timeout: "1 second", ...definition }, () =>
    Effect.map(Clock.currentTimeMillis, (now) => (now < downMillis ? response(503, "", headers) : { n: 1 }))
  )

/**
 * Makes a call as a model that waits for the stated time. Returns the number of calls until one succeeds, or `Infinity`
 * if none of `most` calls succeeds.
 */
const waiting = ({ tool }: ReturnType<typeof upstream>, q: string, most: number) =>
  Effect.gen(function* () {
    for (let calls = 1; calls <= most; calls++) {
      const { envelope } = yield* ask([tool], "call_it", { q })
      if (envelope.status === "success") return calls
      assert.isTrue(envelope.error.retryable, `${q} ${calls}: ${JSON.stringify(envelope.error)}`)
      yield* Effect.sleep(envelope.error.retry_after_ms)
    }
    return Infinity
  })

/** Advances the clock until all models have ended, and returns their results. */
const passed = <A, E, R>(models: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* start(models)
    while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("50 millis")
    return yield* Fiber.join(fiber)
  })

const obedient = (target: ReturnType<typeof upstream>) => passed(waiting(target, "a", 5))

describe("a short outage", () => {
  const keyed = { access: "write", idempotency: { mode: "derived", upstreamHonoursKey: true } }
  for (const [what, definition, headers] of [
    ["a read", {}, {}],
    ["a write with a key that the upstream honours", keyed, {}],
    ["a write without a key, if the upstream states Retry-After", { access: "write" }, { "retry-after": "1" }]
  ] as const) {
    for (let seed = 1; seed <= 5; seed++) {
      it.effect(`2.9 ${what} survives 503 for 3.4 s in one call (seed ${seed})`, () => {
        const target = upstream(definition, 3_400, headers)
        return Effect.gen(function* () {
          assert.strictEqual(yield* obedient(target), 1)
          assert.isAtMost(target.runs(), 4)
        }).pipe(Random.withSeed(seed), within([target.layer]))
      })
    }
  }

  for (let seed = 1; seed <= 10; seed++) {
    it.effect(
      `2.9, 4.7 a read, or its repetition after the stated wait, survives 503 for five seconds (seed ${seed})`,
      () => {
        const target = upstream({}, 5_000)
        return Effect.gen(function* () {
          assert.isAtMost(yield* obedient(target), 2)
          assert.isAtMost(target.runs(), 5)
        }).pipe(Random.withSeed(seed), within([target.layer]))
      }
    )
  }

  for (let seed = 1; seed <= 5; seed++) {
    it.effect(
      `2.9, 4.11 eight parallel calls, or their repetitions after the stated wait, survive 503 for five seconds (seed ${seed})`,
      () => {
        const target = upstream({}, 5_000)
        return Effect.gen(function* () {
          const models = "abcdefgh".split("").map((q) => waiting(target, q, 3))
          const calls = yield* passed(Effect.all(models, { concurrency: "unbounded" }))
          assert.isAtMost(Math.max(...calls), 2)
          // without a circuit, up to 8 × 4 attempts
          assert.isAtMost(target.runs(), 20)
        }).pipe(Random.withSeed(seed), within([target.layer]))
      }
    )
  }

  it.effect("4.7 a model that waits for the stated time survives 503 for thirty seconds", () => {
    const target = upstream({ circuit: false }, 30_000)
    return Effect.gen(function* () {
      assert.isAtMost(yield* obedient(target), 5)
    }).pipe(Random.withSeed(1), within([target.layer]))
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Random } from "effect"
import { TestClock } from "effect/testing"
import { ask, response, start, tool, within } from "../pipeline/support.ts"

/** An upstream that answers 503 until a time, in milliseconds. */
const upstream = (definition: object, downMillis: number, headers: Record<string, string> = {}) =>
  tool("call_it", { timeout: "1 second", ...definition }, () =>
    Effect.map(Clock.currentTimeMillis, (now) => (now < downMillis ? response(503, "", headers) : { n: 1 }))
  )

/** Makes a call as a model that waits as it was told. Returns the number of calls until one succeeded, at most five. */
const obedient = ({ tool }: ReturnType<typeof upstream>) =>
  Effect.gen(function* () {
    for (let calls = 1; calls <= 5; calls++) {
      const fiber = yield* start(ask([tool], "call_it", { q: "a" }))
      while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("50 millis")
      const { envelope } = yield* Fiber.join(fiber)
      if (envelope.status === "success") return calls
      assert.isTrue(envelope.error.retryable)
      yield* TestClock.adjust(`${envelope.error.retry_after_ms} millis`)
    }
    return Infinity
  })

describe("a short outage", () => {
  const keyed = { access: "write", idempotency: { mode: "derived", upstreamHonoursKey: true } }
  for (const [what, definition, headers] of [
    ["a read", {}, {}],
    ["a write with a key that the upstream honours", keyed, {}],
    ["a write without a key, if the upstream states Retry-After", { access: "write" }, { "retry-after": "1" }]
  ] as const) {
    for (let seed = 1; seed <= 5; seed++) {
      it.effect(`[2.9] 503 for 3.4 s is survived within ${what} (seed ${seed})`, () => {
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
      `[2.9, 4.7] 503 for five seconds is survived by a read, or by its repetition when told (seed ${seed})`,
      () => {
        const target = upstream({}, 5_000)
        return Effect.gen(function* () {
          assert.isAtMost(yield* obedient(target), 2)
          assert.isAtMost(target.runs(), 5)
        }).pipe(Random.withSeed(seed), within([target.layer]))
      }
    )
  }

  it.effect("[4.7] 503 for thirty seconds is survived by a model that waits as it was told", () => {
    const target = upstream({ circuit: false }, 30_000)
    return Effect.gen(function* () {
      assert.isAtMost(yield* obedient(target), 5)
    }).pipe(Random.withSeed(1), within([target.layer]))
  })
})

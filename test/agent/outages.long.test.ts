/** Tests of runs whose upstream is down for a while, in virtual time, with models that answer immediately. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Random } from "effect"
import { TestClock } from "effect/testing"
import type { Turn } from "#domain/turn/Turn"
import { Guard } from "#src/guard/Guard"
import type * as ScriptedModel from "#layers/ScriptedModel"
import { ask, response, start, tool } from "../pipeline/support.ts"
import { call, callsOf, envelopes, needs, play } from "./support.ts"

type Headers = Record<string, string>

/** A handler whose upstream answers 503 for the given time. */
const outage = (millis: number, headers: Headers) => () =>
  Effect.map(Clock.currentTimeMillis, (now) => (now < millis ? response(503, "", headers) : response(200, '{"n":1}')))

const isRepeated = (envelope: any): boolean => envelope.status === "error" && envelope.error.retryable

/** A model that repeats each call immediately while the envelope of the call says `retryable: true`. */
const impatient =
  (calls: number): ScriptedModel.Responder =>
  (prompt, index) => {
    const made = callsOf(prompt)
    const latest = new Map(envelopes(prompt).map((envelope, n) => [JSON.stringify(made[n]!.params), envelope]))
    const open = index === 0 ? Array.from({ length: calls }, (_, q) => `{"q":"${q}"}`) : []
    for (const [args, envelope] of latest) if (isRepeated(envelope)) open.push(args)
    return open.length === 0 ? "Done." : open.map((args, n) => call("target", JSON.parse(args), `c${index}_${n}`))
  }

/** Advances the clock until an effect ends. */
const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* start(effect)
    while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("250 millis")
    return yield* Fiber.join(fiber)
  })

const seeded = <A, E, R>(seed: number, effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Random.withSeed(seed), Effect.provide(TestClock.layer()))

const seeds = Array.from({ length: 60 }, (_, seed) => seed)
const proven = { "retry-after": "1" }
const rows = [
  ["a read", {}, {}],
  ["a write whose 503 proves that nothing was done", { access: "write" }, proven],
  ["a write with a key", { access: "write", idempotency: "derived" }, proven],
  ["a write whose repeats are allowed", { access: "write", repeats: "allowed" }, proven],
  ["a destructive call", { access: "destructive", approval: "auto" }, proven]
] as const

describe("an outage of five seconds", () => {
  for (const [what, definition, headers] of rows) {
    it.effect(`4.7, 4.11 a run with ${what} succeeds with each of 60 seeds`, () =>
      Effect.forEach(seeds, (seed) =>
        seeded(
          seed,
          Effect.gen(function* () {
            const target = tool("target", definition, outage(5_000, headers))
            const { end } = yield* inTime(play({ tools: [target], script: impatient(1) }))
            assert.deepStrictEqual(
              [end._tag, envelopes(end.transcript).at(-1)?.status],
              ["Answered", "success"],
              `${seed}`
            )
            assert.isAtMost(target.runs(), 8)
          })
        )
      )
    )
  }

  for (const [what, definition, headers] of rows.slice(0, 2)) {
    it.effect(`4.7, 4.11 several calls of ${what} in one round, which open the circuit, all succeed`, () =>
      Effect.forEach([2, 3, 5, 12], (calls) =>
        Effect.forEach(seeds.slice(0, 6), (seed) =>
          seeded(
            seed,
            Effect.gen(function* () {
              const target = tool("target", definition, outage(5_000, headers))
              const { end } = yield* inTime(play({ tools: [target], script: impatient(calls) }))
              const successes = envelopes(end.transcript).filter(({ status }) => status === "success")
              assert.deepStrictEqual([end._tag, successes.length], ["Answered", calls], `${calls} calls, seed ${seed}`)
            })
          )
        )
      )
    )
  }

  it.effect("4.7, 7.1 a call in a session without rounds, as over MCP, succeeds with each of 60 seeds", () =>
    Effect.forEach(seeds, (seed) => {
      const target = tool("target", {}, outage(5_000, {}))
      const session: Turn = { conversation: "session", turn: "session", tenant: "tenant", isSession: true }
      const calls = Effect.gen(function* () {
        for (let n = 0; n < 8; n++) {
          const { envelope } = yield* ask([target.tool], "target", { q: "a" }, { callId: `c${n}` })
          if (!isRepeated(envelope)) return envelope
        }
      })
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* inTime(Guard.turn(calls, session)), { status: "success", data: { n: 1 } })
      }).pipe(Effect.provide(needs({ tools: [target] })), (run) => seeded(seed, run))
    })
  )
})

describe("an outage of ten minutes", () => {
  for (const [what, definition, headers] of rows) {
    it.effect(`4.7, 7.3 a run with ${what} ends within half a minute, after at most eight attempts`, () =>
      Effect.forEach(seeds.slice(0, 10), (seed) =>
        seeded(
          seed,
          Effect.gen(function* () {
            const target = tool("target", definition, outage(600_000, headers))
            const { end } = yield* inTime(play({ tools: [target], script: impatient(1) }))
            assert.strictEqual(end._tag, "Answered")
            assert.isAtMost(target.runs(), 8)
            assert.isAtMost(end.usage.rounds, 3)
            assert.isAtMost(yield* Clock.currentTimeMillis, 30_000)
          })
        )
      )
    )
  }

  it.effect("4.7, 7.3 a model that repeats its call regardless of the answer is stopped at its third call", () =>
    seeded(
      1,
      Effect.gen(function* () {
        const target = tool("target", {}, outage(600_000, {}))
        const { end } = yield* inTime(play({ tools: [target], script: () => call("target", { q: "a" }) }))
        assert.deepStrictEqual([end._tag, end.usage.rounds], ["LoopDetected", 3])
        assert.isAtMost(target.runs(), 8)
      })
    )
  )

  it.effect("4.7, 11.1 the time limit of a run ends its wait", () =>
    seeded(
      1,
      Effect.gen(function* () {
        const target = tool(
          "target",
          { retry: { attempts: 1, base: "8 seconds", jitter: "none" } },
          outage(600_000, {})
        )
        const { end } = yield* inTime(
          play({ tools: [target], script: impatient(1), options: { maxTime: "3 seconds" } })
        )
        assert.notStrictEqual(end._tag, "Answered")
        assert.strictEqual(target.runs(), 1)
        assert.isAtMost(yield* Clock.currentTimeMillis, 3_250)
      })
    )
  )
})

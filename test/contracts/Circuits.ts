/** Tests that every layer of Circuits must pass [4.11]. */
import type { Outcome } from "#domain/call/Outcome"
import { type CircuitRejection, Circuits } from "#services/Circuits"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, type Layer, Random } from "effect"
import { TestClock } from "effect/testing"
import { done, human, mismatch, permanent, resource, transient } from "./values.ts"

const policy = { share: 0.5, window: 20, minimum: 3, openMillis: 30_000, capMillis: 30_000 }

/** Returns a function that makes an attempt with a given outcome, its rejections, and the number of attempts that ran. */
const attempts = (circuits: Circuits["Service"], tool = "a") => {
  const rejected: Array<CircuitRejection> = []
  let runs = 0
  const attempt = (outcome: Outcome) =>
    circuits.execute(
      tool,
      policy,
      Effect.sync(() => {
        runs += 1
        return outcome
      }),
      (rejection) => {
        rejected.push(rejection)
        return transient({ code: "circuit_open" })
      }
    )
  return { attempt, rejected, runs: () => runs }
}

export const circuitsContract = (name: string, layer: Layer.Layer<Circuits, DatabaseUnavailable>): void => {
  describe(`Circuits (${name})`, () => {
    const using = <A, E>(use: (circuits: Circuits["Service"]) => Effect.Effect<A, E>) =>
      Effect.flatMap(Circuits, use).pipe(Effect.provide(layer))

    it.effect("4.11 returns the outcome of an attempt", () =>
      using((circuits) =>
        Effect.gen(function* () {
          const { attempt } = attempts(circuits)
          for (const outcome of [done(1), transient(), permanent()]) {
            assert.deepStrictEqual(yield* attempt(outcome), outcome)
          }
        })
      )
    )

    it.effect("4.11 opens when the minimum of attempts has failed, and returns when to retry", () =>
      using((circuits) =>
        Effect.gen(function* () {
          const { attempt, rejected, runs } = attempts(circuits)
          for (const outcome of [transient(), resource(), transient()]) yield* attempt(outcome)
          assert.deepStrictEqual(yield* attempt(done(1)), transient({ code: "circuit_open" }))
          assert.strictEqual(runs(), 3)
          yield* TestClock.adjust("10 seconds")
          yield* attempt(done(1))
          const [first = 0, second = 0] = rejected.map(({ retryAfter }) => Duration.toMillis(retryAfter))
          // half of the open time is random, and the stated wait has up to 5 seconds of jitter
          assert.isAtLeast(first, 15_000)
          assert.isAtMost(first, 35_000)
          assert.isAtLeast(second, 5_000)
          assert.isAtMost(second, 25_000)
        })
      )
    )

    it.effect("4.11 stays closed while fewer than half of the latest attempts failed, and opens at half", () =>
      using((circuits) =>
        Effect.gen(function* () {
          const { attempt, runs } = attempts(circuits)
          for (const outcome of [done(1), done(1), done(1), transient(), done(2), transient()]) yield* attempt(outcome)
          assert.deepStrictEqual([yield* attempt(transient()), runs()], [transient(), 7])
          assert.deepStrictEqual([yield* attempt(transient()), runs()], [transient(), 8])
          assert.deepStrictEqual([yield* attempt(done(1)), runs()], [transient({ code: "circuit_open" }), 8])
        })
      )
    )

    it.effect("4.11 only Transient and Resource failures count", () =>
      using((circuits) =>
        Effect.gen(function* () {
          const { attempt, runs } = attempts(circuits)
          for (const outcome of [permanent(), mismatch(), human(), permanent(), mismatch()]) yield* attempt(outcome)
          assert.deepStrictEqual([yield* attempt(done(1)), runs()], [done(1), 6])
        })
      )
    )

    it.effect("4.11 a refunded attempt counts neither as a failure nor as a success", () =>
      using((circuits) =>
        Effect.gen(function* () {
          const { attempt, runs } = attempts(circuits)
          const refunded: Outcome = { ...transient({ code: "busy" }), _tag: "Failure", isRefund: true } as Outcome
          for (const outcome of [transient(), transient(), refunded, refunded, refunded]) yield* attempt(outcome)
          assert.strictEqual(runs(), 5)
          yield* attempt(transient())
          yield* attempt(done(1))
          assert.strictEqual(runs(), 6)
        })
      )
    )

    it.effect(
      "4.11 after its open time, a circuit admits a probe, whose success closes the circuit, immediately or after a ramp",
      () =>
        using((circuits) =>
          Effect.gen(function* () {
            const { attempt, runs } = attempts(circuits)
            for (let i = 0; i < 3; i += 1) yield* attempt(transient())
            yield* TestClock.adjust("30 seconds")
            assert.deepStrictEqual(yield* attempt(done(1)), done(1))
            yield* TestClock.adjust("30 seconds")
            for (const outcome of [transient(), transient(), done(2)]) yield* attempt(outcome)
            assert.strictEqual(runs(), 7)
          })
        )
    )

    /** Opens the circuit, and starts its ramp with a successful probe. */
    const toRamp = (attempt: (outcome: Outcome) => Effect.Effect<Outcome>) =>
      Effect.gen(function* () {
        for (let i = 0; i < 3; i += 1) yield* attempt(transient())
        yield* TestClock.adjust("30 seconds")
        yield* attempt(done(1))
      })

    it.effect("4.11 after a successful probe, each success admits more attempts, and then all are admitted", () =>
      using((circuits) =>
        Effect.gen(function* () {
          const { attempt, rejected } = attempts(circuits)
          yield* toRamp(attempt)
          let admitted = 0
          /** Makes 30 attempts that run at the same time and succeed, and returns how many are admitted. */
          const together = Effect.gen(function* () {
            const gate = yield* Deferred.make<void>()
            const [before, rejectedBefore] = [admitted, rejected.length]
            const held = Effect.andThen(
              Effect.sync(() => void (admitted += 1)),
              Effect.as(Deferred.await(gate), done(1))
            )
            const fibers: Array<Fiber.Fiber<Outcome>> = []
            for (let count = 1; count <= 30; count += 1) {
              const execution = circuits.execute("a", policy, held, (rejection) => {
                rejected.push(rejection)
                return permanent()
              })
              fibers.push(yield* Effect.forkChild(execution, { startImmediately: true }))
              // a server admits or rejects an attempt a little later
              while (admitted - before + rejected.length - rejectedBefore < count) yield* Effect.yieldNow
            }
            yield* Deferred.succeed(gate, undefined)
            for (const fiber of fibers) yield* Fiber.join(fiber)
            return admitted - before
          })
          const seen: Array<number> = []
          for (let count = 0; count < 19; count += 1) seen.push(yield* together)
          assert.deepStrictEqual(seen, [1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 30])
          const waits = rejected.map(({ retryAfter }) => Duration.toMillis(retryAfter))
          assert.isAbove(new Set(waits).size, waits.length / 2, "the waits have jitter")
          assert.isAtMost(Math.max(...waits), 10_000)
        }).pipe(Random.withSeed("ramp"))
      )
    )

    it.effect("4.11 a failure during the ramp opens the circuit again", () =>
      using((circuits) =>
        Effect.gen(function* () {
          const { attempt, runs } = attempts(circuits)
          yield* toRamp(attempt)
          assert.deepStrictEqual([yield* attempt(transient()), runs()], [transient(), 5])
          yield* TestClock.adjust("3 seconds")
          assert.deepStrictEqual([yield* attempt(done(1)), runs()], [transient({ code: "circuit_open" }), 5])
        }).pipe(Random.withSeed("ramp"))
      )
    )

    it.effect("4.11 a failed probe opens the circuit again", () =>
      using((circuits) =>
        Effect.gen(function* () {
          const { attempt, runs } = attempts(circuits)
          for (let i = 0; i < 3; i += 1) yield* attempt(transient())
          yield* TestClock.adjust("30 seconds")
          yield* attempt(transient())
          yield* TestClock.adjust("14 seconds")
          yield* attempt(done(1))
          assert.strictEqual(runs(), 4)
          yield* TestClock.adjust("16 seconds")
          assert.deepStrictEqual([yield* attempt(done(1)), runs()], [done(1), 5])
        })
      )
    )

    it.effect("4.11 each tool is counted separately", () =>
      using((circuits) =>
        Effect.gen(function* () {
          const [a, b] = [attempts(circuits, "a"), attempts(circuits, "b")]
          for (let i = 0; i < 4; i += 1) yield* a.attempt(transient())
          assert.deepStrictEqual([yield* b.attempt(done(1)), a.runs(), b.runs()], [done(1), 3, 1])
        })
      )
    )

    it.effect("3.3 an attempt that ran keeps its outcome, even if the circuit has opened meanwhile", () =>
      using((circuits) =>
        Effect.gen(function* () {
          const gate = yield* Deferred.make<void>()
          const unknown = transient({ sideEffect: "unknown" })
          const late = Effect.as(Deferred.await(gate), unknown)
          const fibers = yield* Effect.forEach(Array.from({ length: 20 }), () =>
            Effect.forkChild(
              circuits.execute("a", policy, late, () => transient({ code: "circuit_open" })),
              { startImmediately: true }
            )
          )
          yield* Deferred.succeed(gate, undefined)
          assert.deepStrictEqual(new Set(yield* Fiber.joinAll(fibers)), new Set([unknown]))
          assert.deepStrictEqual(yield* attempts(circuits).attempt(done(1)), transient({ code: "circuit_open" }))
        })
      )
    )

    it.effect("4.11 while a probe runs, other attempts are rejected", () =>
      using((circuits) =>
        Effect.gen(function* () {
          const { attempt, runs } = attempts(circuits)
          for (let i = 0; i < 3; i += 1) yield* attempt(transient())
          yield* TestClock.adjust("30 seconds")
          const gate = yield* Deferred.make<void>()
          const probe = yield* Effect.forkChild(
            circuits.execute("a", policy, Effect.as(Deferred.await(gate), done(1)), () => permanent()),
            { startImmediately: true }
          )
          yield* attempt(done(2))
          assert.strictEqual(runs(), 3)
          yield* Deferred.succeed(gate, undefined)
          assert.deepStrictEqual(yield* Fiber.join(probe), done(1))
          assert.deepStrictEqual(yield* attempt(done(2)), done(2))
        })
      )
    )

    it.effect(
      "4.11 an interrupted attempt does not count, and after an interrupted probe the next attempt is admitted",
      () =>
        using((circuits) =>
          Effect.gen(function* () {
            const { attempt } = attempts(circuits)
            const interrupted = Effect.gen(function* () {
              const fiber = yield* Effect.forkChild(
                circuits.execute("a", policy, Effect.never, () => permanent()),
                { startImmediately: true }
              )
              yield* Fiber.interrupt(fiber)
            })
            for (let i = 0; i < 2; i += 1) yield* attempt(transient())
            yield* interrupted
            assert.deepStrictEqual(yield* attempt(transient()), transient())
            yield* TestClock.adjust("30 seconds")
            yield* interrupted
            assert.deepStrictEqual(yield* attempt(done(1)), done(1))
          })
        )
    )
  })
}

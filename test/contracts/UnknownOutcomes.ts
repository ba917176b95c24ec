/** Tests that every layer of UnknownOutcomes must pass [10.5]. */
import type { SettlementResult } from "#domain/approval/UnknownOutcome"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { type NewUnknownOutcome, UnknownOutcomes } from "#services/UnknownOutcomes"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"

export const outcome = (over: Partial<NewUnknownOutcome> = {}): NewUnknownOutcome => ({
  binding: "refund A-1",
  isAnswered: false,
  tool: "refund",
  code: "outcome_unknown",
  sentence: "It is not known whether refund was done.\u202e",
  arguments: { order: "A-1 \u0000 \ud800" },
  idempotencyKey: "idem_1",
  turn: { tenant: "tenant", conversation: "c", turn: "t" },
  callId: "call_1",
  run: "run-1",
  traceId: "tr_1",
  ...over
})

const done = { finding: "done", result: { refunded: 5 }, by: "ana", reason: " looked it up " } as const
const notDone = { finding: "not_done", by: "ben", reason: "" } as const

const tagOf = (settled: SettlementResult | undefined) =>
  settled === undefined ? undefined : settled._tag === "Taken" ? "Taken" : settled.refusal

export const unknownOutcomesContract = (
  name: string,
  layer: Layer.Layer<UnknownOutcomes, DatabaseUnavailable>
): void => {
  describe(`UnknownOutcomes (${name})`, () => {
    const using = <A, E>(use: (outcomes: UnknownOutcomes["Service"]) => Effect.Effect<A, E>) =>
      Effect.flatMap(UnknownOutcomes, use).pipe(Effect.provide(layer))

    it.effect("10.5 a settlement that could not be decoded later is refused, and the outcome stays open", () =>
      using((outcomes) =>
        Effect.gen(function* () {
          const { id } = yield* outcomes.add(outcome())
          const wrong = [{ finding: "maybe" }, { by: undefined }, { by: " " }, { reason: undefined }, { result: 10n }]
          for (const fields of wrong) {
            const exit = yield* Effect.exit(outcomes.settle(id, { ...done, ...fields } as never))
            assert.isTrue(Exit.isFailure(exit), Object.keys(fields).join())
            if (Exit.isFailure(exit)) assert.match(String(Cause.squash(exit.cause)), /^RangeError: .*must be/)
          }
          assert.lengthOf(yield* outcomes.open({ limit: 10 }), 1)
          assert.strictEqual(tagOf(yield* outcomes.settle(id, done)), "Taken")
          assert.strictEqual((yield* outcomes.find(id))?.settlement?.by, "ana")
        })
      )
    )

    it.effect("10.5 an outcome is stored with a new id, the time and the digest of its binding", () =>
      using((outcomes) =>
        Effect.gen(function* () {
          yield* TestClock.adjust("7 seconds")
          const added = yield* outcomes.add(outcome())
          assert.match(added.id, /^[0-9a-f]{32}$/u)
          assert.match(added.binding, /^[0-9a-f]{64}$/u)
          assert.strictEqual(added.at, 7_000)
          assert.deepStrictEqual(yield* outcomes.find(added.id), added)
          assert.deepStrictEqual(yield* outcomes.open({ limit: 10 }), [added])
          assert.notStrictEqual((yield* outcomes.add(outcome())).id, added.id)
          assert.isUndefined(yield* outcomes.find("0".repeat(32)))
          assert.isUndefined(yield* outcomes.find("' OR 1 = 1 --\u0000"))
        })
      )
    )

    it.effect("10.5 the first settlement counts, with its result, author, reason and time", () =>
      using((outcomes) =>
        Effect.gen(function* () {
          const { id } = yield* outcomes.add(outcome())
          yield* TestClock.adjust("9 seconds")
          assert.strictEqual(tagOf(yield* outcomes.settle(id, done)), "Taken")
          assert.strictEqual(tagOf(yield* outcomes.settle(id, notDone)), "settled")
          assert.deepStrictEqual((yield* outcomes.find(id))?.settlement, {
            finding: "done",
            result: { refunded: 5 },
            by: "ana",
            reason: "looked it up",
            at: 9_000
          })
          assert.deepStrictEqual(yield* outcomes.open({ limit: 10 }), [])
          assert.isUndefined(yield* outcomes.settle("0".repeat(32), done))
        })
      )
    )

    it.effect("10.5 only one of many concurrent settlements counts", () =>
      using((outcomes) =>
        Effect.gen(function* () {
          const { id } = yield* outcomes.add(outcome())
          const all = yield* Effect.forEach(
            Array.from({ length: 20 }, (_, n) => ({ ...notDone, by: `person ${n}` })),
            (settling) => outcomes.settle(id, settling),
            { concurrency: "unbounded" }
          )
          const taken = all.filter((settled) => tagOf(settled) === "Taken")
          assert.lengthOf(taken, 1)
          assert.strictEqual((yield* outcomes.find(id))?.settlement?.by, taken[0]?.outcome.settlement?.by)
        })
      )
    )

    it.effect("10.5 a settlement for another binding is refused, and changes nothing", () =>
      using((outcomes) =>
        Effect.gen(function* () {
          const { binding, id } = yield* outcomes.add(outcome())
          assert.strictEqual(tagOf(yield* outcomes.settle(id, { ...done, binding: "f".repeat(64) })), "other_binding")
          assert.isUndefined((yield* outcomes.find(id))?.settlement)
          assert.strictEqual(tagOf(yield* outcomes.settle(id, { ...done, binding })), "Taken")
        })
      )
    )

    it.effect("10.5 the latest outcome of a binding is found, settled or not, even if the times are equal", () =>
      using((outcomes) =>
        Effect.gen(function* () {
          assert.isUndefined(yield* outcomes.latest("refund A-1"))
          const first = yield* outcomes.add(outcome())
          yield* outcomes.add(outcome({ binding: "refund A-2" }))
          yield* outcomes.settle(first.id, notDone)
          assert.strictEqual((yield* outcomes.latest("refund A-1"))?.settlement?.finding, "not_done")
          const second = yield* outcomes.add(outcome())
          assert.deepStrictEqual(yield* outcomes.latest("refund A-1"), second)
        })
      )
    )

    it.effect("10.5 lists by tool and tenant, oldest first, and lists answered errors only on request", () =>
      using((outcomes) =>
        Effect.gen(function* () {
          const ids: Array<string> = []
          for (const over of [
            {},
            { tool: "send" },
            { turn: { tenant: "other", conversation: "c", turn: "t" } },
            { isAnswered: true, code: "refused" }
          ]) {
            ids.push((yield* outcomes.add(outcome(over))).id)
            yield* TestClock.adjust("1 second")
          }
          const open = (listing: object) =>
            Effect.map(outcomes.open({ limit: 10, ...listing }), (all) => all.map(({ id }) => ids.indexOf(id)))
          assert.deepStrictEqual(yield* open({}), [0, 1, 2])
          assert.deepStrictEqual(yield* open({ answered: true }), [0, 1, 2, 3])
          assert.deepStrictEqual(yield* open({ limit: 2 }), [0, 1])
          assert.deepStrictEqual(yield* open({ tools: ["send"] }), [1])
          assert.deepStrictEqual(yield* open({ tenants: ["other"] }), [2])
          assert.deepStrictEqual(yield* open({ tools: [] }), [])
        })
      )
    )
  })
}

/** Defines the tests of two processes that share a store. Each process has a separate layer. */
export const sharedOutcomesContract = (
  name: string,
  layer: () => Layer.Layer<UnknownOutcomes, DatabaseUnavailable>
): void => {
  it.effect(`10.5 another process reads and settles an outcome (${name})`, () =>
    Effect.gen(function* () {
      const mine = Context.get(yield* Layer.build(layer()), UnknownOutcomes)
      const theirs = Context.get(yield* Layer.build(layer()), UnknownOutcomes)
      const { id } = yield* mine.add(outcome())
      assert.deepStrictEqual(
        (yield* theirs.open({ limit: 10 })).map((one) => one.id),
        [id]
      )
      yield* theirs.settle(id, done)
      assert.deepStrictEqual((yield* mine.latest("refund A-1"))?.settlement?.result, { refunded: 5 })
    }).pipe(Effect.scoped)
  )
}

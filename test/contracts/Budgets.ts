/** Tests that every layer of Budgets must pass [4.7]. */
import type { Outcome } from "#domain/call/Outcome"
import type { Spender } from "#domain/turn/Account"
import type { Turn } from "#domain/turn/Turn"
import { type BudgetLimit, Budgets, type Spending } from "#services/Budgets"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { heldResults } from "#domain/turn/Budget"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { done, permanent, readBack, transient, turn } from "./values.ts"

const three = { limit: 3, onlyAfterTransient: false }
const one = { limit: 1, onlyAfterTransient: false }

const spent = (remaining: number, returning = 0): Spending => ({ _tag: "Spent", remaining, returning })

/** The service, with the time 0 as the default of `spend`. */
type AtomicBudgets = Omit<Budgets["Service"], "spend"> & {
  readonly spend: (
    turn: Turn,
    key: string,
    limit: BudgetLimit,
    spender?: Spender
  ) => ReturnType<Budgets["Service"]["spend"]>
}

/** Returns a spending with its last outcome decoded, as the tool receives it. */
const decoded = (spending: Spending): Spending =>
  spending._tag === "Spent" ? spending : { ...spending, last: readBack(spending.last) }

export const budgetsContract = (name: string, layer: Layer.Layer<Budgets, DatabaseUnavailable>): void => {
  describe(`Budgets (${name})`, () => {
    const using = <A, E>(use: (budgets: AtomicBudgets) => Effect.Effect<A, E>) =>
      Effect.flatMap(Budgets, (budgets) =>
        use({ ...budgets, spend: (turn, key, limit, spender = { now: 0 }) => budgets.spend(turn, key, limit, spender) })
      ).pipe(Effect.provide(layer))

    it.effect("4.7 spends units up to the limit, and returns how many are left", () =>
      using(({ spend }) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(
            [yield* spend(turn, "a", three), yield* spend(turn, "a", three), yield* spend(turn, "a", three)],
            [spent(2), spent(1), spent(0)]
          )
          assert.deepStrictEqual(yield* spend(turn, "a", three), {
            _tag: "Exhausted",
            last: undefined,
            isAnswered: false
          })
        })
      )
    )

    it.effect("4.7 checks and spends in one step: only three of fifty concurrent calls get a unit", () =>
      using(({ spend }) =>
        Effect.gen(function* () {
          const all = yield* Effect.all(
            Array.from({ length: 50 }, () => spend(turn, "a", three)),
            { concurrency: "unbounded" }
          )
          assert.lengthOf(
            all.filter(({ _tag }) => _tag === "Spent"),
            3
          )
        })
      )
    )

    it.effect("4.7, 8.3 counts keys, turns, conversations, principals and tenants separately", () =>
      using(({ spend }) =>
        Effect.gen(function* () {
          for (const [where, key] of [
            [turn, "a"],
            [turn, "b"],
            [{ ...turn, turn: "2" }, "a"],
            [{ ...turn, conversation: "2" }, "a"],
            [{ ...turn, tenant: "2" }, "a"],
            [{ ...turn, principal: "ann" }, "a"],
            [{ ...turn, principal: "bob" }, "a"],
            [{ ...turn, principal: "" }, "a"],
            [{ ...turn, turn: '{"principal":"ann"}' }, "a"],
            // ids can contain any characters: these two must be distinguished
            [{ ...turn, conversation: "x", turn: 'y","z' }, "a"],
            [{ ...turn, conversation: 'x","y', turn: "z" }, "a"]
          ] as const) {
            assert.deepStrictEqual(yield* spend(where, key, one), spent(0))
          }
        })
      )
    )

    it.effect("4.7 a turn is identified by its fields, not by its object", () =>
      using(({ spend }) =>
        Effect.gen(function* () {
          yield* spend({ ...turn }, "a", one)
          assert.strictEqual((yield* spend({ ...turn }, "a", one))._tag, "Exhausted")
        })
      )
    )

    it.effect("4.7 returns the last outcome: a failure or a stored result", () =>
      using(({ settle, spend }) =>
        Effect.gen(function* () {
          yield* spend(turn, "failed", one)
          yield* settle(turn, "failed", { outcome: permanent(), digest: "", isLast: true })
          assert.deepStrictEqual(decoded(yield* spend(turn, "failed", one)), {
            _tag: "Exhausted",
            last: permanent(),
            isAnswered: false
          })
          yield* spend(turn, "done", one)
          yield* settle(turn, "done", { outcome: done({ n: 1 }), digest: "digest", isLast: true })
          assert.deepStrictEqual(decoded(yield* spend(turn, "done", one)), {
            _tag: "Exhausted",
            last: done({ n: 1 }),
            isAnswered: true,
            answeredEffect: "committed"
          })
        })
      )
    )

    it.effect(
      "3.3, 4.7 the last failure includes whether the upstream answered and whether a lookup found nothing",
      () =>
        using(({ settle, spend }) =>
          Effect.gen(function* () {
            const answered = { ...permanent({ sideEffect: "unknown" }), isAnswered: true } as Outcome
            const absent = { ...permanent(), isAbsent: true } as Outcome
            for (const [key, outcome] of Object.entries({ answered, absent })) {
              yield* spend(turn, key, one)
              yield* settle(turn, key, { outcome, digest: "", isLast: true })
              assert.deepStrictEqual(decoded(yield* spend(turn, key, one)), {
                _tag: "Exhausted",
                last: outcome,
                isAnswered: false
              })
            }
          })
        )
    )

    it.effect(
      "4.7 stores the last twenty results of a turn, and for older results only the fact that there was one",
      () =>
        using(({ settle, spend }) =>
          Effect.gen(function* () {
            const keys = Array.from({ length: heldResults + 2 }, (_, i) => `k${i}`)
            for (const key of keys) {
              yield* spend(turn, key, one)
              yield* settle(turn, key, { outcome: done(key), digest: key, isLast: true })
            }
            const all = yield* Effect.forEach(keys, (key) => Effect.map(spend(turn, key, one), decoded))
            assert.deepStrictEqual(
              all,
              keys.map((key, i) => ({
                _tag: "Exhausted",
                last: i < 2 ? undefined : done(key),
                isAnswered: true,
                answeredEffect: "committed"
              }))
            )
          })
        )
    )

    it.effect("4.7 a new result of a key counts as the newest result", () =>
      using(({ settle, spend }) =>
        Effect.gen(function* () {
          const settled = (key: string, digest: string) =>
            Effect.andThen(spend(turn, key, three), settle(turn, key, { outcome: done(digest), digest, isLast: true }))
          yield* settled("first", "x")
          yield* settled("second", "x")
          yield* settled("first", "y")
          for (let i = 0; i < heldResults - 1; i += 1) yield* settled(`k${i}`, "x")
          const none = { limit: 0, onlyAfterTransient: false }
          const last = (key: string) => Effect.map(spend(turn, key, none), decoded)
          assert.deepStrictEqual(
            [yield* last("first"), yield* last("second")],
            [
              { _tag: "Exhausted", last: done("y"), isAnswered: true, answeredEffect: "committed" },
              { _tag: "Exhausted", last: undefined, isAnswered: true, answeredEffect: "committed" }
            ]
          )
        })
      )
    )

    it.effect("4.7 keys can be as long as arguments and contain any characters", () =>
      using(({ spend }) =>
        Effect.gen(function* () {
          const long = `write_it {"q":"${"\u{1f600}'\u0000\ud800".repeat(50_000)}"}`
          const where = { ...turn, conversation: "\u0000\ud800".repeat(10_000) }
          for (const key of [`${long} 1`, `${long} 2`]) {
            assert.deepStrictEqual(yield* spend(where, key, one), spent(0))
            assert.strictEqual((yield* spend(where, key, one))._tag, "Exhausted")
          }
        })
      )
    )

    it.effect("4.7 reports an unchanged result, and resets the count for a changed one", () =>
      using(({ settle, spend }) =>
        Effect.gen(function* () {
          const answers: Array<boolean> = []
          for (const digest of ["x", "x", "y"]) {
            yield* spend(turn, "a", three)
            answers.push(yield* settle(turn, "a", { outcome: done(digest), digest, isLast: false }))
          }
          assert.deepStrictEqual(answers, [false, true, false])
          assert.deepStrictEqual(yield* spend(turn, "a", three), spent(2))
        })
      )
    )

    it.effect("4.7 spends more than one unit with onlyAfterTransient only after transient failures", () =>
      using(({ settle, spend }) =>
        Effect.gen(function* () {
          const keyed = { limit: 3, onlyAfterTransient: true }
          yield* spend(turn, "a", keyed)
          yield* settle(turn, "a", { outcome: transient(), digest: "", isLast: false })
          assert.strictEqual((yield* spend(turn, "a", keyed))._tag, "Spent")
          yield* settle(turn, "a", { outcome: permanent(), digest: "", isLast: false })
          assert.strictEqual((yield* spend(turn, "a", keyed))._tag, "Exhausted")
        })
      )
    )

    it.effect("4.7 refunds an unused unit, but no unit that was never spent", () =>
      using(({ refund, spend }) =>
        Effect.gen(function* () {
          yield* spend(turn, "a", one)
          yield* refund(turn, "a")
          yield* refund(turn, "a")
          yield* refund(turn, "never")
          assert.deepStrictEqual(yield* spend(turn, "a", one), spent(0))
          assert.strictEqual((yield* spend(turn, "a", one))._tag, "Exhausted")
        })
      )
    )

    it.effect("4.7 a unit of a transient failure is returned when its wait is over, and not before", () =>
      using(({ settle, spend }) =>
        Effect.gen(function* () {
          yield* spend(turn, "a", one)
          yield* settle(turn, "a", { outcome: transient(), digest: "", isLast: true, readyAt: 5_000 })
          const early = yield* spend(turn, "a", one, { now: 4_999 })
          assert.deepStrictEqual(decoded(early), {
            _tag: "Exhausted",
            last: transient(),
            isAnswered: false,
            back: { at: 5_000, units: 1 }
          })
          assert.deepStrictEqual(yield* spend(turn, "a", one, { now: 5_000 }), spent(0))
          assert.strictEqual((yield* spend(turn, "a", one, { now: 9_000 }))._tag, "Exhausted")
        })
      )
    )

    it.effect("4.7 only the units of transient failures are returned", () =>
      using(({ settle, spend }) =>
        Effect.gen(function* () {
          yield* spend(turn, "a", three)
          yield* settle(turn, "a", { outcome: done({ n: 1 }), digest: "x", isLast: false })
          for (const readyAt of [1_000, 2_000]) {
            yield* spend(turn, "a", three)
            yield* settle(turn, "a", { outcome: transient(), digest: "", isLast: false, readyAt })
          }
          assert.deepStrictEqual(yield* spend(turn, "a", three, { now: 2_000 }), spent(1))
        })
      )
    )

    it.effect("4.7 a repeated attempt takes the unit of the attempt that did nothing", () =>
      using(({ refund, settle, spend }) =>
        Effect.gen(function* () {
          const failed = { outcome: transient(), digest: "", isLast: true, readyAt: 1_000 }
          yield* spend(turn, "a", one)
          yield* settle(turn, "a", failed)
          assert.deepStrictEqual(yield* spend(turn, "a", one, { now: 500, isRepeat: true }), spent(0))
          // while it runs, its unit is not returned
          assert.strictEqual((yield* spend(turn, "a", one, { now: 2_000 }))._tag, "Exhausted")
          yield* refund(turn, "a", true)
          assert.strictEqual((yield* spend(turn, "a", one, { now: 999 }))._tag, "Exhausted")
          assert.deepStrictEqual(yield* spend(turn, "a", one, { now: 1_000 }), spent(0))
        })
      )
    )

    it.effect("4.7 a success keeps the unit that a repeated attempt took", () =>
      using(({ settle, spend }) =>
        Effect.gen(function* () {
          yield* spend(turn, "a", one)
          yield* settle(turn, "a", { outcome: transient(), digest: "", isLast: true, readyAt: 1_000 })
          yield* spend(turn, "a", one, { now: 500, isRepeat: true })
          yield* settle(turn, "a", { outcome: done({ n: 1 }), digest: "x", isLast: true })
          assert.deepStrictEqual(decoded(yield* spend(turn, "a", one, { now: 99_000 })), {
            _tag: "Exhausted",
            last: done({ n: 1 }),
            isAnswered: true,
            answeredEffect: "committed"
          })
        })
      )
    )

    it.effect("3.3 progress resets neither running calls nor unknown outcomes", () =>
      using(({ progress, settle, spend }) =>
        Effect.gen(function* () {
          yield* spend(turn, "running", one)
          yield* spend(turn, "unknown", one)
          yield* settle(turn, "unknown", { outcome: transient({ sideEffect: "unknown" }), digest: "", isLast: true })
          yield* progress(turn, "write")
          assert.strictEqual((yield* spend(turn, "running", one))._tag, "Exhausted")
          assert.strictEqual((yield* spend(turn, "unknown", one))._tag, "Exhausted")
        })
      )
    )

    it.effect("4.7 progress resets the other keys of its turn, not its own key or other turns", () =>
      using(({ progress, settle, spend }) =>
        Effect.gen(function* () {
          const otherTurn = { ...turn, turn: "2" }
          for (const [where, key] of [
            [turn, "read"],
            [turn, "write"],
            [otherTurn, "read"]
          ] as const) {
            yield* spend(where, key, one)
            yield* settle(where, key, { outcome: done({ n: 1 }), digest: "digest", isLast: false })
          }
          yield* progress(turn, "write")
          assert.strictEqual((yield* spend(turn, "read", one))._tag, "Spent")
          assert.strictEqual((yield* spend(turn, "write", one))._tag, "Exhausted")
          assert.strictEqual((yield* spend(otherTurn, "read", one))._tag, "Exhausted")
        })
      )
    )

    it.effect("4.7 ending a turn removes only its budgets", () =>
      using(({ end, spend }) =>
        Effect.gen(function* () {
          const otherTurn = { ...turn, turn: "2" }
          yield* spend(turn, "a", one)
          yield* spend(otherTurn, "a", one)
          yield* end(turn)
          yield* end({ ...turn, turn: "never started" })
          assert.strictEqual((yield* spend(turn, "a", one))._tag, "Spent")
          assert.strictEqual((yield* spend(otherTurn, "a", one))._tag, "Exhausted")
        })
      )
    )
  })
}

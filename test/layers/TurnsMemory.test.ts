/** Checks the limits of turns, conversations and artifacts in memory: a tenant evicts only its own. */
import * as ArtifactsMemory from "#layers/ArtifactsMemory"
import * as BudgetsMemory from "#layers/BudgetsMemory"
import type { FailedOutcome } from "#domain/call/Outcome"
import * as LoopDetector from "#domain/loop/LoopDetector"
import * as TurnHistory from "#domain/turn/TurnHistory"
import type { Turn } from "#domain/turn/Turn"
import * as TurnMemoryMemory from "#layers/TurnMemoryMemory"
import { Artifacts } from "#services/Artifacts"
import { Budgets } from "#services/Budgets"
import { TurnMemory } from "#services/TurnMemory"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { permanent } from "../contracts/values.ts"

const turnsOfTenant = 10_000

const turnOf = (tenant: string, n = 0): Turn => ({ tenant, conversation: `c ${n}`, turn: "t" })

/** Uses many turns of a tenant. */
const flood = (tenant: string, count: number, use: (turn: Turn) => Effect.Effect<unknown, unknown>) =>
  Effect.orDie(
    Effect.forEach(
      Array.from({ length: count }, (_, n) => turnOf(tenant, n)),
      use,
      { discard: true }
    )
  )

describe("budgets in memory", () => {
  const two = { limit: 2, onlyAfterTransient: false }
  const spend = (turn: Turn) =>
    Effect.flatMap(Budgets, (budgets) =>
      Effect.map(budgets.spend(turn, "a", two, { now: 0 }), (spending) =>
        spending._tag === "Spent" ? spending.remaining : spending._tag
      )
    )
  const inMemory = Effect.provide(BudgetsMemory.layer)

  it.effect("4.7 if a tenant uses twice its limit of turns, the budgets of another tenant are unchanged", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual([yield* spend(turnOf("other")), yield* spend(turnOf("other"))], [1, 0])
      const budgets = yield* Budgets
      yield* flood("full", 2 * turnsOfTenant, (turn) => budgets.spend(turn, "a", two, { now: 0 }))
      assert.strictEqual(yield* spend(turnOf("other")), "Exhausted")
      assert.strictEqual(yield* spend(turnOf("full", 2 * turnsOfTenant - 1)), 0)
    }).pipe(inMemory)
  )

  it.effect(
    "4.7 if a turn is used while its tenant uses as many other turns as its limit, only unused turns are forgotten",
    () =>
      Effect.gen(function* () {
        const budgets = yield* Budgets
        for (const turn of [turnOf("full", -1), turnOf("full", -2)]) yield* spend(turn)
        yield* flood("full", turnsOfTenant, (turn) =>
          Effect.andThen(
            budgets.spend(turn, "a", two, { now: 0 }),
            budgets.spend(turnOf("full", -1), "b", two, { now: 0 })
          )
        )
        assert.strictEqual(yield* spend(turnOf("full", -1)), 0)
        assert.strictEqual(yield* spend(turnOf("full", -2)), 1)
      }).pipe(inMemory)
  )

  it.effect("4.7 a turn that was forgotten gets its limit once more, but not indefinitely", () =>
    Effect.gen(function* () {
      const budgets = yield* Budgets
      for (let n = 0; n < 3; n += 1) yield* spend(turnOf("full", -1))
      yield* flood("full", turnsOfTenant, (turn) => budgets.spend(turn, "a", two, { now: 0 }))
      // the attempt that was running when the turn was forgotten ends
      yield* budgets.settle(turnOf("full", -1), "a", { outcome: permanent(), digest: "", isLast: true })
      const again = [yield* spend(turnOf("full", -1)), yield* spend(turnOf("full", -1))]
      assert.deepStrictEqual(again, [0, "Exhausted"])
    }).pipe(inMemory)
  )
})

describe("the memory of turns", () => {
  const inMemory = Effect.provide(TurnMemoryMemory.layer)

  it.effect("4.6, 10.4 if a tenant uses twice its limit of turns, another tenant keeps its results and denials", () =>
    Effect.gen(function* () {
      const { modifyTurn } = yield* TurnMemory
      const answered = (turn: Turn) =>
        modifyTurn(turn, (history) => [undefined, TurnHistory.answered(history, "a", turn.conversation)])
      // `permanent` returns a failure
      const { failure } = permanent() as FailedOutcome
      const known = (turn: Turn) =>
        modifyTurn(turn, (history) => [
          [TurnHistory.previous(history, "a"), TurnHistory.denial(history, "binding")],
          history
        ])
      const deny = (turn: Turn) =>
        modifyTurn(turn, (history) => [undefined, TurnHistory.denied(history, "binding", failure)])
      for (const turn of [turnOf("other"), turnOf("full", -1)]) yield* Effect.andThen(answered(turn), deny(turn))
      yield* flood("full", 2 * turnsOfTenant, answered)
      assert.deepStrictEqual(yield* known(turnOf("other")), [["c 0"], failure])
      assert.deepStrictEqual(yield* known(turnOf("full", -1)), [[], undefined])
    }).pipe(inMemory)
  )

  it.effect("7.3 if a tenant has loops in twice its limit of conversations, another tenant keeps its loops", () =>
    Effect.gen(function* () {
      const { modifyLoop } = yield* TurnMemory
      const step = (turn: Turn) =>
        modifyLoop(turn, (state) => {
          const outcome = { _tag: "Success", digest: "same" } as const
          const call = { tool: "a", access: "read", key: "a {}", turn: turn.turn, outcome } as const
          const { state: after, verdict } = LoopDetector.step(state, call)
          return [verdict._tag, after]
        })
      yield* step(turnOf("other"))
      yield* step(turnOf("full", -1))
      yield* flood("full", 2_000, step)
      assert.deepStrictEqual([yield* step(turnOf("other")), yield* step(turnOf("full", -1))], ["Tell", "Proceed"])
    }).pipe(inMemory)
  )

  it.effect(
    "4.5 if a tenant has too many characters of text, its oldest texts are forgotten, and those of another tenant are kept",
    () =>
      Effect.gen(function* () {
        const { hasSeen, saw } = yield* TurnMemory
        const text = `${"x".repeat(990_000)} o-77`
        yield* saw(turnOf("other"), text)
        yield* flood("full", 20, (turn) => saw(turn, text))
        assert.isTrue(yield* hasSeen(turnOf("other"), "o-77"))
        const found = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, n) => turnOf("full", 19 - n)),
          (turn) => hasSeen(turn, "o-77")
        )
        assert.deepStrictEqual(
          found,
          Array.from({ length: 20 }, (_, n) => n < 10)
        )
      }).pipe(inMemory)
  )

  it.effect(
    "4.5 a text of one character counts as more than one character, so that the number of texts is bounded",
    () =>
      Effect.gen(function* () {
        const { hasSeen, saw } = yield* TurnMemory
        yield* saw(turnOf("a"), "first")
        for (let n = 0; n < 20_000; n += 1) yield* saw(turnOf("a"), "x")
        assert.isFalse(yield* hasSeen(turnOf("a"), "first"))
        assert.isTrue(yield* hasSeen(turnOf("a"), "x"))
      }).pipe(inMemory)
  )

  it.effect(
    "4.5 if a text is longer than the limit of a conversation, its end is kept, even with multi-byte characters",
    () =>
      Effect.gen(function* () {
        const { hasSeen, saw } = yield* TurnMemory
        yield* saw(turnOf("a"), `start ${"\u{1f600}\ud800é ".repeat(300_000)} end-Ω`)
        assert.deepStrictEqual(
          [yield* hasSeen(turnOf("a"), "start"), yield* hasSeen(turnOf("a"), "end-Ω")],
          [false, true]
        )
      }).pipe(inMemory)
  )
})

describe("artifacts in memory", () => {
  it.effect(
    "4.14 if a tenant stores twice as many bytes as fit, its oldest artifacts are dropped, and those of other tenants are kept",
    () =>
      Effect.gen(function* () {
        const artifacts = yield* Artifacts
        const put = (tenant: string, length: number) =>
          artifacts.put({ text: "x".repeat(length), timeToLive: Duration.hours(1), turn: turnOf(tenant) })
        const isKept = (tenant: string) => (id: string) =>
          Effect.map(artifacts.read(turnOf(tenant), id), (text) => text !== undefined)
        const others = [yield* put("other", 200), yield* put("other", 200)]
        const own = yield* Effect.forEach(Array.from({ length: 20 }), () => put("full", 100))
        const wide = yield* put("third", 100)
        assert.deepStrictEqual(yield* Effect.forEach(others, isKept("other")), [true, true])
        assert.deepStrictEqual(
          yield* Effect.forEach(own, isKept("full")),
          Array.from({ length: 20 }, (_, n) => n >= 15)
        )
        assert.isTrue(yield* isKept("third")(wide))
      }).pipe(Effect.provide(ArtifactsMemory.layerWith({ maxBytes: 1_000 })))
  )
})

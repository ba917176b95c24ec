/** Tests identical calls of actions whose outcome is unknown. */
import { Guard } from "#src/guard/Guard"
import { Budgets, BudgetsUnavailable } from "#services/Budgets"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { RetryQuota } from "#services/RetryQuota"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import * as BudgetsMemory from "#layers/BudgetsMemory"
import * as IdempotencyKeysMemory from "#layers/IdempotencyKeysMemory"
import * as RetryQuotaMemory from "#layers/RetryQuotaMemory"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ask, asked, settled, start, tool, within } from "./support.ts"

const lost = () => Effect.fail(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }))
const honoured = { idempotency: { mode: "derived", upstreamHonoursKey: true }, retry: { jitter: "none" } }
const write = (definition: object, ...answers: ReadonlyArray<unknown>) =>
  tool("write_it", { access: "write", ...definition }, ...answers)
const unknown = ["HumanReview", "outcome_unknown", "unknown"]

const noRetries = Layer.succeed(RetryQuota, { called: () => {}, take: () => Effect.succeed(false) })
const guard = (layer: Layer.Layer<any> = noRetries) =>
  Layer.provideMerge(Guard.layerMemoryWith<any, never, never>(layer), UnknownOutcomesMemory.layer)

/** Budgets that do not respond while `isAway()` is true. */
const budgets = (isAway: () => boolean) =>
  Layer.effect(
    Budgets,
    Effect.map(Budgets, (all) => ({
      ...all,
      spend: (...args: Parameters<(typeof all)["spend"]>) =>
        Effect.suspend(() =>
          isAway() ? Effect.fail(new BudgetsUnavailable({ cause: new Error("ECONNREFUSED") })) : all.spend(...args)
        )
    }))
  ).pipe(Layer.provide(BudgetsMemory.layer))

const complete = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* start(effect)
    yield* TestClock.adjust("60 seconds")
    return yield* Fiber.join(fiber)
  })

const listed = Effect.flatMap(UnknownOutcomes, (outcomes) => outcomes.open({ limit: 10 }))

describe("an action whose upstream honours the key, and for which the guard had attempts left", () => {
  it.effect("8.3 if the retry quota was used up, an identical call repeats the action under its key", () => {
    const fixture = write(honoured, lost(), { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(fixture.tool.call({ q: "a" }))), unknown)
      const [first] = yield* listed
      assert.strictEqual(fixture.runs(), 1)
      assert.deepStrictEqual(yield* complete(settled(fixture.tool.call({ q: "a" }))), { n: 1 })
      assert.deepStrictEqual(yield* complete(settled(fixture.tool.call({ q: "a" }))), { n: 1 })
      assert.strictEqual(fixture.runs(), 2)
      assert.strictEqual(new Set(fixture.calls.map(({ context }) => context.idempotencyKey)).size, 1)
      // the repetition has proved the outcome, so no person is asked to settle it
      assert.deepStrictEqual(yield* listed, [])
      const outcome = yield* Effect.flatMap(UnknownOutcomes, (outcomes) => outcomes.find(first!.id))
      assert.deepStrictEqual([outcome?.settlement?.finding, outcome?.settlement?.by], ["done", "effect-toolguard"])
    }).pipe(within([fixture.layer], guard()))
  })

  it.effect("8.3 if the store of budgets became unavailable, the model's identical call repeats the action", () => {
    let isAway = false
    const fixture = write(
      honoured,
      () => {
        isAway = true
        return lost()
      },
      { n: 1 }
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(asked(fixture.tool, { q: "a" })), unknown)
      isAway = false
      assert.deepStrictEqual(yield* complete(asked(fixture.tool, { q: "a" })), { n: 1 })
      assert.strictEqual(fixture.runs(), 2)
    }).pipe(within([fixture.layer], guard(budgets(() => isAway))))
  })

  it.effect("8.3 a call that takes over an action but cannot attempt it leaves the action open", () => {
    let isAway = true
    let isLapsed = true
    // the claim of a crashed process, over a store that remembers what is completed
    const keys = Layer.effect(
      IdempotencyKeys,
      Effect.map(IdempotencyKeys, (all) => ({
        ...all,
        find: (claim: Parameters<(typeof all)["find"]>[0]) =>
          Effect.suspend(() =>
            isLapsed ? Effect.succeed({ _tag: "Lapsed", remainingMillis: 0 } as const) : all.find(claim)
          ),
        claim: (...args: Parameters<(typeof all)["claim"]>) =>
          Effect.map(all.claim(...args), (claimed) => {
            const wasLapsed = isLapsed
            isLapsed = false
            return claimed._tag === "Claimed" && wasLapsed ? { ...claimed, lapsed: { remainingMillis: 0 } } : claimed
          })
      }))
    ).pipe(Layer.provide(IdempotencyKeysMemory.layer))
    const fixture = write(honoured, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(asked(fixture.tool, { q: "a" })), unknown)
      assert.strictEqual(fixture.runs(), 0)
      isAway = false
      assert.deepStrictEqual(yield* complete(asked(fixture.tool, { q: "a" })), { n: 1 })
      assert.strictEqual(fixture.runs(), 1)
    }).pipe(
      within(
        [fixture.layer],
        guard(
          Layer.merge(
            budgets(() => isAway),
            keys
          )
        )
      )
    )
  })

  it.effect("8.3 many concurrent identical calls repeat the action once", () => {
    const fixture = write(honoured, lost(), Effect.delay(Effect.succeed({ n: 1 }), "1 second"), { n: 2 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(fixture.tool.call({ q: "a" }))), unknown)
      const all = Array.from({ length: 5 }, () => settled(fixture.tool.call({ q: "a" })))
      assert.deepStrictEqual(
        yield* complete(Effect.all(all, { concurrency: "unbounded" })),
        Array.from({ length: 5 }, () => ({ n: 1 }))
      )
      assert.strictEqual(fixture.runs(), 2)
    }).pipe(within([fixture.layer], guard()))
  })

  it.effect("10.5 the finding of a person answers the identical call, which is not made again", () => {
    const fixture = write(honoured, lost(), { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(fixture.tool.call({ q: "a" }))), unknown)
      const outcomes = yield* UnknownOutcomes
      const [open] = yield* listed
      yield* outcomes.settle(open!.id, { finding: "done", result: { n: 7 }, by: "ana", reason: "" })
      assert.deepStrictEqual(yield* complete(settled(fixture.tool.call({ q: "a" }))), { n: 7 })
      assert.strictEqual(fixture.runs(), 1)
    }).pipe(within([fixture.layer], guard()))
  })

  it.effect("10.5 if repetitions leave the effect unknown, it is listed once, and a person can settle it", () => {
    const refused = Effect.fail(Object.assign(new Error("no"), { code: "ECONNREFUSED" }))
    const fixture = write(honoured, lost(), refused, lost(), { n: 1 })
    return Effect.gen(function* () {
      for (const runs of [1, 2, 3]) {
        assert.deepStrictEqual(yield* complete(settled(fixture.tool.call({ q: "a" }))), unknown)
        assert.strictEqual(fixture.runs(), runs)
        assert.lengthOf(yield* listed, 1)
      }
      const outcomes = yield* UnknownOutcomes
      const [open] = yield* listed
      yield* outcomes.settle(open!.id, { finding: "not_done", by: "ana", reason: "" })
      assert.deepStrictEqual(yield* complete(settled(fixture.tool.call({ q: "a" }))), { n: 1 })
      assert.strictEqual(fixture.runs(), 4)
    }).pipe(within([fixture.layer], guard()))
  })

  it.effect("8.3 if the store of outcomes does not respond, the action is not repeated", () => {
    const fixture = write(honoured, lost(), { n: 1 })
    const away = Effect.die(new Error("ECONNREFUSED"))
    const outcomes = Layer.succeed(UnknownOutcomes, {
      add: () => away,
      settle: () => away,
      find: () => away,
      latest: () => away,
      open: () => away
    })
    return Effect.gen(function* () {
      const twice = yield* Effect.forEach([1, 2], () => complete(settled(fixture.tool.call({ q: "a" }))))
      assert.deepStrictEqual(twice, [unknown, unknown])
      assert.strictEqual(fixture.runs(), 1)
    }).pipe(within([fixture.layer], Guard.layerMemoryWith(Layer.merge(noRetries, outcomes))))
  })
})

describe("an action that stays unknown until a person settles it", () => {
  for (const [what, definition, layer, runs] of [
    ["after all attempts", honoured, RetryQuotaMemory.layer, 4],
    ["if the upstream does not honour the key", { ...honoured, idempotency: "derived" }, noRetries, 1]
  ] as const) {
    it.effect(`8.3 ${what}, an identical call is answered without an attempt`, () => {
      const fixture = write(definition, lost(), lost(), lost(), lost(), { n: 1 })
      const own = definition === honoured ? fixture : write(definition, lost(), { n: 1 })
      return Effect.gen(function* () {
        const twice = yield* Effect.forEach([1, 2], () => complete(settled(own.tool.call({ q: "a" }))))
        assert.deepStrictEqual(twice, [unknown, unknown])
        assert.strictEqual(own.runs(), runs)
        assert.strictEqual((yield* ask([own.tool], "write_it", { q: "a" })).envelope.error.code, "outcome_unknown")
        assert.strictEqual(own.runs(), runs)
      }).pipe(within([own.layer], guard(layer)))
    })
  }
})

/** Tests of runs that end because the outcome of a call is unknown, and are resumed after a person has settled it. */
import type { NewSettlement } from "#domain/approval/UnknownOutcome"
import * as SqliteNode from "#layers/SqliteNode"
import * as StoresSql from "#layers/StoresSql"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { response, tool } from "../pipeline/support.ts"
import { begin, byPlace, onStores, resume, stores, type World } from "./processes.ts"
import { call, codes, envelopes } from "./support.ts"

const shared = Layer.merge(stores, UnknownOutcomesMemory.layer)

/** Creates a world whose model refunds once. The outcome of the first attempt is unknown. */
const refunding = (definition: object) => {
  const refund = tool("refund", { access: "write", ...definition }, response(500, "{}"), { n: 2 })
  return {
    world: { tools: [refund], model: byPlace([call("refund", { q: "a" }, "c1"), "It is done."]) } satisfies World,
    runs: refund.runs
  }
}

const settleOutcome = (settling: Partial<NewSettlement>) =>
  Effect.gen(function* () {
    const outcomes = yield* UnknownOutcomes
    const [outcome] = yield* outcomes.open({ limit: 10 })
    assert.deepStrictEqual([outcome?.run, outcome?.callId, outcome?.tool], ["run", "c1", "refund"])
    yield* outcomes.settle(outcome!.id, { finding: "done", by: "ana", reason: "", ...settling })
  })

for (const [name, definition] of [
  ["a derived key", { idempotency: "derived" }],
  ["no key", {}]
] as const) {
  describe(`a run whose call with ${name} has an unknown outcome`, () => {
    it.effect("10.5 continues with the result of a call that was done, and does not make it again", () => {
      const { runs, world } = refunding(definition)
      return Effect.gen(function* () {
        const { end } = yield* begin(world)
        assert.strictEqual(end._tag, "NeedsPerson")
        yield* settleOutcome({ result: { n: 7 } })
        const resumed = yield* resume(world)
        assert.strictEqual(resumed.end._tag, "Answered")
        assert.deepInclude(envelopes(resumed.end.transcript)[0], {
          status: "success",
          data: { n: 7 },
          _idempotent: true
        })
        assert.strictEqual(runs(), 1)
      }).pipe(onStores(shared))
    })

    it.effect("10.5 makes a call again if it was not done, and only once, even if the run is resumed twice", () => {
      const { runs, world } = refunding(definition)
      return Effect.gen(function* () {
        yield* begin(world)
        yield* settleOutcome({ finding: "not_done" })
        const ended = yield* resume({ ...world, model: () => Effect.die("down") as never }).pipe(Effect.exit)
        assert.isDefined(ended)
        assert.strictEqual(runs(), 2)
        const { end } = yield* resume(world)
        assert.strictEqual(end._tag, "Answered")
        assert.deepStrictEqual(
          envelopes(end.transcript).map(({ data }) => data),
          [{ n: 2 }]
        )
        assert.strictEqual(runs(), 2)
      }).pipe(onStores(shared))
    })

    it.effect("10.5 continues with the unknown outcome if it was not settled", () => {
      const { runs, world } = refunding(definition)
      return Effect.gen(function* () {
        yield* begin(world)
        const { end } = yield* resume(world)
        assert.deepStrictEqual([end._tag, codes(end.transcript), runs()], ["Answered", ["outcome_unknown"], 1])
      }).pipe(onStores(shared))
    })

    it.effect("10.5 returns the same end, without the settlement, if the run is not resumed but started again", () => {
      const { runs, world } = refunding(definition)
      return Effect.gen(function* () {
        yield* begin(world)
        yield* settleOutcome({ finding: "not_done" })
        const { end } = yield* begin(world)
        assert.deepStrictEqual([end._tag, runs()], ["NeedsPerson", 1])
      }).pipe(onStores(shared))
    })
  })
}

describe("a run whose call ended with the unknown outcome of a fallback", () => {
  /** Creates a world whose model pays once. `pay` does nothing, and the outcome of the first attempt of `transfer` is unknown. */
  const paying = (definition: object, ...answers: ReadonlyArray<unknown>) => {
    const transfer = tool("transfer", { access: "write", ...definition }, response(500, "{}"), ...answers)
    const to = { tool: transfer.tool, arguments: ({ q }: any) => ({ q: `${q} by transfer` }) }
    const pay = tool("pay", { access: "write", fallbacks: [to] }, response(405, ""))
    const tools = [{ ...pay, layer: Layer.merge(pay.layer, transfer.layer) }]
    const world: World = { tools, model: byPlace([call("pay", { q: "a" }, "c1"), "It is done."]) }
    return { runs: () => [pay.runs(), transfer.runs()], world }
  }
  const settle = (settling: Partial<NewSettlement>) =>
    Effect.gen(function* () {
      const outcomes = yield* UnknownOutcomes
      const open = yield* outcomes.open({ limit: 10 })
      assert.deepStrictEqual(
        open.map(({ callId, run, tool }) => [run, callId, tool]),
        [["run", "c1", "transfer"]]
      )
      yield* outcomes.settle(open[0]!.id, { finding: "done", by: "ana", reason: "", ...settling })
    })
  const sqlite = Layer.orDie(StoresSql.layer.pipe(Layer.provide(SqliteNode.layer({ filename: ":memory:" }))))

  for (const [name, definition] of [
    ["with a derived key", { idempotency: "derived" }],
    ["without a key", {}]
  ] as const) {
    it.effect(`10.5 continues with the result of a fallback ${name} that was done, and makes no call`, () => {
      const { runs, world } = paying(definition, { n: 2 })
      return Effect.gen(function* () {
        const { end } = yield* begin(world)
        assert.deepStrictEqual([end._tag, runs()], ["NeedsPerson", [1, 1]])
        yield* settle({ result: { n: 7 } })
        const resumed = yield* resume(world)
        assert.strictEqual(resumed.end._tag, "Answered")
        assert.deepInclude(envelopes(resumed.end.transcript)[0], {
          status: "success",
          data: { n: 7 },
          used_fallback: "transfer"
        })
        assert.deepStrictEqual(runs(), [1, 1])
      }).pipe(onStores(sqlite))
    })

    it.effect(`10.5 runs a fallback ${name} again if it was not done, and does not run the tool itself`, () => {
      const { runs, world } = paying(definition, { n: 2 })
      return Effect.gen(function* () {
        yield* begin(world)
        yield* settle({ finding: "not_done" })
        const { end } = yield* resume(world)
        assert.strictEqual(end._tag, "Answered")
        assert.deepInclude(envelopes(end.transcript)[0], {
          status: "success",
          data: { n: 2 },
          used_fallback: "transfer"
        })
        assert.deepStrictEqual(runs(), [1, 2])
        const again = yield* resume(world)
        assert.deepStrictEqual([again.end._tag, runs()], ["Answered", [1, 2]])
      }).pipe(onStores(sqlite))
    })
  }

  it.effect("10.5 the model reads `outcome_unknown` if the outcome of the repeated fallback is unknown too", () => {
    const { runs, world } = paying({}, response(500, "{}"))
    return Effect.gen(function* () {
      yield* begin(world)
      yield* settle({ finding: "not_done" })
      const { end } = yield* resume(world)
      assert.deepStrictEqual([codes(end.transcript), runs()], [["outcome_unknown"], [1, 2]])
      yield* settle({ result: { n: 9 } })
    }).pipe(onStores(sqlite))
  })

  it.effect("10.5 the model reads the failure of the repeated fallback if it did nothing", () => {
    const { runs, world } = paying({}, response(404, "{}"))
    return Effect.gen(function* () {
      yield* begin(world)
      yield* settle({ finding: "not_done" })
      const { end } = yield* resume(world)
      assert.deepStrictEqual([end._tag, codes(end.transcript), runs()], ["Answered", ["not_found"], [1, 2]])
    }).pipe(onStores(sqlite))
  })

  it.effect("10.5 continues with the unknown outcome if it was not settled", () => {
    const { runs, world } = paying({}, { n: 2 })
    return Effect.gen(function* () {
      yield* begin(world)
      const { end } = yield* resume(world)
      assert.deepStrictEqual([end._tag, codes(end.transcript), runs()], ["Answered", ["outcome_unknown"], [1, 1]])
    }).pipe(onStores(sqlite))
  })
})

/** Tests of runs that end because the outcome of a call is unknown, and are resumed after a person has settled it. */
import type { Settling } from "#domain/approval/UnknownOutcome"
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

const settleIt = (settling: Partial<Settling>) =>
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
        yield* settleIt({ result: { n: 7 } })
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
        yield* settleIt({ finding: "not_done" })
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
        yield* settleIt({ finding: "not_done" })
        const { end } = yield* begin(world)
        assert.deepStrictEqual([end._tag, runs()], ["NeedsPerson", 1])
      }).pipe(onStores(shared))
    })
  })
}

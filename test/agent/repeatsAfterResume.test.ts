/** Tests of what a resumed run knows about a write that an earlier process started or completed. */
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as HaltsMemory from "#layers/HaltsMemory"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import { Checkpoints, CheckpointsUnavailable } from "#services/Checkpoints"
import { Halts } from "#services/Halts"
import { IdempotencyKeys, IdempotencyKeysUnavailable } from "#services/IdempotencyKeys"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { response, tool } from "../pipeline/support.ts"
import { begin, byPlace, onStores, resume, stores, storesWith, type World } from "./processes.ts"
import { call, envelopes } from "./support.ts"

const keyless = {}
const keyed = { idempotency: "derived" }

/** Creates a world whose model makes the same write in two rounds. */
const repeating = (definition: object, ...answers: ReadonlyArray<unknown>) => {
  const write = tool("write", { access: "write", ...definition }, ...answers)
  const model = byPlace([call("write", { q: "a" }, "c1"), call("write", { q: "a" }, "c2"), "Done."])
  return { world: { tools: [write], model } satisfies World, runs: write.runs }
}

/** Loses the rows of calls until `isRepaired`, as if the process crashed before it wrote them. */
const losingCalls = (state: { isRepaired: boolean }) =>
  Layer.effect(
    Checkpoints,
    Effect.map(Checkpoints, (checkpoints) => ({
      ...checkpoints,
      append: (key, owner, row) =>
        !state.isRepaired && row.body.startsWith(`{"kind":"call"`)
          ? Effect.fail(new CheckpointsUnavailable({ cause: "crash" }))
          : checkpoints.append(key, owner, row)
    }))
  ).pipe(Layer.provide(CheckpointsMemory.layer))

for (const [name, definition] of [
  ["no key", keyless],
  ["a derived key", keyed]
] as const) {
  describe(`a write with ${name}, in a resumed run whose model makes it again`, () => {
    it.effect("4.6 runs once if an earlier process completed it without writing it into the journal", () => {
      const { runs, world } = repeating(definition, { n: 1 })
      const state = { isRepaired: false }
      return Effect.gen(function* () {
        assert.isTrue(Exit.isFailure(yield* Effect.exit(begin(world))))
        state.isRepaired = true
        const { end } = yield* resume(world, { takeOver: true })
        const [first, second] = envelopes(end.transcript)
        assert.deepStrictEqual([end._tag, runs(), first?.status], ["Answered", 1, "success"])
        assert.deepInclude(second, { status: "success", executed: false })
      }).pipe(onStores(storesWith(losingCalls(state))))
    })

    for (const [what, result] of [
      ["with its result", { result: { n: 7 } }],
      ["without a result", {}]
    ] as const) {
      it.effect(`10.5 runs once if a person found that it was done, ${what}`, () => {
        const { runs, world } = repeating(definition, response(500, "{}"), { n: 2 })
        return Effect.gen(function* () {
          assert.strictEqual((yield* begin(world)).end._tag, "NeedsPerson")
          const outcomes = yield* UnknownOutcomes
          const [open] = yield* outcomes.open({ limit: 1 })
          yield* outcomes.settle(open!.id, { finding: "done", by: "ana", reason: "", ...result })
          const { end } = yield* resume(world)
          assert.deepStrictEqual([end._tag, runs()], ["Answered", 1])
          // another process restores the same history from the journal
          assert.strictEqual((yield* resume(world)).end._tag, "Answered")
          assert.strictEqual(runs(), 1)
        }).pipe(onStores(Layer.merge(stores, UnknownOutcomesMemory.layer)))
      })
    }
  })
}

describe("a write with a derived key, in a resumed run whose journal does not contain the call", () => {
  const crashed = (state: { isRepaired: boolean }) => storesWith(losingCalls(state))

  it.effect("8.3 has an unknown outcome if the store of keys does not respond", () => {
    const { runs, world } = repeating(keyed, { n: 1 })
    const state = { isRepaired: false }
    return Effect.gen(function* () {
      yield* Effect.exit(begin(world))
      state.isRepaired = true
      const keys = yield* IdempotencyKeys
      const down = Effect.fail(new IdempotencyKeysUnavailable({ cause: "down" }))
      const { end } = yield* Effect.provideService(resume(world, { takeOver: true }), IdempotencyKeys, {
        ...keys,
        find: () => down
      })
      assert.deepInclude(envelopes(end.transcript)[0]?.error, { code: "outcome_unknown", side_effect: "unknown" })
      assert.deepStrictEqual([end._tag, runs()], ["NeedsPerson", 1])
    }).pipe(onStores(crashed(state)))
  })

  it.effect("10.7 has an unknown outcome if its tool was halted in the meantime", () => {
    const { runs, world } = repeating(keyed, { n: 1 })
    const state = { isRepaired: false }
    return Effect.gen(function* () {
      yield* Effect.exit(begin(world))
      state.isRepaired = true
      const halts = yield* Halts
      yield* halts.halt({ tool: "write", by: "ana", reason: "" })
      const { end } = yield* resume(world, { takeOver: true })
      const error = envelopes(end.transcript)[0]?.error
      assert.deepInclude(error, { code: "outcome_unknown", side_effect: "unknown" })
      assert.include(error?.message, "halted by ana")
      assert.strictEqual(runs(), 1)
    }).pipe(onStores(Layer.merge(crashed(state), HaltsMemory.layer)))
  })

  it.effect("8.3 is made if the earlier process had not started it", () => {
    const { runs, world } = repeating(keyed, { n: 1 })
    const state = { isRepaired: false }
    return Effect.gen(function* () {
      const before = yield* IdempotencyKeys
      const down = Effect.fail(new IdempotencyKeysUnavailable({ cause: "down" }))
      yield* Effect.exit(Effect.provideService(begin(world), IdempotencyKeys, { ...before, find: () => down }))
      state.isRepaired = true
      const { end } = yield* resume(world, { takeOver: true })
      assert.deepStrictEqual([end._tag, runs()], ["Answered", 1])
    }).pipe(onStores(crashed(state)))
  })
})

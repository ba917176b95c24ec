/** Tests of runs that are resumed by a newer program whose tools have changed. */
import { assert, describe, it } from "@effect/vitest"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import { ToolPolicy } from "#services/Policies"
import type { SharedPolicy } from "#domain/tool/PolicyInput"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { tool } from "../pipeline/support.ts"
import { begin, byPlace, onStores, resume, stores, type World } from "./processes.ts"
import { call, codes, type EquippedTool } from "./support.ts"

const honoured = { access: "write", idempotency: { mode: "derived", upstreamHonoursKey: true } }
const model = byPlace([call("write_it", { q: "a" }, "c1"), "It is done."])

/** Interrupts a run during its write, and resumes it with these tools and this policy of the guard. */
const resumeWith = (tools: ReadonlyArray<EquippedTool>, definition: object = honoured, policy: SharedPolicy = {}) =>
  Effect.gen(function* () {
    const started = yield* Deferred.make<void>()
    const write = tool("write_it", definition, Effect.andThen(Deferred.succeed(started, undefined), Effect.never))
    const running = yield* Effect.forkChild(begin({ tools: [write], model }))
    yield* Deferred.await(started)
    yield* Fiber.interrupt(running)
    const world: World = { tools, model }
    return yield* Effect.provideService(resume(world, { takeOver: true }), ToolPolicy, policy)
  })

describe("a run whose tools have changed", () => {
  const changed = tool("write_it", { ...honoured, parameters: Schema.Struct({ q: Schema.String, to: Schema.String }) })
  for (const [what, write] of [
    ["has other parameters", changed],
    ["has another id", tool("write_it", { ...honoured, id: "other" }, { n: 1 })],
    ["was removed", tool("another", honoured, { n: 1 })]
  ] as const) {
    it.effect(`8.4 if the tool of a started write ${what}, the write's outcome is unknown and a person is needed`, () =>
      Effect.gen(function* () {
        const { end } = yield* resumeWith([write])
        assert.deepStrictEqual([end._tag, codes(end.transcript)], ["NeedsPerson", ["outcome_unknown"]])
        assert.strictEqual(write.runs(), 0)
      }).pipe(onStores())
    )
  }

  for (const [what, settling, code, runs] of [
    ["done", { finding: "done", result: { n: 7 } }, "success", 0],
    ["not done", { finding: "not_done" }, "invalid_arguments", 0]
  ] as const) {
    it.effect(
      `10.5 the outcome of a write whose tool has changed is settled as ${what}, and the run continues when it is resumed again`,
      () => {
        const stored = Layer.merge(stores, Layer.fresh(UnknownOutcomesMemory.layer))
        return Effect.gen(function* () {
          yield* resumeWith([changed])
          const outcomes = yield* UnknownOutcomes
          const open = yield* outcomes.open({ limit: 10 })
          assert.deepStrictEqual(
            open.map(({ callId, run, tool }) => [tool, callId, run]),
            [["write_it", "c1", "run"]]
          )
          yield* outcomes.settle(open[0]!.id, { by: "ana", reason: "", ...settling })
          const { end } = yield* resume({ tools: [changed], model }, { takeOver: true })
          assert.deepStrictEqual([end._tag, codes(end.transcript), changed.runs()], ["Answered", [code], runs])
        }).pipe(onStores(stored))
      }
    )
  }

  it.effect(
    "8.4 if the policy of the resuming process gives the tool of a started write a key, the write's outcome is unknown",
    () => {
      const write = tool("write_it", { access: "write" }, { n: 1 })
      return Effect.gen(function* () {
        const { end } = yield* resumeWith([write], { access: "write" }, { idempotency: "derived" })
        assert.deepStrictEqual([end._tag, codes(end.transcript), write.runs()], ["NeedsPerson", ["outcome_unknown"], 0])
      }).pipe(onStores())
    }
  )

  it.effect("8.4 a run is resumed if only the description of a tool has changed", () =>
    Effect.gen(function* () {
      const write = tool("write_it", { ...honoured, description: "A new description. Writes." }, { n: 1 })
      const { end } = yield* resumeWith([write])
      assert.deepStrictEqual([end._tag, write.runs()], ["Answered", 1])
    }).pipe(onStores())
  )
})

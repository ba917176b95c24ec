/** Runs that a newer program goes on with, whose tools are other ones. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { tool } from "../pipeline/support.ts"
import { begin, byPlace, onStores, resume, type World } from "./processes.ts"
import { call, codes, type Equipped } from "./support.ts"

const honoured = { access: "write", idempotency: { mode: "derived", upstreamHonoursKey: true } }
const model = byPlace([call("write_it", { q: "a" }, "c1"), "It is done."])

/** A run whose process is stopped in the middle of its write, and gone on with by a program with these tools. */
const goneOn = (tools: ReadonlyArray<Equipped>) =>
  Effect.gen(function* () {
    const began = yield* Deferred.make<void>()
    const write = tool("write_it", honoured, Effect.andThen(Deferred.succeed(began, undefined), Effect.never))
    const running = yield* Effect.forkChild(begin({ tools: [write], model }))
    yield* Deferred.await(began)
    yield* Fiber.interrupt(running)
    const world: World = { tools, model }
    return yield* resume(world, { takeOver: true })
  })

describe("a run whose tools have changed", () => {
  const changed = tool("write_it", { ...honoured, parameters: Schema.Struct({ q: Schema.String, to: Schema.String }) })
  for (const [what, write] of [
    ["takes other arguments", changed],
    ["is gone", tool("another", honoured, { n: 1 })]
  ] as const) {
    it.effect(`8.4 what was begun with a tool that ${what} is unknown, and a person is needed`, () =>
      Effect.gen(function* () {
        const { end } = yield* goneOn([write])
        assert.deepStrictEqual([end._tag, codes(end.transcript)], ["NeedsPerson", ["outcome_unknown"]])
        assert.strictEqual(write.runs(), 0)
      }).pipe(onStores())
    )
  }

  it.effect("8.4 a tool that is only described in other words is gone on with", () =>
    Effect.gen(function* () {
      const write = tool("write_it", { ...honoured, description: "In other words. Writes." }, { n: 1 })
      const { end } = yield* goneOn([write])
      assert.deepStrictEqual([end._tag, write.runs()], ["Answered", 1])
    }).pipe(onStores())
  )
})

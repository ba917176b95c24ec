/** Tests when a write with an unknown effect is looked up and made again, after it timed out or was interrupted. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ask, response, start, tool, turn, within } from "../support.ts"

const down = Effect.fail(new Error("down"))
const success = Schema.Struct({ found: Schema.Array(Schema.Int) })

/** Creates a write with a lookup, and a function that calls the write. */
const world = (looked: ReadonlyArray<unknown>, ...answers: ReadonlyArray<unknown>) => {
  const lookup = tool("find_it", { success, retry: { attempts: 1 } }, ...looked)
  const reconcile = {
    tool: lookup.tool,
    arguments: () => ({ q: "a" }),
    found: ({ found }: typeof success.Type) => Option.map(Option.fromUndefinedOr(found[0]), (n) => ({ n }))
  }
  const write = tool("write_it", { access: "write", reconcile }, ...answers)
  const called = (callId: string, seconds = 6) =>
    Effect.gen(function* () {
      const call = yield* start(ask([write.tool], "write_it", '{"q":"a"}', { callId }))
      yield* TestClock.adjust(`${seconds} seconds`)
      return (yield* Fiber.join(call)).envelope
    })
  return { called, layers: [write.layer, lookup.layer], lookup, write }
}

describe("a write that has a lookup, and whose effect is unknown", () => {
  const ending = (seconds: number) => Effect.onInterrupt(Effect.never, () => Effect.sleep(`${seconds} seconds`))

  it.effect("3.3 if the lookup finds nothing and the handler has ended, the identical call is made", () => {
    const { called, layers, write } = world([down, { found: [] }], ending(1), { n: 2 })
    return Effect.gen(function* () {
      assert.strictEqual((yield* called("c1")).error.code, "outcome_unknown")
      assert.deepStrictEqual((yield* called("c2")).data, { n: 2 })
      assert.strictEqual(write.runs(), 2)
    }).pipe(within(layers))
  })

  it.effect("3.3 if the lookup finds nothing but the handler has not ended, the identical call is not made", () => {
    const { called, layers, write } = world([down, { found: [] }], ending(600), { n: 2 })
    return Effect.gen(function* () {
      yield* called("c1")
      const { error } = yield* called("c2")
      assert.deepInclude(error, { code: "outcome_unknown", side_effect: "unknown" })
      assert.include(error.message, "the handler of an earlier call has not ended")
      assert.strictEqual(write.runs(), 1)
    }).pipe(within(layers))
  })

  for (const [host, more] of [
    ["a turn", {}],
    ["a session", { isSession: true }]
  ] as const) {
    it.effect(`8.1 if it was interrupted in ${host}, and the lookup finds nothing, the identical call is made`, () => {
      const { called, layers, lookup, write } = world([{ found: [] }], Effect.never, { n: 2 })
      return Effect.gen(function* () {
        yield* Fiber.interrupt(yield* start(ask([write.tool], "write_it", '{"q":"a"}')))
        assert.deepStrictEqual((yield* called("c2")).data, { n: 2 })
        assert.deepStrictEqual([write.runs(), lookup.runs()], [2, 1])
      }).pipe(within(layers, undefined, { ...turn, ...more }))
    })

    it.effect(`8.1 if it was interrupted in ${host}, and the lookup finds the effect, it is not made again`, () => {
      const { called, layers, write } = world([{ found: [7] }], Effect.never, { n: 2 })
      return Effect.gen(function* () {
        yield* Fiber.interrupt(yield* start(ask([write.tool], "write_it", '{"q":"a"}')))
        assert.deepStrictEqual((yield* called("c2")).data, { n: 7 })
        assert.strictEqual(write.runs(), 1)
      }).pipe(within(layers, undefined, { ...turn, ...more }))
    })
  }

  it.effect(
    "8.1, 7.1 if the lookup fails in a session after its counts have lapsed, the write is not made again",
    () => {
      const refused = Effect.fail(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }))
      const { called, layers, lookup, write } = world([down], refused, refused, refused, refused, response(500), {
        n: 2
      })
      return Effect.gen(function* () {
        // three waits of random length
        yield* called("c1", 30)
        yield* TestClock.adjust("61 seconds")
        for (const callId of ["c2", "c3"]) {
          const { error } = yield* called(callId)
          assert.deepInclude(error, { code: "outcome_unknown", side_effect: "unknown" })
        }
        assert.deepStrictEqual([write.runs(), lookup.runs()], [5, 2])
      }).pipe(within(layers, undefined, { ...turn, isSession: true }))
    }
  )

  it.effect("3.3, 7.1 if the lookup fails in a session, the write is not made again after 60 seconds", () => {
    const { called, layers, lookup, write } = world([down], Effect.never, { n: 2 })
    return Effect.gen(function* () {
      for (const callId of ["c1", "c2", "c3"]) {
        assert.strictEqual((yield* called(callId)).error.code, "outcome_unknown")
        yield* TestClock.adjust("61 seconds")
      }
      assert.deepStrictEqual([write.runs(), lookup.runs()], [1, 3])
    }).pipe(within(layers, undefined, { ...turn, isSession: true }))
  })
})

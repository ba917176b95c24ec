/**
 * Tests that the limits also apply to arguments that a host, such as an effect/ai toolkit or an MCP server, has already
 * parsed.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import * as Contract from "#domain/schema/Contract"
import * as ValueLimits from "#domain/json/ValueLimits"
import { toolbox } from "../agent/support.ts"
import { ask, outside, settled, tool } from "../pipeline/support.ts"

const nested = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}
const cycle: Record<string, unknown> = {}
cycle["again"] = cycle
const json = Schema.Json.pipe(Contract.serverOnly("any JSON"))
const any = () => tool("save_it", { parameters: Schema.Struct({ q: json }) }, { n: 1 })

const refused: ReadonlyArray<readonly [what: string, q: unknown, code: string]> = [
  ["100,000 levels", nested(100_000), "arguments_too_large"],
  ["one level over the limit", nested(64), "arguments_too_large"],
  ["a string of five million characters", "x".repeat(5_000_000), "arguments_too_large"],
  ["a million values", Array.from({ length: 1_000_001 }, () => 1), "arguments_too_large"],
  ["a long key", { ["k".repeat(1_000_001)]: 1 }, "arguments_too_large"],
  ["a cycle", cycle, "arguments_too_large"],
  ["a __proto__ key", JSON.parse(`{"a":{"__proto__":{"isAdmin":true}}}`), "invalid_arguments"],
  ["a constructor.prototype key", JSON.parse(`{"constructor":{"prototype":{"isAdmin":true}}}`), "invalid_arguments"]
]

describe("arguments that a host has parsed", () => {
  for (const [what, q, code] of refused) {
    it.effect(`4.2 ${what} is refused, and the handler does not run`, () => {
      const save = any()
      return Effect.gen(function* () {
        const { envelope } = yield* ask([save.tool], "save_it", { q })
        assert.deepStrictEqual([envelope.error?.error_class, envelope.error?.code], ["tool_arg_error", code])
        assert.strictEqual(save.runs(), 0)
      }).pipe(outside([save.layer]))
    })
  }

  it.effect("4.2 arguments within the limits are accepted", () => {
    const save = any()
    return Effect.gen(function* () {
      for (const q of [nested(63), "x".repeat(999_000), { constructor: { name: "x" } }, { prototype: 1 }, null]) {
        assert.strictEqual((yield* ask([save.tool], "save_it", { q })).envelope.status, "success")
      }
    }).pipe(outside([save.layer]))
  })

  it.effect("11.4 the limits apply to calls through a toolkit's handlers", () => {
    const save = any()
    const box = toolbox([save])
    return Effect.gen(function* () {
      // The test calls `handle` with an untyped name, so the cast drops the types of the tools.
      const kit = yield* box.toolkit as never as Effect.Effect<{
        handle(name: string, args: unknown): Effect.Effect<Stream.Stream<{ readonly result: unknown }, unknown>>
      }>
      const [{ result } = { result: undefined }] = yield* Stream.runCollect(
        yield* kit.handle("save_it", { q: nested(100) })
      )
      assert.include(JSON.stringify(result), "arguments_too_large")
      assert.strictEqual(save.runs(), 0)
    }).pipe(Effect.provide(box.handlers), outside([save.layer]))
  })

  it.effect("5.4 the limits on a model's arguments do not apply to calls of a program", () => {
    const save = any()
    return Effect.gen(function* () {
      const long = Array.from({ length: 1_000_001 }, () => 1)
      assert.deepStrictEqual(yield* settled(save.tool.call({ q: long })), { n: 1 })
    }).pipe(outside([save.layer]))
  })

  it("4.2 a violation names the exceeded limit or the forbidden key", () => {
    const limits = { maxBytes: 10, maxDepth: 2 }
    assert.isUndefined(ValueLimits.violation({ a: [1, 2], b: "xy" }, limits))
    assert.deepStrictEqual(ValueLimits.violation({ a: [1, 2], b: "xyzuvw" }, limits), {
      _tag: "TooLarge",
      message: "the arguments have more than 10 characters"
    })
    assert.deepStrictEqual(ValueLimits.violation({ a: [[1]] }, limits), {
      _tag: "TooDeep",
      message: "the arguments are nested deeper than 2 levels"
    })
    assert.deepStrictEqual(ValueLimits.violation([JSON.parse(`{"__proto__":1}`)], limits), {
      _tag: "Forbidden",
      message: `the key "__proto__" is not accepted`
    })
  })
})

/** Tests tools that are defined at run time from JSON Schemas. */
import { assert, describe, it } from "@effect/vitest"
import { Permanent } from "#domain/failure/Failure"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { Context, Effect, Schema } from "effect"

const parameters = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer", minimum: 1 } },
  required: ["city"]
} as const

class Weather extends Context.Service<Weather, { readonly of: (city: string) => string }>()("test/Weather") {}

const forecast = GuardedTool.dynamic("getForecast-v2", {
  access: "read",
  parameters,
  success: { type: "object", properties: { sky: { type: "string" } }, required: ["sky"] },
  handler: (args) => Effect.map(Weather, (weather) => ({ sky: weather.of((args as { city: string }).city) }))
})

const sunny = Effect.provideService(Weather, { of: () => "clear" })
const answer = (tools: typeof box, args: unknown) =>
  Effect.map(tools.answer({ name: "getForecast-v2", arguments: args, callId: "1" }), ({ text }) => JSON.parse(text))
const box = Toolbox.make(forecast)

describe("a dynamic tool", () => {
  it.effect("3.5 declares refusals, which a program catches by their tags", () => {
    const OutOfStock = Schema.TaggedStruct("OutOfStock", { sku: Schema.String })
    const order = GuardedTool.dynamic("order_item", {
      access: "write",
      refusals: [OutOfStock],
      handler: () => Effect.fail(OutOfStock.make({ sku: "A-1" }))
    })
    return Effect.gen(function* () {
      const caught = order.call({}).pipe(Effect.catchTag("OutOfStock", ({ sku }) => Effect.succeed(sku)))
      assert.strictEqual(yield* caught, "A-1")
    }).pipe(Effect.provide(Guard.layerMemory))
  })

  it("2.4 `unchecked` names a constraint of the arguments or of the result that cannot be checked, and its schema", () => {
    const schema = (name: string) => ({ type: "object", properties: { [name]: { type: "string", pattern: "(?=x)" } } })
    const tool = GuardedTool.dynamic("get_order", {
      access: "read",
      parameters: schema("id"),
      success: schema("number"),
      handler: () => Effect.succeed({})
    })
    const reason = "the pattern has a look-ahead, which cannot run in linear time"
    assert.deepStrictEqual(tool.unchecked, [
      { pointer: "/properties/id/pattern", reason, of: "arguments" },
      { pointer: "/properties/number/pattern", reason, of: "result" }
    ])
  })

  it.effect("keeps its name and validates arguments and results with its JSON Schemas", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* answer(box, '{"city":"Rome","unit":"C"}'), {
        status: "success",
        data: { sky: "clear" }
      })
      const { error } = yield* answer(box, { days: 0 })
      assert.deepStrictEqual(
        [error.error_class, error.code, error.fields],
        ["tool_arg_error", "invalid_arguments", ["city", "days"]]
      )
      // the type is wrong on purpose
      const wrongType = yield* Effect.provideService(answer(box, { city: "Oslo" }), Weather, { of: () => 7 as never })
      assert.strictEqual(wrongType.error.error_class, "schema_mismatch")
      assert.deepStrictEqual(box.toolkit.tools["getForecast-v2"]?.name, "getForecast-v2")
    }).pipe(sunny, Effect.provide(Guard.layerMemory))
  )

  it.live("2.1 can be replaced by a layer in a test, and keeps its identity when its policy is overridden", () =>
    Effect.gen(function* () {
      const piped = forecast.pipe(GuardedTool.retry({ attempts: 2, base: 1 }))
      let calls = 0
      const failing = forecast.layerTest(() =>
        Effect.suspend(() => (++calls === 1 ? Effect.fail(new Error("ECONNRESET")) : Effect.succeed({ sky: "grey" })))
      )
      const found = yield* Effect.provide(piped.call({ city: "Bonn" }), failing)
      assert.deepStrictEqual([found, calls], [{ sky: "grey" }, 2])
    }).pipe(sunny, Effect.provide(Guard.layerMemory))
  )

  it.effect("uses text as the value if success is a string", () =>
    Effect.gen(function* () {
      const say = GuardedTool.dynamic("say", {
        access: "read",
        success: Schema.String,
        handler: () => Effect.succeed("not { json")
      })
      assert.strictEqual(yield* say.call({}), "not { json")
      const any = GuardedTool.dynamic("any", { access: "read", handler: () => Effect.fail(new Error("no such user")) })
      assert.instanceOf(yield* Effect.flip(any.call({ anything: 1 })), Permanent)
    }).pipe(Effect.provide(Guard.layerMemory))
  )

  it("2.8 refuses retries of a write, and lists the unchecked parts of its parameters", () => {
    const handler = () => Effect.succeed(null)
    assert.throws(
      () => GuardedTool.dynamic("pay", { access: "write", retry: { attempts: 2 }, handler }),
      RangeError,
      "a write is retried only with"
    )
    const { unchecked } = GuardedTool.dynamic("odd", {
      access: "read",
      parameters: { type: "object", properties: { a: { not: { type: "string" } } } },
      handler
    })
    assert.deepStrictEqual(
      unchecked.map(({ pointer }) => pointer),
      ["/properties/a/not"]
    )
  })
})

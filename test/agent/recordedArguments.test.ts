/**
 * Tests which arguments each host records: the text that the model wrote, or the received value if the host has parsed the
 * text. Some tests are `it.live`, because they use real servers on loopback.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { LanguageModel, McpProtocol, McpTest } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import type { CallRecord } from "#domain/call/CallRecord"
import * as Anthropic from "#layers/Anthropic"
import * as OpenAiCompatible from "#layers/OpenAiCompatible"
import * as ScriptedModel from "#layers/ScriptedModel"
import { CallLog, type Keep } from "#services/CallLog"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import * as GuardedModel from "#src/host/GuardedModel"
import * as McpServe from "#src/mcp/serve/McpServe"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { post, serving } from "../openapi/support.ts"
import * as AnthropicServer from "../support/AnthropicServer.ts"
import * as OpenAiServer from "../support/OpenAiServer.ts"

class Search extends GuardedTool.Service<Search>()("search", {
  description: "Searches. Read-only.",
  access: "read",
  parameters: Schema.Struct({
    q: Schema.String,
    top: Schema.Int.annotate({ default: 5 }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(5)))
  }),
  success: Schema.Struct({ n: Schema.Int })
}) {}

const toolbox = Toolbox.make(Search)

/** Creates a guard whose log is a list, with the handlers of the toolbox. */
const world = (keep: Keep = "full") => {
  const records: Array<CallRecord> = []
  const log = Layer.succeed(CallLog, {
    keep,
    append: (record) => void records.push(record),
    records: Effect.sync(() => records),
    recordsOf: () => Effect.sync(() => records),
    appendLate: () => {},
    lateOutcomes: Effect.succeed([])
  })
  const guard = Guard.layerMemoryWith(log)
  const tools = Search.layerTest(() => Effect.succeed({ n: 1 }))
  const handlers = toolbox.handlers.pipe(Layer.provide(tools), Layer.provideMerge(guard))
  /** Returns the recorded arguments and the end of each call. */
  const held = () =>
    records.map(({ argumentsText, arguments: args, outcome, tool }) => ({
      tool,
      end: outcome._tag === "Failure" ? outcome.failure.code : outcome._tag,
      text: argumentsText,
      ...(args === undefined ? {} : { value: args })
    }))
  return { guard, handlers, held, tools }
}

const good = '{ "q": "a" }'
const wrong = '{ "q": 7,  "top": 1 }'
const plain = '{"q":"a","x":1}'
const broken = '{"q": oops}'

/** The expected records if the text of each call is known. */
const asWritten = [
  { tool: "search", end: "Success", text: good, value: { q: "a", top: 5 } },
  { tool: "search", end: "invalid_arguments", text: wrong, value: { q: 7, top: 1 } },
  { tool: "search", end: "invalid_arguments", text: plain, value: { q: "a", x: 1 } },
  { tool: "search", end: "invalid_json", text: broken },
  { tool: "serch", end: "unknown_tool", text: good, value: { q: "a" } }
]

const texts = [
  ["search", good],
  ["search", wrong],
  ["search", plain],
  ["search", broken],
  ["serch", good]
] as const

const scripted = [texts.map(([name, args], index) => ScriptedModel.call(name, args, `c${index}`)), "done"]

describe("arguments in records", () => {
  it.effect("15.2 the agent loop records the text of each call", () => {
    const { guard, held, tools } = world()
    return Effect.gen(function* () {
      yield* Agent.run({ prompt: "Hello", tools: toolbox, parallelCalls: 1 })
      assert.deepStrictEqual(held(), asWritten)
    }).pipe(Effect.provide([ScriptedModel.layer(scripted), guard, tools]))
  })

  for (const streaming of [false, true]) {
    const how = streaming ? "streamed" : "whole"
    it.live(`15.2 the text of a ${how} answer of an OpenAI model reaches the records`, () => {
      const { guard, held, tools } = world()
      return Effect.gen(function* () {
        const { baseUrl } = yield* OpenAiServer.start([
          OpenAiServer.completion({
            calls: texts.map(([name, text], index) => ({ id: `c${index}`, name, arguments: text }))
          }),
          OpenAiServer.completion({ text: "done" })
        ])
        const model = OpenAiCompatible.layer({ baseUrl, model: "m" }).pipe(Layer.provide(FetchHttpClient.layer))
        yield* Effect.provide(
          Agent.run({ prompt: "Hello", tools: toolbox, parallelCalls: 1, streaming }),
          Layer.mergeAll(model, guard, tools)
        )
        assert.deepStrictEqual(held(), asWritten)
      }).pipe(Effect.scoped)
    })
  }

  it.live("15.2 the streamed text of an Anthropic model reaches the records", () => {
    const { guard, held, tools } = world()
    return Effect.gen(function* () {
      const { baseUrl } = yield* AnthropicServer.serve([
        AnthropicServer.message({ calls: texts.map(([name, input], index) => ({ id: `c${index}`, name, input })) }),
        AnthropicServer.message({ text: "done" })
      ])
      const model = Anthropic.layer({ baseUrl, model: "m" }).pipe(Layer.provide(FetchHttpClient.layer))
      yield* Effect.provide(
        Agent.run({ prompt: "Hello", tools: toolbox, parallelCalls: 1, streaming: true }),
        Layer.mergeAll(model, guard, tools)
      )
      assert.deepStrictEqual(held(), asWritten)
    }).pipe(Effect.scoped)
  })

  for (const streaming of [false, true]) {
    it.effect(`15.2 a guarded model of effect/ai records the text${streaming ? " of a stream" : ""}`, () => {
      const { guard, handlers, held } = world()
      const model = ScriptedModel.layer(scripted)
      const request = { prompt: "Hello", toolkit: toolbox.toolkit, concurrency: 1 }
      return Effect.gen(function* () {
        if (streaming) yield* Stream.runDrain(LanguageModel.streamText(request))
        else yield* LanguageModel.generateText(request)
        assert.deepStrictEqual(held(), asWritten)
      }).pipe(
        Effect.provide([handlers, GuardedModel.layer.pipe(Layer.provide(model), Layer.provide(guard))])
      ) as Effect.Effect<void>
    })
  }

  it.effect("15.2 the text belongs to its call, and not to the calls that the handler makes", () => {
    const { guard, handlers, held } = world()
    class Outer extends GuardedTool.Service<Outer>()("outer", {
      description: "Searches twice. Read-only.",
      access: "read",
      parameters: Schema.Struct({ q: Schema.String }),
      success: Schema.Struct({ n: Schema.Int })
    }) {}
    const box = Toolbox.make(Outer)
    const outer = Outer.layer(({ q }) =>
      Effect.gen(function* () {
        const kit = yield* toolbox.toolkit
        yield* Effect.ignore(Stream.runDrain(Stream.unwrap(kit.handle("search", { q } as never))))
        return { n: 2 }
      })
    )
    const model = ScriptedModel.layer([[ScriptedModel.call("outer", good, "c1")]])
    return Effect.gen(function* () {
      yield* LanguageModel.generateText({ prompt: "Hello", toolkit: box.toolkit })
      assert.deepStrictEqual(held(), [
        { tool: "search", end: "Success", text: '{"q":"a"}', value: { q: "a", top: 5 } },
        { tool: "outer", end: "Success", text: good, value: { q: "a" } }
      ])
    }).pipe(
      Effect.provide([
        box.handlers.pipe(Layer.provide(outer), Layer.provideMerge(handlers)),
        GuardedModel.layer.pipe(Layer.provide(model), Layer.provide(guard))
      ])
    ) as Effect.Effect<void>
  })

  const received = [
    { tool: "search", end: "Success", text: '{"q":"a"}', value: { q: "a", top: 5 } },
    { tool: "search", end: "invalid_arguments", text: '{"q":7,"top":1}', value: { q: 7, top: 1 } }
  ]

  it.effect("15.2 effect/ai alone has parsed the text: the record holds the value as received", () => {
    const { handlers, held } = world()
    const model = ScriptedModel.layer([
      [ScriptedModel.call("search", good, "c1")],
      [ScriptedModel.call("search", wrong, "c2")]
    ])
    const ask = LanguageModel.generateText({ prompt: "Hello", toolkit: toolbox.toolkit })
    return Effect.gen(function* () {
      yield* Effect.repeat(Effect.ignore(ask), { times: 1 })
      assert.deepStrictEqual(held(), received)
    }).pipe(Effect.provide([handlers, model])) as Effect.Effect<void>
  })

  it.effect("15.2 an MCP server has parsed the text: the record holds the value as received", () => {
    const { guard, held, tools } = world()
    return Effect.gen(function* () {
      const client = yield* McpTest.makeClient(
        McpServe.layer(toolbox).pipe(Layer.provide(Layer.merge(tools, guard))) as Layer.Layer<never>,
        { protocols: [McpProtocol.v2025_06_18] }
      )
      for (const [name, text] of texts.slice(0, 2)) {
        yield* client.callTool({ name, arguments: JSON.parse(text) } as never)
      }
      assert.deepStrictEqual(held(), received)
    }).pipe(Effect.scoped) as Effect.Effect<void>
  })

  it.live("15.2 an HTTP server records the body of each request", () => {
    const { guard, held, tools } = world()
    return Effect.gen(function* () {
      const url = yield* serving(toolbox, tools, {}, guard)
      for (const [name, text] of texts.slice(0, 4)) yield* post(`${url}/tools/${name}`, text)
      const withoutValues = asWritten
        .slice(0, 4)
        .map((call) => (call.end === "Success" ? call : { tool: call.tool, end: call.end, text: call.text }))
      assert.deepStrictEqual(held(), withoutValues)
    }).pipe(Effect.scoped) as Effect.Effect<void>
  })

  it.effect("15.2 the log's option `keep` decides how much of refused arguments is kept", () =>
    Effect.gen(function* () {
      const secret = "postgres://admin:hunter2-hunter2@db.internal/orders"
      const of = (keep: Keep) => {
        const { guard, held, tools } = world(keep)
        return Effect.gen(function* () {
          yield* toolbox.answer({ name: "search", arguments: { q: 7, note: secret }, callId: "c" })
          yield* Effect.ignore(Search.call({ q: 7, note: secret } as never))
          return held()
        }).pipe(Effect.provide([guard, tools]))
      }
      const refused = { tool: "search", end: "invalid_arguments" }
      const value = { q: 7, note: secret }
      assert.deepStrictEqual(yield* of("full"), [
        { ...refused, text: JSON.stringify(value), value },
        { ...refused, text: undefined, value }
      ])
      const redacted = yield* of("redacted")
      assert.notInclude(JSON.stringify(redacted), "hunter2")
      assert.deepStrictEqual(
        redacted.map(({ text, value }) => [text?.slice(0, 8), Object.keys(value as object)]),
        [
          ['{"q":7,"', ["q", "note"]],
          [undefined, ["q", "note"]]
        ]
      )
      assert.deepStrictEqual(yield* of("none"), [
        { ...refused, text: undefined },
        { ...refused, text: undefined }
      ])
    })
  )

  it.effect(
    "15.2 a text is kept whole up to the limit of arguments, and values that are not JSON are recorded too",
    () => {
      const { guard, held, tools } = world("redacted")
      const long = `{ "q": 7, "text": "${"word ".repeat(30_000)}" }`
      const cyclic: Record<string, unknown> = { q: 7 }
      cyclic["self"] = cyclic
      return Effect.gen(function* () {
        yield* toolbox.answer({ name: "search", arguments: long, callId: "c" })
        yield* toolbox.answer({ name: "search", arguments: "x".repeat(1_000_001), callId: "c" })
        yield* toolbox.answer({ name: "search", arguments: cyclic, callId: "c" })
        yield* Effect.ignore(Search.call(undefined as never))
        const [whole, cut, odd, none] = held()
        assert.strictEqual(whole?.text, long)
        assert.deepStrictEqual([cut?.end, cut?.text?.length], ["arguments_too_large", 10_240])
        assert.deepStrictEqual([odd?.end, odd?.text], ["arguments_too_large", "…"])
        assert.deepStrictEqual([none?.end, none?.value], ["invalid_arguments", null])
      }).pipe(Effect.provide([guard, tools]))
    }
  )
})

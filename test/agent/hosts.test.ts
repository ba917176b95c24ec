/** Tests of guarded tools in hosts: effect/ai's own tool resolution, `Chat`, and its MCP server. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { Chat, LanguageModel, McpProtocol, McpServer, McpTest, Prompt } from "effect/ai"
import { entityId } from "#domain/schema/EntityId"
import * as HaltsMemory from "#layers/HaltsMemory"
import * as ScriptedModel from "#layers/ScriptedModel"
import { Halts } from "#services/Halts"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"

const { call } = ScriptedModel

class Search extends GuardedTool.Service<Search>()("search", {
  description: "Searches. Read-only.",
  access: "read",
  parameters: Schema.Struct({ q: Schema.String }),
  success: Schema.Struct({ n: Schema.Int })
}) {}

class FindOrder extends GuardedTool.Service<FindOrder>()("find_order", {
  description: "Finds an order by its id. Read-only.",
  access: "read",
  parameters: Schema.Struct({ id: Schema.String.pipe(entityId()) }),
  success: Schema.Struct({ next: Schema.String })
}) {}

class Save extends GuardedTool.Service<Save>()("save", {
  description: "Saves. Writes.",
  access: "write",
  parameters: Schema.Struct({ q: Schema.String }),
  success: Schema.Struct({ n: Schema.Int })
}) {}

const tools = Toolbox.make(Search, Save)

/** Creates handlers that record their calls. `q` selects what a handler does. */
const recordingHandlers = (guard = Guard.layerMemory) => {
  const runs: Array<string> = []
  const answer =
    (name: string) =>
    ({ q }: { readonly q: string }) =>
      Effect.suspend(() => {
        runs.push(`${name} ${q}`)
        return q === "dies" ? Effect.die(new Error("boom")) : Effect.succeed(q === "cut" ? '{"n":' : { n: 1 })
      })
  const layer = Layer.mergeAll(Search.layerTest(answer("search")), Save.layerTest(answer("save")))
  return { runs, handlers: tools.handlers.pipe(Layer.provideMerge(guard), Layer.provide(layer)) }
}

/** Types a result as an envelope, because the host does not. */
const envelopeOf = (result: unknown) =>
  result as { readonly status: string; readonly error?: { readonly code: string } }

/** Returns the outcome of each call, in the host's order, which is the order of completion. */
const results = (response: { readonly toolResults: ReadonlyArray<{ isFailure: boolean; result: unknown }> }) =>
  response.toolResults.map(({ isFailure, result }) => [
    isFailure,
    envelopeOf(result).error?.code ?? envelopeOf(result).status
  ])

const generate = (prompt: string) => LanguageModel.generateText({ prompt, toolkit: tools.toolkit })

describe("effect/ai hosts", () => {
  it.effect("11.4 generateText runs the guarded handlers, and its calls share a turn", () => {
    const { handlers, runs } = recordingHandlers()
    return Effect.gen(function* () {
      const all = yield* Effect.gen(function* () {
        return [
          ...results(yield* generate("one")),
          ...results(yield* generate("two")),
          ...results(yield* generate("three"))
        ]
      }).pipe(Guard.turn)
      assert.deepStrictEqual(all, [
        [true, "invalid_arguments"],
        [false, "success"],
        [true, "truncated_response"],
        [true, "truncated_response"]
      ])
      assert.deepStrictEqual(runs, ["search a", "search cut"])
    }).pipe(
      Effect.provide([
        handlers,
        ScriptedModel.layer([
          [call("search", { q: "a" }), call("search", { qq: "a" })],
          call("search", { q: "cut" }),
          call("search", { q: "cut" })
        ])
      ])
    )
  })

  it.effect("11.4 outside a turn, each call is a separate turn", () => {
    const { handlers, runs } = recordingHandlers()
    return Effect.gen(function* () {
      yield* generate("one")
      yield* generate("two")
      assert.deepStrictEqual(runs, ["search cut", "search cut"])
    }).pipe(
      Effect.provide([handlers, ScriptedModel.layer([call("search", { q: "cut" }), call("search", { q: "cut" })])])
    )
  })

  it.effect("10.7 a tool that is halted between two requests of a chat is not called, until it is resumed", () => {
    const guard = Guard.layerMemoryWith(Layer.fresh(HaltsMemory.layer))
    const { handlers, runs } = recordingHandlers(guard)
    const order = { tool: "save", by: "ana", reason: "doubled" }
    return Effect.gen(function* () {
      const operator = yield* Halts
      const outcomes = [...results(yield* generate("one"))]
      yield* operator.halt(order)
      outcomes.push(...results(yield* generate("two")))
      yield* operator.resume(order)
      outcomes.push(...results(yield* generate("three")))
      assert.deepStrictEqual(outcomes, [
        [false, "success"],
        [true, "halted"],
        [false, "success"],
        [false, "success"]
      ])
      assert.deepStrictEqual(runs, ["save a", "search b", "save b"])
    }).pipe(
      Guard.turn,
      Effect.provide([
        Layer.merge(handlers, guard),
        ScriptedModel.layer([
          call("save", { q: "a" }),
          [call("save", { q: "b" }), call("search", { q: "b" })],
          call("save", { q: "b" })
        ])
      ])
    )
  })

  it.effect("11.4 a chat keeps the envelopes in its history", () => {
    const { handlers } = recordingHandlers()
    return Effect.gen(function* () {
      const chat = yield* Chat.empty
      yield* chat.generateText({ prompt: "Hello", toolkit: tools.toolkit })
      yield* chat.generateText({ prompt: "And?", toolkit: tools.toolkit })
      const history = JSON.stringify(yield* chat.export)
      assert.include(history, "tool_crashed")
      assert.notInclude(history, "boom")
    }).pipe(Guard.turn, Effect.provide([handlers, ScriptedModel.layer([call("search", { q: "dies" }), "sorry"])]))
  })

  it.effect(
    "4.5, 11.4 ids in the user's text and in tool results have a known origin, if the host provides the texts",
    () => {
      const orderTools = Toolbox.make(FindOrder)
      const script = () =>
        ScriptedModel.layer([
          call("find_order", { id: "O-1" }),
          call("find_order", { id: "O-2" }),
          call("find_order", { id: "O-9" }),
          "done"
        ])
      const found = FindOrder.layerTest(() => Effect.succeed({ next: "O-2" }))
      return Effect.gen(function* () {
        const results: Array<string> = []
        let prompt = Prompt.make("Where is O-1?")
        for (let round = 0; round < 3; round++) {
          const answer = yield* LanguageModel.generateText({ prompt, toolkit: orderTools.toolkit })
          prompt = Prompt.concat(prompt, Prompt.fromResponseParts(answer.content))
          results.push(...answer.toolResults.map(({ isFailure }) => (isFailure ? "unknown" : "found")))
        }
        assert.deepStrictEqual(results, ["found", "found", "unknown"])
      }).pipe(
        (run) => Guard.turn(run, { texts: ["Where is O-1?"] }),
        Effect.provide([
          orderTools.handlers.pipe(Layer.provideMerge(Layer.mergeAll(found, Guard.layerMemory))),
          script()
        ])
      )
    }
  )

  it.effect("4.6, 11.4, 16 seventeen identical calls of a chat make one attempt within a turn", () => {
    const { handlers, runs } = recordingHandlers()
    return Effect.gen(function* () {
      const chat = yield* Chat.empty
      const codes = new Set<unknown>()
      for (let round = 0; round < 17; round++) {
        const { toolResults } = yield* chat.generateText({ prompt: round === 0 ? "Hi" : [], toolkit: tools.toolkit })
        for (const { result } of toolResults) codes.add(envelopeOf(result).error?.code)
      }
      assert.deepStrictEqual(runs, ["search cut"])
      assert.deepStrictEqual([...codes], ["truncated_response", "loop_detected"])
    }).pipe(
      Guard.turn,
      Effect.provide([handlers, ScriptedModel.layer(Array.from({ length: 17 }, () => call("search", { q: "cut" })))])
    )
  })

  it.effect("11.4 streamText runs the guarded handlers: wrong arguments, crashes, parallel calls", () => {
    const { handlers, runs } = recordingHandlers()
    return Effect.gen(function* () {
      const parts = yield* Stream.runCollect(LanguageModel.streamText({ prompt: "Hello", toolkit: tools.toolkit }))
      const all = parts.flatMap((part) => (part.type === "tool-result" ? [part] : []))
      assert.deepStrictEqual(
        Object.fromEntries(all.map(({ id }, index) => [id, results({ toolResults: all })[index]])),
        {
          c1: [false, "success"],
          c2: [true, "invalid_arguments"],
          c3: [true, "tool_crashed"],
          c4: [true, "outcome_unknown"],
          c5: [true, "invalid_arguments"]
        }
      )
      assert.deepStrictEqual(runs.toSorted(), ["save dies", "search a", "search dies"])
    }).pipe(
      Guard.turn,
      Effect.provide([
        handlers,
        ScriptedModel.layer([
          [
            call("search", { q: "a" }, "c1"),
            call("search", { qq: "a" }, "c2"),
            call("search", { q: "dies" }, "c3"),
            call("save", { q: "dies" }, "c4"),
            call("search", '"text"', "c5")
          ]
        ])
      ])
    )
  })

  it.effect("11.4 generateObject returns its value and runs the guarded handlers", () => {
    const { handlers, runs } = recordingHandlers()
    return Effect.gen(function* () {
      const answer = yield* LanguageModel.generateObject({
        prompt: "Hello",
        toolkit: tools.toolkit,
        schema: Schema.Struct({ a: Schema.Int })
      })
      assert.deepStrictEqual(answer.value, { a: 1 })
      assert.deepStrictEqual(results(answer), [[true, "truncated_response"]])
      assert.deepStrictEqual(runs, ["search cut"])
    }).pipe(Effect.provide([handlers, ScriptedModel.layer([['{"a": 1}', call("search", { q: "cut" })]])]))
  })

  it.effect("11.4 an MCP server lists closed schemas and returns envelopes with isError", () => {
    const { handlers, runs } = recordingHandlers()
    return Effect.gen(function* () {
      const client = yield* McpTest.makeClient(McpServer.toolkit(tools.toolkit).pipe(Layer.provide(handlers)), {
        protocols: [McpProtocol.v2025_11_25]
      })
      const listed = (yield* client.listTools()).tools
      assert.deepStrictEqual(
        listed.map(({ inputSchema, name }) => [name, inputSchema["additionalProperties"], inputSchema["required"]]),
        [
          ["search", false, ["q"]],
          ["save", false, ["q"]]
        ]
      )
      const ask = (name: string, args: Record<string, string>) =>
        Effect.map(client.callTool({ name, arguments: args }), ({ content, isError }) => {
          const [part] = content as ReadonlyArray<any>
          const envelope = JSON.parse(part.text)
          return [isError, envelope.error?.code ?? envelope.status]
        })
      assert.deepStrictEqual(yield* ask("search", { q: "a" }), [false, "success"])
      assert.deepStrictEqual(yield* ask("search", { qq: "a" }), [true, "invalid_arguments"])
      assert.deepStrictEqual(yield* ask("search", { q: "dies" }), [true, "tool_crashed"])
      assert.deepStrictEqual(yield* ask("save", { q: "dies" }), [true, "outcome_unknown"])
      assert.deepStrictEqual(runs, ["search a", "search dies", "save dies"])
    }).pipe(Effect.scoped)
  })
})

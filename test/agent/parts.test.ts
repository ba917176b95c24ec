/** Tests of parts of results in the agent loop (transcript, repair, compaction, journal) and in hosts. */
import * as Transcript from "#domain/transcript/Transcript"
import * as Compaction from "#domain/transcript/Compaction"
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as ScriptedModel from "#layers/ScriptedModel"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { LanguageModel, McpProtocol, McpServer, McpTest, Prompt } from "effect/ai"
import { TestClock } from "effect/testing"
import { tool } from "../pipeline/support.ts"
import { call, envelopes, everyEngine, needs, resultsOf, toolbox, turn } from "./support.ts"

const png = (size = 4): GuardedTool.Part => ({
  type: "file",
  mediaType: "image/png",
  data: new Uint8Array(size).fill(1)
})
const look = () => tool("look", {}, GuardedTool.withParts({ n: 1 }, [png(), { type: "text", text: "seen" }]))

/** Returns the model output of the first result of a conversation, without links. */
const firstOutput = (prompt: Prompt.Prompt) =>
  resultsOf(prompt)[0]?.modelOutput?.map((part) => (part.type === "text" ? part.text : part.data))

const expected = ['{"status":"success","data":{"n":1}}', "AQEBAQ==", "seen"]

everyEngine(({ play }) => {
  describe("parts in the agent loop", () => {
    it.effect("5.6 the model receives parts with the result, and the transcript can be encoded with them", () =>
      Effect.gen(function* () {
        const { end, prompts } = yield* play({ script: [call("look", { q: "a" }), "A dot."], tools: [look()] })
        assert.deepStrictEqual(firstOutput(prompts[1] ?? Prompt.empty), expected)
        const json = JSON.stringify(Schema.encodeSync(Prompt.Prompt)(end.transcript))
        assert.deepStrictEqual(firstOutput(Schema.decodeUnknownSync(Prompt.Prompt)(JSON.parse(json))), expected)
      })
    )

    it.effect("9.2 a chat completions message has the envelope, with a link to each part", () =>
      Effect.gen(function* () {
        const { end } = yield* play({ script: [call("look", { q: "a" }), "A dot."], tools: [look()] })
        const message = Transcript.toOpenAi(end.transcript).find(({ role }) => role === "tool")
        const { parts, ...envelope } = JSON.parse(String(message?.content))
        assert.deepStrictEqual(envelope, { status: "success", data: { n: 1 } })
        assert.match(parts[0].resource_url, /^artifact:\/\/[0-9a-f]{32}$/u)
        assert.deepStrictEqual(
          parts.map(({ resource_url: _, ...note }: any) => note),
          [
            { type: "file", media_type: "image/png", bytes: 4 },
            { type: "text", text: "seen" }
          ]
        )
      })
    )

    it.effect("9.3 identical reads of a round share their parts", () =>
      Effect.gen(function* () {
        const { end } = yield* play({
          script: [[call("look", { q: "a" }), call("look", { q: "a" })], "Two dots."],
          tools: [look()]
        })
        const [first, second] = resultsOf(end.transcript)
        assert.deepStrictEqual(second?.modelOutput, first?.modelOutput)
        assert.lengthOf(second?.modelOutput ?? [], 3)
      })
    )

    it.effect("9.4 repair keeps the parts of a result", () =>
      Effect.gen(function* () {
        const { end } = yield* play({ script: [call("look", { q: "a" }), "A dot."], tools: [look()] })
        const damaged = Prompt.fromMessages([
          ...end.transcript.content.filter(({ role }) => role !== "tool"),
          ...end.transcript.content.filter(({ role }) => role === "tool")
        ])
        const { changes, prompt } = Transcript.repair(damaged)
        assert.deepStrictEqual(
          changes.map(({ _tag }) => _tag),
          ["ResultMoved"]
        )
        assert.deepStrictEqual(firstOutput(prompt), expected)
      })
    )

    it.effect("9.3 compaction removes the parts of an old result and keeps their links in its envelope", () =>
      Effect.gen(function* () {
        const { end, events, prompts } = yield* play({
          script: (_, index) => (index < 4 ? call("look", { q: String(index) }) : "Dots."),
          tools: [tool("look", {}, ({ q }: any) => Effect.succeed(GuardedTool.withParts({ n: Number(q) }, [png()])))],
          options: { compaction: { maxTokens: 4000 } }
        })
        assert.isTrue(events.some(({ _tag }) => _tag === "Compacted"))
        const sent = resultsOf(prompts.at(-1) ?? Prompt.empty)
        assert.deepStrictEqual(
          sent.map(({ modelOutput }) => modelOutput?.length),
          [undefined, undefined, 2, 2]
        )
        const [first] = envelopes(end.transcript)
        assert.match(first.parts[0].resource_url, /^artifact:/u)
        assert.deepStrictEqual(Compaction.planner({ maxTokens: 4000 }).plan(prompts.at(-1) ?? Prompt.empty), [])
      })
    )
  })
})

describe("parts in a run that is resumed", () => {
  it.effect("12.2 a resumed run restores the parts without a second attempt", () => {
    const { layer, runs, tool: looks } = look()
    const options = { prompt: "Look.", tools: toolbox([{ tool: looks, layer }]), turn, run: "run" }
    const tools = [{ tool: looks, layer }]
    return Effect.gen(function* () {
      const hanging = (yield* ScriptedModel.make((_, index) => (index === 0 ? call("look", { q: "a" }) : Effect.never)))
        .model
      const first = yield* Effect.forkChild(
        Agent.checkpointed(options).pipe(Effect.provideService(LanguageModel.LanguageModel, hanging)),
        { startImmediately: true }
      )
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(first)
      const second = yield* ScriptedModel.make(["A dot."])
      const end = yield* Agent.resume({ tools: options.tools, run: "run", tenant: turn.tenant, takeOver: true }).pipe(
        Effect.provideService(LanguageModel.LanguageModel, second.model)
      )
      assert.strictEqual(end._tag, "Answered")
      assert.strictEqual(runs(), 1)
      assert.deepStrictEqual(firstOutput((yield* second.prompts)[0] ?? Prompt.empty), expected)
    }).pipe(Effect.provide(Layer.mergeAll(needs({ tools }), CheckpointsMemory.layer))) as Effect.Effect<void>
  })
})

class Look extends GuardedTool.Service<Look>()("look", {
  description: "Looks. Read-only.",
  access: "read",
  parameters: Schema.Struct({ q: Schema.String }),
  success: Schema.Struct({ n: Schema.Int })
}) {}

class Count extends GuardedTool.Service<Count>()("count", {
  description: "Counts. Read-only.",
  access: "read",
  parameters: Schema.Struct({ q: Schema.String }),
  success: Schema.Struct({ n: Schema.Int })
}) {}

const hostToolbox = Toolbox.make(Look, Count)
const handlers = hostToolbox.handlers.pipe(
  Layer.provideMerge(Guard.layerMemory),
  Layer.provide([
    Look.layerTest(() => Effect.succeed(GuardedTool.withParts({ n: 1 }, [png(), { type: "text", text: "seen" }]))),
    Count.layerTest(() => Effect.succeed({ n: 2 }))
  ])
)

describe("parts in effect/ai hosts", () => {
  it.effect("11.4 generateText returns parts after the envelope, and leaves a result without parts unchanged", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([[call("look", { q: "a" }), call("count", { q: "a" })], "Done."])
      const asked = LanguageModel.generateText({ prompt: "Look.", toolkit: hostToolbox.toolkit })
      const first = yield* asked.pipe(
        Guard.turn,
        Effect.provideService(LanguageModel.LanguageModel, model.model),
        Effect.provide(handlers)
      )
      const results = resultsOf(Prompt.fromResponseParts(first.content))
      const result = results.find(({ name }) => name === "look")
      assert.deepStrictEqual(
        result?.modelOutput?.map((part) => (part.type === "text" ? part.text : part.data)),
        expected
      )
      assert.isUndefined(results.find(({ name }) => name === "count")?.modelOutput)
    })
  )

  it.effect("11.4 McpServer.toolkit returns only the envelope, because it does not support parts", () =>
    Effect.gen(function* () {
      const client = yield* McpTest.makeClient(McpServer.toolkit(hostToolbox.toolkit).pipe(Layer.provide(handlers)), {
        protocols: [McpProtocol.v2025_11_25]
      })
      const answer = yield* client.callTool({ name: "look", arguments: { q: "a" } })
      assert.deepStrictEqual(answer.structuredContent, { status: "success", data: { n: 1 } })
    }).pipe(Effect.scoped)
  )
})

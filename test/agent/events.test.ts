/** Tests of the events of runs and of `Agent.stream`. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { AiError, LanguageModel } from "effect/ai"
import { TestClock } from "effect/testing"
import * as ScriptedModel from "#layers/ScriptedModel"
import { CallObserver } from "#services/CallObserver"
import { modelErrorOf } from "#src/agent/AgentEnd"
import * as Agent from "#src/agent/Agent"
import type { AgentEvent } from "#src/agent/AgentEvent"
import { complete, start, tool } from "../pipeline/support.ts"
import { assertValid, call, type EquippedTool, everyEngine, finish, needs, slow, toolbox, turn } from "./support.ts"

const search = call("search", { q: "a" })

const streamed = (
  tools: ReadonlyArray<EquippedTool>,
  script: ScriptedModel.Script,
  options: Partial<Agent.RunOptions<any>> = {}
): Stream.Stream<AgentEvent> =>
  Agent.stream({ prompt: "Hello", tools: toolbox(tools), turn, ...options }).pipe(
    Stream.provide(needs({ tools })),
    Stream.provide(ScriptedModel.layer(script))
  ) as Stream.Stream<AgentEvent>

/** Returns the tag of an event, with the fields that the tests compare. */
const brief = (event: AgentEvent): ReadonlyArray<unknown> => {
  switch (event._tag) {
    case "Text":
      return ["Text", event.delta]
    case "CallStarted":
    case "CallEnded":
      return [event._tag, event.callId]
    case "AttemptStarted":
    case "RetryScheduled":
      return [event._tag, event.attempt]
    case "AttemptEnded":
      return [event._tag, event.attempt, event.outcome]
    case "RoundStarted":
    case "RoundEnded":
      return [event._tag, event.round]
    case "End":
      return ["End", event.end._tag]
    default:
      return [event._tag]
  }
}

describe("agent: the events of a stream", () => {
  it.effect("11.2 a stream emits rounds, texts, calls, attempts and retries in order, and the end last", () =>
    Effect.gen(function* () {
      const searchTool = tool("search", {}, Effect.fail({ status: 503 }), { n: 1 })
      const events = yield* complete(Stream.runCollect(streamed([searchTool], [["Let me see", search], "done"])))
      assert.deepStrictEqual(events.map(brief), [
        ["RoundStarted", 1],
        ["Text", "Let me see"],
        ["CallStarted", "call_1_2"],
        ["AttemptStarted", 1],
        ["AttemptEnded", 1, "Transient"],
        ["RetryScheduled", 2],
        ["AttemptStarted", 2],
        ["AttemptEnded", 2, "Success"],
        ["CallEnded", "call_1_2"],
        ["RoundEnded", 1],
        ["RoundStarted", 2],
        ["Text", "done"],
        ["RoundEnded", 2],
        ["End", "Answered"]
      ])
      const last = events.at(-1)
      if (last?._tag === "End") assertValid(last.end.transcript)
    })
  )

  it.effect("11.2 with streaming, text arrives in pieces", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make(["unused"])
      const pieces = ["On", "ce up", "on a time"]
      const parts = [
        { type: "text-start", id: "t" },
        ...pieces.map((delta) => ({ type: "text-delta", id: "t", delta })),
        { type: "text-end", id: "t" },
        { type: "finish", reason: "stop", usage: { inputTokens: { total: 3 }, outputTokens: { total: 4 } } }
      ]
      // plain objects instead of the classes of parts
      const streaming = { ...model.model, streamText: () => Stream.fromIterable(parts) } as never
      const events: Array<AgentEvent> = []
      const end = yield* Agent.run({
        prompt: "Hello",
        tools: toolbox([]),
        streaming: true,
        onEvent: (event) => Effect.sync(() => void events.push(event))
      }).pipe(Effect.provideService(LanguageModel.LanguageModel, streaming), Effect.provide(needs({})))
      assert.deepStrictEqual(
        events.flatMap((event) => (event._tag === "Text" ? [event.delta] : [])),
        pieces
      )
      assert.deepStrictEqual(
        [end._tag, end._tag === "Answered" && end.text, end.usage.inputTokens, end.usage.outputTokens],
        ["Answered", "Once upon a time", 3, 4]
      )
      assertValid(end.transcript)
    })
  )

  it.effect("11.3 an error inside a provider's stream is a failure of the request", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make(["unused"])
      for (const [error, tag] of [
        ["overloaded", "InternalProviderError"],
        [
          AiError.make({ module: "T", method: "s", reason: new AiError.AuthenticationError({ kind: "InvalidKey" }) }),
          "AuthenticationError"
        ]
      ] as const) {
        const parts = [
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: "Once" },
          { type: "error", error }
        ]
        const reason = new AiError.InternalProviderError({ description: "overloaded" })
        const generateText = () => Effect.fail(AiError.make({ module: "T", method: "g", reason }))
        // plain objects instead of the classes of parts
        const streaming = { ...model.model, streamText: () => Stream.fromIterable(parts), generateText } as never
        const end = yield* Agent.run({ prompt: "Hello", tools: toolbox([]), streaming: true }).pipe(
          Effect.provideService(LanguageModel.LanguageModel, streaming),
          Effect.provide(needs({}))
        )
        assert.deepStrictEqual([end._tag, modelErrorOf(end)?.reason._tag], ["NeedsPerson", tag])
        assertValid(end.transcript)
        assert.strictEqual(end.transcript.content.length, 1, "text of the broken stream is not in the conversation")
      }
    })
  )

  it.effect("11.3 text of a broken stream is withdrawn, and the repeated request emits the whole text", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make(["Once upon a time"])
      const parts = [
        { type: "text-start", id: "t" },
        { type: "text-delta", id: "t", delta: "Once up" },
        { type: "error", error: "overloaded" }
      ]
      // plain objects instead of the classes of parts
      const streaming = { ...model.model, streamText: () => Stream.fromIterable(parts) } as never
      const events: Array<AgentEvent> = []
      const end = yield* Agent.run({
        prompt: "Hello",
        tools: toolbox([]),
        streaming: true,
        onEvent: (event) => Effect.sync(() => void events.push(event))
      }).pipe(Effect.provideService(LanguageModel.LanguageModel, streaming), Effect.provide(needs({})))
      assert.deepStrictEqual(
        events.map((event) => (event._tag === "Text" ? event.delta : event._tag)),
        ["RoundStarted", "Once up", "TextWithdrawn", "Once upon a time", "RoundEnded", "End"]
      )
      assert.strictEqual(end._tag === "Answered" && end.text, "Once upon a time")
    })
  )

  it.effect("11.2 closing the stream early interrupts the run and its handler", () =>
    Effect.gen(function* () {
      const hang = slow(() => 4_000)
      const searchTool = tool("search", {}, hang.handler)
      const fiber = yield* start(
        streamed([searchTool], [search, "never requested"]).pipe(
          Stream.takeUntil(({ _tag }) => _tag === "AttemptStarted"),
          Stream.runCollect
        )
      )
      const events = yield* Fiber.join(fiber)
      assert.deepStrictEqual([events.at(-1)?._tag, hang.started.length, hang.interrupted], ["AttemptStarted", 1, ["a"]])
    })
  )

  it.effect("11.2 a stream also passes events to onEvent and to the caller's observer", () =>
    Effect.gen(function* () {
      const searchTool = tool("search", {}, { n: 1 })
      const observed: Array<string> = []
      const inside: Array<string> = []
      const events = yield* Stream.runCollect(
        streamed([searchTool], [search, "done"], { onEvent: ({ _tag }) => Effect.sync(() => void observed.push(_tag)) })
      ).pipe(Effect.provideService(CallObserver, ({ _tag }) => void inside.push(_tag)))
      assert.deepStrictEqual(inside, ["AttemptStarted", "AttemptEnded"])
      assert.deepStrictEqual(
        observed,
        events.map(({ _tag }) => _tag).filter((tag) => !inside.includes(tag))
      )
    })
  )

  it.effect("11.1 an onEvent that dies or throws does not end the run", () =>
    Effect.gen(function* () {
      for (const onEvent of [
        () => Effect.die(new Error("boom")),
        (): Effect.Effect<void> => {
          throw new Error("boom")
        }
      ]) {
        const searchTool = tool("search", {}, { n: 1 })
        const events = yield* Stream.runCollect(streamed([searchTool], [search, "done"], { onEvent }))
        assert.deepStrictEqual([brief(events.at(-1)!), searchTool.runs()], [["End", "Answered"], 1])
      }
    })
  )

  it.effect("11.2 a slow reader loses no events", () =>
    Effect.gen(function* () {
      const calls = Array.from({ length: 50 }, (_, q) => call("search", { q: `${q}` }))
      const searchTool = tool("search", {}, { n: 1 })
      const gate = yield* Deferred.make<void>()
      const fiber = yield* start(
        streamed([searchTool], [calls, "done"]).pipe(
          Stream.tap(() => Deferred.await(gate)),
          Stream.runCollect
        )
      )
      yield* Deferred.succeed(gate, undefined)
      const tags = (yield* Fiber.join(fiber)).map(({ _tag }) => _tag)
      for (const tag of ["CallStarted", "AttemptStarted", "AttemptEnded", "CallEnded"]) {
        assert.strictEqual(tags.filter((each) => each === tag).length, 50, tag)
      }
    })
  )
})

everyEngine(({ engine, play }) => {
  describe("agent: events", () => {
    it.effect("11.2 the answer in an event is the text that the model reads", () =>
      Effect.gen(function* () {
        const searchTool = tool("search", {}, { n: 1 })
        const { end, events } = yield* play({ tools: [searchTool], script: [search, "done"] })
        const answers = events.flatMap((event) => (event._tag === "CallEnded" ? [event.answer] : []))
        assert.deepStrictEqual(
          answers.map(({ attempts, text }) => [text, attempts]),
          [['{"status":"success","data":{"n":1}}', 1]]
        )
        assert.include(JSON.stringify(end.transcript), JSON.stringify(answers[0]?.text))
      })
    )

    it.effect("11.2 a run has the same end and transcript with and without streaming", () =>
      Effect.gen(function* () {
        const script = [
          ["Let me see", search, call("search", "{broken"), finish("tool-calls", { input: 7, output: 3 })],
          [call("search", '{"q":"cut'), finish("length", { input: 7, output: 3 })],
          ["done", finish("stop", { input: 7, output: 3 })]
        ] as const
        const [whole, pieces] = yield* Effect.forEach([false, true], (streaming) =>
          play({ tools: [tool("search", {}, { n: 1 })], script, options: { streaming } })
        )
        const comparable = (text: unknown) => JSON.stringify(text).replaceAll(/tr_\w+/gu, "tr")
        assert.strictEqual(comparable(pieces?.end), comparable(whole?.end))
        assert.strictEqual(whole?.end._tag, "Answered")
      })
    )

    if (engine.isInterruptible) {
      it.effect("11.1 interrupting the fiber of a run interrupts the handler", () =>
        Effect.gen(function* () {
          const hang = slow(() => 4_000)
          const searchTool = tool("search", {}, hang.handler)
          const fiber = yield* start(play({ tools: [searchTool], script: [search], options: { maxTime: "1 hour" } }))
          yield* TestClock.adjust("1 second")
          yield* Fiber.interrupt(fiber)
          assert.deepStrictEqual([hang.started.length, hang.interrupted], [1, ["a"]])
        })
      )
    }
  })
})

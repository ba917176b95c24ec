import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { LanguageModel, Prompt, type Response } from "effect/ai"
import * as ModelResponse from "#domain/transcript/ModelResponse"
import * as Transcript from "#domain/transcript/Transcript"
import * as RecordedModel from "#layers/RecordedModel"
import * as ScriptedModel from "#layers/ScriptedModel"
import { assistant, call, conversation, result, text, tool, user } from "../support/conversation.ts"

const options = { disableToolCallResolution: true, toolCallValidation: "deferred" } as const

const ask = (prompt: Prompt.RawInput, streaming = false) =>
  streaming
    ? LanguageModel.streamText({ prompt, ...options }).pipe(
        Stream.runCollect,
        Effect.map((pieces) => ModelResponse.collect(pieces as ReadonlyArray<Response.AnyPart>))
      )
    : Effect.map(
        LanguageModel.generateText({ prompt, ...options }),
        ({ content }) => content as ReadonlyArray<Response.AnyPart>
      )

const toolCall = (id: string, args: string) => ({ id, type: "function", function: { name: "search", arguments: args } })

/** Calls the model as an agent loop does, answers each call with `result of ID`, and returns the conversation. */
const talk = (start: Prompt.Prompt, streaming: boolean) =>
  Effect.gen(function* () {
    let prompt = start
    for (;;) {
      const parts = yield* ask(prompt, streaming)
      prompt = Prompt.concat(prompt, Prompt.fromResponseParts(parts))
      const calls = parts.filter((part) => part.type === "tool-call")
      if (calls.length === 0) return prompt
      const results = calls.map(({ id }, index) => ({ ...result(id), isFailure: index > 0 }))
      prompt = Prompt.concat(prompt, Prompt.fromMessages([tool(...results)]))
    }
  })

describe("RecordedModel", () => {
  it.effect("9.2 answers the k-th request with the k-th assistant message, with unchanged arguments and ids", () =>
    Effect.gen(function* () {
      const first = yield* ask("hi")
      assert.deepStrictEqual(Transcript.toOpenAi(Prompt.fromResponseParts(first)), [
        { role: "assistant", content: "hm", tool_calls: [toolCall("a", '{ "q" : 1 }'), toolCall("a", '{"q":')] }
      ] as never) // the cast is needed because the helper's type is wider than a message
      const second = yield* ask("again", true)
      assert.deepStrictEqual(Transcript.toOpenAi(Prompt.fromResponseParts(second)), [
        { role: "assistant", content: "done" }
      ])
      const end = [first, second].map((parts) => parts.findLast((part) => part.type === "finish"))
      assert.deepStrictEqual(
        end.map((part) => part?.reason),
        ["tool-calls", "length"]
      )
      assert.strictEqual(end[1]?.usage.outputTokens.total, 4)
      const error = yield* Effect.flip(ask("more"))
      assert.include(error.message, "The recording has 2 answers; there is none for request 3.")
    }).pipe(
      Effect.provide(
        RecordedModel.layer({
          messages: [
            { role: "user", content: "hi" },
            { role: "assistant", content: "hm", tool_calls: [toolCall("a", '{ "q" : 1 }'), toolCall("a", '{"q":')] },
            { role: "tool", tool_call_id: "a", content: "x" },
            { role: "assistant", content: "done", finish_reason: "length", usage: { completion_tokens: 4 } }
          ]
        })
      )
    )
  )

  const script: ScriptedModel.Script = [
    ["let me see", ScriptedModel.call("search", '{ "q": 1 }'), ScriptedModel.call("search", '{"cut')],
    ScriptedModel.call("search", { q: 2 }),
    "done"
  ]

  for (const streaming of [false, true]) {
    it.effect(
      `9.2 plays a recording ${streaming ? "as a stream" : "as complete answers"}, even in a conversation with earlier messages`,
      () =>
        Effect.gen(function* () {
          const past = conversation(
            user("old"),
            assistant(call("old")),
            tool(result("old")),
            assistant(text("ok")),
            user("hi")
          )
          const scripted = yield* ScriptedModel.make(script)
          const { model, recording } = yield* RecordedModel.recorder(scripted.model)
          const live = yield* Effect.provideService(talk(past, streaming), LanguageModel.LanguageModel, model)
          const recorded: RecordedModel.Recording = JSON.parse(JSON.stringify(yield* recording))
          assert.deepStrictEqual(recorded.first_answer, 2)
          assert.deepStrictEqual(
            Transcript.toOpenAi(Transcript.fromOpenAi(recorded.messages)),
            Transcript.toOpenAi(live)
          )
          const replayed = yield* Effect.provide(talk(past, streaming), RecordedModel.layer(recorded))
          assert.deepStrictEqual(replayed, live)
        })
    )
  }

  it.effect("9.2 records finish reasons, token counts and failed results", () =>
    Effect.gen(function* () {
      const scripted = yield* ScriptedModel.make([
        [
          ScriptedModel.call("search", {}),
          ScriptedModel.call("search", {}),
          ScriptedModel.finish("tool-calls", { input: 9, output: 3 })
        ],
        ["cut", ScriptedModel.finish("length")]
      ])
      const { model, recording } = yield* RecordedModel.recorder(scripted.model)
      yield* Effect.provideService(talk(Prompt.make("hi"), false), LanguageModel.LanguageModel, model)
      assert.deepStrictEqual(JSON.parse(JSON.stringify((yield* recording).messages)), [
        { role: "user", content: "hi" },
        {
          role: "assistant",
          content: null,
          tool_calls: [toolCall("call_1_1", "{}"), toolCall("call_1_2", "{}")],
          finish_reason: "tool_calls",
          usage: { prompt_tokens: 9, completion_tokens: 3 }
        },
        { role: "tool", tool_call_id: "call_1_1", content: "result of call_1_1" },
        { role: "tool", tool_call_id: "call_1_2", content: "result of call_1_2", is_error: true },
        { role: "assistant", content: "cut", finish_reason: "length", usage: {} }
      ])
    })
  )

  it.effect("9.2 does not record a request that failed", () =>
    Effect.gen(function* () {
      const scripted = yield* ScriptedModel.make([])
      const { model, recording } = yield* RecordedModel.recorder(scripted.model)
      for (const streaming of [false, true]) {
        yield* Effect.flip(Effect.provideService(ask("hi", streaming), LanguageModel.LanguageModel, model))
      }
      assert.deepStrictEqual(yield* recording, { messages: [], first_answer: 0 })
    })
  )
})

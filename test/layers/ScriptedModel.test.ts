import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { AiError, LanguageModel, Prompt, type Response } from "effect/ai"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Transcript from "#domain/transcript/Transcript"
import * as ScriptedModel from "#layers/ScriptedModel"

const { call, finish } = ScriptedModel

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

const ask = (prompt: Prompt.RawInput = "hi") =>
  Effect.map(
    LanguageModel.generateText({ prompt, disableToolCallResolution: true, toolCallValidation: "deferred" }),
    ({ content }) => content as ReadonlyArray<Response.AnyPart>
  )

const brief = (parts: ReadonlyArray<Response.AnyPart>) =>
  parts.flatMap((part): ReadonlyArray<unknown> => {
    if (part.type === "text") return [part.text]
    if (part.type === "tool-call") return [[part.id, part.name, part.params]]
    return part.type === "finish" ? [part.reason] : []
  })

describe("ScriptedModel", () => {
  it.effect("9.2 answers each request with its entry, which can be a text, a call, both, or parts", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(brief(yield* ask()), ["hello", "stop"])
      assert.deepStrictEqual(brief(yield* ask()), [["call_2_1", "search", { q: 1 }], "tool-calls"])
      assert.deepStrictEqual(brief(yield* ask()), [
        "let me see",
        ["call_3_2", "search", {}],
        ["mine", "read", '{"cut'],
        ["", "read", { a: 1 }],
        "length"
      ])
      assert.deepStrictEqual(brief(yield* ask()), ["part", "stop"])
    }).pipe(
      Effect.provide(
        ScriptedModel.layer([
          "hello",
          call("search", { q: 1 }),
          [
            "let me see",
            call("search", {}),
            call("read", '{"cut', "mine"),
            call("read", '{"a":1}', ""),
            finish("length")
          ],
          [{ type: "text", text: "part" }]
        ])
      )
    )
  )

  it.effect("9.2 counts one token for every four characters, unless the entry has token counts", () =>
    Effect.gen(function* () {
      const tokens = (parts: ReadonlyArray<Response.AnyPart>) => {
        const end = parts.findLast((part) => part.type === "finish")
        return [end?.usage.inputTokens.total, end?.usage.outputTokens.total]
      }
      assert.deepStrictEqual(tokens(yield* ask("x".repeat(4_000))), [1008, 1])
      assert.deepStrictEqual(tokens(yield* ask()), [7, 2])
    }).pipe(Effect.provide(ScriptedModel.layer(["hi", ["hi", finish("stop", { input: 7, output: 2 })]])))
  )

  it.effect("9.2 passes the conversation and the index of the request to an entry that is a function", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(brief(yield* ask()), ["1 0", "stop"])
      assert.deepStrictEqual(
        brief(
          yield* ask([
            { role: "system", content: "s" },
            { role: "user", content: "u" }
          ])
        ),
        ["2 1", "stop"]
      )
    }).pipe(
      Effect.provide(
        ScriptedModel.layer([
          (prompt, index) => `${prompt.content.length} ${index}`,
          (prompt, index) => Effect.succeed(`${prompt.content.length} ${index}`)
        ])
      )
    )
  )

  it.effect("9.2 can answer every request with one function", () =>
    Effect.gen(function* () {
      for (const index of [0, 1, 2, 3]) assert.deepStrictEqual(brief(yield* ask()), [`answer ${index}`, "stop"])
    }).pipe(Effect.provide(ScriptedModel.layer((_, index) => `answer ${index}`)))
  )

  it.effect("9.2 fails after the last entry, and for an entry that is an error", () =>
    Effect.gen(function* () {
      const limited = yield* Effect.flip(ask())
      assert.strictEqual(limited.reason._tag, "RateLimitError")
      const error = yield* Effect.flip(ask())
      assert.strictEqual(error.reason._tag, "UnknownError")
      assert.include(error.message, "The script has 1 answer; there is none for request 2.")
      assert.isFalse(error.isRetryable)
    }).pipe(
      Effect.provide(
        ScriptedModel.layer([AiError.make({ module: "t", method: "t", reason: new AiError.RateLimitError({}) })])
      )
    )
  )

  it.effect("9.2 streams the same answers", () =>
    Effect.gen(function* () {
      const pieces = yield* LanguageModel.streamText({
        prompt: "hi",
        disableToolCallResolution: true,
        toolCallValidation: "deferred"
      }).pipe(Stream.runCollect)
      assert.deepStrictEqual(
        pieces.map((part) => ("delta" in part ? `${part.type} ${part.delta}` : part.type)),
        [
          "text-start",
          "text-delta see",
          "text-end",
          "tool-params-start",
          'tool-params-delta { "q": 1 }',
          "tool-params-end",
          "tool-call",
          "finish"
        ]
      )
    }).pipe(Effect.provide(ScriptedModel.layer([["see", call("search", '{ "q": 1 }')]])))
  )

  it.effect(
    "11.3 a second request with the same messages reads them less often than the first, and counts their tokens",
    () =>
      Effect.gen(function* () {
        let reads = 0
        const messages = Array.from({ length: 100 }, (_, n) => {
          const message = Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text: `message ${n}` })] })
          const { content } = message
          return Object.defineProperty(message, "content", {
            get: () => {
              reads += 1
              return content
            }
          })
        })
        const model = yield* LanguageModel.LanguageModel
        yield* model.generateText({ prompt: Prompt.fromMessages(messages) })
        const readsOfFirst = reads
        const response = yield* model.generateText({ prompt: Prompt.fromMessages(messages) })
        assert.isBelow(reads - readsOfFirst, readsOfFirst)
        const text = JSON.stringify(Transcript.toOpenAi(Prompt.fromMessages(messages)))
        assert.strictEqual(response.usage.inputTokens.total, Math.ceil(text.length / 4))
      }).pipe(Effect.provide(ScriptedModel.layer(() => "ok")))
  )

  it.effect("11.3 the layer does not keep the conversations of earlier requests", () =>
    Effect.gen(function* () {
      const conversations: Array<WeakRef<object>> = []
      const layer = ScriptedModel.layer((prompt) => {
        conversations.push(new WeakRef(prompt))
        return "ok"
      })
      yield* Effect.gen(function* () {
        for (let n = 0; n < 20; n++) yield* ask(`question ${n}`)
        // a reference in a frame of the last request may still exist
        yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
        collectGarbage()
        assert.isAtMost(conversations.filter((conversation) => conversation.deref() !== undefined).length, 1)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("9.1 returns the conversations of its requests", () =>
    Effect.gen(function* () {
      const scripted = yield* ScriptedModel.make(["one", "two"])
      yield* Effect.provide(Effect.andThen(ask("first"), ask("second")), scripted.layer)
      assert.deepStrictEqual(yield* scripted.prompts, [Prompt.make("first"), Prompt.make("second")])
    })
  )
})

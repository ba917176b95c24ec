/** Streams of servers that do not keep to the format, or break. `it.live`, since they come over real sockets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue, Stream } from "effect"
import { LanguageModel, type Response } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import * as ModelFailure from "#domain/classification/ModelFailure"
import * as OpenAiCompatible from "#layers/OpenAiCompatible"
import * as Server from "../../../support/OpenAiServer.ts"

const { chunk, events } = Server

/** Streams one answer: what came, and how it ended. */
const stream = (answer: Server.Answer, options: Partial<OpenAiCompatible.Options> = {}) =>
  Effect.gen(function* () {
    const server = yield* Server.start([answer])
    const layer = OpenAiCompatible.layer({ baseUrl: server.baseUrl, model: "m", ...options })
    const came: Array<Response.AnyPart> = []
    const error = yield* LanguageModel.streamText({
      prompt: "hi",
      disableToolCallResolution: true,
      toolCallValidation: "deferred"
    }).pipe(
      Stream.runForEach((part) => Effect.sync(() => void came.push(part))),
      Effect.as(undefined),
      Effect.catch((failure) => Effect.succeed(failure)),
      Effect.provide(Layer.provide(layer, FetchHttpClient.layer))
    )
    return { came, error }
  })

/** The parts in a word each: the type, and what it carries. */
const brief = (parts: ReadonlyArray<Response.AnyPart>) =>
  parts.flatMap((part) => {
    if ("delta" in part) return [`${part.type} ${part.delta}`]
    if (part.type === "tool-call") return [`call ${part.id} ${part.name} ${JSON.stringify(part.params)}`]
    if (part.type === "finish") return [`finish ${part.reason} ${part.usage.outputTokens.total}`]
    return part.type === "response-metadata" ? [`${part.id} ${part.modelId}`] : [part.type]
  })

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const hello = ["chatcmpl-1 served-model", "text-start", "text-delta hello", "text-end"]

const reads = (name: string, answer: Server.Answer, expected: ReadonlyArray<string>) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const { came, error } = yield* stream(answer)
      assert.strictEqual(error, undefined)
      assert.deepStrictEqual(brief(came), expected)
    })
  )

const fails = (
  name: string,
  answer: Server.Answer,
  expected: { readonly reason: string; readonly transient: boolean; readonly calls?: number },
  options: Partial<OpenAiCompatible.Options> = {}
) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const { came, error } = yield* stream(answer, options)
      assert.strictEqual(error?.reason._tag, expected.reason, error?.message)
      assert.strictEqual(error && ModelFailure.isTransient(error), expected.transient)
      assert.deepStrictEqual(
        came.filter(({ type }) => type === "tool-call" || type === "finish"),
        []
      )
    })
  )

const text = chunk({ content: "hello" })
const half = chunk({ tool_calls: [{ index: 0, id: "c1", function: { name: "search", arguments: '{"q":' } }] })

describe("a streamed answer", () => {
  reads(
    "9.2 shows text, reasoning and calls as they grow, and each call whole at the end",
    events([
      chunk({ role: "assistant", content: "" }),
      chunk({ reasoning_content: "hm" }),
      chunk({ reasoning: "m" }),
      chunk({ content: "hel" }),
      chunk({ content: "lo" }),
      half,
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"a"}' } }] }),
      chunk({}, "tool_calls"),
      chunk({}, null, { choices: [], usage })
    ]),
    [
      "chatcmpl-1 served-model",
      "reasoning-start",
      "reasoning-delta hm",
      "reasoning-delta m",
      "reasoning-end",
      "text-start",
      "text-delta hel",
      "text-delta lo",
      "text-end",
      "tool-params-start",
      'tool-params-delta {"q":',
      'tool-params-delta "a"}',
      "tool-params-end",
      'call c1 search {"q":"a"}',
      "finish tool-calls 2"
    ]
  )

  reads(
    "9.2 takes the finish reason stop after calls for what it is",
    events([half, chunk({ tool_calls: [{ index: 0, function: { arguments: '"a"}' } }] }, "stop", { usage })]),
    [
      "chatcmpl-1 served-model",
      "tool-params-start",
      'tool-params-delta {"q":',
      'tool-params-delta "a"}',
      "tool-params-end",
      'call c1 search {"q":"a"}',
      "finish tool-calls 2"
    ]
  )

  reads(
    "11.3 passes a call on that was cut by the output limit, with its text and reason",
    events([half, chunk({}, "length")]),
    [
      "chatcmpl-1 served-model",
      "tool-params-start",
      'tool-params-delta {"q":',
      "tool-params-end",
      'call c1 search "{\\"q\\":"',
      "finish length undefined"
    ]
  )

  const another = { choices: [{ index: 1, delta: { content: "another" }, finish_reason: "length" }] }
  reads(
    "9.2 reads the first of several answers alone",
    events([text, another, chunk({}, "stop", { usage }), another]),
    [...hello, "finish stop 2"]
  )
  reads("9.2 needs no [DONE] after a finish reason", events([text, chunk({}, "stop")], { done: false }), [
    ...hello,
    "finish stop undefined"
  ])
  reads("9.2 needs no finish reason before [DONE]", events([text]), [...hello, "finish stop undefined"])
  reads("11.3 calls a half call without a finish reason unknown", events([half]), [
    "chatcmpl-1 served-model",
    "tool-params-start",
    'tool-params-delta {"q":',
    "tool-params-end",
    'call c1 search "{\\"q\\":"',
    "finish unknown undefined"
  ])
  reads(
    "9.2 loses nothing when the connection breaks after the answer",
    events([text, chunk({}, "stop")], { cut: true }),
    [...hello, "finish stop undefined"]
  )
  reads(
    "9.2 reads comments, retry lines, event names, CR LF and a last event without its blank line",
    events(
      [
        ": OPENROUTER PROCESSING\n\nretry: 3000\n\n",
        `event: message\r\nid: 7\r\ndata: ${JSON.stringify(text)}\r\n\r\n`,
        `data:${JSON.stringify(chunk({}, "stop"))}`
      ],
      { done: false }
    ),
    [...hello, "finish stop undefined"]
  )
  reads("9.2 reads a refusal as text", events([chunk({ refusal: "hello" }), chunk({}, "stop")]), [
    ...hello,
    "finish stop undefined"
  ])
  reads(
    "9.2 reads the deprecated function_call",
    events([chunk({ function_call: { name: "search", arguments: "{}" } }, "function_call")]),
    [
      "chatcmpl-1 served-model",
      "tool-params-start",
      "tool-params-delta {}",
      "tool-params-end",
      "call call_1 search {}",
      "finish tool-calls undefined"
    ]
  )

  it.live("9.2 joins characters that are split between two packets", () =>
    Effect.gen(function* () {
      const bytes = Buffer.from(`data: ${JSON.stringify(chunk({ content: "é😀" }))}\n\n`)
      const middle = bytes.indexOf(0xf0) + 2
      const { came } = yield* stream(
        events([{ bytes: bytes.subarray(0, middle) }, { bytes: bytes.subarray(middle) }, chunk({}, "stop")])
      )
      assert.include(brief(came), "text-delta é😀")
    })
  )

  it.live("11.2 gives out pieces before the answer is complete", () =>
    Effect.gen(function* () {
      const { promise, resolve } = Promise.withResolvers<void>()
      const server = yield* Server.start([events([text, { until: promise }, chunk({}, "stop")])])
      const seen = yield* Queue.unbounded<string>()
      const layer = OpenAiCompatible.layer({ baseUrl: server.baseUrl, model: "m" })
      const fiber = yield* LanguageModel.streamText({ prompt: "hi" }).pipe(
        Stream.runForEach((part) => Queue.offer(seen, part.type)),
        Effect.provide(Layer.provide(layer, FetchHttpClient.layer)),
        Effect.forkChild
      )
      assert.deepStrictEqual(yield* Queue.takeN(seen, 3), ["response-metadata", "text-start", "text-delta"])
      resolve()
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* Queue.takeN(seen, 2), ["text-end", "finish"])
    })
  )

  fails("9.2 a stream that is cut in mid-text fails, transiently", events([text], { cut: true }), {
    reason: "NetworkError",
    transient: true
  })
  fails("11.3 a stream that is cut in mid-call gives out no call", events([half], { cut: true }), {
    reason: "NetworkError",
    transient: true
  })
  fails("9.2 a stream that ends without an end was cut", events([half], { done: false }), {
    reason: "NetworkError",
    transient: true
  })
  fails("9.2 an empty stream was cut", events([], { done: false }), { reason: "NetworkError", transient: true })
  fails("9.2 a stream of nothing holds no choice", events([]), { reason: "InternalProviderError", transient: true })
  fails(
    "9.2 an error in mid-stream is told as itself",
    events([text, { error: { message: "overloaded", type: "server_error", code: null, param: null } }]),
    { reason: "InternalProviderError", transient: true }
  )
  fails(
    "11.3 a conversation that is too long may be told in mid-stream",
    events([{ error: { message: "too long", type: "invalid_request_error", code: "context_length_exceeded" } }]),
    { reason: "InvalidRequestError", transient: false }
  )
  fails("9.2 a chunk that is not JSON fails", events([text, "data: {oops\n\n"]), {
    reason: "InternalProviderError",
    transient: true
  })
  fails(
    "11.3 silence in mid-stream is not waited for",
    events([text, { until: new Promise(() => {}) }]),
    {
      reason: "NetworkError",
      transient: true
    },
    { timeout: "50 millis" }
  )
  fails(
    "9.2 an answer is read up to its bound, whether in large pieces",
    events([chunk({ content: "x".repeat(60_000) }), chunk({ content: "x".repeat(60_000) })]),
    { reason: "InvalidResponseError", transient: false },
    { maxBytes: 100_000 }
  )
  fails(
    "9.2 an answer is read up to its bound, or in many small ones",
    events(Array.from({ length: 2_000 }, () => text)),
    { reason: "InvalidResponseError", transient: false },
    { maxBytes: 100_000 }
  )
  fails(
    "9.2 an answer is read up to its bound, or as calls without end",
    events(
      Array.from({ length: 1_500 }, (_, n) =>
        chunk({ tool_calls: [{ index: n, id: `c${n}`, function: { name: "t" } }] })
      )
    ),
    { reason: "InvalidResponseError", transient: false },
    { maxBytes: 100_000 }
  )
  fails(
    "9.2 an answer is read up to its bound, or as chunks that hold nothing",
    events(Array.from({ length: 7_000 }, () => chunk({}))),
    { reason: "InvalidResponseError", transient: false },
    { maxBytes: 100_000 }
  )
  fails(
    "9.2 an event without an end is not collected",
    events([`data: ${"x".repeat(150_000)}`], { done: false }),
    { reason: "InvalidResponseError", transient: false },
    { maxBytes: 100_000 }
  )
})

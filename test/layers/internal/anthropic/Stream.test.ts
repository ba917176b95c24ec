/** Streams as the API sends them, cut, and against the protocol. The first part is `it.live`: it uses real sockets. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted, Result, Schema, Stream } from "effect"
import { LanguageModel, type Response } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import * as ModelFailure from "#domain/classification/ModelFailure"
import * as Anthropic from "#layers/Anthropic"
import { readStream } from "#layers/internal/anthropic/Stream"
import * as Server from "../../../support/AnthropicServer.ts"

const { begin, delta, end, events, start, stop } = Server

const text = { type: "text", text: "", citations: null }
const toolUse = { type: "tool_use", id: "toolu_1", name: "search", input: {}, caller: { type: "direct" } }
const said = (words: string) => delta(0, { type: "text_delta", text: words })
const json = (index: number, partial: string) => delta(index, { type: "input_json_delta", partial_json: partial })

const answered = [start(), begin(0, text), said("Hel"), said("lo"), end(0), ...stop()]
const called = [start(), begin(0, toolUse), json(0, '{"q":'), json(0, '"x"}'), end(0), ...stop("tool_use")]

const pieces = (answer: Server.Answer, options: Partial<Anthropic.Options> = {}) =>
  Effect.flatMap(Server.serve([answer]), ({ baseUrl }) =>
    LanguageModel.streamText({ prompt: "hi", disableToolCallResolution: true, toolCallValidation: "deferred" }).pipe(
      Stream.runCollect,
      Effect.provide(Layer.provide(Anthropic.layer({ baseUrl, model: "m", ...options }), FetchHttpClient.layer))
    )
  )

const shown = (parts: ReadonlyArray<Response.AnyPart>): ReadonlyArray<unknown> =>
  parts.flatMap((part): ReadonlyArray<unknown> => {
    switch (part.type) {
      case "text-delta":
      case "reasoning-delta":
      case "tool-params-delta":
        return [part.delta]
      case "tool-call":
        return [[part.id, part.name, part.params]]
      case "finish":
        return [part.reason]
      case "response-metadata":
        return []
      default:
        return [part.type]
    }
  })

const reads = (name: string, answer: Server.Answer, expected: ReadonlyArray<unknown>) =>
  it.live(name, () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(shown(yield* pieces(answer)), expected)
    })
  )

const fails = (
  name: string,
  answer: Server.Answer,
  expected: { readonly reason: string; readonly transient: boolean; readonly says?: string },
  options: Partial<Anthropic.Options> = {}
) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(pieces(answer, options))
      assert.strictEqual(error.reason._tag, expected.reason, error.message)
      assert.strictEqual(ModelFailure.isTransient(error), expected.transient)
      if (expected.says !== undefined) assert.include(error.message, expected.says)
    })
  )

const hello = ["text-start", "Hel", "lo", "text-end", "stop"]
const call = ["tool-params-start", '{"q":', '"x"}', "tool-params-end", ["toolu_1", "search", { q: "x" }], "tool-calls"]
const bytes = (text: string) => new TextEncoder().encode(text)

describe("a streamed answer", () => {
  reads("9.2 shows text as it grows", events(answered), hello)
  reads("9.2 shows a call as it grows, and gives it out at the end", events(called), call)
  reads(
    "9.2 shows thinking, and what came after it",
    events([
      start(),
      begin(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, { type: "thinking_delta", thinking: "hm" }),
      delta(0, { type: "signature_delta", signature: "sig" }),
      end(0),
      begin(1, text),
      delta(1, { type: "text_delta", text: "so" }),
      end(1),
      ...stop()
    ]),
    ["reasoning-start", "hm", "reasoning-end", "text-start", "so", "text-end", "stop"]
  )
  reads(
    "9.2 reads blocks that grow side by side, and calls in the order in which they began",
    events([
      start(),
      begin(0, toolUse),
      begin(1, { ...toolUse, id: "toolu_2" }),
      json(1, '{"q":2}'),
      json(0, '{"q":1}'),
      end(1),
      end(0),
      ...stop("tool_use")
    ]),
    [
      "tool-params-start",
      "tool-params-start",
      '{"q":2}',
      '{"q":1}',
      "tool-params-end",
      "tool-params-end",
      ["toolu_1", "search", { q: 1 }],
      ["toolu_2", "search", { q: 2 }],
      "tool-calls"
    ]
  )
  reads(
    "9.2 reads arguments that came whole with the block, as some servers send them",
    events([start(), begin(0, { ...toolUse, input: { q: "x" } }), end(0), ...stop("tool_use")]),
    ["tool-params-start", "tool-params-end", ["toolu_1", "search", { q: "x" }], "tool-calls"]
  )
  reads(
    "9.2 passes over events and deltas of kinds that it does not know, and over pings and comments",
    events([
      ": hello\n\n",
      { type: "ping" },
      start(),
      { type: "brand_new", index: 7 },
      begin(0, text),
      delta(0, { type: "brand_new_delta" }),
      said("Hel"),
      { type: "ping" },
      said("lo"),
      end(0),
      ...stop()
    ]),
    hello
  )
  reads(
    "9.2 reads events that arrive byte by byte, with other line ends and split characters",
    events(
      [
        ...bytes(
          [...answered.slice(0, 2), said("hé😀"), ...answered.slice(4)]
            .map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`)
            .join("")
        )
      ].map((byte) => ({ bytes: new Uint8Array([byte]) }))
    ),
    ["text-start", "hé😀", "text-end", "stop"]
  )
  reads("9.2 needs no message_stop once it was said why the answer stopped", events(answered.slice(0, -1)), hello)
  reads("9.2 does not read past message_stop", events([...answered, { until: new Promise(() => {}) }]), hello)
  reads("9.2 keeps an answer that was complete before the connection broke", events(called, { cut: true }), call)
  reads(
    "9.2 reads a whole answer that came in spite of the wish for a stream",
    Server.raw(200, {
      id: "msg_1",
      content: [text, { ...text, text: "hi" }, { ...toolUse, input: { q: "x" } }],
      stop_reason: "tool_use",
      usage: { input_tokens: 1, output_tokens: 1 }
    }),
    [
      "text-start",
      "hi",
      "text-end",
      "tool-params-start",
      '{"q":"x"}',
      "tool-params-end",
      ["toolu_1", "search", { q: "x" }],
      "tool-calls"
    ]
  )
  reads(
    "9.2 goes by the arguments where the server does not say why it stopped",
    events([...called.slice(0, -2), { type: "message_stop" }]),
    call
  )
  reads(
    "9.2 trusts no call that is incomplete where the server does not say why it stopped",
    events([start(), begin(0, toolUse), json(0, '{"q":'), end(0), { type: "message_stop" }]),
    ["tool-params-start", '{"q":', "tool-params-end", ["toolu_1", "search", '{"q":'], "unknown"]
  )

  for (let length = 1; length < called.length - 1; length++) {
    fails(
      `11.3 gives out no call of a stream cut after ${length} events`,
      events(called.slice(0, length), { cut: true }),
      {
        reason: "NetworkError",
        transient: true
      }
    )
  }
  fails("11.3 a stream that ends before its end was cut", events(called.slice(0, 4)), {
    reason: "NetworkError",
    transient: true,
    says: "the stream ended before the answer was complete"
  })
  fails("11.3 an empty stream was cut", events([]), { reason: "NetworkError", transient: true })
  fails("11.3 an event that is cut is no event", events([...called.slice(0, 2), 'data: {"type":"content_blo']), {
    reason: "NetworkError",
    transient: true
  })
  fails(
    "11.3 silence, also where pings go on, is given up",
    events([start(), { type: "ping" }, { until: new Promise(() => {}) }]),
    { reason: "NetworkError", transient: true, says: "no answer in time" },
    { timeout: Duration.millis(60) }
  )
  fails(
    "11.3 an overloaded server may say so in the middle",
    events([...called.slice(0, 3), Server.errorBody("overloaded_error", "Overloaded")]),
    { reason: "InternalProviderError", transient: true, says: "HTTP 529: Overloaded" }
  )
  fails(
    "11.3 a limit may be told in the middle",
    events([start(), Server.errorBody("rate_limit_error", "slow down")]),
    { reason: "RateLimitError", transient: true }
  )
  fails(
    "4.15 keeps the API key out of errors in the middle",
    events([start(), Server.errorBody("authentication_error", "bad key sk-secret-1")]),
    { reason: "AuthenticationError", transient: false, says: "bad key [api key]" },
    { apiKey: Redacted.make("sk-secret-1") }
  )
  fails(
    "4.15 keeps the API key out of the names of events",
    events([{ type: "content_block_sk-secret-1" }]),
    { reason: "InvalidResponseError", transient: false, says: "(content_block_[api key]): no message has started" },
    { apiKey: Redacted.make("sk-secret-1") }
  )
  fails(
    "9.2 does not hold more than its bound",
    events([start(), begin(0, text), ...Array.from({ length: 20 }, () => said("y".repeat(10_000)))]),
    { reason: "InvalidResponseError", transient: false, says: "exceeds 100000 characters" },
    { maxBytes: 100_000 }
  )
  fails(
    "9.2 does not hold more empty events than its bound",
    events([start(), begin(0, text), ...Array.from({ length: 4000 }, () => said(""))]),
    { reason: "InvalidResponseError", transient: false, says: "exceeds 100000 characters" },
    { maxBytes: 100_000 }
  )

  for (const [name, list, says] of [
    ["a block before the message", [begin(0, text)], "event 1 (content_block_start): no message has started"],
    ["two messages", [start(), start()], "event 2 (message_start): the message has already started"],
    [
      "a block that begins twice",
      [start(), begin(0, text), begin(0, text)],
      "event 3 (content_block_start): block 0 has already started"
    ],
    [
      "a block without an index",
      [start(), { type: "content_block_start", content_block: text }],
      "event 2 (content_block_start): it has no index"
    ],
    ["a delta of no block", [start(), said("x")], "event 2 (content_block_delta): block 0 has not started"],
    [
      "a delta of a block that has ended",
      [start(), begin(0, text), end(0), said("x")],
      "event 4 (content_block_delta): block 0 has ended"
    ],
    [
      "text in a call",
      [start(), begin(0, toolUse), said("x")],
      "event 3 (content_block_delta): a text_delta does not belong in a block of the type tool_use"
    ],
    [
      "arguments in a text",
      [start(), begin(0, text), json(0, "{}")],
      "event 3 (content_block_delta): a input_json_delta does not belong in a block of the type text"
    ],
    ["an end of no block", [start(), end(3)], "event 2 (content_block_stop): block 3 has not started"],
    ["two ends", [start(), begin(0, text), end(0), end(0)], "event 4 (content_block_stop): block 0 has already ended"],
    [
      "an end of the message inside of a block",
      [start(), begin(0, toolUse), ...stop("tool_use")],
      "event 4 (message_stop): block 0 has not ended"
    ]
  ] as const) {
    fails(`9.2 names the event that breaks the protocol: ${name}`, events(list), {
      reason: "InvalidResponseError",
      transient: false,
      says
    })
  }
  fails("9.2 names an event that is not JSON", events([start(), "data: {oops\n\n"]), {
    reason: "InternalProviderError",
    transient: true,
    says: "event 2 is not JSON"
  })
})

describe("the reader of a stream", () => {
  const known = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "error",
    "ping"
  ]
  const block = Schema.Struct({
    type: Schema.Literals(["text", "thinking", "tool_use", "server_tool_use", "odd"]),
    input: Schema.optionalKey(Schema.Json)
  })
  const change = Schema.Struct({
    type: Schema.Literals(["text_delta", "thinking_delta", "input_json_delta", "signature_delta", "citations_delta"]),
    text: Schema.optionalKey(Schema.Json),
    partial_json: Schema.optionalKey(Schema.String)
  })
  const Event = Schema.Struct({
    type: Schema.Literals(known as [string, ...Array<string>]),
    index: Schema.optionalKey(Schema.Literals([0, 1, 2])),
    content_block: Schema.optionalKey(Schema.Union([block, Schema.Json])),
    delta: Schema.optionalKey(Schema.Union([change, Schema.Json])),
    message: Schema.optionalKey(Schema.Json),
    usage: Schema.optionalKey(Schema.Json)
  })

  it.prop(
    "9.2 survives any events, and gives out no call without an end",
    [Schema.Array(Event)],
    ([list]) => {
      const reader = readStream(new Set())
      for (const event of [start(), ...list.filter(({ type }) => type !== "message_start")]) {
        const parts = reader.read(event)
        if (typeof parts === "string") return
        assert.isFalse(parts.some(({ type }) => type === "tool-call" || type === "finish"))
      }
      const hasStopped = list.some(({ type }) => type === "message_stop" || type === "message_delta")
      if (!hasStopped) assert.strictEqual(reader.progress(), "incomplete")
      if (reader.progress() === "incomplete") return
      const last = reader.finish()
      assert.isTrue(Result.isSuccess(last) && last.success.at(-1)?.type === "finish")
    },
    { arbitrary: { runs: 500 } }
  )
})

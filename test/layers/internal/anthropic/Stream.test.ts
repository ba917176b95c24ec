/** Checks valid and invalid streams of the Messages API. The first tests are `it.live`, because they use sockets. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted, Result, Schema } from "effect"
import type { AiError } from "effect/ai"
import * as Anthropic from "#layers/Anthropic"
import { readStream } from "#layers/internal/anthropic/Stream"
import * as Server from "../../../support/AnthropicServer.ts"
import { requestsTo, shown, stream } from "../../../support/modelRequests.ts"

const { served } = requestsTo(Server.serve, Anthropic.layer)
const { begin, delta, end, events, start, stop } = Server

const text = { type: "text", text: "", citations: null }
const toolUse = { type: "tool_use", id: "toolu_1", name: "search", input: {}, caller: { type: "direct" } }
const textDelta = (words: string) => delta(0, { type: "text_delta", text: words })
const json = (index: number, partial: string) => delta(index, { type: "input_json_delta", partial_json: partial })

const called = [start(), begin(0, toolUse), json(0, '{"q":'), json(0, '"x"}'), end(0), ...stop("tool_use")]

const reads = (name: string, respond: Server.Responder, expected: ReadonlyArray<unknown>) =>
  it.live(name, () =>
    served([respond], () =>
      Effect.gen(function* () {
        const { received, error } = yield* stream()
        assert.strictEqual(error, undefined)
        assert.deepStrictEqual(shown(received), expected)
      })
    )
  )

const fails = (
  name: string,
  respond: Server.Responder,
  expected: { readonly reason: AiError.AiErrorReason["_tag"]; readonly retryable: boolean; readonly says: string },
  options: Partial<Anthropic.Options> = {}
) =>
  it.live(name, () =>
    served(
      [respond],
      () =>
        Effect.gen(function* () {
          const { error } = yield* stream()
          assert.deepStrictEqual([error?.reason._tag, error?.isRetryable], [expected.reason, expected.retryable])
          assert.include(error?.message, expected.says)
        }),
      options
    )
  )

const hello = ["text-start", "Hel", "lo", "text-end", "stop"]
const call = ["tool-params-start", '{"q":', '"x"}', "tool-params-end", ["toolu_1", "search", { q: "x" }], "tool-calls"]

describe("a streamed answer", () => {
  reads(
    "9.2 reads blocks that grow in parallel, and calls in the order in which they started",
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
    "9.2 reads arguments that are complete in the first event of a block, as some servers send them",
    events([start(), begin(0, { ...toolUse, input: { q: "x" } }), end(0), ...stop("tool_use")]),
    ["tool-params-start", "tool-params-end", ["toolu_1", "search", { q: "x" }], "tool-calls"]
  )
  reads(
    "9.2 skips unknown kinds of events and deltas, pings and comments",
    events([
      ": hello\n\n",
      { type: "ping" },
      start(),
      { type: "brand_new", index: 7 },
      begin(0, text),
      delta(0, { type: "brand_new_delta" }),
      textDelta("Hel"),
      { type: "ping" },
      textDelta("lo"),
      end(0),
      ...stop()
    ]),
    hello
  )
  reads(
    "9.2 skips an empty text if the server answers a request for a stream with a complete answer",
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
    "9.2 emits a call with complete arguments even without a stop reason",
    events([...called.slice(0, -2), { type: "message_stop" }]),
    call
  )
  reads(
    "9.2 finishes with the reason unknown if arguments are truncated without a stop reason",
    events([start(), begin(0, toolUse), json(0, '{"q":'), end(0), { type: "message_stop" }]),
    ["tool-params-start", '{"q":', "tool-params-end", ["toolu_1", "search", '{"q":'], "unknown"]
  )
  fails(
    "11.3 pings do not count as progress",
    events([start(), { type: "ping" }, { until: new Promise(() => {}) }]),
    { reason: "NetworkError", retryable: true, says: "no answer in time" },
    { timeout: Duration.millis(60) }
  )
  fails(
    "11.3 an overloaded server can report an error within a stream",
    events([...called.slice(0, 3), Server.errorBody("overloaded_error", "Overloaded")]),
    { reason: "InternalProviderError", retryable: true, says: "HTTP 529: Overloaded" }
  )
  fails(
    "4.15 an error that names an event does not contain the API key",
    events([{ type: "content_block_sk-secret-1" }]),
    { reason: "InvalidResponseError", retryable: false, says: "(content_block_[api key]): no message has started" },
    { apiKey: Redacted.make("sk-secret-1") }
  )
  fails(
    "9.2 counts empty events against the size limit",
    events([start(), begin(0, text), ...Array.from({ length: 4000 }, () => textDelta(""))]),
    { reason: "InvalidResponseError", retryable: false, says: "exceeds 100000 characters" },
    { maxBytes: 100_000 }
  )

  for (const [name, list, says] of [
    ["a block before the message", [begin(0, text)], "event 1 (content_block_start): no message has started"],
    ["two messages", [start(), start()], "event 2 (message_start): the message has already started"],
    [
      "a block that starts twice",
      [start(), begin(0, text), begin(0, text)],
      "event 3 (content_block_start): block 0 has already started"
    ],
    [
      "a block without an index",
      [start(), { type: "content_block_start", content_block: text }],
      "event 2 (content_block_start): it has no index"
    ],
    ["a delta without a block", [start(), textDelta("x")], "event 2 (content_block_delta): block 0 has not started"],
    [
      "a delta of a block that has ended",
      [start(), begin(0, text), end(0), textDelta("x")],
      "event 4 (content_block_delta): block 0 has ended"
    ],
    [
      "text in a call",
      [start(), begin(0, toolUse), textDelta("x")],
      "event 3 (content_block_delta): text_delta does not belong in a block of the type tool_use"
    ],
    [
      "arguments in a text",
      [start(), begin(0, text), json(0, "{}")],
      "event 3 (content_block_delta): input_json_delta does not belong in a block of the type text"
    ],
    ["an end without a block", [start(), end(3)], "event 2 (content_block_stop): block 3 has not started"],
    ["two ends", [start(), begin(0, text), end(0), end(0)], "event 4 (content_block_stop): block 0 has already ended"],
    [
      "an end of the message inside a block",
      [start(), begin(0, toolUse), ...stop("tool_use")],
      "event 4 (message_stop): block 0 has not ended"
    ]
  ] as const) {
    fails(`9.2 names the event that violates the protocol: ${name}`, events(list), {
      reason: "InvalidResponseError",
      retryable: false,
      says
    })
  }
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
    "9.2 reads any events without throwing, and emits no call before the end",
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

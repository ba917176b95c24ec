/** Checks streams of servers that deviate from the format. The tests are `it.live`, because they use real sockets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AiError, Response } from "effect/ai"
import * as OpenAiCompatible from "#layers/OpenAiCompatible"
import { requestsTo, stream } from "../../../support/modelRequests.ts"
import * as Server from "../../../support/OpenAiServer.ts"

const { served } = requestsTo(Server.start, OpenAiCompatible.layer)
const { chunk, events } = Server

/** Returns each part as a text of its type and content. */
const brief = (parts: ReadonlyArray<Response.AnyPart>) =>
  parts.flatMap((part) => {
    if ("delta" in part) return [`${part.type} ${part.delta}`]
    if (part.type === "tool-call") return [`call ${part.id} ${part.name} ${JSON.stringify(part.params)}`]
    if (part.type === "finish") return [`finish ${part.reason} ${part.usage.outputTokens.total}`]
    return part.type === "response-metadata" ? [`${part.id} ${part.modelId}`] : [part.type]
  })

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const hello = ["chatcmpl-1 served-model", "text-start", "text-delta hello", "text-end"]

const reads = (name: string, respond: Server.Responder, expected: ReadonlyArray<string>) =>
  it.live(name, () =>
    served([respond], () =>
      Effect.gen(function* () {
        const { received, error } = yield* stream()
        assert.strictEqual(error, undefined)
        assert.deepStrictEqual(brief(received), expected)
      })
    )
  )

const fails = (
  name: string,
  respond: Server.Responder,
  expected: { readonly reason: AiError.AiErrorReason["_tag"]; readonly retryable: boolean },
  options: Partial<OpenAiCompatible.Options> = {}
) =>
  it.live(name, () =>
    served(
      [respond],
      () =>
        Effect.gen(function* () {
          const { received, error } = yield* stream()
          assert.deepStrictEqual([error?.reason._tag, error?.isRetryable], [expected.reason, expected.retryable])
          assert.deepStrictEqual(
            received.filter(({ type }) => type === "tool-call" || type === "finish"),
            []
          )
        }),
      options
    )
  )

const text = chunk({ content: "hello" })
const half = chunk({ tool_calls: [{ index: 0, id: "c1", function: { name: "search", arguments: '{"q":' } }] })

describe("a streamed answer", () => {
  reads(
    "9.2 emits text, reasoning and calls as they arrive, and each complete call at the end",
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
    "9.2 reads the finish reason stop after calls as tool-calls",
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
    "11.3 emits a call that was truncated by the output limit, with its text and reason",
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
  reads("9.2 reads only the first of several choices", events([text, another, chunk({}, "stop", { usage }), another]), [
    ...hello,
    "finish stop 2"
  ])
  reads("9.2 needs no finish reason before [DONE]", events([text]), [...hello, "finish stop undefined"])
  reads("9.2 reads [DONE] without its blank line", events([text, "data: [DONE]"], { done: false }), [
    ...hello,
    "finish stop undefined"
  ])
  reads("11.3 finishes with the reason unknown if arguments are truncated without a finish reason", events([half]), [
    "chatcmpl-1 served-model",
    "tool-params-start",
    'tool-params-delta {"q":',
    "tool-params-end",
    'call c1 search "{\\"q\\":"',
    "finish unknown undefined"
  ])
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
  fails("9.2 a stream without a choice is transient", events([]), { reason: "InternalProviderError", retryable: true })
  fails(
    "9.2 an answer whose calls exceed the size limit is refused",
    events(
      Array.from({ length: 1_500 }, (_, n) =>
        chunk({ tool_calls: [{ index: n, id: `c${n}`, function: { name: "t" } }] })
      )
    ),
    { reason: "InvalidResponseError", retryable: false },
    { maxBytes: 100_000 }
  )
  fails(
    "9.2 an answer whose empty chunks exceed the size limit is refused",
    events(Array.from({ length: 7_000 }, () => chunk({}))),
    { reason: "InvalidResponseError", retryable: false },
    { maxBytes: 100_000 }
  )
})

/**
 * Tests behaviour that is specific to the Chat Completions API with a real server on loopback. Every test is `it.live`,
 * because it uses real sockets. `test/contracts/Provider.ts` tests what all providers share.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { LanguageModel } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import * as OpenAiCompatible from "#layers/OpenAiCompatible"
import { assistant, call, conversation, result, system, tool, user } from "../support/conversation.ts"
import { ask, brief, deferred, requestsTo } from "../support/modelRequests.ts"
import * as Server from "../support/OpenAiServer.ts"

const { answers, both, fails, served } = requestsTo(Server.start, OpenAiCompatible.layer)

const deep = '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000)

describe("OpenAiCompatible", () => {
  answers("9.2 reads a refusal as text", Server.completion({ refusal: "I will not." }), ["I will not.", "stop"])
  both(
    "9.1 replaces empty ids and ids that the answer or the conversation already has",
    [
      Server.completion({
        calls: ["", "c1", "c1", "old"].map((id, n) => ({ id, name: "search", arguments: `{"q":"${n}"}` }))
      })
    ],
    (streaming) =>
      Effect.gen(function* () {
        const parts = yield* ask(streaming, conversation(user("hi"), assistant(call("old")), tool(result("old"))))
        const calls = parts.filter((part) => part.type === "tool-call")
        assert.deepStrictEqual(
          calls.map(({ params }) => params),
          [{ q: "0" }, { q: "1" }, { q: "2" }, { q: "3" }]
        )
        const ids: ReadonlyArray<string> = calls.map(({ id }) => id)
        assert.strictEqual(ids[1], "c1")
        assert.strictEqual(new Set([...ids, "", "old"]).size, 6)
      })
  )
  fails(
    "11.3 an exhausted quota is not transient, even if the server says when to retry",
    Server.failure(429, "You exceeded your current quota", { code: "insufficient_quota" }, { "retry-after": "7" }),
    { reason: "QuotaExhaustedError", retryable: false }
  )
  fails(
    "11.3 a conversation that is too long is recognised by vLLM's message",
    Server.raw(400, { object: "error", message: "This model's maximum context length is 4096 tokens.", code: 400 }),
    { reason: "InvalidRequestError", retryable: false, contextLimit: true }
  )
  fails(
    "11.3 an error inside a response with status 200 is classified by its numeric code",
    Server.raw(200, { error: { message: "upstream is rate limited", code: 429 } }),
    { reason: "RateLimitError", retryable: true }
  )
  fails("9.2 an answer without choices is transient", Server.raw(200, { id: "x", choices: [] }), {
    reason: "InternalProviderError",
    retryable: true
  })

  both(
    "9.2 reads token counts",
    [Server.completion({ text: "x", usage: { prompt: 100, completion: 30, cached: 40, reasoning: 10 } })],
    (streaming) =>
      Effect.gen(function* () {
        const finish = (yield* ask(streaming)).findLast((part) => part.type === "finish")
        assert.deepStrictEqual(
          { input: { ...finish?.usage.inputTokens }, output: { ...finish?.usage.outputTokens } },
          {
            input: { total: 100, cacheRead: 40, uncached: 60, cacheWrite: undefined },
            output: { total: 30, reasoning: 10, text: 20 }
          }
        )
      })
  )

  both(
    "9.2 sends a conversation with tools in the API's format",
    [Server.completion({ text: "x" })],
    (streaming, server) =>
      Effect.gen(function* () {
        yield* ask(
          streaming,
          conversation(
            system("be brief"),
            user("hi"),
            assistant(call("a", "search", { q: "x" }), call("b", "search", '{"q":')),
            tool(result("a", { rows: [] }), result("b", "not JSON")),
            user("and?")
          )
        )
        const [request] = server.requests
        assert.strictEqual(request?.refused, undefined)
        assert.deepStrictEqual(request?.body as unknown, {
          model: "test-model",
          temperature: 0,
          messages: [
            { role: "system", content: "be brief" },
            { role: "user", content: "hi" },
            {
              role: "assistant",
              content: null,
              tool_calls: [
                { id: "a", type: "function", function: { name: "search", arguments: '{"q":"x"}' } },
                {
                  id: "b",
                  type: "function",
                  function: { name: "search", arguments: '{"malformed_arguments":"{\\"q\\":"}' }
                }
              ]
            },
            { role: "tool", tool_call_id: "a", content: '{"rows":[]}' },
            { role: "tool", tool_call_id: "b", content: "not JSON" },
            { role: "user", content: "and?" }
          ],
          tools: [
            {
              type: "function",
              function: {
                name: "search",
                description: "Searches orders. Read-only.",
                parameters: {
                  type: "object",
                  properties: { q: { type: "string" } },
                  required: ["q"],
                  additionalProperties: false
                }
              }
            }
          ],
          tool_choice: "auto",
          ...(streaming ? { stream: true, stream_options: { include_usage: true } } : {})
        })
        assert.strictEqual(request?.headers.authorization, "Bearer sk-test")
        assert.strictEqual(request?.headers["x-team"], "a")
      }),
    {
      apiKey: Redacted.make("sk-test"),
      settings: { temperature: 0 },
      headers: { "x-team": "a" }
    }
  )

  both(
    "9.4 repairs calls that a model wrote and servers would refuse",
    [Server.completion({ text: "ok" })],
    (streaming, server) =>
      Effect.gen(function* () {
        const long = "x".repeat(60)
        const damaged = conversation(
          user("hi"),
          assistant(call("a", "functions.search orders!", {}), call("a", "", {}), call(long, "search", {})),
          tool(result(long, "3"), result("a", "1"))
        )
        assert.deepStrictEqual(brief(yield* ask(streaming, damaged)), ["ok", "stop"])
        const [request] = server.requests
        assert.strictEqual(request?.refused, undefined)
        assert.deepStrictEqual(
          request?.body.messages?.[1]?.tool_calls?.map(({ function: { name }, id }) => [id, name]),
          [
            ["a", "functions_search_orders_"],
            ["call_3", "_"],
            ["call_4", "search"]
          ]
        )
        assert.deepStrictEqual(
          request?.body.messages?.slice(2).map(({ tool_call_id }) => tool_call_id),
          ["a", "call_3", "call_4"]
        )
      })
  )

  it.live("9.2 names the tool that must be called, and sends no tool_choice without tools", () =>
    served([Server.completion({}), Server.completion({}), Server.completion({})], (server) =>
      Effect.gen(function* () {
        yield* LanguageModel.generateText({ prompt: "hi", ...deferred, toolChoice: { tool: "search" } })
        yield* LanguageModel.generateText({
          prompt: "hi",
          ...deferred,
          toolChoice: { mode: "required", oneOf: ["search"] }
        })
        yield* LanguageModel.generateText({ prompt: "hi" })
        assert.deepStrictEqual(
          server.requests.map(({ body }) => body["tool_choice"]),
          [{ type: "function", function: { name: "search" } }, "required", undefined]
        )
      })
    )
  )

  it.live("9.2 requests structured output by its schema", () =>
    served([Server.completion({ text: '{"n":3}' })], (server) =>
      Effect.gen(function* () {
        const { value } = yield* LanguageModel.generateObject({
          prompt: "hi",
          objectName: "answer",
          schema: Schema.Struct({ n: Schema.Finite })
        })
        assert.deepStrictEqual(value, { n: 3 })
        assert.deepStrictEqual(server.requests[0]?.body["response_format"], {
          type: "json_schema",
          json_schema: {
            name: "answer",
            strict: true,
            schema: {
              type: "object",
              properties: { n: { type: "number" } },
              required: ["n"],
              additionalProperties: false
            }
          }
        })
      })
    )
  )

  it.live("4.15 errors do not contain the secrets of the address", () =>
    Effect.gen(function* () {
      const baseUrl = "http://user:hunter2@127.0.0.1:1/v1?token=hunter3"
      const model = Layer.provide(OpenAiCompatible.layer({ baseUrl, model: "m" }), FetchHttpClient.layer)
      const error = yield* Effect.flip(Effect.provide(ask(false), model))
      assert.include(error.message, "http://127.0.0.1:1/v1")
      assert.notMatch(JSON.stringify(error) + error.message + String(error.stack), /hunter/u)
    })
  )

  answers(
    "9.2 reads deeply nested answers, and leaves deeply nested arguments to the guard",
    () => ({
      status: 200,
      headers: { "content-type": "application/json" },
      pieces: [
        `{"junk":${"[".repeat(100_000)}${"]".repeat(100_000)},"choices":[{"message":{"content":"ok","tool_calls":[`,
        `{"id":"c1","function":{"name":"search","arguments":${JSON.stringify(deep)}}}]}}]}`
      ]
    }),
    ["ok", ["c1", "search", deep], "tool-calls"]
  )

  answers(
    "9.2 reads content as a list, arguments as an object, reasoning, and answers without usage and ids",
    Server.raw(200, {
      choices: [
        {
          message: {
            content: [
              { type: "text", text: "one " },
              { type: "text", text: "two" }
            ],
            reasoning: "hm",
            tool_calls: [{ function: { name: "search", arguments: { q: "a" } } }]
          },
          finish_reason: "stop"
        }
      ],
      usage: null
    }),
    [{ reasoning: "hm" }, "one two", ["call_1", "search", { q: "a" }], "tool-calls"]
  )
})

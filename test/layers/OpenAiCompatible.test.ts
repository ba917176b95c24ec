/** The provider against a real server on loopback: every test here is `it.live` because it uses real sockets. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Layer, Redacted, References, Schema, Stream } from "effect"
import { type AiError, LanguageModel, type Prompt, type Response, Tool, Toolkit } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import * as ModelFailure from "#domain/classification/ModelFailure"
import * as ModelResponse from "#domain/transcript/ModelResponse"
import * as OpenAiCompatible from "#layers/OpenAiCompatible"
import { assistant, call, conversation, result, system, tool, user } from "../support/conversation.ts"
import * as Server from "../support/OpenAiServer.ts"

const Search = Tool.dynamic("search", {
  description: "Searches orders. Read-only.",
  parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"], additionalProperties: false },
  success: Schema.Json
})
const toolkit = Toolkit.make(Search)

const deferred = { toolkit, disableToolCallResolution: true, toolCallValidation: "deferred" } as const

const layer = (server: Server.Server, options: Partial<OpenAiCompatible.Options> = {}) =>
  Layer.provide(
    OpenAiCompatible.layer({ baseUrl: server.baseUrl, model: "test-model", ...options }),
    FetchHttpClient.layer
  )

/** Asks once for each answer of the script, whole or streamed, and returns the parts of the last answer. */
const ask = (streaming: boolean, prompt: Prompt.RawInput = "hi") =>
  streaming
    ? LanguageModel.streamText({ prompt, ...deferred }).pipe(
        Stream.runCollect,
        Effect.map((pieces) => ModelResponse.collect(pieces as ReadonlyArray<Response.AnyPart>))
      )
    : Effect.map(
        LanguageModel.generateText({ prompt, ...deferred }),
        ({ content }) => content as ReadonlyArray<Response.AnyPart>
      )

/** What a test looks at: texts, calls, and why the answer ended. */
const brief = (parts: ReadonlyArray<Response.AnyPart>) =>
  parts.flatMap((part): ReadonlyArray<unknown> => {
    switch (part.type) {
      case "text":
        return [part.text]
      case "reasoning":
        return [{ reasoning: part.text }]
      case "tool-call":
        return [[part.id, part.name, part.params]]
      case "finish":
        return [part.reason]
      default:
        return []
    }
  })

const served = <A, E>(
  script: ReadonlyArray<Server.Answer>,
  test: (server: Server.Server) => Effect.Effect<A, E, LanguageModel.LanguageModel>,
  options: Partial<OpenAiCompatible.Options> = {}
) =>
  Effect.flatMap(Server.start(script), (server) => test(server).pipe(Effect.provide(layer(server, options)))).pipe(
    Effect.provideService(References.MinimumLogLevel, "None")
  )

/** The same for both ways of asking. */
const both = (
  name: string,
  script: ReadonlyArray<Server.Answer>,
  test: (streaming: boolean, server: Server.Server) => Effect.Effect<void, unknown, LanguageModel.LanguageModel>,
  options: Partial<OpenAiCompatible.Options> = {}
) => {
  it.live(`${name}, whole`, () => served(script, (server) => test(false, server), options))
  it.live(`${name}, streamed`, () => served(script, (server) => test(true, server), options))
}

const answers = (name: string, answer: Server.Answer, expected: ReadonlyArray<unknown>) =>
  both(name, [answer], (streaming) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(brief(yield* ask(streaming)), expected)
    })
  )

/** Asserts how a failure of the provider is told. */
const fails = (
  name: string,
  answer: Server.Answer,
  expected: {
    readonly reason: AiError.AiErrorReason["_tag"]
    readonly retryable: boolean
    readonly contextLimit?: boolean
    readonly retryAfterMillis?: number
  }
) =>
  both(name, [answer], (streaming) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(ask(streaming))
      assert.strictEqual(error.reason._tag, expected.reason, error.message)
      assert.strictEqual(error.isRetryable, expected.retryable)
      assert.strictEqual(ModelFailure.isTransient(error), expected.retryable)
      assert.strictEqual(ModelFailure.isContextLimit(error), expected.contextLimit ?? false)
      const after = ModelFailure.retryAfter(error)
      assert.strictEqual(after && Duration.toMillis(after), expected.retryAfterMillis)
    })
  )

const deep = '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000)

describe("OpenAiCompatible", () => {
  answers("9.2 reads a text", Server.completion({ text: "Hello there" }), ["Hello there", "stop"])
  answers("9.2 reads a refusal as text", Server.completion({ refusal: "I will not." }), ["I will not.", "stop"])
  answers(
    "9.2 reads parallel calls in their order",
    Server.completion({
      text: "Let me look.",
      calls: Array.from({ length: 12 }, (_, n) => ({ id: `c${n}`, name: "search", arguments: `{"q":"${n}"}` }))
    }),
    ["Let me look.", ...Array.from({ length: 12 }, (_, n) => [`c${n}`, "search", { q: `${n}` }]), "tool-calls"]
  )
  answers(
    "9.2 keeps id and name of a call whose arguments are malformed, with their text",
    Server.completion({
      calls: [
        { id: "c1", name: "search", arguments: '{"q": "a",}' },
        { id: "c2", name: "no such tool", arguments: "" },
        { id: "c3", name: "search", arguments: "[1]" }
      ]
    }),
    [["c1", "search", '{"q": "a",}'], ["c2", "no such tool", {}], ["c3", "search", "[1]"], "tool-calls"]
  )
  answers(
    "11.3 tells by the finish reason that a call was cut off by the output limit",
    Server.completion({ calls: [{ id: "c1", name: "search", arguments: '{"q": "abc' }], finishReason: "length" }),
    [["c1", "search", '{"q": "abc'], "length"]
  )
  both(
    "9.1 replaces empty ids and ids that the answer or the conversation has already",
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
    "11.3 a rate limit is transient and says when to come back",
    Server.failure(429, "slow down", { code: "rate_limit_exceeded" }, { "retry-after": "7" }),
    { reason: "RateLimitError", retryable: true, retryAfterMillis: 7000 }
  )
  for (const [form, header, millis] of [
    ["seconds", { "retry-after": "1.5" }, 1500],
    ["milliseconds, which go first", { "retry-after-ms": "250", "retry-after": "7" }, 250],
    ["a date that is past", { "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT" }, 0],
    ["nonsense, which says nothing", { "retry-after": "soon" }, undefined]
  ] as const) {
    fails(`11.3 reads when to come back as ${form}`, Server.failure(429, "slow down", {}, header), {
      reason: "RateLimitError",
      retryable: true,
      ...(millis === undefined ? {} : { retryAfterMillis: millis })
    })
  }
  fails(
    "11.3 a used-up quota is not transient",
    Server.failure(429, "You exceeded your current quota", { code: "insufficient_quota" }, { "retry-after": "7" }),
    { reason: "QuotaExhaustedError", retryable: false }
  )
  fails("11.3 a server error is transient", Server.failure(500, "oops", { type: "server_error" }), {
    reason: "InternalProviderError",
    retryable: true
  })
  fails("11.3 an overloaded server may say when to come back", Server.raw(503, "busy", { "retry-after-ms": "1500" }), {
    reason: "InternalProviderError",
    retryable: true,
    retryAfterMillis: 1500
  })
  fails("11.3 a refused key is permanent", Server.failure(401, "Incorrect API key", { code: "invalid_api_key" }), {
    reason: "AuthenticationError",
    retryable: false
  })
  fails("11.3 a wrong request is permanent", Server.failure(400, "Unknown parameter: 'x'.", { param: "x" }), {
    reason: "InvalidRequestError",
    retryable: false
  })
  fails(
    "11.3 a conversation that is too long is told apart, by its code",
    Server.failure(400, "too long", { code: "context_length_exceeded" }),
    { reason: "InvalidRequestError", retryable: false, contextLimit: true }
  )
  fails(
    "11.3 a conversation that is too long is told apart, in the words of vLLM",
    Server.raw(400, { object: "error", message: "This model's maximum context length is 4096 tokens.", code: 400 }),
    { reason: "InvalidRequestError", retryable: false, contextLimit: true }
  )
  fails(
    "11.3 an error inside a 200 counts by its own code",
    Server.raw(200, { error: { message: "upstream is rate limited", code: 429 } }),
    { reason: "RateLimitError", retryable: true }
  )
  fails("9.2 an HTML page with 200 is no answer", Server.raw(200, "<html>hi</html>", { "content-type": "text/html" }), {
    reason: "InvalidResponseError",
    retryable: false
  })
  fails("9.2 an answer without choices may pass", Server.raw(200, { id: "x", choices: [] }), {
    reason: "InternalProviderError",
    retryable: true
  })
  fails("9.2 another document is no answer", Server.raw(200, { hello: "world" }), {
    reason: "InvalidResponseError",
    retryable: false
  })
  fails("9.2 an empty answer may pass", Server.raw(200, ""), { reason: "InternalProviderError", retryable: true })
  fails("9.2 a body that breaks off is transient", Server.cutBody('{"id":"x","choices":[{"message"'), {
    reason: "NetworkError",
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
    "9.2 sends a conversation with tools, as the API wants it",
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
    "9.4 sends what models wrote and servers refuse in a form that they take",
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

  it.live("9.2 the settings of an effect go over those of the layer, inner ones first", () =>
    served(
      [Server.completion({ text: "1" }), Server.completion({ text: "2" })],
      (server) =>
        Effect.gen(function* () {
          const inner = LanguageModel.generateText({ prompt: "hi" }).pipe(
            OpenAiCompatible.withSettings({ temperature: 1 })
          )
          yield* inner.pipe(OpenAiCompatible.withSettings({ temperature: 0.5, seed: 7, model: "other" }))
          yield* LanguageModel.generateText({ prompt: "hi" })
          assert.deepStrictEqual(
            server.requests.map(({ body }) => [body.model, body["temperature"], body["seed"], body["max_tokens"]]),
            [
              ["other", 1, 7, 50],
              ["test-model", 0, undefined, 50]
            ]
          )
        }),
      { settings: { temperature: 0, max_tokens: 50 } }
    )
  )

  it.live("9.2 names the tool that must be called, and sends no choice without tools", () =>
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

  it.live("9.2 asks for structured output by its schema", () =>
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

  it.live("4.15 keeps what an address holds of secrets out of errors", () =>
    Effect.gen(function* () {
      const baseUrl = "http://user:hunter2@127.0.0.1:1/v1?token=hunter3"
      const model = Layer.provide(OpenAiCompatible.layer({ baseUrl, model: "m" }), FetchHttpClient.layer)
      const error = yield* Effect.flip(Effect.provide(ask(false), model))
      assert.include(error.message, "http://127.0.0.1:1/v1")
      assert.notMatch(JSON.stringify(error) + error.message + String(error.stack), /hunter/u)
    })
  )

  it.live("4.15 keeps the API key out of whatever an error tells", () =>
    served(
      [
        Server.raw(
          400,
          { error: { message: "no", type: "t sk-secret-1234", code: "c sk-secret-1234", param: "p sk-secret-1234" } },
          { "content-type": "application/json", "x-request-id": "sk-secret-1234" }
        )
      ],
      () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(ask(false))
          const told = JSON.stringify(error) + error.message + String(error.stack)
          assert.include(told, "p [api key]")
          assert.notInclude(told, "sk-secret-1234")
        }),
      { apiKey: Redacted.make("sk-secret-1234") }
    )
  )

  for (const status of [302, 307, 308]) {
    it.live(`4.15 takes key and conversation nowhere else: a redirect (${status}) is an error that says where to`, () =>
      Effect.gen(function* () {
        const other = yield* Server.start([Server.completion({ text: "stolen" })])
        const location = `${other.baseUrl}/elsewhere?key=1`
        yield* served(
          [Server.raw(status, "", { location }), Server.raw(status, "", { location })],
          () =>
            Effect.gen(function* () {
              for (const streaming of [false, true]) {
                const error = yield* Effect.flip(ask(streaming))
                assert.strictEqual((error as AiError.AiError).reason._tag, "InvalidResponseError")
                assert.include(error.message, `HTTP ${status}: a redirect to ${other.baseUrl}/elsewhere, which is not`)
              }
            }),
          { apiKey: Redacted.make("sk-secret-1234") }
        )
        assert.deepStrictEqual(other.requests, [])
      })
    )
  }

  it.live("4.15 keeps the API key out of errors, also where the server repeats it", () =>
    served(
      [Server.failure(401, "Incorrect API key provided: sk-secret-1234.")],
      () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(ask(false))
          assert.include(error.message, "[api key]")
          assert.notInclude(JSON.stringify(error) + error.message + String(error.stack), "sk-secret-1234")
        }),
      { apiKey: Redacted.make("sk-secret-1234") }
    )
  )

  answers(
    "9.2 survives answers that are nested without bound, and leaves such arguments to the guard",
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
  fails(
    "9.2 survives an error that is nested without bound",
    Server.raw(400, `{"error":${"[".repeat(20_000)}${"]".repeat(20_000)}}`),
    {
      reason: "InvalidRequestError",
      retryable: false
    }
  )

  it.live("9.2 takes key, address and model from the environment", () =>
    Effect.gen(function* () {
      const server = yield* Server.start([Server.completion({ text: "1" }), Server.completion({ text: "2" })])
      const asked = (env: { readonly [name: string]: string }) =>
        LanguageModel.generateText({ prompt: "hi" }).pipe(
          Effect.provide(Layer.provide(OpenAiCompatible.layerConfig, FetchHttpClient.layer)),
          Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))
        )
      yield* asked({ OPENAI_BASE_URL: `${server.baseUrl}/`, OPENAI_API_KEY: "sk-env", OPENAI_MODEL: "env-model" })
      yield* asked({ OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: "" })
      assert.deepStrictEqual(
        server.requests.map(({ body, headers }) => [body.model, headers.authorization]),
        [
          ["env-model", "Bearer sk-env"],
          [OpenAiCompatible.defaultModel, undefined]
        ]
      )
    })
  )

  answers(
    "9.2 reads answers of other servers: content as a list, arguments as an object, reasoning, no usage, no ids",
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

  it.live("9.2 a server that is not there is a transient network error", () =>
    Effect.gen(function* () {
      const server = yield* Effect.scoped(Server.start([]))
      const error = yield* Effect.flip(ask(false).pipe(Effect.provide(layer(server))))
      assert.strictEqual(error.reason._tag, "NetworkError")
      assert.include(error.message, "ECONNREFUSED")
      assert.isTrue(ModelFailure.isTransient(error))
    })
  )

  both(
    "11.3 does not wait for ever",
    [Server.hang],
    (streaming) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(ask(streaming))
        assert.strictEqual(error.reason._tag, "NetworkError")
        assert.isTrue(ModelFailure.isTransient(error))
      }),
    { timeout: "50 millis" }
  )

  both(
    "9.2 does not read a body past its bound",
    [
      () => ({
        status: 200,
        headers: { "content-type": "application/json" },
        pieces: [`{"x":"${"y".repeat(200_000)}`, { until: new Promise(() => {}) }]
      })
    ],
    (streaming) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(ask(streaming))
        assert.strictEqual(error.reason._tag, "InvalidResponseError")
        assert.include(error.message, "exceeds 100000 bytes")
      }),
    { maxBytes: 100_000 }
  )
})

/** The provider against a real server on loopback: every test here is `it.live` because it uses real sockets. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Layer, Redacted, References, Schema, Stream } from "effect"
import { type AiError, LanguageModel, Prompt, type Response, Tool, Toolkit } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import * as ModelFailure from "#domain/classification/ModelFailure"
import * as ModelResponse from "#domain/transcript/ModelResponse"
import * as Anthropic from "#layers/Anthropic"
import { assistant, call, conversation, result, system, text, tool, user } from "../support/conversation.ts"
import * as Server from "../support/AnthropicServer.ts"

const Search = Tool.dynamic("search", {
  description: "Searches orders. Read-only.",
  parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"], additionalProperties: false },
  success: Schema.Json
})
const toolkit = Toolkit.make(Search)

const deferred = { toolkit, disableToolCallResolution: true, toolCallValidation: "deferred" } as const

const layer = (server: Server.Server, options: Partial<Anthropic.Options> = {}) =>
  Layer.provide(Anthropic.layer({ baseUrl: server.baseUrl, model: "test-model", ...options }), FetchHttpClient.layer)

/** Asks once, whole or streamed, and returns the parts of the answer. */
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
  options: Partial<Anthropic.Options> = {}
) =>
  Effect.flatMap(Server.serve(script), (server) => test(server).pipe(Effect.provide(layer(server, options)))).pipe(
    Effect.provideService(References.MinimumLogLevel, "None")
  )

/** The same for both ways of asking. */
const both = (
  name: string,
  script: ReadonlyArray<Server.Answer>,
  test: (streaming: boolean, server: Server.Server) => Effect.Effect<void, unknown, LanguageModel.LanguageModel>,
  options: Partial<Anthropic.Options> = {}
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

describe("Anthropic", () => {
  answers("9.2 reads a text", Server.message({ text: "Hello there" }), ["Hello there", "stop"])
  answers(
    "9.2 reads parallel calls in their order",
    Server.message({
      text: "Let me look.",
      calls: Array.from({ length: 12 }, (_, n) => ({ id: `toolu_${n}`, name: "search", input: { q: `${n}` } }))
    }),
    ["Let me look.", ...Array.from({ length: 12 }, (_, n) => [`toolu_${n}`, "search", { q: `${n}` }]), "tool-calls"]
  )
  answers(
    "9.2 reads calls without arguments, and of tools that are not there",
    Server.message({ calls: [{ id: "toolu_1", name: "no_such_tool", input: {} }] }),
    [["toolu_1", "no_such_tool", {}], "tool-calls"]
  )
  for (const [told, expected] of [
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["pause_turn", "pause"],
    ["refusal", "content-filter"]
  ] as const) {
    answers(`9.2 tells the stop reason ${told} as ${expected}`, Server.message({ text: "x", stopReason: told }), [
      "x",
      expected
    ])
  }

  it.live("9.2 keeps id and name of a call whose arguments are malformed, with their text", () =>
    served(
      [
        Server.message({
          calls: [
            { id: "toolu_1", name: "search", input: '{"q": "a",}' },
            { id: "toolu_2", name: "search", input: "" },
            { id: "toolu_3", name: "search", input: "[1]" }
          ]
        })
      ],
      () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(brief(yield* ask(true)), [
            ["toolu_1", "search", '{"q": "a",}'],
            ["toolu_2", "search", {}],
            ["toolu_3", "search", "[1]"],
            "tool-calls"
          ])
        })
    )
  )

  it.live("11.3 tells by the finish reason that a call was cut off by the output limit", () =>
    served(
      [
        Server.message({
          calls: [{ id: "toolu_1", name: "search", input: '{"q": "abc' }],
          stopReason: "max_tokens"
        })
      ],
      () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(brief(yield* ask(true)), [["toolu_1", "search", '{"q": "abc'], "length"])
        })
    )
  )

  both(
    "9.1 replaces ids that the answer or the conversation has already",
    [
      Server.message({
        calls: ["c1", "c1", "old"].map((id, n) => ({ id, name: "search", input: { q: `${n}` } }))
      })
    ],
    (streaming) =>
      Effect.gen(function* () {
        const parts = yield* ask(streaming, conversation(user("hi"), assistant(call("old")), tool(result("old"))))
        const calls = parts.filter((part) => part.type === "tool-call")
        assert.deepStrictEqual(
          calls.map(({ params }) => params),
          [{ q: "0" }, { q: "1" }, { q: "2" }]
        )
        const ids: ReadonlyArray<string> = calls.map(({ id }) => id)
        assert.strictEqual(ids[0], "c1")
        assert.strictEqual(new Set([...ids, "old"]).size, 4)
      })
  )

  both(
    "9.2 keeps thinking, what was withheld of it, and blocks of other kinds, and sends them back as they came",
    [
      Server.message({
        thinking: "Where are they?",
        redacted: "hidden",
        text: "Let me look.",
        calls: [{ id: "toolu_1", name: "search", input: { q: "a" } }],
        blocks: [
          {
            type: "server_tool_use",
            id: "srvtoolu_1",
            name: "web_search",
            input: { query: "x" },
            caller: { type: "direct" }
          },
          {
            type: "web_search_tool_result",
            tool_use_id: "srvtoolu_1",
            caller: { type: "direct" },
            content: { type: "web_search_tool_result_error", error_code: "unavailable" }
          }
        ]
      }),
      Server.message({ text: "done" })
    ],
    (streaming, server) =>
      Effect.gen(function* () {
        const parts = yield* ask(streaming)
        assert.deepStrictEqual(brief(parts), [
          { reasoning: "Where are they?" },
          { reasoning: "" },
          "Let me look.",
          ["toolu_1", "search", { q: "a" }],
          { reasoning: "" },
          { reasoning: "" },
          "tool-calls"
        ])
        const said = Prompt.concat(Prompt.make("hi"), Prompt.fromResponseParts(parts))
        yield* ask(streaming, Prompt.concat(said, [tool(result("toolu_1"))]))
        const request = server.requests[1]
        assert.strictEqual(request?.refused, undefined)
        const content = request?.body.messages?.[1]?.content as ReadonlyArray<{ readonly type: string }>
        assert.deepInclude(content, {
          type: "thinking",
          thinking: "Where are they?",
          signature: Server.signatureOf("Where are they?")
        } as never)
        assert.deepInclude(content, { type: "redacted_thinking", data: "hidden" } as never)
        assert.deepStrictEqual(
          content.map(({ type }) => type),
          ["thinking", "redacted_thinking", "text", "tool_use", "server_tool_use", "web_search_tool_result"]
        )
      })
  )

  fails(
    "11.3 a rate limit is transient and says when to come back",
    Server.failure(429, "rate_limit_error", "This request would exceed your rate limit", { "retry-after": "7" }),
    { reason: "RateLimitError", retryable: true, retryAfterMillis: 7000 }
  )
  fails(
    "11.3 an overloaded server is transient and may say when to come back",
    Server.failure(529, "overloaded_error", "Overloaded", { "retry-after": "2" }),
    { reason: "InternalProviderError", retryable: true, retryAfterMillis: 2000 }
  )
  fails("11.3 a server error is transient", Server.failure(500, "api_error", "Internal server error"), {
    reason: "InternalProviderError",
    retryable: true
  })
  fails("11.3 a timeout of the gateway is transient", Server.failure(504, "timeout_error", "Timeout"), {
    reason: "InternalProviderError",
    retryable: true
  })
  fails(
    "11.3 a used-up account is not transient",
    Server.failure(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    { reason: "QuotaExhaustedError", retryable: false }
  )
  fails("11.3 an unpaid account is not transient", Server.failure(402, "billing_error", "Payment required"), {
    reason: "QuotaExhaustedError",
    retryable: false
  })
  fails("11.3 a refused key is permanent", Server.failure(401, "authentication_error", "invalid x-api-key"), {
    reason: "AuthenticationError",
    retryable: false
  })
  fails("11.3 a key without the right is permanent", Server.failure(403, "permission_error", "no"), {
    reason: "AuthenticationError",
    retryable: false
  })
  fails("11.3 a model that is not there is permanent", Server.failure(404, "not_found_error", "model: x"), {
    reason: "InvalidRequestError",
    retryable: false
  })
  fails("11.3 a wrong request is permanent", Server.failure(400, "invalid_request_error", "temperature: too high"), {
    reason: "InvalidRequestError",
    retryable: false
  })
  for (const [name, status, type, said] of [
    ["by its prompt", 400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"],
    [
      "by its prompt and the room for the answer",
      400,
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease input length or `max_tokens` and try again"
    ],
    ["by its bytes", 413, "request_too_large", "Request exceeds the maximum size"]
  ] as const) {
    fails(`11.3 a conversation that is too long is told apart, ${name}`, Server.failure(status, type, said), {
      reason: "InvalidRequestError",
      retryable: false,
      contextLimit: true
    })
  }
  fails("9.2 an HTML page with 200 is no answer", Server.raw(200, "<html>hi</html>", { "content-type": "text/html" }), {
    reason: "InvalidResponseError",
    retryable: false
  })
  fails("9.2 another document is no answer", Server.raw(200, { hello: "world" }), {
    reason: "InvalidResponseError",
    retryable: false
  })
  fails("9.2 an empty answer may pass", Server.raw(200, ""), { reason: "InternalProviderError", retryable: true })
  fails("9.2 a body that breaks off is transient", Server.cutBody('{"id":"x","content":[{"type"'), {
    reason: "NetworkError",
    retryable: true
  })
  fails(
    "11.3 an error inside a 200 counts by its type",
    Server.raw(200, Server.errorBody("overloaded_error", "Overloaded")),
    { reason: "InternalProviderError", retryable: true }
  )

  both(
    "9.2 reads token counts, those of the cache too",
    [Server.message({ text: "x", usage: { input: 20, output: 30, read: 70, written: 10, thinking: 12 } })],
    (streaming) =>
      Effect.gen(function* () {
        const finish = (yield* ask(streaming)).findLast((part) => part.type === "finish")
        assert.deepStrictEqual(
          { input: { ...finish?.usage.inputTokens }, output: { ...finish?.usage.outputTokens } },
          {
            input: { total: 100, cacheRead: 70, cacheWrite: 10, uncached: 20 },
            output: { total: 30, reasoning: 12, text: 18 }
          }
        )
      })
  )

  both(
    "9.2 sends a conversation with tools, as the API wants it",
    [Server.message({ text: "x" })],
    (streaming, server) =>
      Effect.gen(function* () {
        yield* ask(
          streaming,
          conversation(
            system("be brief"),
            user("hi"),
            assistant(call("a", "search", { q: "x" }), call("b", "search", '{"q":')),
            tool(result("a", { rows: [] }), { ...result("b", "not JSON"), isFailure: true }),
            user("and?")
          )
        )
        const [request] = server.requests
        assert.strictEqual(request?.refused, undefined)
        assert.deepStrictEqual(request?.body as unknown, {
          model: "test-model",
          temperature: 0,
          max_tokens: 16_000,
          system: "be brief",
          messages: [
            { role: "user", content: "hi" },
            {
              role: "assistant",
              content: [
                { type: "tool_use", id: "a", name: "search", input: { q: "x" } },
                { type: "tool_use", id: "b", name: "search", input: { malformed_arguments: '{"q":' } }
              ]
            },
            {
              role: "user",
              content: [
                { type: "tool_result", tool_use_id: "a", content: '{"rows":[]}' },
                { type: "tool_result", tool_use_id: "b", content: "not JSON", is_error: true },
                { type: "text", text: "and?" }
              ]
            }
          ],
          tools: [
            {
              name: "search",
              description: "Searches orders. Read-only.",
              input_schema: {
                type: "object",
                properties: { q: { type: "string" } },
                required: ["q"],
                additionalProperties: false
              }
            }
          ],
          tool_choice: { type: "auto" },
          ...(streaming ? { stream: true } : {})
        })
        assert.strictEqual(request?.headers["x-api-key"], "sk-test")
        assert.strictEqual(request?.headers["anthropic-version"], "2023-06-01")
        assert.strictEqual(request?.headers["x-team"], "a")
      }),
    { apiKey: Redacted.make("sk-test"), settings: { temperature: 0 }, headers: { "x-team": "a" } }
  )

  both(
    "9.4 sends what models wrote and the API refuses in a form that it takes",
    [Server.message({ text: "ok" })],
    (streaming, server) =>
      Effect.gen(function* () {
        const damaged = conversation(
          assistant(
            text(" "),
            Prompt.reasoningPart({ text: "hm" }),
            call("functions.a:0", "functions.search orders!", {})
          ),
          tool(result("functions.a:0", "1")),
          system("late"),
          assistant(call("b")),
          user("?")
        )
        assert.deepStrictEqual(brief(yield* ask(streaming, damaged)), ["ok", "stop"])
        assert.deepStrictEqual(
          server.requests.map(({ refused }) => refused),
          [undefined]
        )
      })
  )

  it.live("9.2 the settings of an effect go over those of the layer, inner ones first", () =>
    served(
      [Server.message({ text: "1" }), Server.message({ text: "2" })],
      (server) =>
        Effect.gen(function* () {
          const inner = LanguageModel.generateText({ prompt: "hi" }).pipe(Anthropic.withSettings({ temperature: 1 }))
          yield* inner.pipe(Anthropic.withSettings({ temperature: 0.5, top_k: 7, model: "other" }))
          yield* LanguageModel.generateText({ prompt: "hi" })
          assert.deepStrictEqual(
            server.requests.map(({ body }) => [body.model, body.temperature, body["top_k"], body.max_tokens]),
            [
              ["other", 1, 7, 50],
              ["test-model", 0, undefined, 50]
            ]
          )
        }),
      { settings: { temperature: 0, max_tokens: 50 } }
    )
  )

  it.live("9.2 leaves room for an answer beside the thinking", () =>
    served(
      [Server.message({ text: "1" })],
      (server) =>
        Effect.gen(function* () {
          yield* ask(false)
          assert.deepStrictEqual(
            [server.requests[0]?.refused, server.requests[0]?.body.max_tokens],
            [undefined, 36_000]
          )
        }),
      { settings: { thinking: { type: "enabled", budget_tokens: 20_000 } } }
    )
  )

  it.live("9.2 says of a tool without parameters that it takes an object, as the API wants it", () =>
    served([Server.message({})], (server) =>
      Effect.gen(function* () {
        const anything = Tool.dynamic("anything", { parameters: {}, success: Schema.Json })
        yield* LanguageModel.generateText({ prompt: "hi", ...deferred, toolkit: Toolkit.make(anything) })
        const [request] = server.requests
        assert.strictEqual(request?.refused, undefined)
        assert.deepStrictEqual(request?.body.tools as unknown, [{ name: "anything", input_schema: { type: "object" } }])
      })
    )
  )

  it.live("9.2 names the tool that must be called, and sends no choice without tools", () =>
    served(
      Array.from({ length: 5 }, () => Server.message({})),
      (server) =>
        Effect.gen(function* () {
          const choosing = (toolChoice: LanguageModel.ToolChoice<"search">) =>
            LanguageModel.generateText({ prompt: "hi", ...deferred, toolChoice })
          yield* choosing({ tool: "search" })
          yield* choosing("required")
          yield* choosing({ mode: "required", oneOf: ["search"] })
          yield* choosing("none")
          yield* LanguageModel.generateText({ prompt: "hi" })
          assert.deepStrictEqual(
            server.requests.map(({ body, refused }) => [refused, body.tool_choice]),
            [
              [undefined, { type: "tool", name: "search", disable_parallel_tool_use: true }],
              [undefined, { type: "any", disable_parallel_tool_use: true }],
              [undefined, { type: "any", disable_parallel_tool_use: true }],
              [undefined, { type: "none" }],
              [undefined, undefined]
            ]
          )
        }),
      { settings: { disable_parallel_tool_use: true } }
    )
  )

  const Answer = Schema.Struct({ n: Schema.Finite, note: Schema.optionalKey(Schema.String) })
  const schema = {
    type: "object",
    properties: { n: { type: "number" }, note: { anyOf: [{ type: "string" }, { type: "null" }] } },
    required: ["n", "note"],
    additionalProperties: false
  }

  it.live("9.2 asks for structured output by its schema", () =>
    served(
      [Server.message({ text: '{"n":3,"note":null}' })],
      (server) =>
        Effect.gen(function* () {
          const { value } = yield* LanguageModel.generateObject({ prompt: "hi", objectName: "answer", schema: Answer })
          assert.deepStrictEqual(value, { n: 3 })
          const [request] = server.requests
          assert.strictEqual(request?.refused, undefined)
          assert.deepStrictEqual(request?.body["output_config"], {
            effort: "low",
            format: { type: "json_schema", schema }
          })
        }),
      { settings: { output_config: { effort: "low" } } }
    )
  )

  it.live("9.2 asks for structured output by a tool, for models that know no other way", () =>
    served(
      [Server.message({ calls: [{ id: "toolu_1", name: "my_answer", input: { n: 3, note: "x" } }] })],
      (server) =>
        Effect.gen(function* () {
          const { finishReason, value } = yield* LanguageModel.generateObject({
            prompt: "hi",
            objectName: "my answer",
            schema: Answer
          })
          assert.deepStrictEqual(value, { n: 3, note: "x" })
          assert.strictEqual(finishReason, "stop")
          const [request] = server.requests
          assert.strictEqual(request?.refused, undefined)
          assert.deepStrictEqual(request?.body.tool_choice, { type: "tool", name: "my_answer" })
          assert.deepStrictEqual(request?.body.tools?.[0]?.["input_schema"], schema)
        }),
      { structuredOutput: "tool" }
    )
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
        const other = yield* Server.serve([Server.message({ text: "stolen" })])
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
      [Server.failure(401, "authentication_error", "invalid x-api-key: sk-secret-1234.")],
      () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(ask(false))
          assert.include(error.message, "[api key]")
          assert.notInclude(JSON.stringify(error) + error.message + String(error.stack), "sk-secret-1234")
        }),
      { apiKey: Redacted.make("sk-secret-1234") }
    )
  )

  it.live("11.3 tells the details of a failure as plain data", () =>
    served([Server.failure(529, "overloaded_error", "Overloaded", { "request-id": "req_7" })], () =>
      Effect.gen(function* () {
        const { reason } = yield* Effect.flip(ask(false))
        assert.deepStrictEqual("metadata" in reason ? reason.metadata : undefined, {
          anthropic: { status: 529, type: "overloaded_error", request_id: "req_7" }
        })
      })
    )
  )

  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`
  answers(
    "9.2 survives answers that are nested without bound, and leaves such arguments to the guard",
    () => ({
      status: 200,
      headers: { "content-type": "application/json" },
      pieces: [
        `{"junk":${nested(100_000)},"content":[{"type":"text","text":"ok","citations":[${nested(20_000)}]},`,
        `{"type":"odd","a":${nested(20_000)}},{"type":"thinking","thinking":"hm","signature":${nested(20_000)}},`,
        `{"type":"tool_use","id":"c1","name":"search","input":${nested(20_000)},"caller":${nested(20_000)}}]}`
      ]
    }),
    ["ok", { reasoning: "hm" }, ["c1", "search", "…"], "tool-calls"]
  )
  it.live("9.2 says of a conversation that cannot be written that it cannot", () =>
    served([], () =>
      Effect.gen(function* () {
        const options = { anthropic: { cache_control: JSON.parse(nested(20_000)) } }
        const error = yield* Effect.flip(
          ask(false, conversation(Prompt.userMessage({ content: [text("x")], options })))
        )
        assert.strictEqual(error.reason._tag, "InvalidRequestError")
        assert.include(error.message, "the request cannot be written as JSON")
      })
    )
  )
  fails(
    "9.2 survives an error that is nested without bound",
    Server.raw(400, `{"error":${"[".repeat(20_000)}${"]".repeat(20_000)}}`),
    { reason: "InvalidRequestError", retryable: false }
  )

  it.live("9.2 speaks the newer version of the API where it is told to, and refuses nothing by itself", () =>
    served(
      [Server.message({ text: "1" })],
      (server) =>
        Effect.gen(function* () {
          yield* ask(false)
          const error = yield* Effect.flip(Anthropic.withSettings({ temperature: 0 })(ask(false)))
          assert.include(error.message, "temperature: Extra inputs are not permitted")
          assert.deepStrictEqual(
            server.requests.map(({ headers }) => [headers["anthropic-version"], headers.authorization]),
            [
              ["2026-10-21", "Bearer token-1"],
              ["2026-10-21", "Bearer token-1"]
            ]
          )
        }),
      { version: "2026-10-21", authToken: Redacted.make("token-1") }
    )
  )

  it.live("9.2 takes key, address and model from the environment", () =>
    Effect.gen(function* () {
      const server = yield* Server.serve(["1", "2", "3"].map((text) => Server.message({ text })))
      const asked = (env: { readonly [name: string]: string }) =>
        LanguageModel.generateText({ prompt: "hi" }).pipe(
          Effect.provide(Layer.provide(Anthropic.layerConfig, FetchHttpClient.layer)),
          Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))
        )
      const address = `${server.baseUrl}/v1/`
      yield* asked({ ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: "sk-env", ANTHROPIC_MODEL: "env-model" })
      yield* asked({ ANTHROPIC_BASE_URL: server.baseUrl, ANTHROPIC_API_KEY: "" })
      yield* asked({ ANTHROPIC_BASE_URL: server.baseUrl, ANTHROPIC_AUTH_TOKEN: "token-1" })
      assert.deepStrictEqual(
        server.requests.map(({ body, headers }) => [body.model, headers["x-api-key"], headers.authorization]),
        [
          ["env-model", "sk-env", undefined],
          [Anthropic.defaultModel, undefined, undefined],
          [Anthropic.defaultModel, undefined, "Bearer token-1"]
        ]
      )
    })
  )

  it.live("9.2 a server that is not there is a transient network error", () =>
    Effect.gen(function* () {
      const server = yield* Effect.scoped(Server.serve([]))
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

describe("Anthropic's cache", () => {
  const history = conversation(
    system("be brief"),
    user("hi"),
    assistant(call("a")),
    tool(result("a")),
    assistant(call("b")),
    tool(result("b"))
  )
  const marksIn = ({ messages = [], system: said, tools = [] }: Server.Recorded["body"]) => ({
    tools: tools.map(({ cache_control: marked }) => marked),
    system: typeof said === "string" ? said : said?.map(({ cache_control: marked }) => marked),
    messages: messages.flatMap(({ content }) =>
      typeof content === "string" ? [undefined] : content.map(({ cache_control: marked }) => marked)
    )
  })
  const sent = (prompt: Prompt.RawInput, options: Partial<Anthropic.Options>) =>
    served(
      [Server.message({ text: "x" })],
      (server) =>
        Effect.gen(function* () {
          yield* ask(false, prompt)
          const [request] = server.requests
          assert.strictEqual(request?.refused, undefined)
          return marksIn(request?.body ?? {})
        }),
      options
    )
  const mark = { type: "ephemeral" }

  it.live("9.2 marks tools, system text and the last two user messages", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* sent(history, { cache: true }), {
        tools: [mark],
        system: [mark],
        messages: [undefined, undefined, mark, undefined, mark]
      })
      assert.deepStrictEqual(yield* sent("hi", { cache: { ttl: "1h" } }), {
        tools: [{ ...mark, ttl: "1h" }],
        system: undefined,
        messages: [{ ...mark, ttl: "1h" }]
      })
      assert.deepStrictEqual(yield* sent(history, {}), {
        tools: [undefined],
        system: "be brief",
        messages: [undefined, undefined, undefined, undefined, undefined]
      })
    })
  )

  it.live("9.2 keeps the marks of the conversation, and never sends more than the API takes", () =>
    Effect.gen(function* () {
      const options = { anthropic: { cache_control: { type: "ephemeral" } } } as const
      const own = Prompt.userMessage({
        content: ["a", "b", "c"].map((each) => Prompt.textPart({ text: each, options }))
      })
      assert.deepStrictEqual(yield* sent(conversation(system("s"), own), {}), {
        tools: [undefined],
        system: "s",
        messages: [mark, mark, mark]
      })
      assert.deepStrictEqual(
        yield* sent(conversation(system("s"), own, assistant(text("x")), user("y")), { cache: true }),
        {
          tools: [undefined],
          system: "s",
          messages: [mark, mark, mark, undefined, mark]
        }
      )
    })
  )
})

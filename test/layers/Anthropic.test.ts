/**
 * Tests behaviour that is specific to the Messages API with a server on loopback. The tests that use its sockets are
 * `it.live`. `test/contracts/Provider.ts` tests what all providers share.
 */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted, Schema } from "effect"
import { LanguageModel, Prompt, Tool, Toolkit } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import * as Anthropic from "#layers/Anthropic"
import { assistant, call, conversation, result, system, text, tool, user } from "../support/conversation.ts"
import { ask, brief, deferred, requestsTo } from "../support/modelRequests.ts"
import * as Server from "../support/AnthropicServer.ts"

const { answers, both, fails, served } = requestsTo(Server.serve, Anthropic.layer)

describe("Anthropic", () => {
  for (const [stopReason, expected] of [
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["pause_turn", "pause"],
    ["refusal", "content-filter"]
  ] as const) {
    answers(`9.2 reads the stop reason ${stopReason} as ${expected}`, Server.message({ text: "x", stopReason }), [
      "x",
      expected
    ])
  }

  const otherBlocks = [
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

  both(
    "9.2 keeps thinking, redacted thinking and blocks of other kinds, and sends them back unchanged",
    [
      Server.message({
        thinking: "Where are they?",
        redacted: "hidden",
        text: "Let me look.",
        calls: [{ id: "toolu_1", name: "search", input: { q: "a" } }],
        blocks: otherBlocks
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
        const history = Prompt.concat(Prompt.make("hi"), Prompt.fromResponseParts(parts))
        yield* ask(streaming, Prompt.concat(history, [tool(result("toolu_1"))]))
        const request = server.requests[1]
        assert.strictEqual(request?.refused, undefined)
        const content: ReadonlyArray<unknown> = request?.body.messages?.[1]?.content as Array<unknown>
        assert.deepStrictEqual(content.slice(0, 2), [
          { type: "thinking", thinking: "Where are they?", signature: Server.signatureOf("Where are they?") },
          { type: "redacted_thinking", data: "hidden" }
        ])
        assert.deepStrictEqual(
          content.slice(2, 4).map((block) => (block as { readonly type: string }).type),
          ["text", "tool_use"]
        )
        assert.deepStrictEqual(content.slice(4), otherBlocks)
      })
  )

  fails("11.3 a timeout of the gateway is a transient failure", Server.failure(504, "timeout_error", "Timeout"), {
    reason: "InternalProviderError",
    retryable: true
  })
  fails("11.3 an unpaid account is a permanent failure", Server.failure(402, "billing_error", "Payment required"), {
    reason: "QuotaExhaustedError",
    retryable: false
  })
  fails("11.3 a key without permission is a permanent failure", Server.failure(403, "permission_error", "no"), {
    reason: "AuthenticationError",
    retryable: false
  })
  fails("11.3 an unknown model is a permanent failure", Server.failure(404, "not_found_error", "model: x"), {
    reason: "InvalidRequestError",
    retryable: false
  })
  for (const [name, status, type, message] of [
    [
      "by the tokens of prompt and answer",
      400,
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease input length or `max_tokens` and try again"
    ],
    ["by the size of the request", 413, "request_too_large", "Request exceeds the maximum size"]
  ] as const) {
    fails(`11.3 a conversation that is too long is recognised ${name}`, Server.failure(status, type, message), {
      reason: "InvalidRequestError",
      retryable: false,
      contextLimit: true
    })
  }

  both(
    "9.2 reads token counts, including the counts of cached tokens",
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
    "9.2 sends a conversation with tools in the API's format",
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
    "9.4 repairs calls that a model wrote and the API would refuse",
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

  it.live("9.2 adds the tokens for thinking to the limit for the answer", () =>
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

  it.live("9.2 sends a tool without parameters with a schema that accepts any object", () =>
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

  it.live("9.2 names the tool that must be called, and sends no tool_choice without tools", () =>
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

  it.live("9.2 requests structured output by its schema", () =>
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

  it.live("9.2 requests structured output by a tool, for models without output_config", () =>
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

  it.live("11.3 a failure contains its details as plain data", () =>
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
    "9.2 reads deeply nested answers, and leaves deeply nested arguments to the guard",
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
  it.live("9.2 a conversation that cannot be written as JSON is an invalid request", () =>
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

  it.live("9.2 sends the version of the API that is set, and leaves it to the API to refuse settings", () =>
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

  it.live("9.2 reads a key or a token from the environment, and an address with or without /v1", () =>
    Effect.gen(function* () {
      const server = yield* Server.serve(["1", "2", "3"].map((text) => Server.message({ text })))
      const request = (env: { readonly [name: string]: string }) =>
        LanguageModel.generateText({ prompt: "hi" }).pipe(
          Effect.provide(Layer.provide(Anthropic.layerConfig, FetchHttpClient.layer)),
          Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))
        )
      const address = `${server.baseUrl}/v1/`
      yield* request({ ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: "sk-env", ANTHROPIC_MODEL: "env-model" })
      yield* request({
        ANTHROPIC_BASE_URL: server.baseUrl,
        ANTHROPIC_API_KEY: "sk-env",
        ANTHROPIC_AUTH_TOKEN: "token-1"
      })
      yield* request({ ANTHROPIC_BASE_URL: server.baseUrl, ANTHROPIC_API_KEY: "", ANTHROPIC_AUTH_TOKEN: "token-1" })
      assert.deepStrictEqual(
        server.requests.map(({ body, headers }) => [body.model, headers["x-api-key"], headers.authorization]),
        [
          ["env-model", "sk-env", undefined],
          [Anthropic.defaultModel, "sk-env", undefined],
          [Anthropic.defaultModel, undefined, "Bearer token-1"]
        ]
      )
    })
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
  const marksIn = ({ messages = [], system: said, tools = [] }: Server.RecordedRequest["body"]) => ({
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

  it.live("9.2 keeps the marks of the conversation, and sends at most as many marks as the API accepts", () =>
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

  it.effect("9.2 a key or a token that is not Redacted is refused with the remedy and without its text", () =>
    Effect.gen(function* () {
      const plain = "sk-hunter22" as never // plain JavaScript may pass a string
      for (const [name, options] of [
        ["apiKey", { apiKey: plain }],
        ["authToken", { authToken: plain }]
      ] as const) {
        const made = Effect.provide(Anthropic.make({ model: "m", ...options }), FetchHttpClient.layer)
        const refused = yield* Effect.flip(Effect.catchDefect(made, Effect.fail))
        assert.strictEqual(
          String(refused),
          `RangeError: layers/Anthropic: \`${name}\` is not a Redacted text: pass \`Redacted.make(text)\`.`
        )
      }
    })
  )
})

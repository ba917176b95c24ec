/**
 * Tests behaviour that is specific to the Responses API with a server on loopback. The tests that use its sockets are
 * `it.live`. `test/contracts/Provider.ts` tests what all providers share.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, References, Result, Schema } from "effect"
import { LanguageModel, Prompt, Tool, Toolkit } from "effect/ai"
import { readWhole } from "#layers/internal/responses/Response"
import * as OpenAiResponses from "#layers/OpenAiResponses"
import { assistant, call, conversation, result, system, text, tool, user } from "../support/conversation.ts"
import { ask, brief, deferred, requestsTo } from "../support/modelRequests.ts"
import { apiError } from "../support/OpenAiRules.ts"
import { type Item, itemsOf } from "../support/ResponsesRules.ts"
import * as Server from "../support/ResponsesServer.ts"

const { answers, both, fails, modelAt, served } = requestsTo(Server.serve, OpenAiResponses.layer)

const { response } = Server

/** Returns the items of a request. */
const sentIn = ({ requests }: Server.Server, index = -1): ReadonlyArray<Item> => itemsOf(requests.at(index)?.body ?? {})

const refusals = ({ requests }: Server.Server) => requests.map(({ refused }) => refused)

/** Asks again, with the earlier answer and the results of its calls. */
const askAgain = (streaming: boolean, prompt: Prompt.Prompt, parts: Parameters<typeof Prompt.fromResponseParts>[0]) => {
  const ids = parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : []))
  const answered = Prompt.concat(prompt, Prompt.fromResponseParts(parts))
  const next = Prompt.concat(answered, [ids.length > 0 ? tool(...ids.map((id) => result(id))) : user("and?")])
  return Effect.map(ask(streaming, next), (again) => ({ next, again }))
}

describe("OpenAiResponses", () => {
  for (const [incomplete, expected] of [
    ["max_output_tokens", "length"],
    ["content_filter", "content-filter"],
    ["steered", "other"]
  ] as const) {
    answers(
      `9.2 reads an answer that is incomplete by ${incomplete} as ${expected}`,
      response({ text: "x", incomplete }),
      ["x", expected]
    )
  }

  it("9.2 reads an incomplete answer without a reason, and without a status, by its content", () => {
    const read = (fields: object) =>
      Result.getOrThrow(readWhole({ ...Server.responseObject(), ...fields }, new Set())).flatMap((part) =>
        part.type === "finish" ? [part.reason] : []
      )
    assert.deepStrictEqual(read({ status: "incomplete" }), ["other"])
    assert.deepStrictEqual(read({ status: undefined }), ["stop"])
  })

  const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } }

  both(
    "9.2 sends reasoning, ids, phases, annotations and items of other types back unchanged",
    [
      response({
        id: "a",
        thinking: "Where are they?",
        text: "Let me look.",
        phase: "commentary",
        calls: [
          { id: "call_1", name: "search", arguments: '{"q": "a"}' },
          { id: "call_2", name: "search", arguments: '{"q":"b"}' }
        ],
        items: [search]
      }),
      response({ text: "done" })
    ],
    (streaming, server) =>
      Effect.gen(function* () {
        const parts = yield* ask(streaming)
        assert.deepStrictEqual(brief(parts), [
          { reasoning: "Where are they?" },
          "Let me look.",
          ["call_1", "search", { q: "a" }],
          ["call_2", "search", { q: "b" }],
          { reasoning: "" },
          "tool-calls"
        ])
        yield* askAgain(streaming, Prompt.make("hi"), parts)
        assert.deepStrictEqual<ReadonlyArray<unknown>>(sentIn(server).slice(1), [
          {
            id: "rs_a",
            type: "reasoning",
            summary: [{ type: "summary_text", text: "Where are they?" }],
            encrypted_content: Server.encryptedOf("rs_a")
          },
          {
            type: "message",
            id: "msg_a",
            role: "assistant",
            status: "completed",
            phase: "commentary",
            content: [{ type: "output_text", text: "Let me look.", annotations: [] }]
          },
          { type: "function_call", id: "fc_a_0", call_id: "call_1", name: "search", arguments: '{"q": "a"}' },
          { type: "function_call", id: "fc_a_1", call_id: "call_2", name: "search", arguments: '{"q":"b"}' },
          search,
          { type: "function_call_output", call_id: "call_1", output: "result of call_1" },
          { type: "function_call_output", call_id: "call_2", output: "result of call_2" }
        ])
        assert.deepStrictEqual(refusals(server), [undefined, undefined])
        assert.deepInclude(server.requests[0]?.body, { store: false, include: ["reasoning.encrypted_content"] })
        assert.strictEqual("previous_response_id" in (server.requests[1]?.body ?? {}), false)
      })
  )

  both(
    "9.2 a refusal is marked text, and is sent back as a refusal",
    [response({ id: "a", text: "Well.", refusal: "I can't." }), response({ text: "done" })],
    (streaming, server) =>
      Effect.gen(function* () {
        const parts = yield* ask(streaming)
        assert.deepStrictEqual(brief(parts), ["Well.", "I can't.", "stop"])
        assert.deepStrictEqual(
          parts.flatMap((part) => (part.type === "text" ? [part.metadata["openai"]] : [])),
          [{ id: "msg_a" }, { id: "msg_a", refusal: true }]
        )
        yield* askAgain(streaming, Prompt.make("hi"), parts)
        assert.deepStrictEqual(sentIn(server)[1]?.["content"], [
          { type: "output_text", text: "Well.", annotations: [] },
          { type: "refusal", refusal: "I can't." }
        ])
      })
  )

  both(
    "9.2 a call of a custom tool is a call with its text, and is sent back as one",
    [
      response({
        items: [{ type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "shell", input: "ls -l" }]
      }),
      response({ text: "done" })
    ],
    (streaming, server) =>
      Effect.gen(function* () {
        const parts = yield* ask(streaming)
        assert.deepStrictEqual(brief(parts), [["call_1", "shell", "ls -l"], "tool-calls"])
        yield* askAgain(streaming, Prompt.make("hi"), parts)
        assert.deepStrictEqual<ReadonlyArray<unknown>>(sentIn(server).slice(1), [
          { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "shell", input: "ls -l" },
          { type: "custom_tool_call_output", call_id: "call_1", output: "result of call_1" }
        ])
      })
  )

  both(
    "9.2 reads token counts of the cache and of reasoning",
    [response({ text: "x", usage: { input: 100, cached: 70, written: 10, output: 30, reasoning: 12 } })],
    (streaming) =>
      Effect.gen(function* () {
        const finish = (yield* ask(streaming)).findLast((part) => part.type === "finish")
        assert.deepStrictEqual(
          { input: { ...finish?.usage.inputTokens }, output: { ...finish?.usage.outputTokens } },
          {
            input: { total: 100, cacheRead: 70, cacheWrite: 10, uncached: 30 },
            output: { total: 30, reasoning: 12, text: 18 }
          }
        )
      })
  )

  both(
    "9.2 sends images and files of messages and results, and calls with broken arguments, in the API's format",
    [response({ text: "x" })],
    (streaming, server) =>
      Effect.gen(function* () {
        const picture = Prompt.filePart({ mediaType: "image/png", data: new Uint8Array([1, 2, 3]) })
        const pdf = Prompt.filePart({ mediaType: "application/pdf", data: "JVBERi0=", fileName: "a.pdf" })
        const sound = Prompt.filePart({ mediaType: "audio/wav", data: "UklGRg==" })
        const note = Prompt.filePart({ mediaType: "text/plain", data: new TextEncoder().encode("a note") })
        const photo = Prompt.filePart({ mediaType: "image/tiff", data: "SUkqAA==" })
        const page = Prompt.filePart({ mediaType: "application/pdf", data: new URL("https://example.com/b.pdf") })
        yield* ask(
          streaming,
          conversation(
            system("be brief"),
            Prompt.userMessage({ content: [text("these?"), picture, pdf, sound, note, photo, page] }),
            assistant(call("a", "search", { q: "x" }), call("b", "search", '{"q":')),
            tool({ ...result("a", "2 files"), modelOutput: [text("2 files"), picture, pdf] }, result("b", { rows: [] }))
          )
        )
        assert.deepStrictEqual(refusals(server), [undefined])
        const image = { type: "input_image", image_url: "data:image/png;base64,AQID", detail: "auto" }
        const file = { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" }
        const [rules, asked, first, second, files, rows] = sentIn(server)
        assert.deepStrictEqual<unknown>(rules, { type: "message", role: "system", content: "be brief" })
        const contents = asked?.["content"] as ReadonlyArray<{ readonly type: string; readonly text?: string }>
        assert.deepStrictEqual<unknown>(contents.slice(0, 3), [{ type: "input_text", text: "these?" }, image, file])
        assert.deepStrictEqual(
          contents.slice(3, 6).map(({ type }) => type),
          ["input_text", "input_text", "input_text"]
        )
        assert.strictEqual(contents[4]?.text, "a note")
        assert.deepStrictEqual<unknown>(contents[6], { type: "input_file", file_url: "https://example.com/b.pdf" })
        assert.deepInclude(first, { call_id: "a", arguments: '{"q":"x"}' })
        assert.deepInclude(second, { call_id: "b", arguments: '{"malformed_arguments":"{\\"q\\":"}' })
        assert.deepStrictEqual(files?.["output"], [{ type: "input_text", text: "2 files" }, image, file])
        assert.strictEqual(rows?.["output"], '{"rows":[]}')
      })
  )

  const strict = Tool.dynamic("strict", { parameters: { type: "object", properties: {} }, success: Schema.Json })
  const toolkit = Toolkit.make(strict.annotate(Tool.Strict, true), ...Object.values(deferred.toolkit.tools))

  for (const [choice, expected] of [
    ["auto", "auto"],
    ["none", "none"],
    ["required", "required"],
    [{ tool: "search" }, { type: "function", name: "search" }],
    [{ mode: "required", oneOf: ["search"] }, "required"]
  ] as const) {
    it.live(`9.2 sends the tools and their choice: ${JSON.stringify(choice)}`, () =>
      served([response({ text: "x" })], (server) =>
        Effect.gen(function* () {
          yield* LanguageModel.generateText({ prompt: "hi", ...deferred, toolkit, toolChoice: choice })
          const { parallel_tool_calls, tool_choice, tools } = server.requests[0]?.body ?? {}
          assert.deepStrictEqual(tool_choice, expected)
          assert.strictEqual(parallel_tool_calls, undefined)
          assert.deepStrictEqual<unknown>(tools?.at(-1), {
            type: "function",
            name: "search",
            description: "Searches orders. Read-only.",
            parameters: Tool.getJsonSchema(deferred.toolkit.tools.search),
            strict: false
          })
          if (typeof choice === "string") assert.deepInclude<object>(tools?.[0] ?? {}, { name: "strict", strict: true })
        })
      )
    )
  }

  it.live("9.2 sends settings, tools of the provider, and the format of a structured answer", () =>
    served(
      [response({ text: '{"n":3}' })],
      (server) =>
        Effect.gen(function* () {
          const schema = Schema.Struct({ n: Schema.Finite })
          const { value } = yield* LanguageModel.generateObject({ prompt: "hi", objectName: "my answer", schema })
          assert.deepStrictEqual(value, { n: 3 })
          const body: Server.RecordedRequest["body"] = server.requests[0]?.body ?? {}
          assert.deepStrictEqual(refusals(server), [undefined])
          assert.deepInclude(body, {
            reasoning: { effort: "low", summary: "auto" },
            parallel_tool_calls: false,
            tools: [{ type: "web_search" }],
            include: ["web_search_call.action.sources"]
          })
          const { format, verbosity } = body["text"] as { readonly format: object; readonly verbosity: string }
          assert.strictEqual(verbosity, "low")
          assert.deepInclude(format, { type: "json_schema", name: "my_answer", strict: true })
        }),
      {
        settings: {
          reasoning: { effort: "low", summary: "auto" },
          text: { verbosity: "low" },
          parallel_tool_calls: false,
          tools: [{ type: "web_search" }],
          include: ["web_search_call.action.sources"]
        }
      }
    )
  )

  const failed = (code: string) =>
    Server.raw(200, Server.responseObject({ status: "failed", error: { code, message: `The failure is: ${code}` } }))
  const failedStream = (code: string) =>
    Server.events([
      ...Server.start(),
      {
        type: "response.failed",
        response: Server.responseObject({ status: "failed", error: { code, message: `The failure is: ${code}` } })
      }
    ])
  for (const [code, reason, retryable] of [
    ["server_error", "InternalProviderError", true],
    ["rate_limit_exceeded", "RateLimitError", true],
    ["vector_store_timeout", "InternalProviderError", true],
    ["invalid_prompt", "InvalidRequestError", false],
    ["invalid_image_format", "InvalidRequestError", false],
    ["failed_to_download_image", "InvalidRequestError", false],
    ["data_residency_mismatch", "InvalidRequestError", false],
    ["image_content_policy_violation", "ContentPolicyError", false],
    ["bio_policy", "ContentPolicyError", false],
    ["misalignment_policy_violation", "ContentPolicyError", false]
  ] as const) {
    fails(
      `11.3 classifies a response that failed: ${code}`,
      (body) => (body.stream === true ? failedStream(code) : failed(code))(body),
      { reason, retryable }
    )
  }
  fails(
    "11.3 a response that failed without an error is a transient failure",
    (body) => {
      const response = Server.responseObject({ status: "failed" })
      return (
        body.stream === true ? Server.events([{ type: "response.failed", response }]) : Server.raw(200, response)
      )(body)
    },
    { reason: "InternalProviderError", retryable: true }
  )
  fails(
    "11.3 an error event is classified by its code",
    (body) =>
      (body.stream === true
        ? Server.events([
            ...Server.start(),
            { type: "error", code: "rate_limit_exceeded", message: "slow", param: null }
          ])
        : Server.failure(429, "slow"))(body),
    { reason: "RateLimitError", retryable: true }
  )
  fails(
    "11.3 a response that is only queued is not an answer",
    Server.raw(200, Server.responseObject({ status: "queued" })),
    { reason: "InvalidResponseError", retryable: false }
  )
})

describe("what the server cannot read", () => {
  const foreign = (id: string, encrypted: string) =>
    Prompt.reasoningPart({
      text: "",
      options: { openai: { item: { type: "reasoning", id, summary: [], encrypted_content: encrypted } } }
    })
  const withForeign = conversation(
    user("hi"),
    assistant(foreign("rs_other", "of another account"), { ...call("a"), options: { openai: { id: "fc_other" } } }),
    tool(result("a"))
  )

  both(
    "11.3 is left out after its refusal, with the ids that belong to it, and is not sent again",
    [response({ id: "a", thinking: "so", text: "x" }), response({ text: "y" })],
    (streaming, server) =>
      Effect.gen(function* () {
        const parts = yield* ask(streaming, withForeign)
        assert.deepStrictEqual(
          refusals(server).map((refused) => refused?.includes("rs_other")),
          [true, undefined]
        )
        assert.deepStrictEqual(
          sentIn(server).map(({ id, type }) => [type, id]),
          [
            ["message", undefined],
            ["function_call", undefined],
            ["function_call_output", undefined]
          ]
        )
        yield* askAgain(streaming, withForeign, parts)
        assert.strictEqual(server.requests.length, 3)
        assert.deepStrictEqual(
          sentIn(server).flatMap(({ id }) => (id === undefined ? [] : [id])),
          ["rs_a", "msg_a"]
        )
      })
  )

  it.live("11.3 any other refusal is final", () =>
    served([Server.failure(400, "no", { code: "invalid_value" })], (server) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(
          ask(
            false,
            withForeign.pipe((prompt) => conversation(...prompt.content.slice(0, 1)))
          )
        )
        assert.strictEqual(error.reason._tag, "InvalidRequestError")
        assert.strictEqual(server.requests.length, 1)
      })
    )
  )

  it.live("11.3 is refused once if no reasoning was sent", () =>
    served(
      [1, 2].map(() => Server.failure(400, "no", { code: "invalid_encrypted_content" })),
      (server) =>
        Effect.gen(function* () {
          yield* Effect.flip(ask(false))
          assert.strictEqual(server.requests.length, 1)
        })
    )
  )
})

describe("a model that refuses `include`", () => {
  const refuses = ({ include, model }: { readonly include?: ReadonlyArray<string>; readonly model?: string }) =>
    include === undefined || model === "thinker"
      ? undefined
      : apiError("Encrypted content is not supported with this model.", { param: "include" })

  const { served: refusing } = requestsTo<Server.Responder, Server.Server, OpenAiResponses.Options>(
    (script) => Server.serve(script, { refuses }),
    OpenAiResponses.layer
  )

  it.live("11.3 is asked without it, from then on", () =>
    refusing(
      [1, 2, 3].map((n) => response({ text: `${n}` })),
      (server) =>
        Effect.gen(function* () {
          yield* ask(false)
          yield* ask(true)
          yield* ask(false).pipe(OpenAiResponses.withSettings({ model: "thinker" }))
          assert.deepStrictEqual(
            server.requests.map(({ body }) => body.include !== undefined),
            [true, false, false, true]
          )
        })
    )
  )
})

describe("previous responses", () => {
  const stored = { previousResponse: true }
  const calling = () => response({ thinking: "so", calls: [{ id: "c1", name: "search", arguments: '{"q":"a"}' }] })

  both(
    "9.2 only new items are sent after a stored answer",
    [calling(), response({ text: "x" }), response({ text: "y" })],
    (streaming, server) =>
      Effect.gen(function* () {
        const first = conversation(system("be brief"), user("hi"))
        const { again, next } = yield* askAgain(streaming, first, yield* ask(streaming, first))
        yield* askAgain(streaming, next, again)
        assert.deepStrictEqual(refusals(server), [undefined, undefined, undefined])
        assert.deepStrictEqual(
          server.requests.map(({ body }) => [
            body.store,
            body.previous_response_id === undefined,
            itemsOf(body).length
          ]),
          [
            [true, true, 2],
            [true, false, 1],
            [true, false, 1]
          ]
        )
        assert.deepStrictEqual<unknown>(sentIn(server, 1), [
          { type: "function_call_output", call_id: "c1", output: "result of c1" }
        ])
      }),
    stored
  )

  both(
    "9.2 the whole conversation is sent if the server has lost the answer",
    [calling(), response({ text: "x" })],
    (streaming, server) =>
      Effect.gen(function* () {
        const first = conversation(user("hi"))
        const parts = yield* ask(streaming, first)
        server.forget()
        const { again } = yield* askAgain(streaming, first, parts)
        assert.deepStrictEqual(brief(again), ["x", "stop"])
        assert.deepStrictEqual(
          server.requests.map(({ body }) => itemsOf(body).length),
          [1, 1, 4]
        )
        assert.strictEqual(server.requests[2]?.body.previous_response_id, undefined)
      }),
    stored
  )

  const edits: ReadonlyArray<
    readonly [string, (messages: ReadonlyArray<Prompt.Message>) => ReadonlyArray<Prompt.Message>]
  > = [
    ["was resumed", (messages) => messages.map((message) => ({ ...message }) as Prompt.Message)],
    ["was compacted", ([first, ...rest]) => [first?.role === "user" ? user("hi, shorter") : user("hi"), ...rest]],
    ["has another answer", (messages) => [...messages.slice(0, 1), assistant(text("no")), user("and?")]],
    ["has no new message", (messages) => messages.slice(0, 2)],
    ["is another one", () => [user("hi"), assistant(text("x")), user("and?")]],
    ["is repaired", (messages) => [...messages, Prompt.userMessage({ content: [] })]]
  ]
  for (const [what, edit] of edits) {
    it.live(`9.2 the whole conversation is sent if it ${what}`, () =>
      served(
        [response({ text: "x" }), response({ text: "y" })],
        (server) =>
          Effect.gen(function* () {
            const first = conversation(user("hi"))
            const answered = Prompt.concat(first, Prompt.fromResponseParts(yield* ask(false, first)))
            const edited = conversation(...edit([...answered.content, user("and?")]))
            yield* ask(false, edited)
            const body: Server.RecordedRequest["body"] = server.requests[1]?.body ?? {}
            assert.strictEqual(body.previous_response_id, undefined)
            assert.strictEqual(itemsOf(body).length, edited.content.length)
          }),
        stored
      )
    )
  }

  it.live("9.2 a conversation that is too long is not sent again as a whole", () =>
    served(
      [response({ text: "x" }), Server.failure(400, "too long", { code: "context_length_exceeded" })],
      (server) =>
        Effect.gen(function* () {
          const first = conversation(user("hi"))
          const parts = yield* ask(false, first)
          const error = yield* Effect.flip(askAgain(false, first, parts))
          assert.strictEqual(error.reason._tag, "InvalidRequestError")
          assert.strictEqual(server.requests.length, 2)
        }),
      stored
    )
  )
})

describe("a conversation that has to be repaired", () => {
  it.live("9.4 is repaired only in the request, with a warning", () =>
    Effect.gen(function* () {
      const logged: Array<unknown> = []
      const logger = Logger.make(({ message }) => void logged.push(message))
      const server = yield* Server.serve([response({ text: "x" })])
      yield* LanguageModel.generateText({ prompt: conversation(user("hi"), assistant(call("a")), user("and?")) }).pipe(
        Effect.provide(Layer.merge(modelAt(server.baseUrl), Logger.layer([logger]))),
        Effect.provideService(References.MinimumLogLevel, "Warn")
      )
      assert.deepStrictEqual(refusals(server), [undefined])
      assert.include(JSON.stringify(logged), "OrphanCallAnswered")
    })
  )
})

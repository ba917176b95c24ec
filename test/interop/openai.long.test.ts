/**
 * Runs the official `openai` client against the test server of our provider: the server accepts, answers and refuses as
 * that client expects of the real API. The tests are `it.live`, because they use real sockets.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, type Scope } from "effect"
import { LanguageModel } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import type OpenAI from "openai"
import * as OpenAiCompatible from "../../layers/OpenAiCompatible.ts"
import { assistant, call, conversation, result, tool, user } from "../support/conversation.ts"
import * as Server from "../support/OpenAiServer.ts"
import { needs } from "../support/prerequisites.ts"
import { behaviours } from "../support/profileServers.ts"
import { packages } from "./packages.ts"

const apiKey = "sk-interop"
const model = "gpt-4.1-mini"
const messages = [{ role: "user", content: "hi" }] as const
const tools = [
  { type: "function", function: { name: "search", parameters: { type: "object", properties: {} } } }
] as const
const calls = [
  { id: "c1", name: "search", arguments: '{"q":"é😀"}' },
  { id: "c2", name: "search", arguments: '{"q":' }
]
const toolCalls = calls.map(({ id, ...rest }) => ({ id, type: "function" as const, function: rest }))

interface Client {
  readonly client: OpenAI
  readonly sdk: typeof OpenAI
  readonly server: Server.Server
}

/** Runs a test with the official client and a server that plays the script. */
const withClient = <A>(
  script: ReadonlyArray<Server.Responder>,
  run: (client: Client) => Promise<A>,
  options: { readonly apiKey?: string; readonly maxRetries?: number } = {}
): Effect.Effect<A, never, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* Server.start(script, { apiKey })
    return yield* Effect.promise(async () => {
      const { default: sdk } = await import("openai")
      const client = new sdk({ baseURL: server.baseUrl, apiKey, maxRetries: 0, ...options })
      return run({ client, sdk, server })
    })
  })

const rejection = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  return undefined
}

describe("the official client and our server", needs(packages("openai")), () => {
  it.live("9.2 agree on a complete answer and its token counts", () =>
    withClient(
      [Server.completion({ text: "Hello", usage: { prompt: 7, completion: 3, cached: 2 } })],
      async ({ client, server }) => {
        const { choices, usage } = await client.chat.completions.create({ model, messages: [...messages] })
        assert.strictEqual(choices[0]?.message.content, "Hello")
        assert.strictEqual(choices[0]?.finish_reason, "stop")
        assert.deepInclude(usage, {
          prompt_tokens: 7,
          completion_tokens: 3,
          prompt_tokens_details: { cached_tokens: 2 }
        })
        assert.deepStrictEqual(
          server.requests.map(({ refused }) => refused),
          [undefined]
        )
      }
    )
  )

  it.live("9.1 agree on calls and their results", () =>
    withClient([Server.completion({ calls }), Server.completion({ text: "done" })], async ({ client }) => {
      const first = await client.chat.completions.create({ model, messages: [...messages], tools: [...tools] })
      assert.deepStrictEqual(first.choices[0]?.message.tool_calls, toolCalls)
      const second = await client.chat.completions.create({
        model,
        messages: [
          ...messages,
          ...first.choices.map(({ message }) => message),
          { role: "tool", tool_call_id: "c1", content: "one" },
          { role: "tool", tool_call_id: "c2", content: "two" }
        ]
      })
      assert.strictEqual(second.choices[0]?.message.content, "done")
    })
  )

  it.live("9.2 agree on a streamed answer, calls in chunks, and token counts", () =>
    withClient([Server.completion({ text: "Hello", calls })], async ({ client }) => {
      const stream = client.chat.completions.stream({
        model,
        messages: [...messages],
        tools: [...tools],
        stream_options: { include_usage: true }
      })
      const deltas: Array<string> = []
      stream.on("content", (delta) => deltas.push(delta))
      const { choices, usage } = await stream.finalChatCompletion()
      assert.deepStrictEqual(deltas, ["Hel", "lo"])
      assert.strictEqual(choices[0]?.finish_reason, "tool_calls")
      assert.deepStrictEqual(
        choices[0]?.message.tool_calls?.map((call) =>
          call.type === "function" ? [call.id, call.function.name, call.function.arguments] : []
        ),
        calls.map(({ arguments: text, id, name }) => [id, name, text])
      )
      assert.strictEqual(usage?.total_tokens, 15)
    })
  )

  it.live("11.3 agree on errors: 400, 401, 429, 500 become the client's error classes", () =>
    withClient(
      [
        Server.failure(429, "slow down", { code: "rate_limit_exceeded" }, { "retry-after": "7" }),
        Server.failure(500, "oops", { type: "server_error" })
      ],
      async ({ client, sdk, server }) => {
        const ask = () => rejection(client.chat.completions.create({ model, messages: [...messages] }))
        const limited = await ask()
        assert.instanceOf(limited, sdk.RateLimitError)
        assert.strictEqual(limited.code, "rate_limit_exceeded")
        assert.strictEqual(limited.headers.get("retry-after"), "7")
        assert.instanceOf(await ask(), sdk.InternalServerError)

        const other = new sdk({ baseURL: server.baseUrl, apiKey: "sk-wrong", maxRetries: 0 })
        const refused = await rejection(other.chat.completions.create({ model, messages: [...messages] }))
        assert.instanceOf(refused, sdk.AuthenticationError)

        const orphan = [...messages, { role: "tool" as const, tool_call_id: "c9", content: "x" }]
        const wrong = await rejection(client.chat.completions.create({ model, messages: orphan }))
        assert.instanceOf(wrong, sdk.BadRequestError)
        assert.include(wrong.message, "must be a response to a preceeding message with 'tool_calls'")
        assert.strictEqual(wrong.param, "messages.[1].role")

        const unanswered = [...messages, { role: "assistant" as const, content: null, tool_calls: toolCalls }]
        const missing = await rejection(client.chat.completions.create({ model, messages: unanswered }))
        assert.include((missing as Error).message, "did not have response messages: c1, c2")
      }
    )
  )

  it.live("11.3 agree that a request over the rate limit is retried", () =>
    withClient(
      [Server.failure(429, "slow down", {}, { "retry-after-ms": "1" }), Server.completion({ text: "again" })],
      async ({ client, server }) => {
        const { choices } = await client.chat.completions.create({ model, messages: [...messages] })
        assert.strictEqual(choices[0]?.message.content, "again")
        assert.strictEqual(server.requests.length, 2)
      },
      { maxRetries: 1 }
    )
  )

  it.live("9.2 agree that a truncated stream is an error", () =>
    withClient([Server.events([Server.chunk({ content: "Hel" })], { cut: true })], async ({ client, sdk }) => {
      const stream = client.chat.completions.stream({ model, messages: [...messages] })
      assert.instanceOf(await rejection(stream.finalChatCompletion()), sdk.OpenAIError)
    })
  )

  it.live.each(Object.entries(behaviours))("9.2 the client reads the answers of the test server for %s", ([, server]) =>
    withClient([server.calling, server.calling, server.saying], async ({ client }) => {
      const expected = [
        ["search", '{"q":"a"}'],
        ["search", '{"q":"b"}']
      ]
      const callsOf = (calls: ReadonlyArray<OpenAI.Chat.ChatCompletionMessageToolCall> = []) =>
        calls.map((call) => (call.type === "function" ? [call.function.name, call.function.arguments] : []))
      const complete = await client.chat.completions.create({ model, messages: [...messages], tools: [...tools] })
      assert.deepStrictEqual(callsOf(complete.choices[0]?.message.tool_calls), expected)
      const stream = await client.chat.completions.create({ model, messages: [...messages], stream: true })
      const chunks: Array<unknown> = []
      for await (const { choices } of stream) chunks.push(...(choices[0]?.delta.tool_calls ?? []))
      assert.isAbove(chunks.length, 1)
      const answer = await client.chat.completions.create({ model, messages: [...messages] })
      assert.strictEqual(answer.choices[0]?.message.content, "Done.")
    })
  )

  it.live("9.1 the server accepts the same request from the client and from our provider", () =>
    withClient([Server.completion({ text: "1" }), Server.completion({ text: "2" })], async ({ client, server }) => {
      const provider = OpenAiCompatible.layer({ baseUrl: server.baseUrl, model, apiKey: Redacted.make(apiKey) })
      const prompt = conversation(user("hi"), assistant(call("a"), call("b")), tool(result("a"), result("b")))
      await LanguageModel.generateText({ prompt }).pipe(
        Effect.provide(Layer.provide(provider, FetchHttpClient.layer)),
        Effect.runPromise
      )
      const [ours] = server.requests
      // the recorded body is untyped
      await client.chat.completions.create(ours?.body as never)
      assert.deepStrictEqual(server.requests[1]?.body, ours?.body)
      assert.deepStrictEqual(
        server.requests.map(({ refused }) => refused),
        [undefined, undefined]
      )
    })
  )
})

/**
 * Runs the official `@anthropic-ai/sdk` against the test server of our provider: the server accepts, answers and refuses
 * as that client expects of the real API, in both versions. The tests are `it.live`, because they use real sockets.
 */
import { assert, describe, it } from "@effect/vitest"
import type Anthropic from "@anthropic-ai/sdk"
import { Effect, Layer, Redacted, type Scope } from "effect"
import { LanguageModel, Prompt } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import * as Provider from "../../layers/Anthropic.ts"
import * as Transcript from "#domain/transcript/Transcript"
import * as Server from "../support/AnthropicServer.ts"
import { assistant, call, conversation, result, system, tool, user } from "../support/conversation.ts"
import { needs } from "../support/prerequisites.ts"
import { packages } from "./packages.ts"

const sdks = packages("@anthropic-ai/sdk", "anthropic-sdk-0")

const apiKey = "sk-interop"
const model = "claude-haiku-4-5"
const max_tokens = 1000
const messages: ReadonlyArray<Anthropic.MessageParam> = [{ role: "user", content: "hi" }]
const tools: ReadonlyArray<Anthropic.Tool> = [
  { name: "search", input_schema: { type: "object", properties: { q: { type: "string" } } } }
]
const calls = [
  { id: "toolu_1", name: "search", input: { q: "é😀" } },
  { id: "toolu_2", name: "search", input: {} }
]

interface Client {
  readonly client: Anthropic
  readonly sdk: typeof Anthropic
  readonly server: Server.Server
}

const rejection = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  return undefined
}

const refusals = ({ requests }: Server.Server) => requests.map(({ refused }) => refused)

/** The package of the client for each version of the API. */
const releases = {
  "2026-10-21": "@anthropic-ai/sdk",
  "2023-06-01": "anthropic-sdk-0"
} as const

const interop = (release: keyof typeof releases) => {
  /** Runs a test with the official client and a server that plays the script. */
  const withClient = <A>(
    script: ReadonlyArray<Server.Responder>,
    run: (client: Client) => Promise<A>,
    options: { readonly maxRetries?: number } = {}
  ): Effect.Effect<A, never, Scope.Scope> =>
    Effect.gen(function* () {
      const server = yield* Server.serve(script, { apiKey })
      return yield* Effect.promise(async () => {
        // both releases have the parts of the interface that the tests use
        const { default: sdk } = (await import(releases[release])) as { readonly default: typeof Anthropic }
        const client = new sdk({ baseURL: server.baseUrl, apiKey, maxRetries: 0, ...options })
        return run({ client, sdk, server })
      })
    })

  describe(`the official client of ${release} and our server`, needs(sdks), () => {
    it.live("9.2 agree on a complete answer and its token counts", () =>
      withClient(
        [Server.message({ text: "Hello", usage: { input: 7, output: 3, read: 2, written: 1 } })],
        async ({ client, server }) => {
          const answer = await client.messages.create({ model, max_tokens, messages: [...messages] })
          assert.deepStrictEqual(
            answer.content.map((block) => (block.type === "text" ? block.text : block.type)),
            ["Hello"]
          )
          assert.strictEqual(answer.stop_reason, "end_turn")
          assert.deepInclude(answer.usage, {
            input_tokens: 7,
            output_tokens: 3,
            cache_read_input_tokens: 2,
            cache_creation_input_tokens: 1
          })
          assert.deepStrictEqual(refusals(server), [undefined])
        }
      )
    )

    it.live("9.1 agree on calls, their results and failures, and thinking that is sent back", () =>
      withClient(
        [Server.message({ thinking: "hm", redacted: "hidden", text: "so", calls }), Server.message({ text: "done" })],
        async ({ client, server }) => {
          const first = await client.messages.create({
            model,
            max_tokens: 3000,
            messages: [...messages],
            tools: [...tools],
            thinking: { type: "enabled", budget_tokens: 2000 }
          })
          assert.deepStrictEqual(
            first.content.map(({ type }) => type),
            ["thinking", "redacted_thinking", "text", "tool_use", "tool_use"]
          )
          const second = await client.messages.create({
            model,
            max_tokens,
            tools: [...tools],
            messages: [
              ...messages,
              { role: "assistant", content: first.content },
              {
                role: "user",
                content: [
                  { type: "tool_result", tool_use_id: "toolu_1", content: "one" },
                  { type: "tool_result", tool_use_id: "toolu_2", content: "gone", is_error: true },
                  { type: "text", text: "and?" }
                ]
              }
            ]
          })
          assert.strictEqual(second.stop_reason, "end_turn")
          assert.deepStrictEqual(refusals(server), [undefined, undefined])
        }
      )
    )

    it.live("9.2 agree on a streamed answer: thinking, text, calls in chunks, and token counts", () =>
      withClient(
        [
          Server.message({
            thinking: "hm hm",
            redacted: "hidden",
            text: "Hello",
            calls,
            usage: { input: 7, output: 9 }
          })
        ],
        async ({ client }) => {
          const stream = client.messages.stream({ model, max_tokens, messages: [...messages], tools: [...tools] })
          const texts: Array<string> = []
          stream.on("text", (delta) => texts.push(delta))
          const answer = await stream.finalMessage()
          assert.deepStrictEqual(texts, ["Hel", "lo"])
          assert.deepStrictEqual(
            answer.content.map((block): unknown => {
              switch (block.type) {
                case "thinking":
                  return [block.thinking, block.signature]
                case "text":
                  return block.text
                case "tool_use":
                  return [block.id, block.name, block.input]
                default:
                  return block.type
              }
            }),
            [
              ["hm hm", Server.signatureOf("hm hm")],
              "redacted_thinking",
              "Hello",
              ...calls.map(({ id, input, name }) => [id, name, input])
            ]
          )
          assert.strictEqual(answer.stop_reason, "tool_use")
          assert.strictEqual(answer.usage.output_tokens, 9)
        }
      )
    )

    it.live("11.3 agree on errors: 400, 401, 404, 429, 529 become the client's error classes", () =>
      withClient(
        [
          Server.failure(429, "rate_limit_error", "slow down", { "retry-after": "7" }),
          Server.failure(529, "overloaded_error", "Overloaded"),
          Server.failure(404, "not_found_error", "model: x")
        ],
        async ({ client, sdk, server }) => {
          const ask = () => rejection(client.messages.create({ model, max_tokens, messages: [...messages] }))
          const limited = await ask()
          assert.instanceOf(limited, sdk.RateLimitError)
          assert.strictEqual(limited.headers.get("retry-after"), "7")
          const overloaded = await ask()
          assert.instanceOf(overloaded, sdk.InternalServerError)
          assert.deepStrictEqual([overloaded.status, overloaded.type], [529, "overloaded_error"])
          assert.instanceOf(await ask(), sdk.NotFoundError)

          const other = new sdk({ baseURL: server.baseUrl, apiKey: "sk-wrong", maxRetries: 0 })
          const refused = await rejection(other.messages.create({ model, max_tokens, messages: [...messages] }))
          assert.instanceOf(refused, sdk.AuthenticationError)

          const orphan: Array<Anthropic.MessageParam> = [
            { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_9", content: "x" }] }
          ]
          const wrong = await rejection(client.messages.create({ model, max_tokens, messages: orphan }))
          assert.instanceOf(wrong, sdk.BadRequestError)
          assert.include(wrong.message, "unexpected `tool_use_id` found in `tool_result` blocks: toolu_9")
        }
      )
    )

    it.live("11.3 agree that a request to an overloaded server is retried", () =>
      withClient(
        [
          Server.failure(529, "overloaded_error", "Overloaded", { "retry-after-ms": "1" }),
          Server.message({ text: "again" })
        ],
        async ({ client, server }) => {
          const { stop_reason } = await client.messages.create({ model, max_tokens, messages: [...messages] })
          assert.deepStrictEqual([stop_reason, server.requests.length], ["end_turn", 2])
        },
        { maxRetries: 1 }
      )
    )

    it.live("9.2 agree that a truncated stream and an error event are errors", () => {
      const started = [Server.start(), Server.begin(0, { type: "text", text: "" })]
      return withClient(
        [
          Server.events(started, { cut: true }),
          Server.events(started),
          Server.events([
            ...started,
            "event: error\ndata: " + JSON.stringify(Server.errorBody("overloaded_error", "Overloaded")) + "\n\n"
          ])
        ],
        async ({ client, sdk }) => {
          for (let n = 0; n < 3; n++) {
            const stream = client.messages.stream({ model, max_tokens, messages: [...messages] })
            assert.instanceOf(await rejection(stream.finalMessage()), sdk.AnthropicError)
          }
        }
      )
    })

    it.live("9.2 agree that a stream that violates the protocol is an error", () =>
      withClient([Server.events([Server.begin(0, { type: "text", text: "" })])], async ({ client, sdk }) => {
        const stream = client.messages.stream({ model, max_tokens, messages: [...messages] })
        assert.instanceOf(await rejection(stream.finalMessage()), sdk.AnthropicError)
      })
    )

    it.live("9.1 the server accepts the same request from the client and from our provider", () =>
      withClient([Server.message({ text: "1" }), Server.message({ text: "2" })], async ({ client, server }) => {
        const provider = Provider.layer({ baseUrl: server.baseUrl, model, apiKey: Redacted.make(apiKey), cache: true })
        const failed = { ...result("b", "no"), isFailure: true }
        const prompt = conversation(system("s"), user("hi"), assistant(call("a"), call("b")), tool(result("a"), failed))
        await LanguageModel.generateText({ prompt }).pipe(
          Effect.provide(Layer.provide(provider, FetchHttpClient.layer)),
          Effect.runPromise
        )
        const [ours] = server.requests
        // the recorded body is untyped
        await client.messages.create(ours?.body as never)
        assert.deepStrictEqual(server.requests[1]?.body, ours?.body)
        const versions = server.requests.map(({ headers }) => headers["anthropic-version"])
        assert.deepStrictEqual(versions, ["2023-06-01", release])
        assert.deepStrictEqual(refusals(server), [undefined, undefined])
      })
    )

    it.live("9.2 a conversation of the client is imported, continued by our provider, and exported back", () =>
      withClient(
        [
          Server.message({ thinking: "hm", calls }),
          Server.message({ text: "ours" }),
          Server.message({ text: "theirs" })
        ],
        async ({ client, server }) => {
          const options = { model, max_tokens, tools: [...tools] }
          const first = await client.messages.create({ ...options, messages: [...messages] })
          const history = [...messages, { role: "assistant" as const, content: first.content }]
          const { changes, prompt } = Transcript.repairForAnthropic(Transcript.fromAnthropic(history))
          assert.deepStrictEqual(
            changes.map(({ _tag }) => _tag),
            ["OrphanCallAnswered", "OrphanCallAnswered"]
          )
          const provider = Provider.layer({ baseUrl: server.baseUrl, model, apiKey: Redacted.make(apiKey) })
          const { text } = await LanguageModel.generateText({ prompt }).pipe(
            Effect.provide(Layer.provide(provider, FetchHttpClient.layer)),
            Effect.runPromise
          )
          const exported = Transcript.toAnthropic(
            Prompt.concat(prompt, [assistant(Prompt.textPart({ text })), user("go on")])
          )
          // the exported history is typed as JSON
          const last = await client.messages.create({ ...options, ...exported } as never)
          assert.deepInclude(last, { stop_reason: "end_turn" })
          assert.deepStrictEqual(refusals(server), [undefined, undefined, undefined])
        }
      )
    )
  })
}

for (const release of ["2026-10-21", "2023-06-01"] as const) interop(release)

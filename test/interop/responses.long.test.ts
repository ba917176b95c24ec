/**
 * Runs the official `openai` client against the test server of our Responses layer: the server accepts, answers and
 * refuses as that client expects of the real API. The compiler checks what we send and export against the client's types.
 * The tests are `it.live`, because they use real sockets.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, type Scope } from "effect"
import { LanguageModel, Prompt } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import type OpenAI from "openai"
import * as OpenAiResponses from "../../layers/OpenAiResponses.ts"
import { assistant, call, conversation, result, tool, user } from "../support/conversation.ts"
import { needs } from "../support/prerequisites.ts"
import * as Server from "../support/ResponsesServer.ts"
import { packages } from "./packages.ts"

const apiKey = "sk-interop"
const model = "gpt-5-mini"
const tools: Array<OpenAI.Responses.Tool> = [
  { type: "function", name: "search", parameters: { type: "object", properties: {} }, strict: false }
]
const calls = [
  { id: "call_1", name: "search", arguments: '{"q":"é😀"}' },
  { id: "call_2", name: "search", arguments: '{"q":' }
]

interface Client {
  readonly client: OpenAI
  readonly sdk: typeof OpenAI
  readonly server: Server.Server
}

/** Runs a test with the official client and a server that plays the script. */
const withClient = <A>(
  script: ReadonlyArray<Server.Responder>,
  run: (client: Client) => Promise<A>
): Effect.Effect<A, never, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* Server.serve(script, { apiKey })
    return yield* Effect.promise(async () => {
      const { default: sdk } = await import("openai")
      return run({ client: new sdk({ baseURL: server.baseUrl, apiKey, maxRetries: 0 }), sdk, server })
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

const refusals = ({ requests }: Server.Server) => requests.map(({ refused }) => refused)

describe("the official client and our server of the Responses API", needs(packages("openai")), () => {
  it.live("9.2 agree on reasoning, calls and their outputs, sent back as they came", () =>
    withClient(
      [
        Server.response({
          id: "a",
          thinking: "so",
          text: "Let me look.",
          calls,
          usage: { input: 7, output: 3, cached: 2 }
        }),
        Server.response({ text: "done" })
      ],
      async ({ client, server }) => {
        const first = await client.responses.create({ model, input: "hi", tools, store: false })
        assert.strictEqual(first.output_text, "Let me look.")
        assert.deepStrictEqual(first.usage?.input_tokens_details.cached_tokens, 2)
        const second = await client.responses.create({
          model,
          store: false,
          input: [
            { role: "user", content: "hi" },
            ...(first.output as Array<OpenAI.Responses.ResponseInputItem>),
            ...calls.map(({ id }) => ({ type: "function_call_output" as const, call_id: id, output: "x" }))
          ]
        })
        assert.strictEqual(second.output_text, "done")
        assert.deepStrictEqual(refusals(server), [undefined, undefined])
      }
    )
  )

  it.live("9.2 agree on a streamed answer: the client assembles the response that the server sent", () =>
    withClient(
      [Server.response({ id: "a", thinking: "so", text: "Hello", refusal: "no", calls })],
      async ({ client }) => {
        const stream = client.responses.stream({ model, input: "hi" })
        const deltas: Array<string> = []
        stream.on("response.output_text.delta", ({ delta }) => void deltas.push(delta))
        const { output, status } = await stream.finalResponse()
        assert.deepStrictEqual([deltas, status], [["Hel", "lo"], "completed"])
        assert.deepStrictEqual(
          output.map((item) => (item.type === "function_call" ? item.arguments : item.type)),
          ["reasoning", "message", ...calls.map(({ arguments: text }) => text)]
        )
      }
    )
  )

  it.live("9.2 agree on a stored response, and on one that is lost", () =>
    withClient(
      [Server.response({ id: "a", calls }), Server.response({ text: "done" })],
      async ({ client, sdk, server }) => {
        await client.responses.create({ model, input: "hi", tools })
        const input = calls.map(({ id }) => ({ type: "function_call_output" as const, call_id: id, output: "x" }))
        const second = await client.responses.create({ model, previous_response_id: "resp_a", input })
        assert.strictEqual(second.output_text, "done")
        server.forget()
        const lost = await rejection(client.responses.create({ model, previous_response_id: "resp_a", input }))
        assert.instanceOf(lost, sdk.BadRequestError)
        assert.deepStrictEqual([lost.code, lost.param], ["previous_response_not_found", "previous_response_id"])
      }
    )
  )

  it.live("11.3 agree on errors, and on what is refused", () =>
    withClient(
      [Server.failure(429, "slow down", { code: "rate_limit_exceeded" }), Server.failure(500, "oops")],
      async ({ client, sdk, server }) => {
        const ask = (input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "hi" }]) =>
          rejection(client.responses.create({ model, input }))
        assert.instanceOf(await ask(), sdk.RateLimitError)
        assert.instanceOf(await ask(), sdk.InternalServerError)
        const other = new sdk({ baseURL: server.baseUrl, apiKey: "sk-wrong", maxRetries: 0 })
        assert.instanceOf(await rejection(other.responses.create({ model, input: "hi" })), sdk.AuthenticationError)
        const functionCall = { type: "function_call", call_id: "c9", name: "search", arguments: "{}" } as const
        const output = { type: "function_call_output", call_id: "c9", output: "x" } as const
        const reasoning = {
          type: "reasoning",
          id: "rs_1",
          summary: [],
          encrypted_content: Server.encryptedOf("rs_1")
        } as const
        for (const [input, says] of [
          [[functionCall], "No tool output found for function call c9"],
          [[output], "No tool call found for function call output with call_id c9"],
          [[{ ...functionCall, id: "call_9" }, output], "Expected an ID that begins with 'fc'"],
          [[{ ...functionCall, name: "" }, output], "string does not match pattern"],
          [[{ ...reasoning, summary: [] }], "without its required following item"],
          [[{ ...reasoning, encrypted_content: "other", summary: [] }, functionCall, output], "could not be verified"]
        ] as const) {
          const wrong = await ask([...input] as OpenAI.Responses.ResponseInput)
          assert.instanceOf(wrong, sdk.BadRequestError)
          assert.include(wrong.message, says)
        }
      }
    )
  )

  it.live("9.1 the server accepts the same request from the client and from our provider", () =>
    withClient([Server.response({ text: "1" }), Server.response({ text: "2" })], async ({ client, server }) => {
      const provider = OpenAiResponses.layer({ baseUrl: server.baseUrl, model, apiKey: Redacted.make(apiKey) })
      const picture = Prompt.filePart({ mediaType: "image/png", data: new Uint8Array([1, 2]) })
      const prompt = conversation(
        Prompt.userMessage({ content: [picture] }),
        assistant(call("a"), call("b")),
        tool(result("a"), { ...result("b"), modelOutput: [picture] }),
        user("and?")
      )
      await LanguageModel.generateText({ prompt }).pipe(
        Effect.provide(Layer.provide(provider, FetchHttpClient.layer)),
        Effect.runPromise
      )
      const [ours] = server.requests
      // the recorded body is untyped
      await client.responses.create(ours?.body as never)
      assert.deepStrictEqual(server.requests[1]?.body, ours?.body)
      assert.deepStrictEqual(refusals(server), [undefined, undefined])
    })
  )

  it("9.2 our items have the types of the client", async () => {
    const compiler = join(import.meta.dirname, "../../node_modules/typescript/bin/tsc")
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, [compiler, "-p", join(import.meta.dirname, "types")]).catch(
      (failed: { readonly stdout: string }) => failed
    )
    assert.strictEqual(stdout, "")
  })
})

/**
 * Tests of the agent loop over Anthropic's protocol with a real server. The tests are `it.live`, because they use real
 * sockets.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Anthropic from "#layers/Anthropic"
import * as ModelPolicy from "#layers/ModelPolicy"
import * as OpenAiCompatible from "#layers/OpenAiCompatible"
import * as Agent from "#src/agent/Agent"
import { type AgentEnd, modelErrorOf } from "#src/agent/AgentEnd"
import { tool } from "../pipeline/support.ts"
import * as Server from "../support/AnthropicServer.ts"
import * as OpenAiServer from "../support/OpenAiServer.ts"
import { assertValid, codes, type EquippedTool, needs, toolbox, turn } from "./support.ts"

const { message } = Server
const usage = { input: 20, output: 10, read: 70, written: 10 }

const price = { inputPerMillion: 10, cachedInputPerMillion: 1, cacheWritePerMillion: 12.5, outputPerMillion: 50 }

const runAgent = (
  script: ReadonlyArray<Server.Responder>,
  tools: ReadonlyArray<EquippedTool>,
  options: Partial<Agent.RunOptions<any>> = {},
  layer: Partial<Anthropic.Options> = {}
) =>
  Effect.gen(function* () {
    const server = yield* Server.serve(script)
    const model = ModelPolicy.layer({ retry: { attempts: 3, baseMillis: 1, capMillis: 1_000 } }).pipe(
      Layer.provide(Anthropic.layer({ baseUrl: server.baseUrl, model: "test-model", ...layer })),
      Layer.provide(FetchHttpClient.layer)
    )
    const end = (yield* Agent.run({ prompt: "Hello", tools: toolbox(tools), turn, ...options }).pipe(
      Effect.provide(Layer.mergeAll(model, needs({ tools })))
    )) as AgentEnd
    assertValid(end.transcript)
    assert.deepStrictEqual(
      server.requests.flatMap(({ refused }) => refused ?? []),
      [],
      "the server validates every request"
    )
    return { end, requests: server.requests }
  }).pipe(Effect.scoped) as Effect.Effect<{ end: AgentEnd; requests: Server.Server["requests"] }>

const search = (q: string, id: string) => ({ id, name: "search", input: { q } })

for (const streaming of [false, true]) {
  describe(`agent over Anthropic${streaming ? ", streamed" : ""}`, () => {
    it.live(
      "11.1 a conversation with valid, invalid, unknown, repeated and truncated calls remains valid for the API",
      () => {
        const searchTool = tool("search", {}, ({ q }: any) => Effect.succeed({ n: Number(q) }))
        return Effect.gen(function* () {
          const { end, requests } = yield* runAgent(
            [
              message({
                thinking: "Where are they?",
                text: "Let me see",
                calls: [search("1", "a"), search("2", "a"), search("3", "b")],
                usage
              }),
              message({
                redacted: "hidden",
                calls: [
                  { id: "c", name: "search", input: streaming ? '{"q": ' : {} },
                  { id: "d", name: "serch", input: {} }
                ],
                usage
              }),
              message({ calls: [search("4", "e")], stopReason: "max_tokens", usage }),
              message({ text: "done", usage })
            ],
            [searchTool],
            { streaming, price },
            { cache: true }
          )
          assert.deepStrictEqual(codes(end.transcript), [
            "success",
            "success",
            "success",
            streaming ? "truncated_arguments" : "invalid_arguments",
            "unknown_tool",
            "truncated_arguments"
          ])
          assert.deepStrictEqual([end._tag, searchTool.runs(), requests.length], ["Answered", 3, 4])
          assert.deepStrictEqual([end.usage.inputTokens, end.usage.outputTokens], [400, 40])
          assert.deepStrictEqual(end.usage.byModel, [
            {
              model: "served-model",
              rounds: 4,
              inputTokens: 400,
              cachedInputTokens: 280,
              cacheWriteTokens: 40,
              outputTokens: 40,
              cost: (80 * 10 + 280 * 1 + 40 * 12.5 + 40 * 50) / 1_000_000,
              isPriced: true
            }
          ])
          const last = requests.at(-1)?.body.messages ?? []
          assert.deepStrictEqual(
            last.map(({ role }) => role),
            ["user", "assistant", "user", "assistant", "user", "assistant", "user"]
          )
          const blocks = last.flatMap(({ content }) => (typeof content === "string" ? [] : content))
          assert.deepStrictEqual(
            blocks.filter(({ type }) => type === "tool_result").map(({ is_error, tool_use_id: id }) => [id, is_error]),
            blocks.filter(({ type }) => type === "tool_use").map(({ id }, index) => [id, index < 3 ? undefined : true])
          )
          assert.deepStrictEqual(
            blocks.filter(({ type }) => type.includes("thinking")).map(({ type }) => type),
            ["thinking", "redacted_thinking"]
          )
        })
      }
    )

    it.live("11.3 a request to a busy provider is retried, and a refusal ends the run", () =>
      Effect.gen(function* () {
        const { end, requests } = yield* runAgent(
          [
            Server.failure(529, "overloaded_error", "Overloaded", { "retry-after": "0" }),
            Server.failure(500, "api_error", "oops"),
            message({ text: "I cannot help with that.", stopReason: "refusal" })
          ],
          [],
          { streaming }
        )
        assert.deepStrictEqual(
          [end._tag, end._tag === "Refused" && end.text, end.usage.rounds, requests.length],
          ["Refused", "I cannot help with that.", 1, 3]
        )
      })
    )

    it.live("11.3 after `pause_turn`, the next request continues the partial response", () =>
      Effect.gen(function* () {
        const { end, requests } = yield* runAgent(
          [
            message({
              text: "Searching.",
              blocks: [
                {
                  type: "server_tool_use",
                  id: "srvtoolu_1",
                  name: "web_search",
                  input: { query: "x" },
                  caller: { type: "direct" }
                }
              ],
              stopReason: "pause_turn"
            }),
            message({ text: "Found it." })
          ],
          [],
          { streaming },
          { settings: { tools: [{ type: "web_search_20250305", name: "web_search" }] } }
        )
        assert.deepStrictEqual([end._tag, end._tag === "Answered" && end.text], ["Answered", "Found it."])
        assert.deepStrictEqual(
          requests.map(({ body }) => body.tools?.map(({ name }) => name)),
          [["web_search"], ["web_search"]]
        )
        const last = requests[1]?.body.messages?.at(-1)
        assert.deepStrictEqual(
          [last?.role, (last?.content as ReadonlyArray<{ type: string }> | undefined)?.map(({ type }) => type)],
          ["assistant", ["text", "server_tool_use"]]
        )
      })
    )

    it.live(
      "11.3 a conversation that is too long and a provider that stays unavailable end the run with a typed value",
      () =>
        Effect.gen(function* () {
          const long = yield* runAgent(
            [Server.failure(400, "invalid_request_error", "prompt is too long: 300000 tokens > 200000 maximum")],
            [],
            { streaming }
          )
          assert.deepStrictEqual(
            [long.end._tag, long.end._tag === "NeedsPerson" && long.end.failure.code],
            ["NeedsPerson", "context_limit"]
          )
          const down = yield* runAgent([], [], { streaming })
          assert.deepStrictEqual(
            [down.end._tag, down.end._tag === "NeedsPerson" && down.end.failure.code, down.requests.length],
            ["NeedsPerson", "unavailable", 3]
          )
        })
    )
  })
}

describe("agent over Anthropic: streams", () => {
  const call = [
    Server.start(),
    Server.begin(0, { type: "tool_use", id: "c1", name: "save", input: {} }),
    Server.delta(0, { type: "input_json_delta", partial_json: '{"q":"a"}' }),
    Server.end(0)
  ]

  it.live("11.3 does not run the calls of a stream that was cut off", () => {
    const save = tool("save", { access: "write" }, { n: 1 })
    const cutOff = Server.events(call, { cut: true })
    return Effect.gen(function* () {
      const { end } = yield* runAgent([cutOff, cutOff, cutOff], [save], { streaming: true })
      assert.deepStrictEqual([end._tag, save.runs()], ["NeedsPerson", 0])
    })
  })

  it.live("11.3 repeats the request if the provider is overloaded during its response, and runs the call once", () => {
    const save = tool("save", { access: "write" }, { n: 1 })
    const overloaded = Server.events([
      Server.start(),
      { type: "ping" },
      Server.errorBody("overloaded_error", "Overloaded")
    ])
    return Effect.gen(function* () {
      const { end } = yield* runAgent(
        [overloaded, Server.events([...call, ...Server.stop("tool_use")]), message({ text: "done" })],
        [save],
        { streaming: true }
      )
      assert.deepStrictEqual([end._tag, save.runs()], ["Answered", 1])
    })
  })

  it.live("9.2 a stream that violates the protocol ends the run with an error that names the event", () =>
    Effect.gen(function* () {
      const { end, requests } = yield* runAgent(
        [Server.events([Server.start(), Server.delta(4, { type: "text_delta", text: "x" })])],
        [],
        { streaming: true }
      )
      assert.strictEqual(requests.length, 1)
      assert.include(modelErrorOf(end)?.message, "event 2 (content_block_delta): block 4 has not started")
    })
  )
})

describe("agent over two providers", () => {
  const call = { id: "functions.search:0", name: "search" }

  it.live("11.3 a conversation continues with Anthropic if OpenAI fails, and with OpenAI if Anthropic fails", () =>
    Effect.gen(function* () {
      const search = tool("search", {}, ({ q }: any) => Effect.succeed({ q }))
      const openAi = yield* OpenAiServer.start([
        OpenAiServer.completion({ text: "Let me see", calls: [{ ...call, arguments: '{"q":"1"}' }] }),
        OpenAiServer.failure(500, "oops"),
        OpenAiServer.failure(500, "oops"),
        OpenAiServer.completion({ text: "done" })
      ])
      const anthropic = yield* Server.serve([
        message({ thinking: "hm", calls: [{ id: "toolu_1", name: "search", input: { q: "2" } }] })
      ])
      const fallbacks = [
        Layer.provide(Anthropic.layer({ baseUrl: anthropic.baseUrl, model: "a" }), FetchHttpClient.layer)
      ]
      const model = ModelPolicy.layer({ retry: { attempts: 2, baseMillis: 1, capMillis: 10 }, fallbacks }).pipe(
        Layer.provide(OpenAiCompatible.layer({ baseUrl: openAi.baseUrl, model: "o" })),
        Layer.provide(FetchHttpClient.layer)
      )
      const end = (yield* Agent.run({ prompt: "Hello", tools: toolbox([search]), turn }).pipe(
        Effect.provide(Layer.mergeAll(model, needs({ tools: [search] })))
      ) as Effect.Effect<unknown>) as AgentEnd
      assertValid(end.transcript)
      assert.deepStrictEqual([end._tag, search.runs()], ["Answered", 2])
      assert.deepStrictEqual(
        [...openAi.requests, ...anthropic.requests].flatMap(({ refused }) => refused ?? []),
        []
      )
      assert.deepStrictEqual(
        anthropic.requests[0]?.body.messages?.map(({ content, role }) => [
          role,
          typeof content === "string" ? content : content.map(({ type }) => type)
        ]),
        [
          ["user", "Hello"],
          ["assistant", ["text", "tool_use"]],
          ["user", ["tool_result"]]
        ]
      )
      assert.deepStrictEqual(
        openAi.requests.at(-1)?.body.messages?.map(({ role }) => role),
        ["user", "assistant", "tool", "assistant", "tool"]
      )
    }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None"))
  )
})

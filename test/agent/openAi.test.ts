/**
 * Tests of the agent loop over OpenAI's protocol with a real server. The tests are `it.live`, because they use real
 * sockets.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import * as ModelPolicy from "#layers/ModelPolicy"
import * as OpenAiCompatible from "#layers/OpenAiCompatible"
import * as Agent from "#src/agent/Agent"
import type { AgentEnd } from "#src/agent/AgentEnd"
import { tool } from "../pipeline/support.ts"
import * as Server from "../support/OpenAiServer.ts"
import { assertValid, codes, type EquippedTool, needs, toolbox, turn } from "./support.ts"

const { completion } = Server
const usage = { prompt: 100, completion: 10 }

const runAgent = (
  script: ReadonlyArray<Server.Responder>,
  tools: ReadonlyArray<EquippedTool>,
  options: Partial<Agent.RunOptions<any>> = {}
) =>
  Effect.gen(function* () {
    const server = yield* Server.start(script)
    const model = ModelPolicy.layer({ retry: { attempts: 3, baseMillis: 1, capMillis: 1_000 } }).pipe(
      Layer.provide(OpenAiCompatible.layer({ baseUrl: server.baseUrl, model: "test-model" })),
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

const search = (q: string, id = "c1") => ({ id, name: "search", arguments: JSON.stringify({ q }) })

for (const streaming of [false, true]) {
  describe(`agent over OpenAiCompatible${streaming ? ", streamed" : ""}`, () => {
    it.live(
      "11.1 a conversation with valid, invalid, unknown, repeated and truncated calls remains valid for the API",
      () => {
        const searchTool = tool("search", {}, ({ q }: any) => Effect.succeed({ n: Number(q) }))
        return Effect.gen(function* () {
          const { end, requests } = yield* runAgent(
            [
              completion({ text: "Let me see", calls: [search("1", "a"), search("2", "a"), search("3", "b")], usage }),
              completion({
                calls: [
                  { id: "c", name: "search", arguments: '{"q": ' },
                  { id: "d", name: "serch", arguments: "{}" }
                ],
                usage
              }),
              completion({ calls: [{ id: "e", name: "search", arguments: '{"q":"4' }], finishReason: "length", usage }),
              completion({ text: "done", usage })
            ],
            [searchTool],
            { streaming }
          )
          assert.deepStrictEqual(codes(end.transcript), [
            "success",
            "success",
            "success",
            "truncated_arguments",
            "unknown_tool",
            "truncated_arguments"
          ])
          assert.deepStrictEqual([end._tag, searchTool.runs(), requests.length], ["Answered", 3, 4])
          assert.deepStrictEqual([end.usage.inputTokens, end.usage.outputTokens], [400, 40])
          const last = requests.at(-1)?.body["messages"] as ReadonlyArray<any>
          assert.deepStrictEqual(
            last.filter(({ role }) => role === "tool").map(({ tool_call_id: id }) => id),
            last.flatMap((message) => (message.tool_calls ?? []).map(({ id }: any) => id))
          )
        })
      }
    )

    it.live("11.3 a truncated call with empty arguments is not run as a call without arguments", () => {
      const saveTool = tool("save", { access: "write", parameters: Schema.Struct({}) }, { n: 1 })
      return Effect.gen(function* () {
        const { end } = yield* runAgent(
          [
            completion({ calls: [{ id: "c", name: "save", arguments: "" }], finishReason: "length" }),
            completion({ text: "done" })
          ],
          [saveTool],
          { streaming }
        )
        assert.deepStrictEqual([codes(end.transcript), saveTool.runs()], [["truncated_arguments"], 0])
      })
    })

    it.live("11.3 a request to a busy provider is retried, and a refusal ends the run", () =>
      Effect.gen(function* () {
        const { end, requests } = yield* runAgent(
          [
            Server.failure(429, "slow down", { type: "rate_limit" }, { "retry-after-ms": "5" }),
            Server.failure(500, "oops"),
            completion({ refusal: "I cannot help with that.", finishReason: "content_filter" })
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

    it.live(
      "11.3 a conversation that is too long and a provider that stays unavailable end the run with a typed value",
      () =>
        Effect.gen(function* () {
          const long = yield* runAgent(
            [Server.failure(400, "maximum context length is 10 tokens", { code: "context_length_exceeded" })],
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

describe("agent over OpenAiCompatible: a stream that was cut off", () => {
  it.live("11.3 runs none of its calls", () => {
    const save = tool("save", { access: "write" }, { n: 1 })
    const cutOff = Server.events(
      [
        Server.chunk({ role: "assistant", content: "" }),
        Server.chunk({
          tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "save", arguments: '{"q":"a"}' } }]
        })
      ],
      { cut: true }
    )
    return Effect.gen(function* () {
      const { end } = yield* runAgent([cutOff, cutOff, cutOff], [save], { streaming: true })
      assert.deepStrictEqual([end._tag, save.runs()], ["NeedsPerson", 0])
    })
  })
})

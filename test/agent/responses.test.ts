/**
 * Tests of the agent loop over OpenAI's Responses API with a real server. The tests are `it.live`, because they use real
 * sockets.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Anthropic from "#layers/Anthropic"
import * as ModelPolicy from "#layers/ModelPolicy"
import * as OpenAiResponses from "#layers/OpenAiResponses"
import * as Agent from "#src/agent/Agent"
import type { AgentEnd } from "#src/agent/AgentEnd"
import { tool } from "../pipeline/support.ts"
import * as AnthropicServer from "../support/AnthropicServer.ts"
import { itemsOf } from "../support/ResponsesRules.ts"
import * as Server from "../support/ResponsesServer.ts"
import { assertValid, codes, type EquippedTool, needs, toolbox, turn } from "./support.ts"

const { response } = Server
const search = (q: string, id: string) => ({ id, name: "search", arguments: JSON.stringify({ q }) })
const counting = () => tool("search", {}, ({ q }: any) => Effect.succeed({ n: Number(q) }))

const run = (
  server: Server.Server,
  tools: ReadonlyArray<EquippedTool>,
  options: Partial<Agent.RunOptions<any>> = {},
  layer: Partial<OpenAiResponses.Options> = {},
  fallbacks: ModelPolicy.LayerOptions["fallbacks"] = []
) => {
  const model = ModelPolicy.layer({ retry: { attempts: 2, baseMillis: 1, capMillis: 5 }, fallbacks }).pipe(
    Layer.provide(OpenAiResponses.layer({ baseUrl: server.baseUrl, model: "test-model", ...layer })),
    Layer.provide(FetchHttpClient.layer)
  )
  return Agent.run({ prompt: "Hello", tools: toolbox(tools), turn, ...options }).pipe(
    Effect.provide(Layer.mergeAll(model, needs({ tools }))),
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.tap((end) => Effect.sync(() => assertValid((end as AgentEnd).transcript)))
  ) as Effect.Effect<AgentEnd>
}

const refusals = (requests: ReadonlyArray<{ readonly refused: string | undefined }>) =>
  requests.flatMap(({ refused }) => refused ?? [])

for (const streaming of [false, true]) {
  describe(`agent over the Responses API${streaming ? ", streamed" : ""}`, () => {
    it.live("11.1 a conversation with invalid, unknown, repeated and truncated calls remains valid for the API", () =>
      Effect.gen(function* () {
        const server = yield* Server.serve([
          response({
            thinking: "Where?",
            text: "Let me see",
            calls: [search("1", "a"), search("2", "a"), search("3", "b")]
          }),
          response({
            thinking: "Hm",
            calls: [
              { id: "c", name: "search", arguments: '{"q": ' },
              { ...search("1", "d"), name: "my serch" }
            ]
          }),
          response({ calls: [search("4", "e")], incomplete: "max_output_tokens" }),
          response({ text: "done" })
        ])
        const searchTool = counting()
        const end = yield* run(server, [searchTool], { streaming })
        assert.deepStrictEqual(codes(end.transcript), [
          "success",
          "success",
          "success",
          "truncated_arguments",
          "unknown_tool",
          "truncated_arguments"
        ])
        assert.deepStrictEqual([end._tag, searchTool.runs(), server.requests.length], ["Answered", 3, 4])
        assert.deepStrictEqual(refusals(server.requests), [])
        const items = itemsOf(server.requests.at(-1)?.body ?? {})
        assert.lengthOf(
          items.filter(({ type }) => type === "reasoning"),
          2
        )
      }).pipe(Effect.scoped)
    )

    it.live("9.2 with stored answers, each round sends only the results of its calls", () =>
      Effect.gen(function* () {
        const server = yield* Server.serve([
          response({ thinking: "Where?", calls: [search("1", "a"), search("2", "b")] }),
          response({ thinking: "And?", calls: [search("3", "c")] }),
          response({ text: "done" })
        ])
        const end = yield* run(server, [counting()], { streaming }, { previousResponse: true })
        assert.strictEqual(end._tag, "Answered")
        assert.deepStrictEqual(refusals(server.requests), [])
        assert.deepStrictEqual(
          server.requests.slice(1).map(({ body }) => itemsOf(body).map(({ call_id: id }) => id)),
          [["a", "b"], ["c"]]
        )
      }).pipe(Effect.scoped)
    )

    it.live("9.5 reasoning survives compaction, and is left out only for a provider that would refuse it", () =>
      Effect.gen(function* () {
        const long = tool("search", { success: Schema.Struct({ text: Schema.String }) }, { text: "x ".repeat(1_500) })
        const server = yield* Server.serve([
          ...["1", "2", "3", "4"].map((q) => response({ thinking: `Thought ${q}`, calls: [search(q, `call_${q}`)] })),
          Server.failure(503, "overloaded", { type: "server_error" }),
          Server.failure(503, "overloaded", { type: "server_error" })
        ])
        const other = yield* AnthropicServer.serve([AnthropicServer.message({ text: "done" })])
        const fallback = Anthropic.layer({ baseUrl: other.baseUrl, model: "claude" }).pipe(
          Layer.provide(FetchHttpClient.layer)
        )
        const compaction = { maxTokens: 2_000 }
        const end = yield* run(server, [long], { streaming, compaction }, {}, [fallback])
        assert.strictEqual(end._tag, "Answered")
        assert.deepStrictEqual(refusals([...server.requests, ...other.requests]), [])
        const items = itemsOf(server.requests.at(-1)?.body ?? {})
        assert.deepStrictEqual(
          items.map(({ type }) => type),
          ["message", ...["1", "2", "3", "4"].flatMap(() => ["reasoning", "function_call", "function_call_output"])]
        )
        assert.include(JSON.stringify(items), "artifact://", "an old result was shortened")
        assert.notInclude(JSON.stringify(other.requests[0]?.body), "Thought")
      }).pipe(Effect.scoped)
    )
  })
}

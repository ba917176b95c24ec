/**
 * Tests of runs whose provider fails: the next provider continues the same conversation. The tests are `it.live`, because they
 * use real servers on loopback.
 */
import * as Transcript from "#domain/transcript/Transcript"
import * as Anthropic from "#layers/Anthropic"
import * as ModelPolicy from "#layers/ModelPolicy"
import * as OpenAiCompatible from "#layers/OpenAiCompatible"
import type { ProfileName } from "#layers/internal/openai/Profile"
import * as Agent from "#src/agent/Agent"
import type { AgentEvent } from "#src/agent/AgentEvent"
import * as GuardedTool from "#src/tool/GuardedTool"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import type { LanguageModel } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import * as AnthropicServer from "../support/AnthropicServer.ts"
import * as Server from "../support/OpenAiServer.ts"
import { behaviours } from "../support/profileServers.ts"
import { tool } from "../pipeline/support.ts"
import { assertValid, needs, toolbox } from "./support.ts"

const counting = (name: string) => tool(name, {}, ({ q }: any) => Effect.succeed({ n: String(q).length }))

/** Starts a server with scripted responses that behaves like the provider of a profile, and returns it with its layer. */
const provider = (profile: ProfileName, script: ReadonlyArray<Server.Responder>) =>
  Effect.map(Server.start(script, { deviation: behaviours[profile]?.deviation ?? {} }), (server) => ({
    server,
    layer: OpenAiCompatible.layer({ baseUrl: server.baseUrl, model: profile, profile }).pipe(
      Layer.provide(FetchHttpClient.layer)
    )
  }))

/** Starts a server with scripted responses that implements Anthropic's protocol, and returns it with its layer. */
const anthropic = (script: ReadonlyArray<AnthropicServer.Responder>) =>
  Effect.map(AnthropicServer.serve(script), (server) => ({
    server,
    layer: Anthropic.layer({ baseUrl: server.baseUrl, model: "claude" }).pipe(Layer.provide(FetchHttpClient.layer))
  }))

interface Provider {
  readonly server: { readonly requests: ReadonlyArray<{ readonly refused: string | undefined }> }
  readonly layer: Layer.Layer<LanguageModel.LanguageModel>
}

/** Runs the loop with a provider and a fallback. */
const run = (
  first: Provider,
  second: Provider,
  options: Partial<Agent.RunOptions<any>> = {},
  searchTool: ReturnType<typeof tool> = counting("search")
) =>
  Effect.gen(function* () {
    const events: Array<AgentEvent> = []
    const model = ModelPolicy.layer({
      retry: { attempts: 2, baseMillis: 1, capMillis: 5 },
      fallbacks: [second.layer]
    }).pipe(Layer.provide(first.layer))
    const end = yield* Agent.run({
      prompt: "How long is it?",
      tools: toolbox([searchTool]),
      ...options,
      onEvent: (event) => Effect.sync(() => void events.push(event))
    }).pipe(
      Effect.provide(Layer.merge(needs({ tools: [searchTool] }), model)),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
    assertValid(end.transcript)
    for (const { server } of [first, second]) {
      assert.deepStrictEqual(
        server.requests.flatMap(({ refused }) => refused ?? []),
        []
      )
    }
    return { end, events, searchTool }
  })

const overloaded = Server.failure(503, "overloaded", { type: "server_error" })
const asking = (model: string) =>
  Server.completion({
    model,
    calls: [{ id: "c1", name: "search", arguments: '{"q":"four"}' }],
    usage: { prompt: 100, completion: 10, cached: 60 }
  })
const saying = (model: string) =>
  Server.completion({ model, text: "It is four long.", usage: { prompt: 200, completion: 20 } })

const summaryOf = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event): ReadonlyArray<unknown> => {
    switch (event._tag) {
      case "Text":
        return [event.delta]
      case "ModelRetried":
        return [[event._tag, event.model, event.attempt, event.reason.includes("503")]]
      case "ModelFellBack":
        return [[event._tag, event.model]]
      case "TextWithdrawn":
        return [event._tag]
      case "RoundEnded":
        return [event.model ?? "no model"]
      default:
        return []
    }
  })

describe("fallback between providers", () => {
  for (const streaming of [false, true]) {
    it.live(`11.3 the next provider continues the same conversation, streaming: ${streaming}`, () =>
      Effect.gen(function* () {
        const first = yield* provider("deepseek", [behaviours["deepseek"]!.calling, overloaded, overloaded])
        const second = yield* provider("openai", [saying("gpt-4.1-mini-2025-04-14")])
        const { end, events, searchTool } = yield* run(first, second, { streaming })
        assert.strictEqual(end._tag === "Answered" && end.text, "It is four long.")
        assert.strictEqual(searchTool.runs(), 2)
        assert.deepStrictEqual(summaryOf(events), [
          "served-model",
          ["ModelRetried", 0, 1, true],
          ["ModelFellBack", 1],
          ...(streaming ? ["It is fo", "ur long."] : ["It is four long."]),
          "gpt-4.1-mini-2025-04-14"
        ])
        // the second provider received the calls and results of the first, without fields that its protocol does not have
        const roles = second.server.requests[0]?.body.messages?.map(({ role }) => role)
        assert.deepStrictEqual(roles, ["user", "assistant", "tool", "tool"])
        assert.deepStrictEqual(
          end.usage.byModel.map(({ model, rounds }) => [model, rounds]),
          [
            ["served-model", 1],
            ["gpt-4.1-mini-2025-04-14", 1]
          ]
        )
        assert.deepStrictEqual(Transcript.validate(end.transcript), [])
      })
    )
  }

  it.live("11.3 a provider that requires reasoning with calls accepts calls of a provider without reasoning", () =>
    Effect.gen(function* () {
      const first = yield* provider("openai", [asking("gpt-4.1"), overloaded, overloaded])
      const second = yield* provider("deepseek", [behaviours["deepseek"]!.saying])
      const { end } = yield* run(first, second)
      assert.strictEqual(end._tag === "Answered" && end.text, "Done.")
    })
  )

  it.live("11.3 the text of a broken stream is withdrawn, and the fallback emits the whole text", () =>
    Effect.gen(function* () {
      const broken = Server.events([Server.chunk({ content: "It is fo" })], { cut: true })
      const first = yield* provider("vllm", [broken, overloaded, overloaded])
      const second = yield* provider("qwen", [saying("qwen-plus")])
      const { end, events } = yield* run(first, second, { streaming: true })
      assert.deepStrictEqual(summaryOf(events), [
        "It is fo",
        "TextWithdrawn",
        ["ModelRetried", 0, 1, true],
        ["ModelFellBack", 1],
        "It is four long.",
        "qwen-plus"
      ])
      assert.strictEqual(end._tag === "Answered" && end.text, "It is four long.")
    })
  )

  it.live(
    "11.1 each model has its own price, with cached input, and a model without a price costs the highest price",
    () =>
      Effect.gen(function* () {
        const prices = {
          "gpt-4.1": { inputPerMillion: 10_000, outputPerMillion: 100_000, cachedInputPerMillion: 1_000 },
          "gpt-4.1-mini": { inputPerMillion: 1, outputPerMillion: 1 }
        }
        const first = yield* provider("openai", [asking("gpt-4.1-2025-04-14"), overloaded, overloaded])
        const second = yield* provider("vllm", [saying("my-own")])
        const { end } = yield* run(first, second, { price: prices })
        const first$ = (40 * 10_000 + 60 * 1_000 + 10 * 100_000) / 1_000_000
        const second$ = (200 * 10_000 + 20 * 100_000) / 1_000_000
        assert.deepStrictEqual(
          end.usage.byModel.map(({ cachedInputTokens, cost, isPriced, model }) => [
            model,
            cachedInputTokens,
            cost,
            isPriced
          ]),
          [
            ["gpt-4.1-2025-04-14", 60, first$, true],
            ["my-own", 0, second$, false]
          ]
        )
        assert.closeTo(end.usage.cost, first$ + second$, 1e-9)
      })
  )

  it.live("11.1 maxCost applies to a model that is not in the price table", () =>
    Effect.gen(function* () {
      const first = yield* provider("openai", [asking("unlisted-model")])
      const second = yield* provider("vllm", [])
      const price = { "gpt-": { inputPerMillion: 10_000, outputPerMillion: 0 } }
      const { end } = yield* run(first, second, { price, maxCost: 0.9 })
      assert.deepStrictEqual([end._tag, end._tag === "LimitReached" && end.limit], ["LimitReached", "cost"])
    })
  )

  const png = { type: "file", mediaType: "image/png", data: new Uint8Array([0x89, 0x50, 0x4e, 0x47]) } as const
  const looking = () => tool("search", {}, GuardedTool.withParts({ n: 1 }, [png]))

  for (const streaming of [false, true]) {
    it.live(
      `5.6, 11.3 Anthropic continues a conversation of DeepSeek and receives the image, streaming: ${streaming}`,
      () =>
        Effect.gen(function* () {
          const first = yield* provider("deepseek", [behaviours["deepseek"]!.calling, overloaded, overloaded])
          const second = yield* anthropic([
            AnthropicServer.message({ text: "A dot.", usage: { input: 50, output: 5, read: 40 } })
          ])
          const { end } = yield* run(first, second, { streaming }, looking())
          assert.strictEqual(end._tag === "Answered" && end.text, "A dot.")
          const [asked] = second.server.requests
          const results = asked?.body.messages?.at(-1)?.content as ReadonlyArray<any>
          assert.deepStrictEqual(
            results.map(({ content, is_error, type }) => [
              type,
              is_error ?? false,
              content.map((block: any) => block.type)
            ]),
            [
              ["tool_result", false, ["text", "image"]],
              ["tool_result", false, ["text", "image"]]
            ]
          )
          assert.strictEqual(results[0].content[1].source.data, "iVBORw==")
          assert.deepStrictEqual(
            end.usage.byModel.map(({ cachedInputTokens, inputTokens, rounds }) => [
              rounds,
              inputTokens,
              cachedInputTokens
            ]),
            [[2, 20 + 90, 40]]
          )
        })
    )
  }

  it.live(
    "5.6, 11.3 OpenAI continues a conversation of Anthropic, with the type and link of the image and without thinking",
    () =>
      Effect.gen(function* () {
        const calls = [{ id: "toolu_1", name: "search", input: { q: "a" } }]
        const down = AnthropicServer.failure(529, "overloaded_error", "Overloaded")
        const first = yield* anthropic([AnthropicServer.message({ thinking: "Let me look.", calls }), down, down])
        const second = yield* provider("openai", [saying("gpt-4.1")])
        const { end, events } = yield* run(first, second, { streaming: true }, looking())
        assert.strictEqual(end._tag === "Answered" && end.text, "It is four long.")
        assert.deepInclude(summaryOf(events), ["ModelFellBack", 1])
        const sent = second.server.requests[0]?.body.messages ?? []
        assert.notInclude(JSON.stringify(sent), "Let me look.")
        const { parts } = JSON.parse(String(sent.at(-1)?.["content"]))
        assert.match(parts[0].resource_url, /^artifact:\/\/[0-9a-f]{32}$/u)
        assert.deepStrictEqual(
          { ...parts[0], resource_url: "" },
          { type: "file", media_type: "image/png", bytes: 4, resource_url: "" }
        )
      })
  )

  it.live("11.3 a conversation that returns to Anthropic contains its earlier thinking", () =>
    Effect.gen(function* () {
      const call = (id: string) => [{ id, name: "search", input: { q: id } }]
      const down = AnthropicServer.failure(529, "overloaded_error", "Overloaded")
      const first = yield* anthropic([
        AnthropicServer.message({ thinking: "First.", calls: call("toolu_1") }),
        down,
        down,
        AnthropicServer.message({ text: "Both." })
      ])
      const second = yield* provider("deepseek", [behaviours["deepseek"]!.calling])
      const { end } = yield* run(first, second)
      assert.strictEqual(end._tag === "Answered" && end.text, "Both.")
      const last = JSON.stringify(first.server.requests.at(-1)?.body.messages)
      assert.include(last, "First.")
    })
  )

  it.live("11.3 if no provider answers, the run ends with the failure of the first provider", () =>
    Effect.gen(function* () {
      const first = yield* provider("openai", [overloaded, overloaded])
      const second = yield* provider("ollama", [Server.failure(401, "no"), Server.failure(401, "no")])
      const { end, events } = yield* run(first, second)
      assert.deepStrictEqual([end._tag, end._tag === "NeedsPerson" && end.failure.code], ["NeedsPerson", "unavailable"])
      assert.deepStrictEqual(summaryOf(events).at(-1), "no model")
      assert.deepStrictEqual(end.usage.byModel, [])
    })
  )
})

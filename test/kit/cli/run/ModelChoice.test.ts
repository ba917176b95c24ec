/** Tests the choice of the model, and the errors for failed requests to the model. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, type Layer } from "effect"
import { AiError, LanguageModel } from "effect/ai"
import * as ScriptedModel from "effect-toolguard/layers/ScriptedModel"
import { backend } from "../../../../examples/orders/main.ts"
import { cannotAsk, choose } from "#kit/cli/run/ModelChoice"

const orders = backend({})
const { models: _, ...withoutModels } = orders

const choosing = (named: string | undefined, env: Readonly<Record<string, string>>, from = orders) =>
  choose(from, named, () => Effect.void).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  )

const label = (named: string | undefined, env: Readonly<Record<string, string>>) =>
  Effect.map(choosing(named, env), ({ label }) => label)

describe("ModelChoice", () => {
  it.effect(
    "prefers the named model to the environment's provider, and the provider to the backend's first model",
    () =>
      Effect.gen(function* () {
        const env = { OPENAI_BASE_URL: "http://localhost:11434/v1", OPENAI_MODEL: "qwen3" }
        assert.strictEqual(yield* label("deaf", env), "deaf (scripted)")
        assert.strictEqual(yield* label(undefined, env), "qwen3 at http://localhost:11434/v1")
        assert.match(yield* label(undefined, { OPENAI_API_KEY: "sk-x" }), /^gpt-.* at https:\/\/api\.openai\.com\/v1$/)
        assert.strictEqual(yield* label(undefined, { OPENAI_MODEL: "qwen3" }), "stubborn (scripted)")
        assert.strictEqual(yield* label(undefined, { OPENAI_API_KEY: "", OPENAI_BASE_URL: "" }), "stubborn (scripted)")
      })
  )

  it.effect("chooses Anthropic by its variables, and between two providers the one whose model is set", () =>
    Effect.gen(function* () {
      const anthropic = { ANTHROPIC_API_KEY: "sk-a" }
      assert.match(yield* label(undefined, anthropic), /^claude-.* at https:\/\/api\.anthropic\.com$/)
      assert.match(yield* label(undefined, { ANTHROPIC_AUTH_TOKEN: "t" }), /^claude-.* at https:/)
      const own = { ANTHROPIC_BASE_URL: "http://localhost:1", ANTHROPIC_MODEL: "m" }
      assert.strictEqual(yield* label(undefined, own), "m at http://localhost:1")
      assert.strictEqual(yield* label(undefined, { ANTHROPIC_MODEL: "m" }), "stubborn (scripted)")
      const both = { ...anthropic, OPENAI_API_KEY: "sk-o" }
      assert.match(yield* label(undefined, both), /^gpt-/)
      assert.match(yield* label(undefined, { ...both, ANTHROPIC_MODEL: "m" }), /^m at .*anthropic/)
      assert.match(yield* label(undefined, { ...both, ANTHROPIC_MODEL: "m", OPENAI_MODEL: "n" }), /^n at .*openai/)
      assert.strictEqual(yield* label("deaf", both), "deaf (scripted)")
    })
  )

  it.effect("chooses OpenAI's Responses API by OPENAI_API, for OpenAI only", () =>
    Effect.gen(function* () {
      const env = { OPENAI_API_KEY: "sk-o", OPENAI_API: "responses" }
      assert.strictEqual(yield* label(undefined, env), "gpt-5-mini at https://api.openai.com/v1")
      assert.match(yield* label(undefined, { ...env, OPENAI_API: "chat" }), /^gpt-4/)
      assert.match(
        yield* label(undefined, { ...env, ANTHROPIC_API_KEY: "a", ANTHROPIC_MODEL: "m" }),
        /^m at .*anthropic/
      )
      assert.strictEqual(yield* label(undefined, { OPENAI_API: "responses" }), "stubborn (scripted)")
      const refused = yield* Effect.flip(choosing(undefined, { ...env, OPENAI_API: "completions" }))
      assert.deepInclude(refused, {
        message: "OPENAI_API is not a known api: completions",
        remedy: "Set it to one of: chat, responses."
      })
    })
  )

  it.effect("names the available models, and how to configure one", () =>
    Effect.gen(function* () {
      const problemOf = (named: string | undefined, env = {}, from = orders) =>
        Effect.map(Effect.flip(choosing(named, env, from)), (problem) =>
          "remedy" in problem ? [problem.message, problem.remedy, problem.exitCode] : []
        )
      assert.deepStrictEqual(yield* problemOf("clever"), [
        `There is no model "clever".`,
        "Models of the backend orders: stubborn, deaf, obedient.",
        2
      ])
      assert.deepStrictEqual(yield* problemOf("deaf", {}, withoutModels), [
        `There is no model "deaf".`,
        "The backend orders has no models; leave out --model.",
        2
      ])
      assert.deepStrictEqual(yield* problemOf(undefined, {}, withoutModels), [
        "No model is configured, and the backend orders has none.",
        "Set OPENAI_API_KEY or ANTHROPIC_API_KEY, or OPENAI_BASE_URL or ANTHROPIC_BASE_URL for your own server.",
        1
      ])
      assert.deepStrictEqual(yield* problemOf(undefined, { OPENAI_BASE_URL: "localhost:11434" }), [
        "OPENAI_BASE_URL is not an http(s) URL: localhost:11434",
        "Set it to a URL such as http://localhost:11434/v1.",
        1
      ])
      assert.deepStrictEqual(yield* problemOf(undefined, { ANTHROPIC_BASE_URL: "localhost" }), [
        "ANTHROPIC_BASE_URL is not an http(s) URL: localhost",
        "Set it to a URL such as https://api.anthropic.com.",
        1
      ])
    })
  )

  it("reports why a request failed, and what to correct", () => {
    const problemOf = (reason: AiError.AiErrorReason, module = "M") => {
      const { message, remedy } = cannotAsk("m", AiError.make({ module, method: "m", reason }))
      return [message, remedy]
    }
    const network = { reason: "TransportError", method: "POST", url: "http://x", description: "ECONNREFUSED" } as const
    assert.deepStrictEqual(problemOf(new AiError.NetworkError(network)), [
      "The request to the model m failed: ECONNREFUSED",
      "Check that the server is running. Correct OPENAI_BASE_URL, or unset it."
    ])
    const remedies: ReadonlyArray<readonly [AiError.AiErrorReason, string]> = [
      [new AiError.AuthenticationError({ kind: "InvalidKey" }), "Correct OPENAI_API_KEY."],
      [
        new AiError.InvalidRequestError({ parameter: "model" }),
        "Check that the server has this model, and that the model supports tools. Set OPENAI_MODEL."
      ],
      [new AiError.RateLimitError({}), "The provider limits the rate of requests. Try again later."],
      [new AiError.QuotaExhaustedError({}), "The account has no quota left."],
      [
        new AiError.InvalidResponseError({ description: "the answer is not JSON" }),
        "Set OPENAI_BASE_URL to the URL of a chat completions API, up to and including /v1."
      ]
    ]
    for (const [reason, remedy] of remedies) assert.strictEqual(problemOf(reason)[1], remedy)
    assert.deepStrictEqual(
      remedies.map(([reason]) => problemOf(reason, "Anthropic")[1]),
      [
        "Correct ANTHROPIC_API_KEY.",
        "Check that the server has this model, and that the model supports tools. Set ANTHROPIC_MODEL.",
        "The provider limits the rate of requests. Try again later.",
        "The account has no quota left.",
        "Set ANTHROPIC_BASE_URL to the URL of a messages API, without /v1."
      ]
    )
    assert.strictEqual(
      problemOf(new AiError.InvalidResponseError({ description: "x" }), "OpenAiResponses")[1],
      "Set OPENAI_BASE_URL to the URL of a Responses API, up to and including /v1."
    )
  })

  it.effect("refuses an unknown profile, and names the known ones", () =>
    Effect.gen(function* () {
      const env = { OPENAI_BASE_URL: "http://localhost:1/v1", OPENAI_PROFILE: "lama" }
      const refused = yield* Effect.flip(choosing(undefined, env))
      assert.deepInclude(refused, {
        message: "OPENAI_PROFILE is not a known profile: lama",
        remedy: "Set it to one of: openai, compatible, qwen, vllm, ollama, deepseek."
      })
    })
  )

  it.effect("returns the layer of the backend's own model", () =>
    Effect.gen(function* () {
      const models = { only: ScriptedModel.layer(["hello"]) }
      const { layer } = yield* choosing("only", {}, { ...withoutModels, models })
      const { text } = yield* LanguageModel.generateText({ prompt: "?" }).pipe(
        // a scripted model neither fails nor needs an `HttpClient`
        Effect.provide(layer as Layer.Layer<LanguageModel.LanguageModel>)
      )
      assert.strictEqual(text, "hello")
    })
  )
})

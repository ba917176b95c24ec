/** Which model is asked, and what is said of one that cannot be. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, type Layer } from "effect"
import { AiError, LanguageModel } from "effect/ai"
import * as ScriptedModel from "effect-toolguard/layers/ScriptedModel"
import { backend } from "../../examples/orders/main.ts"
import { cannotAsk, choose } from "../../src/cli/ChooseModel.ts"

const orders = backend({})
const { models: _, ...withoutModels } = orders

const choosing = (named: string | undefined, env: Readonly<Record<string, string>>, from = orders) =>
  choose(from, named, () => Effect.void).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  )

const label = (named: string | undefined, env: Readonly<Record<string, string>>) =>
  Effect.map(choosing(named, env), ({ label }) => label)

describe("ChooseModel", () => {
  it.effect("takes the named model, else the provider of the environment, else the backend's first", () =>
    Effect.gen(function* () {
      const env = { OPENAI_BASE_URL: "http://localhost:11434/v1", OPENAI_MODEL: "qwen3" }
      assert.strictEqual(yield* label("deaf", env), "deaf (scripted)")
      assert.strictEqual(yield* label(undefined, env), "qwen3 at http://localhost:11434/v1")
      assert.match(yield* label(undefined, { OPENAI_API_KEY: "sk-x" }), /^gpt-.* at https:\/\/api\.openai\.com\/v1$/)
      assert.strictEqual(yield* label(undefined, { OPENAI_MODEL: "qwen3" }), "stubborn (scripted)")
      assert.strictEqual(yield* label(undefined, { OPENAI_API_KEY: "", OPENAI_BASE_URL: "" }), "stubborn (scripted)")
    })
  )

  it.effect("says which models there are, and how to set one", () =>
    Effect.gen(function* () {
      const told = (named: string | undefined, env = {}, from = orders) =>
        Effect.map(Effect.flip(choosing(named, env, from)), (problem) =>
          "remedy" in problem ? [problem.message, problem.remedy, problem.exitCode] : []
        )
      assert.deepStrictEqual(yield* told("clever"), [
        `There is no model "clever".`,
        "Models of the backend orders: stubborn, deaf, obedient.",
        2
      ])
      assert.deepStrictEqual(yield* told("deaf", {}, withoutModels), [
        `There is no model "deaf".`,
        "Models of the backend orders: none of its own.",
        2
      ])
      assert.deepStrictEqual(yield* told(undefined, {}, withoutModels), [
        "No model was chosen, and the backend orders brings none.",
        "Set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own.",
        1
      ])
      assert.deepStrictEqual(yield* told(undefined, { OPENAI_BASE_URL: "localhost:11434" }), [
        "OPENAI_BASE_URL is no address: localhost:11434",
        "It looks like http://localhost:11434/v1.",
        1
      ])
    })
  )

  it("says why a model cannot be asked, and what to correct", () => {
    const told = (reason: AiError.AiErrorReason) => {
      const { message, remedy } = cannotAsk("m", AiError.make({ module: "M", method: "m", reason }))
      return [message, remedy]
    }
    const network = { reason: "TransportError", method: "POST", url: "http://x", description: "ECONNREFUSED" } as const
    assert.deepStrictEqual(told(new AiError.NetworkError(network)), [
      "The model m cannot be asked: ECONNREFUSED",
      "Is its server running? Correct OPENAI_BASE_URL, or leave it out."
    ])
    const remedies: ReadonlyArray<readonly [AiError.AiErrorReason, string]> = [
      [new AiError.AuthenticationError({ kind: "InvalidKey" }), "Correct OPENAI_API_KEY."],
      [
        new AiError.InvalidRequestError({ parameter: "model" }),
        "Does it know this model, and tools? Set OPENAI_MODEL."
      ],
      [new AiError.RateLimitError({}), "It asks for fewer requests. Try again later."],
      [new AiError.QuotaExhaustedError({}), "Its account has no quota left."],
      [
        new AiError.InvalidResponseError({ description: "the answer is not JSON" }),
        "Is OPENAI_BASE_URL the address of a chat completions API, up to /v1?"
      ]
    ]
    for (const [reason, remedy] of remedies) assert.strictEqual(told(reason)[1], remedy)
  })

  it.effect("refuses a profile that there is none of, with their names", () =>
    Effect.gen(function* () {
      const env = { OPENAI_BASE_URL: "http://localhost:1/v1", OPENAI_PROFILE: "lama" }
      const refused = yield* Effect.flip(choosing(undefined, env))
      assert.deepInclude(refused, {
        message: "OPENAI_PROFILE is no profile: lama",
        remedy: "It is one of: openai, compatible, qwen, vllm, ollama, deepseek."
      })
    })
  )

  it.effect("gives a layer that asks the backend's own model", () =>
    Effect.gen(function* () {
      const models = { only: ScriptedModel.layer(["hello"]) }
      const { layer } = yield* choosing("only", {}, { ...withoutModels, models })
      const { text } = yield* LanguageModel.generateText({ prompt: "?" }).pipe(
        Effect.provide(layer as Layer.Layer<LanguageModel.LanguageModel>)
      )
      assert.strictEqual(text, "hello")
    })
  )
})

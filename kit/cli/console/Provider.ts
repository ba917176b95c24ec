/**
 * The providers that the environment can name, each by its variables: `OPENAI_API_KEY`, `OPENAI_BASE_URL`, `OPENAI_MODEL`
 * and the same with `ANTHROPIC_`.
 *
 * A provider is named by its key, its token or its address. Where both are, the one whose model is set counts, else OpenAI.
 */
import * as Anthropic from "effect-toolguard/layers/Anthropic"
import * as OpenAiCompatible from "effect-toolguard/layers/OpenAiCompatible"
import { Profile } from "effect-toolguard/layers/OpenAiCompatible"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Problem, problem } from "./Problem.ts"

export interface Provider {
  /** How its variables begin. */
  readonly prefix: "OPENAI" | "ANTHROPIC"
  /** What its address is of. */
  readonly address: string
  readonly example: string
  readonly defaultBaseUrl: string
  readonly defaultModel: string
  readonly layer: Layer.Layer<LanguageModel.LanguageModel, unknown, HttpClient.HttpClient>
}

const openAi: Provider = {
  prefix: "OPENAI",
  address: "the address of a chat completions API, up to /v1",
  example: "http://localhost:11434/v1",
  defaultBaseUrl: OpenAiCompatible.defaultBaseUrl,
  defaultModel: OpenAiCompatible.defaultModel,
  layer: OpenAiCompatible.layerConfig
}

const anthropic: Provider = {
  prefix: "ANTHROPIC",
  address: "the address of a messages API, up to and without /v1",
  example: Anthropic.defaultBaseUrl,
  defaultBaseUrl: Anthropic.defaultBaseUrl,
  defaultModel: Anthropic.defaultModel,
  layer: Anthropic.layerConfig
}

const setting = (name: string): Effect.Effect<string, Config.ConfigError> =>
  Effect.map(
    Config.option(Config.String(name)),
    Option.getOrElse(() => "")
  )

const isNamed = ({ prefix }: Provider): Effect.Effect<boolean, Config.ConfigError> =>
  Effect.map(
    Effect.forEach(["API_KEY", "AUTH_TOKEN", "BASE_URL"], (name) => setting(`${prefix}_${name}`)),
    (found) => found.some((value) => value !== "")
  )

/** The provider of the environment; undefined where it names none. */
export const ofEnvironment: Effect.Effect<Provider | undefined, Config.ConfigError> = Effect.gen(function* () {
  const named = yield* Effect.filter([openAi, anthropic], isNamed)
  const chosen = yield* Effect.filter(named, ({ prefix }) =>
    Effect.map(setting(`${prefix}_MODEL`), (model) => model !== "")
  )
  return chosen[0] ?? named[0]
})

/** What is read of a provider's variables: nothing that the layer does not read itself, but checked. */
export const read = (
  provider: Provider
): Effect.Effect<
  { readonly baseUrl: string; readonly model: string; readonly layer: Provider["layer"] },
  Problem | Config.ConfigError
> =>
  Effect.gen(function* () {
    const { defaultBaseUrl, defaultModel, example, layer, prefix } = provider
    const baseUrl = yield* setting(`${prefix}_BASE_URL`)
    if (baseUrl !== "" && !/^https?:\/\/\S+$/u.test(baseUrl)) {
      return yield* problem(`${prefix}_BASE_URL is no address: ${baseUrl}`, `It looks like ${example}.`)
    }
    const profile = yield* setting("OPENAI_PROFILE")
    if (provider === openAi && profile !== "" && !Profile.names.some((name) => name === profile)) {
      return yield* problem(`OPENAI_PROFILE is no profile: ${profile}`, `It is one of: ${Profile.names.join(", ")}.`)
    }
    const model = (yield* setting(`${prefix}_MODEL`)) || defaultModel
    return { baseUrl: baseUrl || defaultBaseUrl, model, layer }
  })

/** The provider whose layer an error came from. */
export const ofModule = (module: string): Provider => (module === "Anthropic" ? anthropic : openAi)

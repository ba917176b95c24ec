/**
 * Lists the providers that the environment can select.
 *
 * `PREFIX_API_KEY`, `PREFIX_AUTH_TOKEN` or `PREFIX_BASE_URL` selects a provider. If several providers are selected, the
 * first provider with `PREFIX_MODEL` is used, otherwise the first selected provider. `OPENAI_API=responses` chooses the
 * Responses API instead of chat completions.
 */
import * as Anthropic from "effect-toolguard/layers/Anthropic"
import * as OpenAiCompatible from "effect-toolguard/layers/OpenAiCompatible"
import { Profile } from "effect-toolguard/layers/OpenAiCompatible"
import * as OpenAiResponses from "effect-toolguard/layers/OpenAiResponses"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Problem, problem } from "./Problem.ts"

interface Provider {
  /** The module of the provider's layer, which errors name. */
  readonly module: string
  /** The prefix of the provider's variables. */
  readonly prefix: string
  /** A description of the base URL. */
  readonly address: string
  /** An example of a base URL. */
  readonly example: string
  readonly defaultBaseUrl: string
  readonly defaultModel: string
  /** The variables that have a fixed set of values, by name without the prefix. */
  readonly choices?: { readonly [variable: string]: ReadonlyArray<string> }
  /** The model that the variables configure. */
  readonly layer: Layer.Layer<LanguageModel.LanguageModel, unknown, HttpClient.HttpClient>
}

const openAiApis = ["chat", "responses"]

const openAi: Provider = {
  module: "OpenAiCompatible",
  prefix: "OPENAI",
  address: "the URL of a chat completions API, up to and including /v1",
  example: "http://localhost:11434/v1",
  defaultBaseUrl: OpenAiCompatible.defaultBaseUrl,
  defaultModel: OpenAiCompatible.defaultModel,
  choices: { API: openAiApis, PROFILE: Profile.names },
  layer: OpenAiCompatible.layerConfig
}

const openAiResponses: Provider = {
  module: "OpenAiResponses",
  prefix: "OPENAI",
  address: "the URL of a Responses API, up to and including /v1",
  example: OpenAiResponses.defaultBaseUrl,
  defaultBaseUrl: OpenAiResponses.defaultBaseUrl,
  defaultModel: OpenAiResponses.defaultModel,
  choices: { API: openAiApis },
  layer: OpenAiResponses.layerConfig
}

const anthropic: Provider = {
  module: "Anthropic",
  prefix: "ANTHROPIC",
  address: "the URL of a messages API, without /v1",
  example: Anthropic.defaultBaseUrl,
  defaultBaseUrl: Anthropic.defaultBaseUrl,
  defaultModel: Anthropic.defaultModel,
  layer: Anthropic.layerConfig
}

const providers: ReadonlyArray<Provider> = [openAi, anthropic]

/** Returns the names of a variable for all providers, e.g. `OPENAI_API_KEY or ANTHROPIC_API_KEY`. */
export const variables = (name: "API_KEY" | "BASE_URL"): string =>
  providers.map(({ prefix }) => `${prefix}_${name}`).join(" or ")

/** Reads a variable. Returns an empty string if it is not set. */
const setting = (name: string): Effect.Effect<string, Config.ConfigError> =>
  Effect.map(
    Config.option(Config.String(name)),
    Option.getOrElse(() => "")
  )

const isSelected = ({ prefix }: Provider): Effect.Effect<boolean, Config.ConfigError> =>
  Effect.map(
    Effect.forEach(["API_KEY", "AUTH_TOKEN", "BASE_URL"], (name) => setting(`${prefix}_${name}`)),
    (found) => found.some((value) => value !== "")
  )

/** Finds the provider that the environment selects; `undefined` if it selects no provider. */
export const ofEnvironment: Effect.Effect<Provider | undefined, Config.ConfigError> = Effect.gen(function* () {
  const selected = yield* Effect.filter(providers, isSelected)
  const withModel = yield* Effect.filter(selected, ({ prefix }) =>
    Effect.map(setting(`${prefix}_MODEL`), (model) => model !== "")
  )
  const provider = withModel[0] ?? selected[0]
  return provider === openAi && (yield* setting("OPENAI_API")) === "responses" ? openAiResponses : provider
})

/** Checks the variables that have a fixed set of values. */
const checkChoices = ({ choices = {}, prefix }: Provider): Effect.Effect<void, Problem | Config.ConfigError> =>
  Effect.forEach(
    Object.entries(choices),
    ([name, values]) =>
      Effect.flatMap(setting(`${prefix}_${name}`), (value) =>
        value === "" || values.includes(value)
          ? Effect.void
          : problem(
              `${prefix}_${name} is not a known ${name.toLowerCase()}: ${value}`,
              `Set it to one of: ${values.join(", ")}.`
            )
      ),
    { discard: true }
  )

/** Reads the base URL and the model of a provider from its variables. Fails with a `Problem` if a variable is invalid. */
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
      return yield* problem(
        `${prefix}_BASE_URL is not an http(s) URL: ${baseUrl}`,
        `Set it to a URL such as ${example}.`
      )
    }
    yield* checkChoices(provider)
    const model = (yield* setting(`${prefix}_MODEL`)) || defaultModel
    return { baseUrl: baseUrl || defaultBaseUrl, model, layer }
  })

/** Returns the provider whose module an error names, or the first in the table if no provider has that module. */
export const ofModule = (module: string): Provider =>
  [...providers, openAiResponses].find((each) => each.module === module) ?? openAi

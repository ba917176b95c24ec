/**
 * A `LanguageModel` over the chat completions API: OpenAI, Qwen, vLLM, Ollama, llama.cpp and other servers.
 *
 * - Mistakes of the model never fail a request: a call with broken arguments arrives with its id and the text that the
 *   model wrote; an answer cut by the output limit has the finish reason `length`.
 * - Messages that servers refuse are repaired in the request (`openai/Messages.ts`). If the conversation itself has to
 *   be repaired, a warning is logged.
 * - A `Profile` describes how a server differs from OpenAI's: pass the name of a built-in profile, or a record.
 * - Failures are `AiError`s whose reason says whether waiting helps; `ModelFailure.isContextLimit` recognises a
 *   conversation that is too long. This layer does not retry requests; `ModelPolicy` does.
 */
import type * as LanguageModel from "effect/ai/LanguageModel"
import { toCodecOpenAI } from "effect/ai/OpenAiStructuredOutput"
import * as Config from "effect/Config"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Failures from "#layers/internal/model/Failures"
import type { Protocol } from "#layers/internal/model/Protocol"
import * as Provider from "#layers/internal/model/Provider"
import * as Messages from "#layers/internal/openai/Messages"
import * as Profile from "#layers/internal/openai/Profile"
import * as Request from "#layers/internal/openai/Request"
import { readWhole } from "#layers/internal/openai/Response"
import { readStream } from "#layers/internal/openai/Stream"

export * as Profile from "#layers/internal/openai/Profile"
export type { Settings } from "#layers/internal/openai/Request"

/** The connection and the settings of the model. */
export interface Options extends Provider.Connection<Request.Settings> {
  /** The URL without `/chat/completions`, e.g. `http://localhost:11434/v1`. */
  readonly baseUrl: string
  /** The key, sent as a bearer token. Omit it for servers that need no key. */
  readonly apiKey?: Redacted.Redacted | undefined
  /**
   * The differences of the server: the name of a built-in profile, or a record. Default: the profile of a hosted server
   * with a known address, otherwise `compatible`.
   */
  readonly profile?: Profile.ProfileName | Profile.Profile
  /** Turns the model's thinking on or off, if the profile has fields for it. Default: the server decides. */
  readonly thinking?: boolean
  /**
   * Whether streamed requests ask for token counts. Default: the profile decides. Some older servers refuse the field.
   */
  readonly includeUsage?: boolean
}

/** The base URL if `OPENAI_BASE_URL` is not set. */
export const defaultBaseUrl = "https://api.openai.com/v1"

/** The model if `OPENAI_MODEL` is not set. */
export const defaultModel = "gpt-4.1-mini"

const protocol: Protocol = {
  name: "openai",
  errorIn: Failures.errorIn,
  readWhole,
  readStream,
  eventSize: 16,
  endMark: "[DONE]"
}

const profileOf = ({ baseUrl, profile }: Options): Profile.Profile => {
  if (profile === undefined) return Profile.ofAddress(baseUrl)
  return typeof profile === "string" ? Profile.profiles[profile] : profile
}

const write = (
  request: LanguageModel.ProviderOptions,
  settings: Provider.RequestSettings<Request.Settings>,
  options: Options
): Provider.ProviderRequest => {
  const profile = profileOf(options)
  const { changes, messages } = Messages.make(request.prompt, profile)
  const usage = (options.includeUsage ?? profile.streamUsage) ? { stream_options: { include_usage: true } } : {}
  return {
    changes,
    telemetry: {
      provider: profile.name === "compatible" ? "openai" : profile.name,
      request: {
        temperature: settings.temperature,
        topP: settings.top_p,
        maxTokens: settings.max_completion_tokens ?? settings.max_tokens
      }
    },
    body: (isStreamed) => ({
      ...Request.body(request, messages, settings, profile),
      ...(isStreamed ? { stream: true, ...usage } : {})
    })
  }
}

const openAi = Provider.make<Request.Settings, Options>({
  module: "OpenAiCompatible",
  protocol,
  codecTransformer: toCodecOpenAI,
  url: (baseUrl) => `${baseUrl}/chat/completions`,
  credentials: ({ apiKey }) => apiKey && { _tag: "Bearer", secret: apiKey },
  presets: (options) =>
    options.thinking === undefined ? {} : { ...profileOf(options).thinking?.[options.thinking ? "on" : "off"] },
  write,
  defaults: { baseUrl: defaultBaseUrl, model: defaultModel },
  environment: {
    prefix: "OPENAI",
    complete: (connection) =>
      Effect.map(
        Config.option(Config.Literals(Profile.names, "OPENAI_PROFILE")),
        Option.match({ onNone: () => connection, onSome: (profile) => ({ ...connection, profile }) })
      )
  }
})

/** Settings for the requests that an effect makes. They override the layer's settings. Set by `withSettings`. */
export const CurrentSettings: Context.Reference<Request.Settings> = openAi.CurrentSettings

/**
 * Sets fields of the requests that an effect makes, e.g. `withSettings({ temperature: 0 })`. Inner settings override
 * outer settings.
 */
export const withSettings: (
  settings: Request.Settings
) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = openAi.withSettings

/** Creates the model. The `HttpClient` must not retry. */
export const make: (options: Options) => Effect.Effect<LanguageModel.LanguageModel, never, HttpClient.HttpClient> =
  openAi.make

/** Provides the model as a layer. */
export const layer: (options: Options) => Layer.Layer<LanguageModel.LanguageModel, never, HttpClient.HttpClient> =
  openAi.layer

/**
 * The model configured by the environment: `OPENAI_API_KEY` (optional), `OPENAI_BASE_URL`, `OPENAI_MODEL`, and
 * `OPENAI_PROFILE`, the name of a profile. Any other name fails with a `ConfigError` that lists the profiles.
 */
export const layerConfig: Layer.Layer<LanguageModel.LanguageModel, Config.ConfigError, HttpClient.HttpClient> =
  openAi.layerConfig

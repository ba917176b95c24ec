/**
 * A `LanguageModel` over Anthropic's messages API.
 *
 * - Mistakes of the model never fail a request: a call with broken arguments arrives with its id and the text that the
 *   model wrote; an answer cut by the output limit has the finish reason `length`.
 * - Results are sent as `tool_result` blocks with `is_error`, at the start of the user message after the calls.
 *   Thinking is sent back with its signature. If the conversation has to be repaired, a warning is logged.
 * - Failures are `AiError`s whose reason says whether waiting helps; `ModelFailure.isContextLimit` recognises a
 *   conversation that is too long. This layer does not retry requests; `ModelPolicy` does.
 *
 * **Gotchas**
 *
 * System messages are sent first, wherever they are in the conversation. A streamed answer fails after `timeout` without
 * text, thinking or arguments: raise `timeout` for models that do not stream their thinking.
 */
import { toCodecAnthropic } from "effect/ai/AnthropicStructuredOutput"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Config from "effect/Config"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Fields from "#domain/json/Fields"
import type * as Transcript from "#domain/transcript/Transcript"
import * as Request from "#layers/internal/anthropic/Request"
import { outputAsText, readWhole } from "#layers/internal/anthropic/Response"
import { readStream } from "#layers/internal/anthropic/Stream"
import * as Failures from "#layers/internal/model/Failures"
import type { Credentials } from "#layers/internal/model/Http"
import type { Protocol } from "#layers/internal/model/Protocol"
import * as Provider from "#layers/internal/model/Provider"

export type { Settings, StructuredOutput } from "#layers/internal/anthropic/Request"

/** The connection and the settings of the model. */
export interface Options extends Provider.Connection<Request.Settings> {
  /** The URL without `/v1/messages`. Default `https://api.anthropic.com`. */
  readonly baseUrl?: string
  /** The key, sent as `x-api-key`. Omit it for gateways that need no key. */
  readonly apiKey?: Redacted.Redacted | undefined
  /** The bearer token, which gateways and other servers of this protocol accept instead of a key. */
  readonly authToken?: Redacted.Redacted | undefined
  /**
   * The version of the API, sent as `anthropic-version`. Default `2023-06-01`, which every server accepts; `2026-10-21`
   * refuses `temperature`, `top_p` and `top_k`.
   */
  readonly version?: string
  /**
   * Marks the tools, the system text and the conversation so far for the provider's cache, for 5 minutes or for `ttl`.
   * Default false: only the marks that the conversation already contains are sent.
   */
  readonly cache?: boolean | { readonly ttl: "5m" | "1h" }
  /**
   * How structured output is requested. Default `format`. Use `tool` for models without `output_config`; the API does
   * not accept `tool` together with thinking.
   */
  readonly structuredOutput?: Request.StructuredOutput
}

/** The base URL if `ANTHROPIC_BASE_URL` is not set. */
export const defaultBaseUrl = "https://api.anthropic.com"

/** The model if `ANTHROPIC_MODEL` is not set. */
export const defaultModel = "claude-haiku-4-5"

const defaultVersion = "2023-06-01"

const protocol: Protocol = {
  name: "anthropic",
  errorIn: (body) => (Fields.of(body)["type"] === "error" ? body : Failures.errorIn(body)),
  readWhole,
  readStream,
  eventSize: 32
}

const credentials = ({ apiKey, authToken }: Options): Credentials | undefined => {
  if (authToken !== undefined) return { _tag: "Bearer", secret: authToken }
  return apiKey && { _tag: "Header", name: "x-api-key", secret: apiKey }
}

const cacheOf = (cache: Options["cache"]): Transcript.AnthropicCacheControl | undefined => {
  if (cache === undefined || cache === false) return undefined
  return { type: "ephemeral", ...(cache === true ? {} : { ttl: cache.ttl }) }
}

const write = (
  request: LanguageModel.ProviderOptions,
  settings: Provider.RequestSettings<Request.Settings>,
  { cache, structuredOutput = "format" }: Options
): Provider.ProviderRequest => {
  const { changes, history } = Request.history(request.prompt)
  const format = request.responseFormat
  const options = { settings, structuredOutput, cache: cacheOf(cache) }
  return {
    changes,
    telemetry: {
      provider: "anthropic",
      request: {
        temperature: settings.temperature,
        topK: settings.top_k,
        topP: settings.top_p,
        maxTokens: settings.max_tokens
      }
    },
    body: (isStreamed) => ({ ...Request.body(request, history, options), ...(isStreamed ? { stream: true } : {}) }),
    ...(format.type === "json" && structuredOutput === "tool"
      ? { onWhole: (parts) => outputAsText(Request.outputName(format.objectName), parts) }
      : {})
  }
}

const anthropic = Provider.make<Request.Settings, Options>({
  module: "Anthropic",
  protocol,
  codecTransformer: toCodecAnthropic,
  url: (baseUrl) => `${baseUrl.replace(/\/v1$/u, "")}/v1/messages`,
  credentials,
  headers: ({ version = defaultVersion }) => ({ "anthropic-version": version }),
  write,
  defaults: { baseUrl: defaultBaseUrl, model: defaultModel },
  environment: {
    prefix: "ANTHROPIC",
    complete: (connection) =>
      connection.apiKey === undefined
        ? Effect.map(Provider.secret("ANTHROPIC_AUTH_TOKEN"), (authToken) => ({ ...connection, authToken }))
        : Effect.succeed(connection)
  }
})

/** Settings for the requests that an effect makes. They override the layer's settings. Set by `withSettings`. */
export const CurrentSettings: Context.Reference<Request.Settings> = anthropic.CurrentSettings

/**
 * Sets fields of the requests that an effect makes, e.g. `withSettings({ temperature: 0 })`. Inner settings override
 * outer settings.
 */
export const withSettings: (
  settings: Request.Settings
) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = anthropic.withSettings

/** Creates the model. The `HttpClient` must not retry. */
export const make: (options: Options) => Effect.Effect<LanguageModel.LanguageModel, never, HttpClient.HttpClient> =
  anthropic.make

/** Provides the model as a layer. */
export const layer: (options: Options) => Layer.Layer<LanguageModel.LanguageModel, never, HttpClient.HttpClient> =
  anthropic.layer

/**
 * The model configured by the environment: `ANTHROPIC_API_KEY` or `ANTHROPIC_AUTH_TOKEN`, `ANTHROPIC_BASE_URL`,
 * `ANTHROPIC_MODEL`.
 */
export const layerConfig: Layer.Layer<LanguageModel.LanguageModel, Config.ConfigError, HttpClient.HttpClient> =
  anthropic.layerConfig

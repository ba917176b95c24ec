/**
 * A `LanguageModel` over Anthropic's messages API.
 *
 * - Mistakes of the model never fail a request: a call with broken arguments arrives with its id and the text that the
 *   model wrote, one cut off by the output limit with the finish reason `length`.
 * - Results go back as `tool_result` blocks, first in the user message behind the calls, with `is_error`. Thinking goes
 *   back with its signature. Repairs of the conversation are logged as a warning.
 * - Failures are `AiError`s whose reason says whether waiting helps; a conversation that is too long is recognised by
 *   `isContextLimit` of `ModelFailure`. Nothing is retried here: that is `ModelPolicy`.
 *
 * **Gotchas**
 *
 * System messages are told at the front, wherever they stand in the conversation. A streamed answer is given up after
 * `timeout` without text, thinking or arguments: raise it for models that think for long without saying what.
 */
import * as AiError from "effect/ai/AiError"
import { toCodecAnthropic } from "effect/ai/AnthropicStructuredOutput"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Telemetry from "effect/ai/Telemetry"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Transcript from "#domain/transcript/Transcript"
import * as OutputTool from "#layers/internal/anthropic/OutputTool"
import * as Request from "#layers/internal/anthropic/Request"
import { parts } from "#layers/internal/anthropic/Response"
import * as Translator from "#layers/internal/anthropic/Stream"
import { annotate } from "#layers/internal/model/Annotations"
import * as Http from "#layers/internal/model/Http"

export type { Settings, StructuredOutput } from "#layers/internal/anthropic/Request"

/** What a layer is made of. */
export interface Options {
  readonly model: string
  /** Up to and without `/v1/messages`. Default `https://api.anthropic.com`. */
  readonly baseUrl?: string
  /** Sent as `x-api-key`; absent for gateways that want none. */
  readonly apiKey?: Redacted.Redacted | undefined
  /** Sent as a bearer token, which gateways and other servers of this protocol want instead of a key. */
  readonly authToken?: Redacted.Redacted | undefined
  /**
   * The version of the API, sent as `anthropic-version`. Default `2023-06-01`, which every server takes; `2026-10-21`
   * refuses `temperature`, `top_p` and `top_k`.
   */
  readonly version?: string
  /** Further headers of every request, e.g. `anthropic-beta`. */
  readonly headers?: { readonly [name: string]: string }
  /** Fields of every request, e.g. `{ max_tokens: 4096 }`. */
  readonly settings?: Request.Settings
  /**
   * Marks the tools, the system text and the conversation so far for the provider's cache, for 5 minutes or what `ttl`
   * says. Default false: only what is marked in the conversation itself.
   */
  readonly cache?: boolean | { readonly ttl: "5m" | "1h" }
  /**
   * How structured output is asked for. Default `format`; `tool` for models that know no `output_config`, and not together
   * with thinking.
   */
  readonly structuredOutput?: Request.StructuredOutput
  /** How long a whole answer may take, and the silence between two pieces of a streamed one. Default 5 minutes. */
  readonly timeout?: Duration.Input
  /** Most bytes of an answer that are read. Default 10 MB. */
  readonly maxBytes?: number
}

/** Fields for the requests within an effect, over those of the layer. Set it with `withSettings`. */
export const CurrentSettings: Context.Reference<Request.Settings> = Context.Reference(
  "effect-toolguard/layers/Anthropic/CurrentSettings",
  { defaultValue: (): Request.Settings => ({}) }
)

/** Adds fields to the requests that an effect makes, e.g. `withSettings({ temperature: 0 })`. Inner ones win. */
export const withSettings =
  (settings: Request.Settings) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(CurrentSettings, (outer) =>
      Effect.provideService(effect, CurrentSettings, { ...outer, ...settings })
    )

const fail = (method: string) => (reason: AiError.AiErrorReason) =>
  AiError.make({ module: "Anthropic", method, reason })

/** Builds the body of a request, and tells the span and the log about it. */
const prepare = (options: Options, method: string) => (request: LanguageModel.ProviderOptions) =>
  Effect.gen(function* () {
    const settings = { model: options.model, ...options.settings, ...(yield* CurrentSettings) }
    const { changes, history } = Request.history(request.prompt)
    if (changes.length > 0) yield* Effect.logWarning("The conversation was repaired before it was sent", changes)
    Telemetry.addGenAIAnnotations(request.span, {
      provider: { name: "anthropic" },
      operation: { name: "chat" },
      request: {
        model: settings.model,
        temperature: settings.temperature,
        topK: settings.top_k,
        topP: settings.top_p,
        maxTokens: settings.max_tokens
      }
    })
    const structuredOutput = options.structuredOutput ?? "format"
    const cache = cacheOf(options.cache)
    const body = yield* Effect.try({
      try: () => Request.body(request, history, { settings, structuredOutput, cache }),
      catch: (cause) => fail(method)(new AiError.UnsupportedSchemaError({ description: String(cause) }))
    })
    return { body, seen: Transcript.callIds(request.prompt) }
  })

const cacheOf = (cache: Options["cache"]): Transcript.AnthropicCacheControl | undefined => {
  if (cache === undefined || cache === false) return undefined
  return { type: "ephemeral", ...(cache === true ? {} : { ttl: cache.ttl }) }
}

const defaultVersion = "2023-06-01"

const secretOf = ({ apiKey, authToken }: Options): string => {
  const secret = authToken ?? apiKey
  return secret === undefined ? "" : Redacted.value(secret)
}

const authorize = ({ apiKey, authToken }: Options): Http.Endpoint["authorize"] => {
  if (authToken !== undefined) return HttpClientRequest.bearerToken(authToken)
  return apiKey === undefined ? identity : HttpClientRequest.setHeader("x-api-key", Redacted.value(apiKey))
}

const endpointOf = (options: Options, client: HttpClient.HttpClient): Http.Endpoint => ({
  protocol: { provider: "anthropic", parts, translator: Translator.make },
  client,
  url: `${(options.baseUrl ?? defaultBaseUrl).replace(/\/+$/u, "").replace(/\/v1$/u, "")}/v1/messages`,
  authorize: authorize(options),
  secret: secretOf(options),
  headers: { "anthropic-version": options.version ?? defaultVersion, ...options.headers },
  timeout: Duration.fromInputUnsafe(options.timeout ?? "5 minutes"),
  maxBytes: options.maxBytes ?? 10_000_000
})

/** Makes the model. It needs an `HttpClient`; that one must not retry. */
export const make = (options: Options): Effect.Effect<LanguageModel.LanguageModel, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const endpoint = endpointOf(options, yield* HttpClient.HttpClient)
    const outputOf = ({ responseFormat: format }: LanguageModel.ProviderOptions) =>
      format.type === "json" && options.structuredOutput === "tool" ? Request.outputName(format.objectName) : undefined
    return yield* LanguageModel.make({
      codecTransformer: toCodecAnthropic,
      supportsSystemMessagesInHistory: Effect.succeed(true),
      generateText: (request) =>
        Effect.flatMap(prepare(options, "generateText")(request), ({ body, seen }) =>
          Http.request(endpoint, body, seen).pipe(
            Effect.tap((answer) => Effect.sync(() => answer.forEach((part) => annotate(request.span, part)))),
            Effect.map((answer) => {
              const output = outputOf(request)
              return output === undefined ? answer : OutputTool.asText(output, answer)
            }),
            Effect.mapError(fail("generateText"))
          )
        ),
      streamText: (request) =>
        Stream.unwrap(
          Effect.map(prepare(options, "streamText")(request), ({ body, seen }) =>
            Http.requestStream(endpoint, { ...body, stream: true }, seen).pipe(
              Stream.tap((part) => Effect.sync(() => annotate(request.span, part))),
              Stream.mapError(fail("streamText"))
            )
          )
        )
    })
  })

/** The model as a layer. */
export const layer = (options: Options): Layer.Layer<LanguageModel.LanguageModel, never, HttpClient.HttpClient> =>
  Layer.effect(LanguageModel.LanguageModel, make(options))

/** Where requests go without `ANTHROPIC_BASE_URL`. */
export const defaultBaseUrl = "https://api.anthropic.com"

/** The model that is asked without `ANTHROPIC_MODEL`. */
export const defaultModel = "claude-haiku-4-5"

/** The model of the environment: `ANTHROPIC_API_KEY` or `ANTHROPIC_AUTH_TOKEN`, `ANTHROPIC_BASE_URL`, `ANTHROPIC_MODEL`. */
export const layerConfig: Layer.Layer<LanguageModel.LanguageModel, Config.ConfigError, HttpClient.HttpClient> =
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.gen(function* () {
      const apiKey = yield* secret("ANTHROPIC_API_KEY")
      return yield* make({
        baseUrl: yield* Config.withDefault(Config.String("ANTHROPIC_BASE_URL"), defaultBaseUrl),
        model: yield* Config.withDefault(Config.String("ANTHROPIC_MODEL"), defaultModel),
        apiKey,
        authToken: apiKey === undefined ? yield* secret("ANTHROPIC_AUTH_TOKEN") : undefined
      })
    })
  )

/** A secret of the environment; an empty one is none. */
const secret = (name: string): Effect.Effect<Redacted.Redacted | undefined, Config.ConfigError> =>
  Effect.map(Config.withDefault(Config.Redacted(name), Redacted.make("")), (value) =>
    Redacted.value(value) === "" ? undefined : value
  )

/**
 * A `LanguageModel` over the chat completions API: OpenAI, Qwen, vLLM, Ollama, llama.cpp and whoever else speaks it.
 *
 * - Mistakes of the model never fail a request: a call with broken arguments arrives with its id and the text that the
 *   model wrote, one cut off by the output limit with the finish reason `length`.
 * - What a server refuses in a history is mended on the wire (`openai/Messages.ts`); repairs of the conversation itself
 *   are logged as a warning.
 * - What servers do differently is data (`Profile`): their name in `profile`, or a record of your own.
 * - Failures are `AiError`s whose reason says whether waiting helps; a conversation that is too long is recognised by
 *   `isContextLimit` of `ModelFailure`. Nothing is retried here: that is `ModelPolicy`.
 */
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import { toCodecOpenAI } from "effect/ai/OpenAiStructuredOutput"
import * as Telemetry from "effect/ai/Telemetry"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Transcript from "#domain/transcript/Transcript"
import { annotate } from "#layers/internal/model/Annotations"
import * as Http from "#layers/internal/model/Http"
import * as Messages from "#layers/internal/openai/Messages"
import * as Profile from "#layers/internal/openai/Profile"
import * as Request from "#layers/internal/openai/Request"
import { parts } from "#layers/internal/openai/Response"
import * as Translator from "#layers/internal/openai/Stream"

export * as Profile from "#layers/internal/openai/Profile"
export type { Settings } from "#layers/internal/openai/Request"

/** What a layer is made of. */
export interface Options {
  /** Up to and without `/chat/completions`, e.g. `http://localhost:11434/v1`. */
  readonly baseUrl: string
  readonly model: string
  /** Sent as a bearer token; absent for servers that want none. */
  readonly apiKey?: Redacted.Redacted | undefined
  /** Further headers of every request. */
  readonly headers?: { readonly [name: string]: string }
  /** Fields of every request, e.g. `{ temperature: 0 }`. */
  readonly settings?: Request.Settings
  /**
   * What the server does differently: one of ours by its name, or a record. Default: by the address of a hosted server, else
   * `compatible`.
   */
  readonly profile?: Profile.ProfileName | Profile.Profile
  /** Turns the model's thinking on or off, where the profile knows how. Default: as the server does. */
  readonly thinking?: boolean
  /** Whether streamed requests ask for token counts. Default: as the profile says. Some older servers refuse the field. */
  readonly includeUsage?: boolean
  /** How long a whole answer may take, and the silence between two pieces of a streamed one. Default 5 minutes. */
  readonly timeout?: Duration.Input
  /** Most bytes of an answer that are read. Default 10 MB. */
  readonly maxBytes?: number
}

/** Fields for the requests within an effect, over those of the layer. Set it with `withSettings`. */
export const CurrentSettings: Context.Reference<Request.Settings> = Context.Reference(
  "effect-toolguard/layers/OpenAiCompatible/CurrentSettings",
  { defaultValue: (): Request.Settings => ({}) }
)

/** Adds fields to the requests that an effect makes, e.g. `withSettings({ temperature: 0 })`. Inner ones win. */
export const withSettings =
  (settings: Request.Settings) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(CurrentSettings, (outer) =>
      Effect.provideService(effect, CurrentSettings, { ...outer, ...settings })
    )

interface Prepared {
  readonly body: { readonly [field: string]: unknown }
  readonly seen: ReadonlySet<string>
}

const fail = (method: string) => (reason: AiError.AiErrorReason) =>
  AiError.make({ module: "OpenAiCompatible", method, reason })

const profileOf = ({ baseUrl, profile }: Options): Profile.Profile => {
  if (profile === undefined) return Profile.ofAddress(baseUrl)
  return typeof profile === "string" ? Profile.profiles[profile] : profile
}

/** Builds the body of a request, and tells the span and the log about it. */
const prepare = (options: Options, method: string) => (request: LanguageModel.ProviderOptions) =>
  Effect.gen(function* () {
    const profile = profileOf(options)
    const thinking = options.thinking === undefined ? {} : profile.thinking?.[options.thinking ? "on" : "off"]
    const settings = { model: options.model, ...thinking, ...options.settings, ...(yield* CurrentSettings) }
    const { changes, messages } = Messages.make(request.prompt, profile)
    if (changes.length > 0) yield* Effect.logWarning("The conversation was repaired before it was sent", changes)
    Telemetry.addGenAIAnnotations(request.span, {
      provider: { name: profile.name === "compatible" ? "openai" : profile.name },
      operation: { name: "chat" },
      request: {
        model: settings.model,
        temperature: settings.temperature,
        topP: settings.top_p,
        maxTokens: settings.max_completion_tokens ?? settings.max_tokens
      }
    })
    const body = yield* Effect.try({
      try: () => Request.body(request, messages, settings, profile),
      catch: (cause) => fail(method)(new AiError.UnsupportedSchemaError({ description: String(cause) }))
    })
    return { body, seen: Transcript.callIds(request.prompt) } satisfies Prepared
  })

/** Makes the model. It needs an `HttpClient`; that one must not retry. */
export const make = (options: Options): Effect.Effect<LanguageModel.LanguageModel, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const endpoint: Http.Endpoint = {
      protocol: { provider: "openai", parts, translator: Translator.make },
      client: yield* HttpClient.HttpClient,
      url: `${options.baseUrl.replace(/\/+$/u, "")}/chat/completions`,
      authorize: options.apiKey === undefined ? identity : HttpClientRequest.bearerToken(options.apiKey),
      secret: options.apiKey === undefined ? "" : Redacted.value(options.apiKey),
      headers: options.headers ?? {},
      timeout: Duration.fromInputUnsafe(options.timeout ?? "5 minutes"),
      maxBytes: options.maxBytes ?? 10_000_000
    }
    const streamed = {
      stream: true,
      ...((options.includeUsage ?? profileOf(options).streamUsage) ? { stream_options: { include_usage: true } } : {})
    }
    return yield* LanguageModel.make({
      codecTransformer: toCodecOpenAI,
      supportsSystemMessagesInHistory: Effect.succeed(true),
      generateText: (request) =>
        Effect.flatMap(prepare(options, "generateText")(request), ({ body, seen }) =>
          Http.request(endpoint, body, seen).pipe(
            Effect.tap((parts) => Effect.sync(() => parts.forEach((part) => annotate(request.span, part)))),
            Effect.mapError(fail("generateText"))
          )
        ),
      streamText: (request) =>
        Stream.unwrap(
          Effect.map(prepare(options, "streamText")(request), ({ body, seen }) =>
            Http.requestStream(endpoint, { ...body, ...streamed }, seen).pipe(
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

/** Where requests go without `OPENAI_BASE_URL`. */
export const defaultBaseUrl = "https://api.openai.com/v1"

/** The model that is asked without `OPENAI_MODEL`. */
export const defaultModel = "gpt-4.1-mini"

/**
 * The model of the environment: `OPENAI_API_KEY` (optional), `OPENAI_BASE_URL`, `OPENAI_MODEL`, and `OPENAI_PROFILE`, the name
 * of a profile. Fails with a `ConfigError` that lists the names where it is none of them.
 */
export const layerConfig: Layer.Layer<LanguageModel.LanguageModel, Config.ConfigError, HttpClient.HttpClient> =
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.gen(function* () {
      const apiKey = yield* Config.withDefault(Config.Redacted("OPENAI_API_KEY"), Redacted.make(""))
      const profile = yield* Config.option(Config.Literals(Profile.names, "OPENAI_PROFILE"))
      return yield* make({
        ...(Option.isNone(profile) ? {} : { profile: profile.value }),
        baseUrl: yield* Config.withDefault(Config.String("OPENAI_BASE_URL"), defaultBaseUrl),
        model: yield* Config.withDefault(Config.String("OPENAI_MODEL"), defaultModel),
        apiKey: Redacted.value(apiKey) === "" ? undefined : apiKey
      })
    })
  )

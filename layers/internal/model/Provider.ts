/**
 * The common part of all providers' `LanguageModel`s.
 *
 * A provider is a value that defines how its requests are written, where they go, and how its answers and errors are
 * read (`Protocol`). This module merges the settings, sends the request, classifies failures, reports to the span and
 * the log, and reads the environment. It does not retry requests; `ModelPolicy` does.
 */
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Telemetry from "effect/ai/Telemetry"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { Span } from "effect/Tracer"
import * as Secret from "#domain/text/Secret"
import * as Transcript from "#domain/transcript/Transcript"
import * as AnswerStream from "./AnswerStream.ts"
import * as Http from "./Http.ts"
import type { Protocol } from "./Protocol.ts"

/** Fields of a request, as the API names them. */
export interface AnySettings {
  /** The name of the model. Default: the model of the layer. */
  readonly model?: string
  readonly [field: string]: unknown
}

/** The settings of one request, including the model. */
export type RequestSettings<Settings> = Settings & { readonly model: string }

/** The options of every provider's layer. */
export interface Connection<Settings> {
  readonly model: string
  readonly baseUrl?: string
  readonly apiKey?: Redacted.Redacted | undefined
  /** Additional headers for every request. */
  readonly headers?: { readonly [name: string]: string }
  /** Fields of every request, e.g. `{ temperature: 0 }`. */
  readonly settings?: Settings
  /**
   * How long a complete answer may take, and the longest silence between two parts of a streamed answer. Default 5
   * minutes.
   */
  readonly timeout?: Duration.Input
  /** The maximum number of bytes of an answer that are read. Default 10 MB. */
  readonly maxBytes?: number
}

/** A request in a provider's format. */
export interface ProviderRequest {
  /** Returns the body of the request. Throws if the API cannot express the schema of a structured answer. */
  readonly body: (isStreamed: boolean) => Http.Request["body"]
  /** The repairs of the conversation, for the log. */
  readonly changes: ReadonlyArray<Transcript.Change>
  /** The attributes of the span: the provider's name, and the settings that telemetry has names for. */
  readonly telemetry: {
    readonly provider: string
    readonly request: Telemetry.GenAITelemetryAttributeOptions["request"]
  }
  /** Changes a complete answer before it is returned. */
  readonly onWhole?: (parts: Array<Response.PartEncoded>) => Array<Response.PartEncoded>
  /** Observes each part of the answer, whole or streamed. */
  readonly onPart?: (part: Response.AnyPartEncoded) => void
  /**
   * Returns the body of the request to send after the server has refused this one; undefined if the refusal is final.
   * Called for each refusal, so it must not return a body forever.
   */
  readonly instead?: (reason: AiError.AiErrorReason, isStreamed: boolean) => Http.Request["body"] | undefined
}

/** A provider: its protocol, how its requests are written, and its defaults. */
interface Provider<Settings extends AnySettings, Options extends Connection<Settings>> {
  /** The name of the public module, in errors and keys. */
  readonly module: string
  readonly protocol: Protocol
  /** Adapts the schemas of structured answers to the API. */
  readonly codecTransformer: LanguageModel.CodecTransformer
  /** Returns the URL of a request. `baseUrl` has no slash at its end. */
  readonly url: (baseUrl: string, request: { readonly model: string; readonly isStreamed: boolean }) => string
  readonly credentials: (options: Options) => Http.Credentials | undefined
  /** Headers that the API requires; the headers of the options override them. */
  readonly headers?: (options: Options) => { readonly [name: string]: string }
  /** Settings that follow from other options; `settings` overrides them. */
  readonly presets?: (options: Options) => { readonly [field: string]: unknown }
  readonly write: (
    request: LanguageModel.ProviderOptions,
    settings: RequestSettings<Settings>,
    options: Options
  ) => ProviderRequest
  /** The values for variables that are not set. */
  readonly defaults: { readonly baseUrl: string; readonly model: string }
  /**
   * The prefix of the variables `PREFIX_API_KEY`, `PREFIX_BASE_URL` and `PREFIX_MODEL`, and an effect that adds other
   * options.
   */
  readonly environment: {
    readonly prefix: string
    readonly complete: (connection: EnvironmentConnection) => Effect.Effect<Options, Config.ConfigError>
  }
}

/** The values of the variables that all providers have. */
interface EnvironmentConnection {
  readonly baseUrl: string
  readonly model: string
  readonly apiKey: Redacted.Redacted | undefined
}

type NeedsClient<A> = Effect.Effect<A, never, HttpClient.HttpClient>
type ModelLayer<E> = Layer.Layer<LanguageModel.LanguageModel, E, HttpClient.HttpClient>

/** The exports of a provider's public module. */
interface Module<Settings, Options> {
  readonly make: (options: Options) => NeedsClient<LanguageModel.LanguageModel>
  readonly layer: (options: Options) => ModelLayer<never>
  readonly layerConfig: ModelLayer<Config.ConfigError>
  readonly CurrentSettings: Context.Reference<Settings>
  readonly withSettings: (settings: Settings) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Reads a secret from the environment. An empty secret counts as absent. */
export const secret = (name: string): Effect.Effect<Redacted.Redacted | undefined, Config.ConfigError> =>
  Effect.map(Config.withDefault(Config.Redacted(name), Redacted.make("")), (value) =>
    Redacted.value(value) === "" ? undefined : value
  )

/** Returns why a key or token of the options cannot be used. Undefined if there is no such fault. */
const secretFault = (options: object): string | undefined => {
  for (const [name, value] of Object.entries(options)) {
    if ((name !== "apiKey" && name !== "authToken") || value === undefined) continue
    const fault = Secret.fault(name, value)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Reports a part of the answer to the request's span: the model that answered, why the answer ended, its tokens. */
const annotate = (span: Span, part: Response.AnyPartEncoded): void => {
  if (part.type === "response-metadata") {
    Telemetry.addGenAIAnnotations(span, { response: { id: part.id, model: part.modelId } })
  } else if (part.type === "finish") {
    const { inputTokens, outputTokens } = part.usage
    Telemetry.addGenAIAnnotations(span, {
      response: { finishReasons: [part.reason] },
      usage: { inputTokens: inputTokens.total, outputTokens: outputTokens.total }
    })
  }
}

/** Creates the exports of a provider's module. */
export const make = <Settings extends AnySettings, Options extends Connection<Settings>>(
  provider: Provider<Settings, Options>
): Module<Settings, Options> => {
  const { codecTransformer, defaults, environment, module, protocol } = provider

  const CurrentSettings: Context.Reference<Settings> = Context.Reference(
    `effect-toolguard/layers/${module}/CurrentSettings`,
    { defaultValue: () => ({}) as Settings } // every field of settings is optional
  )

  const failed = (method: string) => (reason: AiError.AiErrorReason) => AiError.make({ module, method, reason })

  const urlOf = (options: Options, model: string, isStreamed: boolean) =>
    provider.url((options.baseUrl ?? defaults.baseUrl).replace(/\/+$/u, ""), { model, isStreamed })

  const connectionOf = (options: Options, client: HttpClient.HttpClient): Omit<Http.Endpoint, "url"> => ({
    protocol,
    client,
    credentials: provider.credentials(options),
    headers: { ...provider.headers?.(options), ...options.headers },
    timeout: Duration.fromInputUnsafe(options.timeout ?? "5 minutes"),
    maxBytes: options.maxBytes ?? 10_000_000
  })

  /** Writes a request and reports it to the span and the log. */
  const prepare = (options: Options, request: LanguageModel.ProviderOptions, method: "generateText" | "streamText") =>
    Effect.gen(function* () {
      const isStreamed = method === "streamText"
      const settings = {
        model: options.model,
        ...provider.presets?.(options),
        ...options.settings,
        ...(yield* CurrentSettings)
      } as RequestSettings<Settings> // TypeScript does not see that a spread of settings is settings
      const { body, changes, instead, onPart, onWhole, telemetry } = provider.write(request, settings, options)
      if (changes.length > 0) yield* Effect.logWarning("The conversation was repaired before it was sent", changes)
      Telemetry.addGenAIAnnotations(request.span, {
        provider: { name: telemetry.provider },
        operation: { name: "chat" },
        request: { model: settings.model, ...telemetry.request }
      })
      const prepared: Http.Request = {
        body: yield* Effect.try({
          try: () => body(isStreamed),
          catch: (cause) => failed(method)(new AiError.UnsupportedSchemaError({ description: String(cause) }))
        }),
        takenIds: Transcript.callIds(request.prompt),
        ...(instead === undefined ? {} : { instead: (reason) => instead(reason, isStreamed) })
      }
      const observe = (part: Response.AnyPartEncoded) =>
        Effect.sync(() => {
          annotate(request.span, part)
          onPart?.(part)
        })
      return { prepared, observe, onWhole, url: urlOf(options, settings.model, isStreamed) }
    })

  const makeModel: Module<Settings, Options>["make"] = (options) =>
    Effect.gen(function* () {
      const fault = secretFault(options)
      if (fault !== undefined) return yield* Effect.die(new RangeError(`layers/${module}: ${fault}`))
      const connection = connectionOf(options, yield* HttpClient.HttpClient)
      return yield* LanguageModel.make({
        codecTransformer,
        supportsSystemMessagesInHistory: Effect.succeed(true),
        generateText: (request) =>
          Effect.flatMap(prepare(options, request, "generateText"), ({ observe, onWhole = identity, prepared, url }) =>
            Http.request({ ...connection, url }, prepared).pipe(
              Effect.tap((parts) => Effect.forEach(parts, observe, { discard: true })),
              Effect.map(onWhole),
              Effect.mapError(failed("generateText"))
            )
          ),
        streamText: (request) =>
          Stream.unwrap(
            Effect.map(prepare(options, request, "streamText"), ({ observe, prepared, url }) =>
              AnswerStream.request({ ...connection, url }, prepared).pipe(
                Stream.tap(observe),
                Stream.mapError(failed("streamText"))
              )
            )
          )
      })
    })

  const fromEnvironment = Effect.gen(function* () {
    const named = (name: string) => `${environment.prefix}_${name}`
    return yield* environment.complete({
      apiKey: yield* secret(named("API_KEY")),
      baseUrl: yield* Config.withDefault(Config.String(named("BASE_URL")), defaults.baseUrl),
      model: yield* Config.withDefault(Config.String(named("MODEL")), defaults.model)
    })
  })

  return {
    make: makeModel,
    layer: (options) => Layer.effect(LanguageModel.LanguageModel, makeModel(options)),
    layerConfig: Layer.effect(LanguageModel.LanguageModel, Effect.flatMap(fromEnvironment, makeModel)),
    CurrentSettings,
    withSettings: (settings) => (effect) =>
      Effect.flatMap(CurrentSettings, (outer) =>
        Effect.provideService(effect, CurrentSettings, { ...outer, ...settings })
      )
  }
}

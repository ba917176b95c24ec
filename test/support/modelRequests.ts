/** Sends requests to a model layer over a real server on loopback, whole and streamed, and summarises responses. */
import { assert, it } from "@effect/vitest"
import { Duration, Effect, Layer, References, Schema, type Scope, Stream } from "effect"
import { type AiError, LanguageModel, type Prompt, type Response, Tool, Toolkit } from "effect/ai"
import { FetchHttpClient, type HttpClient } from "effect/http"
import * as ModelFailure from "#domain/classification/ModelFailure"
import * as ModelResponse from "#domain/transcript/ModelResponse"

const Search = Tool.dynamic("search", {
  description: "Searches orders. Read-only.",
  parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"], additionalProperties: false },
  success: Schema.Json
})

/** The options of a request with one tool whose calls are returned unresolved. */
export const deferred = {
  toolkit: Toolkit.make(Search),
  disableToolCallResolution: true,
  toolCallValidation: "deferred"
} as const

/** Sends one request and returns the parts of the response. */
export const ask = (streaming: boolean, prompt: Prompt.RawInput = "hi") =>
  streaming
    ? LanguageModel.streamText({ prompt, ...deferred }).pipe(
        Stream.runCollect,
        Effect.map((pieces) => ModelResponse.collect(pieces as ReadonlyArray<Response.AnyPart>))
      )
    : Effect.map(
        LanguageModel.generateText({ prompt, ...deferred }),
        ({ content }) => content as ReadonlyArray<Response.AnyPart>
      )

/** Sends one streamed request, and returns the parts that the stream emitted and the error that ended it, if any. */
export const stream = (prompt: Prompt.RawInput = "hi") =>
  Effect.suspend(() => {
    const received: Array<Response.AnyPart> = []
    return LanguageModel.streamText({ prompt, ...deferred }).pipe(
      Stream.runForEach((part) => Effect.sync(() => void received.push(part as Response.AnyPart))),
      Effect.as(undefined),
      Effect.catch((error) => Effect.succeed(error)),
      Effect.map((error) => ({ received: received as ReadonlyArray<Response.AnyPart>, error }))
    )
  })

/** Summarises a response: texts, reasoning, calls and the finish reason. */
export const brief = (parts: ReadonlyArray<Response.AnyPart>) =>
  parts.flatMap((part): ReadonlyArray<unknown> => {
    switch (part.type) {
      case "text":
        return [part.text]
      case "reasoning":
        return [{ reasoning: part.text }]
      case "tool-call":
        return [[part.id, part.name, part.params]]
      case "finish":
        return [part.reason]
      default:
        return []
    }
  })

/** Summarises a stream without metadata: the text of deltas, calls and the end as in `brief`, and the types of other parts. */
export const shown = (parts: ReadonlyArray<Response.AnyPart>): ReadonlyArray<unknown> =>
  parts.flatMap((part): ReadonlyArray<unknown> => {
    if (part.type === "response-metadata") return []
    if ("delta" in part) return [part.delta]
    return part.type === "tool-call" || part.type === "finish" ? brief([part]) : [part.type]
  })

/** The expected classification of a failed request. */
export interface ExpectedFailure {
  readonly reason: AiError.AiErrorReason["_tag"]
  readonly retryable: boolean
  /** Whether `ModelFailure.isTransient` is true. Default: `retryable`. */
  readonly transient?: boolean
  /** Default false. */
  readonly contextLimit?: boolean
  /** The delay that the server asked for, if any. */
  readonly retryAfterMillis?: number
}

/** Asserts the classification of a provider's failure. */
export const assertFailing = (error: AiError.AiError, expected: ExpectedFailure): void => {
  assert.strictEqual(error.reason._tag, expected.reason, error.message)
  assert.strictEqual(error.isRetryable, expected.retryable)
  assert.strictEqual(ModelFailure.isTransient(error), expected.transient ?? expected.retryable)
  assert.strictEqual(ModelFailure.isContextLimit(error), expected.contextLimit ?? false)
  const after = ModelFailure.retryAfter(error)
  assert.strictEqual(after && Duration.toMillis(after), expected.retryAfterMillis)
}

type ModelLayer = Layer.Layer<LanguageModel.LanguageModel, never, HttpClient.HttpClient>

/** Creates helpers for one provider. `serve` starts a server with scripted responses; `layer` is the provider's layer. */
export const requestsTo = <
  Responder,
  Server extends { readonly baseUrl: string },
  Options extends { readonly model: string }
>(
  serve: (script: ReadonlyArray<Responder>) => Effect.Effect<Server, never, Scope.Scope>,
  layer: (options: Options) => ModelLayer
) => {
  /** Creates a model that sends its requests to the server at an address. */
  const modelAt = (baseUrl: string, options: Partial<Options> = {}) =>
    Layer.provide(
      layer({ baseUrl, model: "test-model", ...options } as unknown as Options), // every provider has these two options
      FetchHttpClient.layer
    )

  const served = <A, E>(
    script: ReadonlyArray<Responder>,
    test: (server: Server) => Effect.Effect<A, E, LanguageModel.LanguageModel>,
    options: Partial<Options> = {}
  ) =>
    Effect.flatMap(serve(script), (server) => Effect.provide(test(server), modelAt(server.baseUrl, options))).pipe(
      Effect.provideService(References.MinimumLogLevel, "None")
    )

  /** Defines one test with a whole response and one with a stream. */
  const both = (
    name: string,
    script: ReadonlyArray<Responder>,
    test: (streaming: boolean, server: Server) => Effect.Effect<void, unknown, LanguageModel.LanguageModel>,
    options: Partial<Options> = {}
  ) => {
    it.live(`${name}, whole`, () => served(script, (server) => test(false, server), options))
    it.live(`${name}, streamed`, () => served(script, (server) => test(true, server), options))
  }

  const answers = (name: string, respond: Responder, expected: ReadonlyArray<unknown>) =>
    both(name, [respond], (streaming) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(brief(yield* ask(streaming)), expected)
      })
    )

  const fails = (name: string, respond: Responder, expected: ExpectedFailure) =>
    both(name, [respond], (streaming) =>
      Effect.gen(function* () {
        assertFailing(yield* Effect.flip(ask(streaming)), expected)
      })
    )

  return { answers, both, fails, modelAt, served }
}

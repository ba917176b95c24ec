/** A provider under test: its layer, and a server that speaks its protocol. */
import type { Config, Duration, Effect, Layer, Redacted, Scope } from "effect"
import type { LanguageModel } from "effect/ai"
import type { HttpClient } from "effect/http"
import type { IncomingHttpHeaders } from "node:http"
import { type Answer, json, raw } from "../../support/PlayedServer.ts"

/** The content of an answer. */
export interface Said {
  readonly thinking?: string
  readonly text?: string
  /** `arguments` is the text that the model wrote. */
  readonly calls?: ReadonlyArray<{ readonly id: string; readonly name: string; readonly arguments: string }>
  /** Default `stop`, or `tool-calls` with calls. */
  readonly finish?: "length" | "content-filter"
  /** Default 10 input tokens, none of them cached, and 5 output tokens. */
  readonly usage?: { readonly input: number; readonly cached: number; readonly output: number }
}

/** The kinds of failures that every provider reports. */
export type FailureKind =
  | "rate limit"
  | "overload"
  | "server error"
  | "used-up quota"
  | "refused key"
  | "wrong request"
  | "context limit"

/** A failure in the words of one protocol. */
export interface Failure {
  readonly status: number
  readonly body: object
}

/** A running server of the protocol. It refuses requests that the real one would refuse, and says why in `refused`. */
export interface Server {
  readonly baseUrl: string
  readonly requests: ReadonlyArray<{
    readonly headers: IncomingHttpHeaders
    readonly body: { readonly [field: string]: unknown }
    readonly refused: unknown
  }>
}

/** Settings that every provider's API has under the same name. */
type Settings = {
  readonly model?: string
  readonly temperature?: number
  readonly max_tokens?: number
}

/** Options that every provider's layer has. */
export interface Options {
  readonly model: string
  readonly baseUrl: string
  readonly apiKey?: Redacted.Redacted
  readonly settings?: Settings
  readonly timeout?: Duration.Input
  readonly maxBytes?: number
}

type ModelLayer<E> = Layer.Layer<LanguageModel.LanguageModel, E, HttpClient.HttpClient>

/** A provider, and how its protocol words what the contract needs. */
export interface Subject<Body> {
  readonly name: string
  /** The key of its details in the metadata of errors. */
  readonly key: string
  /** How its variables begin. */
  readonly prefix: string
  readonly defaultModel: string
  readonly layer: (options: Options) => ModelLayer<never>
  readonly layerConfig: ModelLayer<Config.ConfigError>
  readonly withSettings: (settings: Settings) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** A setting that not every provider has, and its field in a request, with the value 7. */
  readonly furtherSetting: Settings
  readonly furtherField: string
  /** The field of a request that names the model. */
  readonly modelField: string
  /** The key that a request carries. */
  readonly keyOf: (headers: IncomingHttpHeaders) => string | undefined
  readonly serve: (script: ReadonlyArray<Answer<Body>>) => Effect.Effect<Server, never, Scope.Scope>
  /** An answer, whole or streamed as the request asks; texts and arguments in two halves. */
  readonly answer: (said: Said) => Answer<Body>
  /** A request body that asks for a stream, and one that does not. */
  readonly streamBody: Body
  readonly wholeBody: Body
  /** How many of the last events an answer is complete without. */
  readonly closingEvents: number
  readonly failure: (kind: FailureKind, message: string) => Failure
  /** Whether whole answers have arguments as text, so that malformed ones can come whole. */
  readonly hasArgumentText: boolean
}

/** An answer that refuses a request. */
export const refusing = <Body>(
  { failure }: Subject<Body>,
  kind: FailureKind,
  headers: { readonly [name: string]: string } = {},
  message = `This is a ${kind}`
): Answer<Body> => {
  const { body, status } = failure(kind, message)
  return raw(status, body, { ...json, ...headers })
}

/** The events of a streamed answer, each with the blank line that ends it. */
export const eventsOf = <Body>({ answer, streamBody }: Subject<Body>, said: Said): ReadonlyArray<string> =>
  answer(said)(streamBody).pieces.filter((piece) => typeof piece === "string")

/** A provider under test: its layer, and a server that implements its protocol. */
import type { Config, Duration, Effect, Layer, Redacted, Scope } from "effect"
import type { LanguageModel } from "effect/ai"
import type { HttpClient } from "effect/http"
import type { IncomingHttpHeaders } from "node:http"
import { json, raw, type Responder } from "../../support/ScriptedServer.ts"

/** The content of a response. */
export interface Content {
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
  | "exhausted quota"
  | "refused key"
  | "wrong request"
  | "context limit"

/** A failure in the form of one protocol. */
export interface Failure {
  readonly status: number
  readonly body: object
}

/** A running server of the protocol. It refuses the requests that the real server would refuse, with the error in `refused`. */
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

/** A provider, and the functions that adapt the tests to its protocol. */
export interface Subject<Body> {
  readonly name: string
  /** The key of the provider's details in the metadata of errors. */
  readonly key: string
  /** The prefix of its environment variables. */
  readonly prefix: string
  readonly defaultModel: string
  readonly layer: (options: Options) => ModelLayer<never>
  readonly layerConfig: ModelLayer<Config.ConfigError>
  readonly withSettings: (settings: Settings) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** A setting that not every provider has, and its field in a request, with the value 7. */
  readonly furtherSetting: Settings
  readonly furtherField: string
  /** A setting that limits the answer to 50 tokens, and its field in a request. */
  readonly limitSetting: Settings
  readonly limitField: string
  /** The field of a request that names the model. */
  readonly modelField: string
  /** The API key in the headers of a request. */
  readonly keyOf: (headers: IncomingHttpHeaders) => string | undefined
  readonly serve: (script: ReadonlyArray<Responder<Body>>) => Effect.Effect<Server, never, Scope.Scope>
  /** A response, streamed if the request asks for it. Texts and arguments are streamed in two pieces. */
  readonly answer: (content: Content) => Responder<Body>
  /** A request body that asks for a stream, and one that asks for a whole response. */
  readonly streamBody: Body
  readonly wholeBody: Body
  /** The number of final events that are not needed for a complete response. */
  readonly closingEvents: number
  readonly failure: (kind: FailureKind, message: string) => Failure
  /** Whether whole responses contain arguments as text, which may be malformed. */
  readonly hasArgumentText: boolean
}

/** Creates a response that refuses a request. */
export const refusing = <Body>(
  { failure }: Subject<Body>,
  kind: FailureKind,
  headers: { readonly [name: string]: string } = {},
  message = `The failure is: ${kind}`
): Responder<Body> => {
  const { body, status } = failure(kind, message)
  return raw(status, body, { ...json, ...headers })
}

/** Returns the events that a complete response needs. */
export const neededOf = <Body>(
  { closingEvents }: Subject<Body>,
  events: ReadonlyArray<string>
): ReadonlyArray<string> => events.slice(0, events.length - closingEvents)

/** Returns the events of a streamed response, each with the blank line that ends it. */
export const eventsOf = <Body>({ answer, streamBody }: Subject<Body>, content: Content): ReadonlyArray<string> =>
  answer(content)(streamBody).pieces.filter((piece) => typeof piece === "string")

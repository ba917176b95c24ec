/**
 * Counts the tokens that a run sends to its model and receives from it: the tokens of every request body, including
 * retried requests, and of the model's replies.
 */
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import type { Count } from "./Tokens.ts"

/** The counts so far. */
export interface Meter {
  readonly count: Count
  /** The number of HTTP requests to the model. */
  requests: number
  inputTokens: number
  outputTokens: number
}

/** Creates a meter that counts from zero. */
export const make = (count: Count): Meter => ({ count, requests: 0, inputTokens: 0, outputTokens: 0 })

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest): string =>
  body._tag === "Uint8Array" ? (body.text ?? new TextDecoder().decode(body.body)) : ""

/** Returns the text of a part that the model wrote. */
const textOf = (part: Response.AnyPart): string => {
  if (part.type === "text" || part.type === "reasoning") return part.text
  if (part.type !== "tool-call") return ""
  return part.name + (typeof part.params === "string" ? part.params : JSON.stringify(part.params))
}

/** The method that the meter wraps, without its types for tools. */
interface Methods {
  readonly generateText: (
    options: unknown
  ) => Effect.Effect<{ readonly content: ReadonlyArray<Response.AnyPart> }, unknown, unknown>
}

/** Counts the requests and replies of a model. The model must send its requests with the provided `HttpClient`. */
export const metered = <E>(
  model: Layer.Layer<LanguageModel.LanguageModel, E, HttpClient.HttpClient>,
  meter: Meter
): Layer.Layer<LanguageModel.LanguageModel, E, HttpClient.HttpClient> => {
  const client = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.tapRequest((request) =>
        Effect.sync(() => {
          meter.requests += 1
          meter.inputTokens += meter.count(bodyOf(request))
        })
      )
    )
  )
  const counted = Effect.map(LanguageModel.LanguageModel, (inner) => {
    // the method is generic in its tools; the meter only reads the content of the reply
    const { generateText } = inner as unknown as Methods
    const metered: Methods["generateText"] = (options) =>
      Effect.tap(generateText(options), ({ content }) =>
        Effect.sync(() => {
          meter.outputTokens += meter.count(content.map(textOf).join(""))
        })
      )
    return { ...inner, generateText: metered } as unknown as LanguageModel.LanguageModel
  })
  return Layer.effect(LanguageModel.LanguageModel, counted).pipe(Layer.provide(model), Layer.provide(client))
}

/**
 * Counts what a run sends to its model and gets from it: the tokens of every request body as it was sent, repeated
 * requests included, and of what the model wrote.
 */
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import type { Count } from "./Tokens.ts"

/** What was counted so far. */
export interface Meter {
  readonly count: Count
  /** HTTP requests to the model. */
  requests: number
  inputTokens: number
  outputTokens: number
}

export const make = (count: Count): Meter => ({ count, requests: 0, inputTokens: 0, outputTokens: 0 })

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest): string =>
  body._tag === "Uint8Array" ? (body.text ?? new TextDecoder().decode(body.body)) : ""

const written = (part: Response.AnyPart): string => {
  if (part.type === "text" || part.type === "reasoning") return part.text
  if (part.type !== "tool-call") return ""
  return part.name + (typeof part.params === "string" ? part.params : JSON.stringify(part.params))
}

/** The method of a model without its types for tools, which the meter does not look at. */
interface Methods {
  readonly generateText: (
    options: unknown
  ) => Effect.Effect<{ readonly content: ReadonlyArray<Response.AnyPart> }, unknown, unknown>
}

/** A model whose requests and answers are counted. It must speak over the `HttpClient` that it is given. */
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
    const { generateText } = inner as unknown as Methods
    const asked: Methods["generateText"] = (options) =>
      Effect.tap(generateText(options), ({ content }) =>
        Effect.sync(() => {
          meter.outputTokens += meter.count(content.map(written).join(""))
        })
      )
    return { ...inner, generateText: asked } as unknown as LanguageModel.LanguageModel
  })
  return Layer.effect(LanguageModel.LanguageModel, counted).pipe(Layer.provide(model), Layer.provide(client))
}

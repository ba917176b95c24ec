/**
 * Chooses the model of a run: `--model`, otherwise the model that the environment selects, otherwise the backend's
 * first model.
 */
import { isContextLimit } from "effect-toolguard/internal/domain/classification/ModelFailure"
import * as ModelPolicy from "effect-toolguard/layers/ModelPolicy"
import type { Backend } from "effect-toolguard/internal/tool/Backend"
import type * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { misuse, type Problem, problem } from "#kit/cli/console/Problem"
import * as Provider from "#kit/cli/console/Provider"

/** The chosen model. */
export interface ChosenModel {
  /** The model's name on the screen. */
  readonly label: string
  /** The model's name in a table of prices. */
  readonly model: string
  readonly layer: Layer.Layer<LanguageModel.LanguageModel, unknown, HttpClient.HttpClient>
}

/** Fewer attempts than usual, because a person is waiting. */
const retries = { attempts: 3 }

/** Chooses a model. `warn` receives a line for each request that is retried. */
export const choose = (
  backend: Backend,
  named: string | undefined,
  warn: (line: string) => Effect.Effect<void>
): Effect.Effect<ChosenModel, Problem | Config.ConfigError> =>
  Effect.gen(function* () {
    const models = Object.entries(backend.models ?? {})
    if (named !== undefined) {
      const found = models.find(([name]) => name === named)
      if (found !== undefined) return { label: `${found[0]} (scripted)`, model: found[0], layer: found[1] }
      const names = models.map(([name]) => name).join(", ")
      return yield* misuse(
        `There is no model "${named}".`,
        models.length === 0
          ? `The backend ${backend.name} has no models; leave out --model.`
          : `Models of the backend ${backend.name}: ${names}.`
      )
    }
    const provider = yield* Provider.ofEnvironment
    if (provider === undefined) {
      const [first] = models
      if (first !== undefined) return { label: `${first[0]} (scripted)`, model: first[0], layer: first[1] }
      return yield* problem(
        `No model is configured, and the backend ${backend.name} has none.`,
        `Set ${Provider.variables("API_KEY")}, or ${Provider.variables("BASE_URL")} for your own server.`
      )
    }
    const { baseUrl, layer, model } = yield* Provider.read(provider)
    const policy = ModelPolicy.layer({
      retry: retries,
      onEvent: (event) =>
        event._tag === "Retry"
          ? warn(
              `The model did not answer (${whyOf(event.error)}); retrying in ${Math.round(Duration.toMillis(event.delay))} ms.`
            )
          : Effect.void
    })
    return { model, label: `${model} at ${baseUrl}`, layer: policy.pipe(Layer.provide(layer)) }
  })

/** Returns the cause of a failed request, in one line. */
const whyOf = ({ reason }: AiError.AiError): string => {
  if (reason._tag === "NetworkError") return reason.description ?? reason.reason
  if (reason._tag === "RateLimitError") return "rate limit"
  return reason.message.split("\n")[0] ?? reason._tag
}

const remedyOf = (error: AiError.AiError): string => {
  if (isContextLimit(error)) return "The conversation is too long for this model. Choose one with a larger context."
  const { address, prefix } = Provider.ofModule(error.module)
  switch (error.reason._tag) {
    case "NetworkError":
      return `Check that the server is running. Correct ${prefix}_BASE_URL, or unset it.`
    case "AuthenticationError":
      return `Correct ${prefix}_API_KEY.`
    case "InvalidRequestError":
      return `Check that the server has this model, and that the model supports tools. Set ${prefix}_MODEL.`
    case "RateLimitError":
      return "The provider limits the rate of requests. Try again later."
    case "QuotaExhaustedError":
      return "The account has no quota left."
    default:
      return `Set ${prefix}_BASE_URL to ${address}.`
  }
}

/** Creates the problem of a failed request to a model. */
export const cannotAsk = (label: string, error: AiError.AiError): Problem =>
  problem(`The request to the model ${label} failed: ${whyOf(error)}`, remedyOf(error))

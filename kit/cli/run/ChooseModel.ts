/**
 * Which model is asked: the one named by `--model`, else the provider of the environment, else the backend's first.
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

export interface Chosen {
  /** How it is called on the screen. */
  readonly label: string
  /** As its prices are found. */
  readonly model: string
  readonly layer: Layer.Layer<LanguageModel.LanguageModel, unknown, HttpClient.HttpClient>
}

/** Fewer than a service would make: a person waits. */
const retries = { attempts: 3 }

/** Chooses. `warn` hears of requests that are made again. */
export const choose = (
  backend: Backend,
  named: string | undefined,
  warn: (line: string) => Effect.Effect<void>
): Effect.Effect<Chosen, Problem | Config.ConfigError> =>
  Effect.gen(function* () {
    const own = Object.entries(backend.models ?? {})
    if (named !== undefined) {
      const found = own.find(([name]) => name === named)
      if (found !== undefined) return { label: `${found[0]} (scripted)`, model: found[0], layer: found[1] }
      const names = own.length === 0 ? "none of its own" : own.map(([name]) => name).join(", ")
      return yield* misuse(`There is no model "${named}".`, `Models of the backend ${backend.name}: ${names}.`)
    }
    const provider = yield* Provider.ofEnvironment
    if (provider === undefined) {
      const [first] = own
      if (first !== undefined) return { label: `${first[0]} (scripted)`, model: first[0], layer: first[1] }
      return yield* problem(
        `No model was chosen, and the backend ${backend.name} brings none.`,
        "Set OPENAI_API_KEY or ANTHROPIC_API_KEY, or OPENAI_BASE_URL for a server of your own."
      )
    }
    const { baseUrl, layer, model } = yield* Provider.read(provider)
    const policy = ModelPolicy.layer({
      retry: retries,
      onEvent: (event) =>
        event._tag === "Retry"
          ? warn(
              `The model did not answer (${whyOf(event.error)}); again in ${Math.round(Duration.toMillis(event.delay))} ms.`
            )
          : Effect.void
    })
    return { model, label: `${model} at ${baseUrl}`, layer: policy.pipe(Layer.provide(layer)) }
  })

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
      return `Is its server running? Correct ${prefix}_BASE_URL, or leave it out.`
    case "AuthenticationError":
      return `Correct ${prefix}_API_KEY.`
    case "InvalidRequestError":
      return `Does it know this model, and tools? Set ${prefix}_MODEL.`
    case "RateLimitError":
      return "It asks for fewer requests. Try again later."
    case "QuotaExhaustedError":
      return "Its account has no quota left."
    default:
      return `Is ${prefix}_BASE_URL ${address}?`
  }
}

/** Why a model could not be asked. */
export const cannotAsk = (label: string, error: AiError.AiError): Problem =>
  problem(`The model ${label} cannot be asked: ${whyOf(error)}`, remedyOf(error))

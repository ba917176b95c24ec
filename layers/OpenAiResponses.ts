/**
 * A `LanguageModel` over OpenAI's Responses API.
 *
 * - Mistakes of the model never fail a request: a call with broken arguments arrives with its id and the text that the
 *   model wrote; an answer cut by the output limit has the finish reason `length`.
 * - Nothing is stored at the provider by default (`store: false`). Reasoning is sent back with its encrypted content,
 *   and texts and calls with the ids and phases of their items. Items that the API refuses are repaired in the request
 *   (`responses/Items.ts`); if the conversation itself has to be repaired, a warning is logged.
 * - Reasoning that the server cannot read (from another account) is left out after its refusal, and the request is sent
 *   once more without it.
 * - Failures are `AiError`s whose reason says whether waiting helps; `ModelFailure.isContextLimit` recognises a
 *   conversation that is too long. This layer does not retry other requests; `ModelPolicy` does.
 *
 * **Gotchas**
 *
 * `background` requests are not supported: an answer that is only queued fails.
 */
import type * as LanguageModel from "effect/ai/LanguageModel"
import { toCodecOpenAI } from "effect/ai/OpenAiStructuredOutput"
import type * as Config from "effect/Config"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { Protocol } from "#layers/internal/model/Protocol"
import * as Provider from "#layers/internal/model/Provider"
import * as Items from "#layers/internal/responses/Items"
import * as Memory from "#layers/internal/responses/Memory"
import * as Request from "#layers/internal/responses/Request"
import { errorIn, readWhole } from "#layers/internal/responses/Response"
import { readStream } from "#layers/internal/responses/Stream"

export type { Settings } from "#layers/internal/responses/Request"

/** The connection and the settings of the model. */
export interface Options extends Provider.Connection<Request.Settings> {
  /** The URL without `/responses`. Default `https://api.openai.com/v1`. */
  readonly baseUrl?: string
  /** The key, sent as a bearer token. Omit it for servers that need no key. */
  readonly apiKey?: Redacted.Redacted | undefined
  /**
   * Lets the server store each answer, and sends only the items after it (`previous_response_id`). Default false. A
   * conversation that was resumed, compacted or repaired, or whose answer the server no longer has, is sent as a whole.
   */
  readonly previousResponse?: boolean
}

/** The base URL if `OPENAI_BASE_URL` is not set. */
export const defaultBaseUrl = "https://api.openai.com/v1"

/** The model if `OPENAI_MODEL` is not set. */
export const defaultModel = "gpt-5-mini"

const protocol: Protocol = {
  name: Memory.errorKey,
  errorIn,
  readWhole,
  readStream,
  eventSize: 32
}

/** The options of a model, with its memory. */
interface ModelOptions extends Options {
  readonly memory: Memory.Memory
}

const write = (
  request: LanguageModel.ProviderOptions,
  settings: Provider.RequestSettings<Request.Settings>,
  { memory, previousResponse = false }: ModelOptions
): Provider.ProviderRequest => {
  const { model } = settings
  const { changes, items, since } = Items.make(memory.readable(request.prompt))
  const continued = previousResponse ? memory.continued(request.prompt) : undefined
  const newItems = continued === undefined ? undefined : since(continued.known)
  const canInclude = memory.canInclude(model)
  const whole: Request.Input = { items, canInclude }
  let input: Request.Input =
    continued === undefined || newItems === undefined
      ? whole
      : { items: newItems, canInclude, previousResponseId: continued.responseId }

  /** Changes the input after a refusal. Returns false if the refusal is final. */
  const isChanged = (reason: Parameters<NonNullable<Provider.ProviderRequest["instead"]>>[0]): boolean => {
    if (input.canInclude && memory.refusesInclude(reason, model)) {
      input = { ...input, canInclude: false }
      return true
    }
    if (input.previousResponseId !== undefined && Memory.isWrongRequest(reason)) {
      input = { ...whole, canInclude: input.canInclude }
      return true
    }
    const before = input.items.length
    if (!memory.refusesReasoning(reason, request.prompt)) return false
    input = { ...input, items: Items.make(memory.readable(request.prompt)).items }
    return input.items.length < before
  }
  const body = (isStreamed: boolean) => ({
    ...Request.body(request, input, settings),
    ...(isStreamed ? { stream: true } : {})
  })
  return {
    changes,
    telemetry: {
      provider: "openai",
      request: { temperature: settings.temperature, topP: settings.top_p, maxTokens: settings.max_output_tokens }
    },
    body,
    instead: (reason, isStreamed) => (isChanged(reason) ? body(isStreamed) : undefined),
    ...(previousResponse ? { onPart: memory.observer(request.prompt) } : {})
  }
}

const responses = Provider.make<Request.Settings, ModelOptions>({
  module: "OpenAiResponses",
  protocol,
  codecTransformer: toCodecOpenAI,
  url: (baseUrl) => `${baseUrl}/responses`,
  credentials: ({ apiKey }) => apiKey && { _tag: "Bearer", secret: apiKey },
  presets: ({ previousResponse = false }) => ({ store: previousResponse }),
  write,
  defaults: { baseUrl: defaultBaseUrl, model: defaultModel },
  environment: {
    prefix: "OPENAI",
    complete: (connection) => Effect.sync(() => ({ ...connection, memory: Memory.make() }))
  }
})

/** Settings for the requests that an effect makes. They override the layer's settings. Set by `withSettings`. */
export const CurrentSettings: Context.Reference<Request.Settings> = responses.CurrentSettings

/**
 * Sets fields of the requests that an effect makes, e.g. `withSettings({ temperature: 0 })`. Inner settings override
 * outer settings.
 */
export const withSettings: (
  settings: Request.Settings
) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = responses.withSettings

/** Creates the model. The `HttpClient` must not retry. */
export const make = (options: Options): Effect.Effect<LanguageModel.LanguageModel, never, HttpClient.HttpClient> =>
  Effect.suspend(() => responses.make({ ...options, memory: Memory.make() }))

/** Provides the model as a layer. */
export const layer = (options: Options): Layer.Layer<LanguageModel.LanguageModel, never, HttpClient.HttpClient> =>
  responses.layer({ ...options, memory: Memory.make() })

/**
 * The model configured by the environment: `OPENAI_API_KEY` (optional), `OPENAI_BASE_URL` and `OPENAI_MODEL`.
 */
export const layerConfig: Layer.Layer<LanguageModel.LanguageModel, Config.ConfigError, HttpClient.HttpClient> =
  responses.layerConfig

/**
 * Runs the provider contract on Anthropic, on OpenAI's chat completions and Responses APIs, and on an invented provider.
 */
import * as Anthropic from "#layers/Anthropic"
import * as OpenAiCompatible from "#layers/OpenAiCompatible"
import * as OpenAiResponses from "#layers/OpenAiResponses"
import * as AnthropicServer from "../support/AnthropicServer.ts"
import * as Parley from "../support/invented/Parley.ts"
import * as ParleyServer from "../support/invented/ParleyServer.ts"
import { apiError } from "../support/OpenAiRules.ts"
import * as OpenAiServer from "../support/OpenAiServer.ts"
import * as ResponsesServer from "../support/ResponsesServer.ts"
import { providerContract } from "./Provider.ts"
import type { FailureKind } from "./provider/Subject.ts"

const inputOf = (text: string): object | string => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : text
  } catch {
    return text
  }
}

const limit: Anthropic.Settings & OpenAiCompatible.Settings & Parley.Settings = { max_tokens: 50 }

const furtherAnthropic: Anthropic.Settings = { top_k: 7 }

providerContract({
  name: "Anthropic",
  key: "anthropic",
  prefix: "ANTHROPIC",
  defaultModel: Anthropic.defaultModel,
  layer: Anthropic.layer,
  layerConfig: Anthropic.layerConfig,
  withSettings: Anthropic.withSettings,
  limitSetting: limit,
  limitField: "max_tokens",
  furtherSetting: furtherAnthropic,
  furtherField: "top_k",
  modelField: "model",
  keyOf: (headers) => headers["x-api-key"] as string | undefined,
  serve: AnthropicServer.serve,
  answer: ({ calls = [], finish, usage = { input: 10, cached: 0, output: 5 }, ...said }) =>
    AnthropicServer.message({
      ...said,
      calls: calls.map(({ arguments: text, ...call }) => ({ ...call, input: inputOf(text) })),
      ...(finish === undefined ? {} : { stopReason: { length: "max_tokens", "content-filter": "refusal" }[finish] }),
      usage: { input: usage.input - usage.cached, read: usage.cached, output: usage.output }
    }),
  streamBody: { stream: true },
  wholeBody: {},
  closingEvents: 1,
  failure: (kind, message) => {
    const [status, type, text = message] = {
      "rate limit": [429, "rate_limit_error"] as const,
      overload: [529, "overloaded_error"] as const,
      "server error": [500, "api_error"] as const,
      "exhausted quota": [400, "invalid_request_error", "Your credit balance is too low to access the API."] as const,
      "refused key": [401, "authentication_error"] as const,
      "wrong request": [400, "invalid_request_error"] as const,
      "context limit": [400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"] as const
    }[kind]
    return { status, body: AnthropicServer.errorBody(type, text) }
  },
  hasArgumentText: false
})

/** Creates a failure of OpenAI's APIs. */
const openAiFailure = (kind: FailureKind, message: string) => {
  const [status, fields] = {
    "rate limit": [429, { code: "rate_limit_exceeded" }] as const,
    overload: [503, { type: "server_error", code: "overloaded" }] as const,
    "server error": [500, { type: "server_error" }] as const,
    "exhausted quota": [429, { code: "insufficient_quota" }] as const,
    "refused key": [401, { code: "invalid_api_key" }] as const,
    "wrong request": [400, { type: "invalid_request_error", param: "x" }] as const,
    "context limit": [400, { code: "context_length_exceeded", type: "invalid_request_error" }] as const
  }[kind]
  return { status, body: apiError(message, fields) }
}

const furtherOpenAi: OpenAiCompatible.Settings = { seed: 7 }

providerContract({
  name: "OpenAiCompatible",
  key: "openai",
  prefix: "OPENAI",
  defaultModel: OpenAiCompatible.defaultModel,
  layer: OpenAiCompatible.layer,
  layerConfig: OpenAiCompatible.layerConfig,
  withSettings: OpenAiCompatible.withSettings,
  limitSetting: limit,
  limitField: "max_tokens",
  furtherSetting: furtherOpenAi,
  furtherField: "seed",
  modelField: "model",
  keyOf: ({ authorization }) => authorization?.replace("Bearer ", ""),
  serve: OpenAiServer.start,
  answer: ({ calls = [], finish, text, thinking, usage = { input: 10, cached: 0, output: 5 } }) =>
    OpenAiServer.completion({
      ...(text === undefined ? {} : { text }),
      ...(thinking === undefined ? {} : { reasoning: thinking }),
      calls,
      ...(finish === undefined ? {} : { finishReason: finish === "length" ? "length" : "content_filter" }),
      usage: { prompt: usage.input, cached: usage.cached, completion: usage.output }
    }),
  streamBody: { stream: true, stream_options: { include_usage: true } },
  wholeBody: {},
  closingEvents: 2,
  failure: openAiFailure,
  hasArgumentText: true
})

const responsesSettings: { readonly [name in "limit" | "further"]: OpenAiResponses.Settings } = {
  limit: { max_output_tokens: 50 },
  further: { max_tool_calls: 7 }
}

providerContract({
  name: "OpenAiResponses",
  key: "openai",
  prefix: "OPENAI",
  defaultModel: OpenAiResponses.defaultModel,
  layer: OpenAiResponses.layer,
  layerConfig: OpenAiResponses.layerConfig,
  withSettings: OpenAiResponses.withSettings,
  limitSetting: responsesSettings.limit,
  limitField: "max_output_tokens",
  furtherSetting: responsesSettings.further,
  furtherField: "max_tool_calls",
  modelField: "model",
  keyOf: ({ authorization }) => authorization?.replace("Bearer ", ""),
  serve: ResponsesServer.serve,
  answer: ({ calls = [], finish, usage = { input: 10, cached: 0, output: 5 }, ...said }) =>
    ResponsesServer.response({
      ...said,
      calls,
      ...(finish === undefined ? {} : { incomplete: finish === "length" ? "max_output_tokens" : "content_filter" }),
      usage
    }),
  streamBody: { stream: true },
  wholeBody: {},
  closingEvents: 0,
  failure: openAiFailure,
  hasArgumentText: true
})

const furtherParley: Parley.Settings = { mood: 7 }

providerContract({
  name: "an invented provider",
  key: "parley",
  prefix: "PARLEY",
  defaultModel: Parley.defaultModel,
  layer: Parley.layer,
  layerConfig: Parley.layerConfig,
  withSettings: Parley.withSettings,
  limitSetting: limit,
  limitField: "max_tokens",
  furtherSetting: furtherParley,
  furtherField: "mood",
  modelField: "engine",
  keyOf: (headers) => headers["x-password"] as string | undefined,
  serve: ParleyServer.serve,
  answer: ({ calls = [], finish, text = "", thinking = "", usage = { input: 10, cached: 0, output: 5 } }) =>
    ParleyServer.speech({
      say: text,
      muse: thinking,
      uses: calls,
      end: finish === undefined ? (calls.length > 0 ? "used" : "done") : finish === "length" ? "full" : "hushed",
      cost: { heard: usage.input, cached: usage.cached, spoken: usage.output }
    }),
  streamBody: { live: true },
  wholeBody: {},
  closingEvents: 1,
  failure: (kind, message) => {
    const status = {
      "rate limit": 429,
      overload: 529,
      "server error": 500,
      "exhausted quota": 402,
      "refused key": 401,
      "wrong request": 400,
      "context limit": 413
    }[kind]
    return { status, body: ParleyServer.problem(status, message) }
  },
  hasArgumentText: true
})

/**
 * Decides how to handle a failed request to a model: wait and retry, ask another provider, shorten the conversation, or
 * give up [11.3]. The error is effect/ai's `AiError`.
 */
import type * as AiError from "effect/ai/AiError"
import * as Duration from "effect/Duration"
import * as Fields from "#domain/json/Fields"

/** The constraint that a provider layer names in its `InvalidRequestError` when the conversation is too long. */
export const contextLength = "context_length"

const contextCodes: ReadonlySet<string> = new Set([
  "context_length_exceeded",
  "exceed_context_size_error",
  "model_context_window_exceeded",
  "request_too_large",
  "tokens_limit_reached"
])

/** Phrases of OpenAI, Anthropic, vLLM, llama.cpp, Qwen, Gemini … that report that the conversation is too long. */
const contextPhrases =
  /maximum context length|context (?:length|limit|window|size)|(?:prompt|input) is too long|reduce the length of (?:the|your) (?:messages|prompt|input)|input token count[^.]{0,80}exceeds|range of input length|too large for model with/iu

/** True if an error code or message of a provider reports that the conversation is too long. */
export const saysContextLimit = (code: string, message: string): boolean =>
  contextCodes.has(code) || contextPhrases.test(message)

/**
 * True if the model rejected the request because the conversation is too long. Only a shorter conversation can succeed.
 *
 * Recognises an `InvalidRequestError` of this package's provider layers by its constraint, and an `InvalidRequestError`
 * of another layer by its message.
 */
export const isContextLimit = ({ reason }: AiError.AiError): boolean =>
  reason._tag === "InvalidRequestError" &&
  (reason.constraint === contextLength || saysContextLimit("", reason.description ?? ""))

/**
 * Returns the code of the guard for a failed request that a person must handle. Only `unauthorized`, `quota_exceeded`
 * and `refused` are decisions of the provider. After `misconfigured` and `tool_failed`, the provider may not have
 * received the request.
 */
export const codeOf = (error: AiError.AiError) => {
  if (isContextLimit(error)) return "context_limit"
  switch (error.reason._tag) {
    case "QuotaExhaustedError":
      return "quota_exceeded"
    case "AuthenticationError":
      return "unauthorized"
    case "InvalidRequestError":
    case "ContentPolicyError":
      return "refused"
    case "InvalidResponseError":
      return "invalid_result"
    case "UnknownError":
      return "tool_failed"
    default:
      return error.isRetryable ? "unavailable" : "misconfigured"
  }
}

/** Returns a field that a provider layer has added to the metadata of an error, under the provider's name. */
const detailOf = (reason: AiError.AiErrorReason, name: string): unknown =>
  "metadata" in reason
    ? Object.values(reason.metadata).flatMap((fields) =>
        typeof fields === "object" && fields !== null && name in fields ? [Fields.of(fields)[name]] : []
      )[0]
    : undefined

const isTransientReason = (reason: AiError.AiErrorReason): boolean =>
  reason._tag === "RateLimitError" ||
  reason._tag === "InternalProviderError" ||
  (reason._tag === "NetworkError" && reason.isRetryable)

/**
 * True if the same request may succeed later: rate limits, failures of the provider, broken connections. If the
 * provider states whether to retry (`x-should-retry`, which provider layers keep as `should_retry`), its statement
 * decides.
 *
 * **Gotchas**
 *
 * `AiError.isRetryable` is also true for answers that violate their schema. `isTransient` is false for these answers,
 * because the model made the mistake and must correct it.
 */
export const isTransient = ({ reason }: Pick<AiError.AiError, "reason">): boolean => {
  const stated = detailOf(reason, "should_retry")
  return typeof stated === "boolean" ? stated : isTransientReason(reason)
}

/**
 * Returns the delay that the provider asked for. Returns `undefined` if it named none, or if the failure is neither a
 * rate limit nor transient.
 */
export const retryAfter = ({ reason }: AiError.AiError): Duration.Duration | undefined => {
  if (reason._tag === "RateLimitError") return reason.retryAfter
  const stated = isTransient({ reason }) ? detailOf(reason, "retry_after_ms") : undefined
  const millis = stated === undefined ? undefined : Number(stated)
  return millis === undefined || !(millis >= 0) ? undefined : Duration.millis(millis)
}

/**
 * True if the model caused the failure: by an invalid tool call, or by output that violates its schema. The agent loop
 * reports such a failure to the model.
 */
export const isModelMistake = ({ reason }: AiError.AiError): boolean =>
  reason._tag === "ToolNotFoundError" ||
  reason._tag === "ToolParameterValidationError" ||
  reason._tag === "InvalidOutputError" ||
  reason._tag === "StructuredOutputError"

/**
 * True if the same request may succeed with another provider: after a transient failure, an exhausted quota, a rejected
 * key, an unknown model, an invalid response or an unknown error, regardless of this provider's statement about
 * retries. False after an invalid request, a policy refusal or a conversation that is too long.
 */
export const mayFallBack = (error: AiError.AiError): boolean => {
  switch (error.reason._tag) {
    case "QuotaExhaustedError":
    case "AuthenticationError":
    case "InvalidResponseError":
    case "UnknownError":
      return true
    case "InvalidRequestError":
      return error.reason.parameter === "model"
    default:
      return isTransientReason(error.reason)
  }
}

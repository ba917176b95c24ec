/**
 * What a failed request to a model means for the caller: wait and retry, ask another provider, shorten the
 * conversation, or give up (SPEC 11.3).
 *
 * The error is effect/ai's `AiError`; its reason says what happened, and these functions what to do.
 */
import type * as AiError from "effect/ai/AiError"
import * as Duration from "effect/Duration"

/** The constraint that a provider layer names in its `InvalidRequestError` when the conversation is too long. */
export const contextLength = "context_length"

const contextCodes: ReadonlySet<string> = new Set([
  "context_length_exceeded",
  "exceed_context_size_error",
  "model_context_window_exceeded",
  "request_too_large",
  "tokens_limit_reached"
])

/** Whole phrases by which servers say that the conversation is too long: OpenAI, Anthropic, vLLM, llama.cpp, Qwen, Gemini … */
const contextPhrases =
  /maximum context length|context (?:length|limit|window|size)|(?:prompt|input) is too long|reduce the length of (?:the|your) (?:messages|prompt|input)|input token count[^.]{0,80}exceeds|range of input length|too large for model with/iu

/** Whether an error code or message of a provider says that the conversation is too long. */
export const saysContextLimit = (code: string, message: string): boolean =>
  contextCodes.has(code) || contextPhrases.test(message)

/**
 * Whether the model refused because the conversation is too long for it. Only a shorter one helps.
 *
 * Understands this package's provider layers and, by their messages, others that fail with `InvalidRequestError`.
 */
export const isContextLimit = ({ reason }: AiError.AiError): boolean =>
  reason._tag === "InvalidRequestError" &&
  (reason.constraint === contextLength || saysContextLimit("", reason.description ?? ""))

/**
 * Whether the same request may succeed in a while: rate limits, failures of the provider, broken connections.
 *
 * **Gotchas**
 *
 * Narrower than `AiError.isRetryable`, which is also true for answers that break their schema: there the model made a
 * mistake, and it must be told of it.
 */
export const isTransient = ({ reason }: AiError.AiError): boolean =>
  reason._tag === "RateLimitError" ||
  reason._tag === "InternalProviderError" ||
  (reason._tag === "NetworkError" && reason.isRetryable)

/** How long the provider asked to be left alone, where it did: of a rate limit, or of an overloaded server. */
export const retryAfter = ({ reason }: AiError.AiError): Duration.Duration | undefined => {
  if (reason._tag === "RateLimitError") return reason.retryAfter
  if (reason._tag !== "InternalProviderError") return undefined
  const millis = Object.values(reason.metadata).flatMap((fields) =>
    typeof fields === "object" && fields !== null && "retry_after_ms" in fields
      ? [Number(fields["retry_after_ms"])]
      : []
  )[0]
  return millis === undefined || !(millis >= 0) ? undefined : Duration.millis(millis)
}

/** Whether the model itself made the mistake: it called wrongly or broke the output's schema. The loop tells it. */
export const isModelMistake = ({ reason }: AiError.AiError): boolean =>
  reason._tag === "ToolNotFoundError" ||
  reason._tag === "ToolParameterValidationError" ||
  reason._tag === "InvalidOutputError" ||
  reason._tag === "StructuredOutputError"

/**
 * Whether another provider may do what this one did not: after transient failures, a used-up quota, a refused key, a
 * model that is gone, an answer that makes no sense. Not after a request that is wrong in itself, nor a refusal on
 * policy, nor a conversation that is too long.
 */
export const mayHelpElsewhere = (error: AiError.AiError): boolean => {
  switch (error.reason._tag) {
    case "QuotaExhaustedError":
    case "AuthenticationError":
    case "InvalidResponseError":
    case "UnknownError":
      return true
    case "InvalidRequestError":
      return error.reason.parameter === "model"
    default:
      return isTransient(error)
  }
}

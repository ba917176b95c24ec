/**
 * What a failed request means, as a reason of effect/ai's `AiError`.
 *
 * - The server's own error decides where there is one, in the shapes of OpenAI, Anthropic, vLLM, Ollama, Gemini and
 *   FastAPI; its numeric code counts as the status where the answer has none of its own (errors inside a 200 or a stream).
 * - The details stand in `metadata` under the provider's name (status, code, type, param, request_id, retry_after_ms):
 *   plain data, no body.
 */
import { isJsonObject } from "#domain/json/JsonObject"
import * as AiError from "effect/ai/AiError"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as Duration from "effect/Duration"
import * as ModelFailure from "#domain/classification/ModelFailure"
import * as RetryAfter from "#domain/failure/RetryAfter"
import * as CallArguments from "#domain/transcript/CallArguments"
import * as Fields from "#domain/json/Fields"

const longestDescription = 500

/** Whose protocol it is: the name under which the details stand. */
export type Provider = "openai" | "anthropic"

/** An answer that says that the request failed. */
export interface Refused {
  readonly provider: Provider
  /** The HTTP status; absent for an error that came with status 200 or inside a stream. */
  readonly status?: number
  readonly headers: { readonly [name: string]: string | undefined }
  /** The body, parsed where it is JSON, else its text. */
  readonly body: unknown
  /** Epoch milliseconds. */
  readonly now: number
  /** What must not stand in the error: the API key, which some servers repeat. Empty for none. */
  readonly secret: string
}

interface Told {
  readonly message: string
  readonly code: string
  readonly type: string
  readonly param: string
}

const word = (value: unknown): string => (typeof value === "number" ? `${value}` : Fields.string(value))

/** What the server tells of the error, whatever shape it has. */
const told = (body: unknown): Told => {
  if (typeof body === "string") {
    const message = /^\s*<(?:!doctype|html)/iu.test(body) ? "the answer is an HTML page" : body
    return { message, code: "", type: "", param: "" }
  }
  const outer = Fields.of(Array.isArray(body) ? body[0] : body)
  const inner = outer["error"] ?? outer["message"] ?? outer["detail"]
  const error = isJsonObject(inner) ? inner : outer
  const message = Fields.string(error["message"]) || (typeof inner === "string" ? inner : CallArguments.textOf(body))
  const type = Fields.string(error["type"]) || Fields.string(error["status"])
  return { message, code: word(error["code"]), type, param: Fields.string(error["param"]) }
}

/** Whether a parsed answer is an error in spite of its status. */
export const isError = (body: unknown): boolean => {
  const fields = Fields.of(body)
  return (fields["error"] !== undefined && fields["error"] !== null) || fields["object"] === "error"
}

const statusWords: ReadonlyArray<readonly [pattern: RegExp, status: number]> = [
  [/rate_?limit|too_many_requests|throttl|insufficient_quota|resource_exhausted/iu, 429],
  [/authentication|invalid_api_key|unauthenticated/iu, 401],
  [/permission/iu, 403],
  [/not_?found/iu, 404],
  [/request_too_large/iu, 413],
  [/billing/iu, 402],
  [/overloaded/iu, 529],
  [/invalid_?request|bad_?request|invalid_argument|context_length|content_policy|content_filter/iu, 400]
]

const statusOf = (status: number | undefined, { code, type }: Told): number => {
  if (status !== undefined && status >= 400) return status
  const numeric = Number(code)
  if (numeric >= 400 && numeric < 600) return numeric
  return statusWords.find(([pattern]) => pattern.test(code) || pattern.test(type))?.[1] ?? 500
}

const isQuota = ({ code, message, type }: Told): boolean =>
  /insufficient_quota|billing|quota_exceeded|credit/iu.test(`${code} ${type}`) ||
  /insufficient (?:balance|credits|funds)|credit balance is too low/iu.test(message)

/** A text of the server without the secret, which some repeat. */
export const withoutSecret = (text: string, secret: string): string =>
  secret === "" ? text : text.replaceAll(secret, "[api key]")

const cleaned = ({ code, message, param, type }: Told, secret: string): Told => ({
  message: withoutSecret(message, secret),
  code: withoutSecret(code, secret).slice(0, longestDescription),
  type: withoutSecret(type, secret).slice(0, longestDescription),
  param: withoutSecret(param, secret).slice(0, longestDescription)
})

const isRedirect = (status: number | undefined): status is number =>
  status !== undefined && status >= 300 && status < 400

/** The reason why a request was refused. */
export const refused = ({
  body,
  headers,
  now,
  provider,
  secret,
  status: httpStatus
}: Refused): AiError.AiErrorReason => {
  const error = cleaned(told(body), secret)
  if (isRedirect(httpStatus)) return redirected(httpStatus, withoutSecret(headers["location"] ?? "", secret), provider)
  const status = statusOf(httpStatus, error)
  const requestId = headers["x-request-id"] ?? headers["request-id"]
  const asked = RetryAfter.fromHeaders(headers, now)
  const details = {
    status,
    code: error.code || undefined,
    type: error.type || undefined,
    param: error.param || undefined,
    request_id: requestId === undefined ? undefined : withoutSecret(requestId, secret),
    retry_after_ms: asked === undefined ? undefined : Duration.toMillis(asked)
  }
  const known = Object.fromEntries(Object.entries(details).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])))
  const metadata = { [provider]: known }
  const description = `HTTP ${status}: ${error.message}`.slice(0, longestDescription)

  if (status === 413 || (status < 429 && ModelFailure.saysContextLimit(error.code, error.message))) {
    const constraint = ModelFailure.contextLength
    return new AiError.InvalidRequestError({ parameter: "messages", constraint, description, metadata })
  }
  if (status === 402 || ((status === 429 || status === 400) && isQuota(error)))
    return new AiError.QuotaExhaustedError({ metadata })
  if (/content_policy|content_filter/iu.test(error.code)) {
    return new AiError.ContentPolicyError({ description, metadata })
  }
  switch (status) {
    case 401:
      return new AiError.AuthenticationError({ kind: "InvalidKey", description, metadata })
    case 403:
      return new AiError.AuthenticationError({ kind: "InsufficientPermissions", description, metadata })
    case 404:
      return new AiError.InvalidRequestError({ parameter: "model", description, metadata })
    case 408:
    case 409:
    case 425:
      return new AiError.InternalProviderError({ description, metadata })
    case 429:
      return new AiError.RateLimitError({ metadata, ...(asked === undefined ? {} : { retryAfter: asked }) })
  }
  if (status >= 500) return new AiError.InternalProviderError({ description, metadata })
  if (status === 400 || status === 422) {
    return new AiError.InvalidRequestError({
      description,
      metadata,
      ...(error.param === "" ? {} : { parameter: error.param })
    })
  }
  return new AiError.UnknownError({ description, metadata })
}

/** A redirect is not followed: it would take the credentials and the conversation wherever it says. */
const redirected = (status: number, location: string, provider: Provider): AiError.AiErrorReason =>
  new AiError.InvalidResponseError({
    description: `HTTP ${status}: a redirect${location === "" ? "" : ` to ${addressOf(location)}`}, which is not followed; set \`baseUrl\` to the address that answers`,
    metadata: { [provider]: { status } }
  })

/** An address as errors tell it: without a user, a password and a query, which may be secrets. */
export const addressOf = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed === null ? (url.split("?")[0] ?? "") : `${parsed.origin}${parsed.pathname}`
}

/** An answer that is none by the API: another kind of document, another shape. Asking again gives the same. */
export const invalid = (description: string): AiError.AiErrorReason =>
  new AiError.InvalidResponseError({ description: description.slice(0, longestDescription) })

/** An answer that is broken in a way that passes: cut JSON, no choices. */
export const broken = (description: string): AiError.AiErrorReason => new AiError.InternalProviderError({ description })

/** A request that is no JSON: a conversation of the host's own with values that nest too deeply, or refer to themselves. */
export const unwritable = (cause: unknown): AiError.AiErrorReason =>
  new AiError.InvalidRequestError({ description: `the request cannot be written as JSON: ${causeOf(cause)}` })

/** The connection ended, or stayed silent, before the answer was complete. */
export const cut = (description: string, url: string): AiError.AiErrorReason =>
  new AiError.NetworkError({ reason: "TransportError", method: "POST", url, description })

/** The innermost cause, as a code or a message: `ECONNREFUSED` rather than `fetch failed`. */
const causeOf = (error: unknown): string => {
  let text = ""
  for (let at: unknown = error, depth = 0; at !== undefined && at !== null && depth < 8; depth++) {
    const { cause, code, message } = Fields.of(at)
    text = Fields.string(code) || Fields.string(message) || text
    at = cause
  }
  return text
}

/** A request that never got an answer, or an answer whose body broke off. */
export const transport = (
  { reason }: HttpClientError.HttpClientError,
  { address, secret, url }: { readonly address: string; readonly secret: string; readonly url: string }
): AiError.AiErrorReason => {
  const description = withoutSecret(causeOf(reason), secret).replaceAll(url, address) || "the connection broke"
  return reason._tag === "EncodeError" || reason._tag === "InvalidUrlError"
    ? new AiError.NetworkError({ reason: reason._tag, method: "POST", url: address, description })
    : cut(description, address)
}

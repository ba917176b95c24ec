/**
 * Builds the reason of a failed request, as in effect/ai's `AiError`.
 *
 * - The reason follows from the error that the server reports, in the shape of OpenAI, Anthropic, vLLM, Ollama, Gemini or
 *   FastAPI. For an error with status 200 or inside a stream, the numeric code of the error replaces the status.
 * - `metadata` has the details under the provider's name (status, code, type, param, request_id, retry_after_ms,
 *   should_retry): plain data, no body.
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

/** The headers of an answer. */
export type Headers = { readonly [name: string]: string | undefined }

/** An answer that reports an error. */
interface ErrorResponse {
  /** The key of the details in the error's metadata. */
  readonly provider: string
  /** The HTTP status; undefined for an error that came with status 200 or inside a stream. */
  readonly status: number | undefined
  readonly headers: Headers
  /** The body: the parsed JSON, or the text if it is not JSON. */
  readonly body: unknown
  /** Epoch milliseconds. */
  readonly now: number
  /** The API key, which some servers repeat and errors must not show. Empty if there is none. */
  readonly secret: string
}

/** The error that a server reports. Fields that it omits are empty, except that `message` is then the text of the body. */
interface ReportedError {
  readonly message: string
  readonly code: string
  readonly type: string
  readonly param: string
}

const word = (value: unknown): string => (typeof value === "number" ? `${value}` : Fields.string(value))

/** Reads an error in any of the shapes that servers use. */
const reportedIn = (body: unknown): ReportedError => {
  if (typeof body === "string") {
    const message = /^\s*<(?:!doctype|html)/iu.test(body) ? "the answer is an HTML page" : body
    return { message, code: "", type: "", param: "" }
  }
  const outer = Fields.of(Array.isArray(body) ? body[0] : body)
  const inner = outer["error"] ?? outer["message"] ?? outer["detail"]
  const error = isJsonObject(inner) ? Fields.of(inner) : outer
  const message = Fields.string(error["message"]) || (typeof inner === "string" ? inner : CallArguments.textOf(body))
  const type = Fields.string(error["type"]) || Fields.string(error["status"])
  return { message, code: word(error["code"]), type, param: Fields.string(error["param"]) }
}

/**
 * Returns the error of a parsed answer: the body, if it has the field `error` or its `object` is `error`; otherwise
 * undefined.
 */
export const errorIn = (body: unknown): unknown => {
  const fields = Fields.of(body)
  return (fields["error"] ?? undefined) !== undefined || fields["object"] === "error" ? body : undefined
}

const statusWords: ReadonlyArray<readonly [pattern: RegExp, status: number]> = [
  [/rate_?limit|too_many_requests|throttl|insufficient_quota|resource_exhausted/iu, 429],
  [/authentication|invalid_api_key|unauthenticated/iu, 401],
  [/permission/iu, 403],
  [/not_?found/iu, 404],
  [/request_too_large/iu, 413],
  [/billing/iu, 402],
  [/overloaded/iu, 529],
  [/invalid_?(?:request|argument|prompt|image)|bad_?request|context_length|content_policy|content_filter/iu, 400],
  [/(?:^|_)image_|_image(?:_|$)|data_residency|(?:bio|misalignment)_policy/iu, 400]
]

const statusOf = (status: number | undefined, { code, type }: ReportedError): number => {
  if (status !== undefined && status >= 400) return status
  const numeric = Number(code)
  if (numeric >= 400 && numeric < 600) return numeric
  return statusWords.find(([pattern]) => pattern.test(code) || pattern.test(type))?.[1] ?? 500
}

const isQuota = ({ code, message, type }: ReportedError): boolean =>
  /insufficient_quota|billing|quota_exceeded|credit/iu.test(`${code} ${type}`) ||
  /insufficient (?:balance|credits|funds)|credit balance is too low/iu.test(message)

/** Replaces every occurrence of the secret in a text of the server. */
export const withoutSecret = (text: string, secret: string): string =>
  secret === "" ? text : text.replaceAll(secret, "[api key]")

const cleaned = ({ code, message, param, type }: ReportedError, secret: string): ReportedError => ({
  message: withoutSecret(message, secret),
  code: withoutSecret(code, secret).slice(0, longestDescription),
  type: withoutSecret(type, secret).slice(0, longestDescription),
  param: withoutSecret(param, secret).slice(0, longestDescription)
})

const isRedirect = (status: number | undefined): status is number =>
  status !== undefined && status >= 300 && status < 400

/** Returns the reason of a refused request. */
export const refused = ({
  body,
  headers,
  now,
  provider,
  secret,
  status: httpStatus
}: ErrorResponse): AiError.AiErrorReason => {
  const error = cleaned(reportedIn(body), secret)
  if (isRedirect(httpStatus)) return redirected(httpStatus, withoutSecret(headers["location"] ?? "", secret), provider)
  const status = statusOf(httpStatus, error)
  const requestId = headers["x-request-id"] ?? headers["request-id"]
  const retryAfter = RetryAfter.fromHeaders(headers, now)
  const details = {
    status,
    code: error.code || undefined,
    type: error.type || undefined,
    param: error.param || undefined,
    request_id: requestId === undefined ? undefined : withoutSecret(requestId, secret),
    retry_after_ms: retryAfter === undefined ? undefined : Duration.toMillis(retryAfter),
    // the clients of OpenAI and Anthropic obey this header before they look at the status
    should_retry: { true: true, false: false }[headers["x-should-retry"]?.trim().toLowerCase() ?? ""]
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
  if (/content_policy|content_filter|(?:bio|misalignment)_policy/iu.test(error.code)) {
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
      return new AiError.RateLimitError({ metadata, ...(retryAfter === undefined ? {} : { retryAfter }) })
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

/**
 * Returns the reason for a redirect. Redirects are not followed, because they would send the credentials and the
 * conversation elsewhere.
 */
const redirected = (status: number, location: string, provider: string): AiError.AiErrorReason =>
  new AiError.InvalidResponseError({
    description: `HTTP ${status}: a redirect${location === "" ? "" : ` to ${addressOf(location)}`}, which is not followed; set \`baseUrl\` to the address that answers`,
    metadata: { [provider]: { status } }
  })

/** Returns an address as errors show it: without user, password and query, which may be secrets. */
export const addressOf = (url: string): string => {
  const parsed = URL.parse(url)
  // a relative address cannot be parsed
  if (parsed === null) return (url.split(/[?#]/u)[0] ?? "").replace(/^(\w*:?)\/\/[^/]*@/u, "$1//")
  return `${parsed.origin}${parsed.pathname}`
}

/** Returns the reason for an answer in a wrong format or shape. A retry would get the same answer. */
export const invalid = (description: string): AiError.AiErrorReason =>
  new AiError.InvalidResponseError({ description: description.slice(0, longestDescription) })

/** Returns the reason for a damaged answer, such as truncated JSON or no choices. A retry may get a good answer. */
export const broken = (description: string): AiError.AiErrorReason => new AiError.InternalProviderError({ description })

/**
 * Returns the reason for a request that cannot be written as JSON: a value is nested too deeply or refers to itself.
 */
export const unwritable = (cause: unknown): AiError.AiErrorReason =>
  new AiError.InvalidRequestError({ description: `the request cannot be written as JSON: ${causeOf(cause)}` })

/** Returns the reason for a connection that ended, or stayed silent, before the answer was complete. */
export const cut = (description: string, url: string): AiError.AiErrorReason =>
  new AiError.NetworkError({ reason: "TransportError", method: "POST", url, description })

/** Returns the innermost cause as a code or a message: `ECONNREFUSED` rather than `fetch failed`. */
const causeOf = (error: unknown): string => {
  let text = ""
  for (let at: unknown = error, depth = 0; at !== undefined && at !== null && depth < 8; depth++) {
    const { cause, code, message } = Fields.of(at)
    text = Fields.string(code) || Fields.string(message) || text
    at = cause
  }
  return text
}

/** Returns the reason for a request without an answer, or for an answer whose body is incomplete. */
export const transport = (
  { reason }: HttpClientError.HttpClientError,
  { address, secret, url }: { readonly address: string; readonly secret: string; readonly url: string }
): AiError.AiErrorReason => {
  const description = withoutSecret(causeOf(reason), secret).replaceAll(url, address) || "the connection broke"
  return reason._tag === "EncodeError" || reason._tag === "InvalidUrlError"
    ? new AiError.NetworkError({ reason: reason._tag, method: "POST", url: address, description })
    : cut(description, address)
}

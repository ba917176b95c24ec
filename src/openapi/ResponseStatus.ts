/**
 * Maps failures to HTTP statuses: by code if the code has a status, otherwise by class (RFC 9110, 6585, 4918, and the
 * draft "The Idempotency-Key HTTP Header Field").
 *
 * - 4xx: the request or its sender must change. 5xx: the request was correct.
 * - All 4xx except 408, and also 503, mean that nothing was done. If a write was or may have been done, a failure with
 *   such a status has 502 instead, without `Retry-After` [3.3]. Other failures keep their status.
 * - 409 if a person must decide: nothing was done, and the same request can be sent after the decision.
 * - 409 for a refusal that the tool declares [3.5], or 422 if it is declared as ToolArgError: nothing was done, and the
 *   same request is refused until something changes.
 */
import type { SideEffect } from "#domain/failure/Failure"
import { info } from "#domain/failure/FailureCode"
import type { ErrorClass } from "#domain/envelope/EnvelopeError"

/**
 * The status of each class, for codes without a status. `partial_data` is missing because its data is returned with
 * 200.
 */
const byClass: Readonly<Record<Exclude<ErrorClass, "partial_data">, number>> = {
  tool_arg_error: 422,
  schema_mismatch: 502,
  semantic_garbage: 502,
  transient: 503,
  resource: 507,
  permanent: 500,
  human_review: 409
}

/** Returns the status of a failure. `isDeclared` is true for a refusal that the tool declares. */
export const statusOf = (
  errorClass: Exclude<ErrorClass, "partial_data">,
  code: string,
  sideEffect: SideEffect,
  isDeclared = false
): number => {
  if (isDeclared && errorClass === "permanent") return 409
  const status = info(code)?.status ?? byClass[errorClass]
  return sideEffect !== "none" && provesNothingDone(status) ? 502 : status
}

const provesNothingDone = (status: number): boolean =>
  (status >= 400 && status < 500 && status !== 408) || status === 503

/** The meaning of each status for the client. */
export const meanings: Readonly<Record<number, string>> = {
  400: "The request is malformed: the body is not JSON, or a header cannot be read.",
  401: "The credentials of the request are missing or invalid.",
  403: "Denied by the Authorizer, by a person, or by the upstream.",
  404: "No tool has this name, or the arguments name something that does not exist.",
  405: "Tools are called with POST.",
  408: "The server did not receive the whole request in time.",
  409: "Nothing was done: a person must decide first, the tool refused the action, the same action is running, or a value conflicts with stored data.",
  413: "The body exceeds the size limit.",
  415: "The body is not application/json in UTF-8.",
  422: "The arguments violate the tool's schema, or the idempotency key was used with other arguments.",
  429: "A rate limit, a quota or a budget is used up. Retry-After states the wait, if known.",
  431: "The URL or the headers are too long.",
  500: "The tool failed permanently, or it is unknown whether a write was executed: see side_effect.",
  501: "The upstream does not support this operation.",
  502: "The answer of the upstream violates the contract, or a write that failed was or may have been executed: see side_effect.",
  503: "Temporarily unavailable; nothing was done. Retry-After states the wait, if known.",
  504: "The upstream did not answer in time.",
  507: "Memory, storage or another resource is exhausted."
}

/**
 * The reason phrases of the statuses (RFC 9110, 4918, 6585), which are the titles of problems of type `about:blank`.
 */
export const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  507: "Insufficient Storage"
}

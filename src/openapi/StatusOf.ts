/**
 * The HTTP status of each failure: by its code if that is more specific, otherwise by its class (RFC 9110, 6585, 4918; for keys
 * the draft "The Idempotency-Key HTTP Header Field").
 *
 * - 4xx: the request or its sender must change first. 5xx: the request was correct.
 * - 503 with `Retry-After` means that nothing was done. If that is not known for a write, the status is 502 without it.
 * - A call that waits for a person is a 409: nothing was done, and the same request can be sent after the decision.
 */
import type { SideEffect } from "#domain/failure/Failure"
import { info } from "#domain/failure/FailureCode"
import type { ErrorClass } from "#domain/envelope/EnvelopeError"

/** By class, for codes whose row has no status. `partial_data` is not a failure here: its data is returned with 200. */
const byClass: Readonly<Record<Exclude<ErrorClass, "partial_data">, number>> = {
  tool_arg_error: 422,
  schema_mismatch: 502,
  semantic_garbage: 502,
  transient: 503,
  resource: 507,
  permanent: 500,
  human_review: 409
}

/** The status of a failure. */
export const statusOf = (
  errorClass: Exclude<ErrorClass, "partial_data">,
  code: string,
  sideEffect: SideEffect
): number => {
  const status = info(code)?.status ?? byClass[errorClass]
  return status === 503 && sideEffect !== "none" ? 502 : status
}

/** Every status of a call, and its meaning for the client. */
export const meanings: Readonly<Record<number, string>> = {
  400: "The request is malformed: the body is not JSON, or a header cannot be read.",
  401: "The credentials of the request are not known.",
  403: "Denied: by the Authorizer, by a person, or by what the tool calls.",
  404: "No tool has this name, or the arguments name something that does not exist.",
  405: "Tools are called with POST.",
  409: "Nothing was done: a person must decide first, the same action is running, or a value conflicts with stored data.",
  413: "The body exceeds the size limit.",
  415: "The body is not application/json in UTF-8.",
  422: "The arguments break the tool's schema, or the idempotency key was used with other arguments.",
  429: "A rate limit, a quota or a budget is used up. Retry-After gives the wait, if known.",
  500: "The tool failed for good, or it is not known whether a write was executed: see side_effect.",
  501: "What the tool calls does not support this operation.",
  502: "What the tool calls answered, but not by its contract; or it is not known whether a write was executed.",
  503: "Temporarily unavailable; nothing was done. Retry-After gives the wait, if known.",
  504: "What the tool calls gave no answer in time.",
  507: "Memory, storage or another resource is exhausted."
}

/** The reason phrases of those statuses (RFC 9110, 4918, 6585): the titles of problems of type `about:blank`. */
export const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  507: "Insufficient Storage"
}

/**
 * The HTTP status of each failure: by its code where that says more, else by its class (RFC 9110, 6585, 4918; for keys the
 * draft "The Idempotency-Key HTTP Header Field").
 *
 * - 4xx: the request, or who sends it, must change first. 5xx: the request was right.
 * - 503 and its `Retry-After` say that nothing was done. Where that is not known of a write, 502 and no `Retry-After` stand.
 * - A call that waits for a person is a 409: nothing was done, and the same request is sent again after the decision.
 */
import type { SideEffect } from "#domain/failure/Failure"
import { info } from "#domain/failure/FailureCode"
import type { ErrorClass } from "#domain/envelope/EnvelopeError"

/** By class, for codes whose row names no status. `partial_data` is no failure here: its data is answered with 200. */
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

/** Every status that a call may be answered with, and what it means for who asked. */
export const meanings: Readonly<Record<number, string>> = {
  400: "The request is malformed: the body is no JSON, or a header cannot be read.",
  401: "Nobody is known by the credentials of the request.",
  403: "Denied: by the Authorizer, by a person, or by what the tool calls.",
  404: "No tool has this name, or the arguments name something that does not exist.",
  405: "Tools are called with POST.",
  409: "Nothing was done: a person must decide first, the same action is running, or a value collides with what is stored.",
  413: "The body is larger than is read.",
  415: "The body is not application/json in UTF-8.",
  422: "The arguments break the tool's schema, or the idempotency key was used with others.",
  429: "Too much was asked: a rate, a quota or a budget is used up. Retry-After says how long, where that is known.",
  500: "The tool failed for good, or it is not known whether a write was done: side_effect says which.",
  501: "What the tool calls does not support this operation.",
  502: "What the tool calls answered, but not by its contract; or it is not known whether a write was done.",
  503: "Not available for now; nothing was done. Retry-After says how long, where that is known.",
  504: "What the tool calls gave no answer in time.",
  507: "Memory, storage or another resource is exhausted."
}

/** The reason phrases of those statuses (RFC 9110, 4918, 6585): the titles of problems that have no type of their own. */
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

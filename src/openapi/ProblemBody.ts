/**
 * Describes a failed call as `application/problem+json` (RFC 9457): `status`, `title` and `detail`, with the `error` of
 * the envelope as extension members.
 *
 * `type` is `about:blank`, so `title` is the title of the status. `code` distinguishes failures.
 */
import type { EnvelopeError } from "#domain/envelope/EnvelopeError"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as ProblemDetails from "effect/http/ProblemDetails"
import * as Schema from "effect/Schema"
import { titles } from "./ResponseStatus.ts"

const ErrorClass = Schema.Literals([
  "tool_arg_error",
  "schema_mismatch",
  "partial_data",
  "semantic_garbage",
  "transient",
  "resource",
  "permanent",
  "human_review"
])

/** The members of an envelope's `error`. */
const members = {
  error_class: ErrorClass,
  code: Schema.String.annotate({ description: "The failure code, in snake_case." }),
  message: Schema.String.annotate({ description: "What happened, in one line." }),
  hint: Schema.String.annotate({ description: "What to do next." }),
  next_step: Schema.Literals(["fix_arguments", "wait", "continue", "use_other_tool", "ask_user", "stop"]),
  fields: Schema.optionalKey(Schema.Array(Schema.String)).annotate({ description: "Paths of the fields concerned." }),
  details: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)).annotate({
    description: "The fields of a refusal that the tool declares; absent for every other failure."
  }),
  side_effect: Schema.optionalKey(Schema.Literals(["none", "committed", "unknown"])).annotate({
    description: "The side effect of the call; absent if none."
  }),
  retryable: Schema.Boolean.annotate({ description: "The same request may be sent again." }),
  retry_after_ms: Schema.optionalKey(Schema.Finite),
  max_retries: Schema.optionalKey(Schema.Finite),
  attempts: Schema.optionalKey(Schema.Finite).annotate({
    description: "How often the tool was executed; absent after one execution or none."
  }),
  human_review: Schema.optionalKey(Schema.Literal(true)),
  approval_url: Schema.optionalKey(Schema.String),
  next: Schema.optionalKey(Schema.Json).annotate({ description: "The arguments of the call that continues this one." }),
  trace_id: Schema.optionalKey(Schema.String)
}

/** The `error` of a partial result. */
export const PartialError = Schema.Struct(members)

/** A failed call. */
export const ToolProblem = Schema.Struct({
  type: Schema.String,
  title: Schema.String,
  status: Schema.Int,
  detail: Schema.String,
  ...members
}).annotate({
  description: "A failed call (RFC 9457). The members after `detail` are those that a model reads."
})
export type ToolProblem = typeof ToolProblem.Type

/** Returns the problem of an envelope's error. */
export const make = (status: number, error: EnvelopeError): ToolProblem => ({
  type: ProblemDetails.blankType,
  title: titles[status] ?? "Error",
  status,
  detail: error.message,
  // `next` is JSON, like the envelope that it comes from
  ...(error as Omit<ToolProblem, "type" | "title" | "status" | "detail">)
})

/** Returns the problem of an HTTP request that is refused before it reaches a tool. */
export const refusal = (status: number, code: string, message: string, hint: string): ToolProblem =>
  make(status, {
    error_class: status === 401 ? "permanent" : "tool_arg_error",
    code,
    message,
    hint,
    next_step: status === 401 ? "ask_user" : "fix_arguments",
    retryable: false
  })

/** Returns the response of a problem, with `Retry-After` in whole seconds if it is retryable and states a wait. */
export const respond = (
  problem: ToolProblem,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse => {
  const isRetryable = problem.status === 503 || problem.status === 429 || problem.status === 409
  const wait = isRetryable && problem.retryable ? problem.retry_after_ms : undefined
  return HttpServerResponse.setHeaders(ProblemDetails.toResponse(problem), {
    ...(wait === undefined ? {} : { "retry-after": String(Math.ceil(wait / 1_000)) }),
    ...(problem.trace_id === undefined ? {} : { [traceHeader]: problem.trace_id }),
    ...headers
  })
}

/** The header with the call's trace id, on the response of each call that reached the guard. */
export const traceHeader = "toolguard-trace-id"

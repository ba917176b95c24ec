/**
 * Lists the answers of handlers and their upstreams as data. Each row is also a part of the published vectors.
 *
 * `evidence` is the side effect of a write that the answer proves by [3.3]. An upstream that follows its protocol had this
 * side effect.
 */
import type { FailureTag, SideEffect } from "#domain/failure/Failure"
import type { HandlerEnd, HttpAnswer } from "./HandlerEnd.ts"

/** The class and code of a failure. */
export interface NamedFailure {
  readonly class: FailureTag
  readonly code: string
}

/** An answer. */
export interface Answer {
  readonly name: string
  readonly given: HandlerEnd
  /** How many errors of the handler enclose the error; 0 for the answer itself. */
  readonly depth: 0 | 2
  readonly evidence: SideEffect
  /** False if the action may have been done and no answer arrived that the guard can rely on. */
  readonly isAnswered: boolean
  /** The failure of a read; absent if the answer is a success. */
  readonly read?: NamedFailure
  /** The failure of a write before its outcome is settled; absent if a write fails like a read. */
  readonly write?: NamedFailure
}

type Row = readonly [
  name: string,
  given: HandlerEnd,
  evidence: SideEffect | "no answer",
  read?: readonly [FailureTag, string] | undefined,
  write?: readonly [FailureTag, string] | undefined
]

const json = { "content-type": "application/json" }
const http = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = json,
  ends?: NonNullable<HttpAnswer["ends"]>
): HandlerEnd => ({ http: { status, headers, body, ...(ends === undefined ? {} : { ends }) } })
const typed = (side_effect: SideEffect): HandlerEnd => ({
  failure: { class: "Permanent", code: "wrong_state", side_effect }
})
const error = (message: string, fields: object = {}): HandlerEnd => ({ error: { message, ...fields } })

const busy = { ...json, "retry-after": "120" }
const closed = "The ticket is already closed"
const stated = (states: "nothingDone" | "done" | "unknown", message: string, fields: object = {}): HandlerEnd => ({
  error: { message, ...fields },
  states
})
const beside = (beside: "crash" | "interruption" | "reset"): HandlerEnd => ({
  error: { message: closed },
  states: "nothingDone",
  beside
})
const readBefore = (status: number, body: string): HandlerEnd => ({
  http: { status, headers: json, body, isRead: true }
})
const enveloped = (data: object): string => JSON.stringify({ status: "success", data })
const refused = {
  status: "error",
  error: { error_class: "permanent", code: "wrong_state", message: closed, side_effect: "none", retryable: false }
}
const review = {
  status: "error",
  error: {
    error_class: "human_review",
    code: "requires_human_approval",
    message: "A person must approve this call.",
    human_review: true,
    approval_url: "https://approve.example/1"
  }
}
const incomplete = {
  status: "partial",
  data: { n: 1 },
  error: { error_class: "partial_data", code: "more_pages", message: "3 of 47 tickets.", next: { q: "b" } }
}
const html = "<!doctype html><html><title>Login</title></html>"

const rows: ReadonlyArray<Row> = [
  ["a value", { value: { n: 1 } }, "committed"],
  ["HTTP 200 with the result", http(200, '{"n":1}'), "committed"],
  ["HTTP 201 with the result", http(201, '{"n":1}'), "committed"],
  ["HTTP 202 with the result", http(202, '{"n":1}'), "unknown"],
  ["HTTP 202 without a body", http(202, ""), "unknown", ["SchemaMismatch", "invalid_result_json"]],
  [
    "HTTP 204",
    http(204, ""),
    "committed",
    ["SchemaMismatch", "invalid_result_json"],
    ["SchemaMismatch", "done_without_result"]
  ],
  [
    "HTTP 200 with a body that breaks the contract",
    http(200, '{"n":"one"}'),
    "committed",
    ["SchemaMismatch", "invalid_result"],
    ["SchemaMismatch", "done_unreadable"]
  ],
  ["HTTP 200 whose JSON ends early", http(200, '{"n":'), "committed", ["SchemaMismatch", "truncated_response"]],
  [
    "HTTP 200 that states a failure",
    http(200, `{"ok":false,"error":"${closed}"}`),
    "unknown",
    ["Permanent", "wrong_state"]
  ],
  [
    "HTTP 200 with errors of GraphQL",
    http(200, '{"errors":[{"message":"Field \\"n\\" is missing"}]}'),
    "unknown",
    ["ToolArgError", "invalid_arguments"]
  ],
  [
    "HTTP 200 with an inner `isError`",
    http(200, '{"isError":true,"content":[{"type":"text","text":"The clerk gave up."}]}'),
    "unknown",
    ["Permanent", "tool_failed"]
  ],
  ...Object.entries({
    "HTTP 200 with the result and `ok: false`": '{"n":1,"ok":false}',
    'HTTP 200 with the result and `success: "false"`': '{"n":1,"success":"false"}',
    'HTTP 200 with the result and `status: "failed"`': '{"n":1,"status":"failed"}',
    "HTTP 200 with the result and an error code": '{"n":1,"errcode":40013}',
    "HTTP 200 with the result and the tool's own action denied: `closed: false`": '{"n":1,"closed":false}',
    "HTTP 200 with the result and no item done: `failed: 2, succeeded: 0`": '{"n":1,"failed":2,"succeeded":0}'
  }).map(([name, body]): Row => [name, http(200, body), "unknown", undefined, ["Permanent", "tool_failed"]]),
  [
    "HTTP 200 with the result and a warning that denies the action",
    http(200, '{"n":1,"warning":"The ticket was not closed"}'),
    "unknown"
  ],
  ["HTTP 200 with the result and a refusal as the state", http(200, '{"n":1,"status":"rejected"}'), "unknown"],
  [
    "HTTP 200 with the result and some items failed: `failed: 1, succeeded: 2`",
    http(200, '{"n":1,"failed":1,"succeeded":2}'),
    "unknown"
  ],
  [
    "HTTP 200 with the result and errors",
    http(200, `{"n":1,"errors":[{"message":"${closed}"}]}`),
    "unknown",
    undefined,
    ["Permanent", "wrong_state"]
  ],
  [
    "a value that has `success: false`",
    { value: { n: 1, success: false } },
    "unknown",
    undefined,
    ["Permanent", "tool_failed"]
  ],
  ["HTTP 200 with the envelope of a success", http(200, enveloped({ n: 1 })), "committed"],
  ["a value that is the envelope of a success", { value: { status: "success", data: { n: 1 } } }, "committed"],
  [
    "HTTP 200 with the envelope of an incomplete result",
    http(200, JSON.stringify(incomplete)),
    "committed",
    ["PartialData", "incomplete_result"]
  ],
  [
    "a value that is the envelope of an incomplete result",
    { value: incomplete },
    "committed",
    ["PartialData", "incomplete_result"]
  ],
  // the side effect in an envelope is stated by another tool, and proves nothing
  [
    "HTTP 200 with the envelope of a failure",
    http(200, JSON.stringify(refused)),
    "unknown",
    ["Permanent", "wrong_state"]
  ],
  ["a value that is the envelope of a failure", { value: refused }, "unknown", ["Permanent", "wrong_state"]],
  [
    "HTTP 200 with the envelope of a failure whose error is a text",
    http(200, `{"status":"error","error":"${closed}"}`),
    "unknown",
    ["Permanent", "wrong_state"]
  ],
  [
    "HTTP 200 with the envelope of a request for approval",
    http(200, JSON.stringify(review)),
    "unknown",
    ["HumanReview", "review_requested"]
  ],
  [
    "HTTP 200 with an HTML page",
    http(200, html, { "content-type": "text/html" }),
    "unknown",
    ["SchemaMismatch", "unexpected_content"]
  ],
  [
    "HTTP 200 with a text that is an error, in place of JSON",
    http(200, "Error: 503 Service Unavailable", { "content-type": "text/plain" }),
    "unknown",
    ["Transient", "unavailable"]
  ],
  ["HTTP 302 that is not followed", http(302, ""), "unknown", ["Permanent", "misconfigured"]],
  ["HTTP 401", http(401, ""), "none", ["Permanent", "unauthorized"]],
  ["HTTP 404", http(404, '{"message":"No such customer"}'), "none", ["Permanent", "not_found"]],
  ["HTTP 409", http(409, ""), "none", ["ToolArgError", "conflicting_value"]],
  ["HTTP 422", http(422, '{"message":"q is too long"}'), "none", ["ToolArgError", "invalid_request"]],
  ["HTTP 429 with Retry-After", http(429, "", busy), "none", ["Transient", "rate_limited"]],
  ["HTTP 503 with Retry-After", http(503, "", busy), "none", ["Transient", "unavailable"]],
  [
    "HTTP 503 with an invalid Retry-After",
    http(503, "", { ...json, "retry-after": "soon" }),
    "no answer",
    ["Transient", "unavailable"]
  ],
  ["HTTP 200 whose body the handler has read", readBefore(200, '{"n":1}'), "unknown", ["Permanent", "tool_crashed"]],
  [
    "HTTP 404 whose body the handler has read",
    readBefore(404, '{"message":"No such customer"}'),
    "none",
    ["Permanent", "not_found"]
  ],
  ["HTTP 408", http(408, ""), "no answer", ["Transient", "timeout"]],
  ["HTTP 500", http(500, ""), "no answer", ["Transient", "unavailable"]],
  ["HTTP 503", http(503, ""), "no answer", ["Transient", "unavailable"]],
  ["HTTP 200, cut after its head", http(200, '{"n":', json, "cut"), "no answer", ["Transient", "body_cut"]],
  ["a connection that is reset", http(200, "", json, "reset"), "no answer", ["Transient", "connection_lost"]],
  ["nothing, until the timeout", http(200, "", json, "silence"), "no answer", ["Transient", "timeout"]],
  ["a refused connection", http(200, "", json, "refused"), "none", ["Transient", "connection_failed"]],
  [
    "an unknown host",
    error("getaddrinfo ENOTFOUND api.example", { code: "ENOTFOUND" }),
    "none",
    ["Transient", "connection_failed"]
  ],
  ["a declared refusal", { refusal: { _tag: "OutOfStock", left: 0 } }, "none", ["Permanent", "out_of_stock"]],
  ["a typed failure with `none`", typed("none"), "none", ["Permanent", "wrong_state"]],
  ["a typed failure with `committed`", typed("committed"), "committed", ["Permanent", "wrong_state"]],
  ["a typed failure with `unknown`", typed("unknown"), "unknown", ["Permanent", "wrong_state"]],
  [
    "an error with a status 409 (of an HTTP client, or a plain object)",
    error("A ticket with this title exists", { status: 409 }),
    "none",
    ["ToolArgError", "conflicting_value"]
  ],
  ["an error without evidence, whatever its words say", error(closed), "unknown", ["Permanent", "wrong_state"]],
  [
    "an error that is named `TicketNotFound`",
    error("No ticket T-1", { _tag: "TicketNotFound" }),
    "unknown",
    ["Permanent", "not_found"]
  ],
  [
    "a violated constraint of a database",
    error("duplicate key value violates unique constraint", { code: "23505" }),
    "unknown",
    ["ToolArgError", "conflicting_value"]
  ],
  [
    "a text that a promise rejects with, such as `409 Conflict`",
    { rejects: "409 Conflict" },
    "unknown",
    ["ToolArgError", "conflicting_value"]
  ],
  ["`nothingDone(error)` around any error", stated("nothingDone", closed), "none", ["Permanent", "wrong_state"]],
  ["`nothingDone(error)` alongside a crash", beside("crash"), "no answer", ["Permanent", "tool_crashed"]],
  ["`nothingDone(error)` alongside an interruption", beside("interruption"), "no answer", ["Permanent", "wrong_state"]],
  ["`nothingDone(error)` alongside a lost connection", beside("reset"), "no answer", ["Permanent", "wrong_state"]],
  [
    "`done(error)` around any error",
    stated("done", "The mail server is down"),
    "committed",
    ["Transient", "unavailable"]
  ],
  [
    "`unknown(error)` around a 404",
    stated("unknown", "No such receipt", { status: 404 }),
    "unknown",
    ["Permanent", "not_found"]
  ],
  [
    "a lost connection to a database",
    error("terminating connection due to administrator command", { code: "57P01" }),
    "no answer",
    ["Transient", "connection_lost"]
  ],
  ["a timeout of Effect", { ends: "timeout" }, "no answer", ["Transient", "timeout"]],
  ["a crash", { ends: "crash" }, "no answer", ["Permanent", "tool_crashed"]],
  [
    "a crash with an object that has a status",
    { ends: "crash", throws: { status: 409 } },
    "no answer",
    ["Permanent", "tool_crashed"]
  ],
  ["an interruption of the handler by itself", { ends: "interruption" }, "no answer", ["Permanent", "tool_crashed"]]
]

const named = (pair: readonly [FailureTag, string] | undefined): NamedFailure | undefined =>
  pair === undefined ? undefined : { class: pair[0], code: pair[1] }

const direct: ReadonlyArray<Answer> = rows.map(([name, given, evidence, read, write]) => ({
  name,
  given,
  depth: 0,
  evidence: evidence === "no answer" ? "unknown" : evidence,
  isAnswered: evidence !== "no answer",
  ...(read === undefined ? {} : { read: named(read) as NamedFailure }),
  ...(write === undefined ? {} : { write: named(write) as NamedFailure })
}))

/** The failures of a read and of a write that change if the handler wraps the error in two other errors. */
const differently: Readonly<Record<string, readonly [NamedFailure, NamedFailure]>> = {
  // the client of the handler has read the body, and the guard reads the error of the client
  "HTTP 200 whose JSON ends early": [
    { class: "SchemaMismatch", code: "truncated_response" },
    { class: "SchemaMismatch", code: "done_unreadable" }
  ],
  // an error that encloses a refusal is an error of the handler, and still proves that the handler did nothing
  "a declared refusal": [
    { class: "Permanent", code: "tool_failed" },
    { class: "Permanent", code: "tool_failed" }
  ],
  "HTTP 200, cut after its head": [
    { class: "Transient", code: "connection_lost" },
    { class: "Transient", code: "connection_lost" }
  ]
}

/** Returns why the answer cannot be the cause of an error; `undefined` if it can. */
export const cannotBeACause = ({ given, read }: Answer): string | undefined => {
  if (read === undefined || "value" in given) return "A success is not the cause of an error."
  if ("ends" in given && given.ends !== "timeout")
    return "A crash and an interruption end the handler, which then encloses nothing."
  if ("beside" in given) return "Several failures at once are the causes of the handler's end, not of one error."
  if (!("http" in given)) return undefined
  if (given.http.isRead === true) return "Its client reports no error: the handler has read the body."
  if (given.http.ends === "silence") return "Silence is the time limit of the guard, not an error of the handler."
  const { body = "", status } = given.http
  return status < 300 && given.http.ends === undefined && /^(?:\{.*\})?$/s.test(body)
    ? "A client that reads JSON reports no error for a complete 2xx with JSON or without a body."
    : undefined
}

const enclosed: ReadonlyArray<Answer> = direct
  .filter((answer) => cannotBeACause(answer) === undefined)
  .map((answer) => {
    const [read, write] = differently[answer.name] ?? []
    return {
      ...answer,
      name: `${answer.name}, two causes deep`,
      depth: 2 as const,
      ...(read === undefined ? {} : { read }),
      ...(write === undefined ? {} : { write })
    }
  })

/** All answers. Those that can be the cause of an error occur once more, enclosed by two other errors. */
export const answers: ReadonlyArray<Answer> = [...direct, ...enclosed]

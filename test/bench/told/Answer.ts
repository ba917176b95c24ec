/**
 * What a handler or its upstream answers, as data: each row is also a part of the published vectors.
 *
 * `evidence` is what [3.3] says that the answer proves about a write. An upstream that keeps to its protocol did what the
 * evidence says.
 */
import type { FailureTag } from "#domain/failure/Failure"

/** What a handler does in one attempt. */
export type Given =
  /** Returns a value. */
  | { readonly value: unknown }
  /** Returns the response of an HTTP upstream, or fails with its client's error. */
  | {
      readonly http: {
        readonly status: number
        readonly headers?: Readonly<Record<string, string>>
        readonly body?: string
        /**
         * How the answer breaks off: in the body, before the head, because nothing is sent, or because no connection
         * is accepted.
         */
        readonly ends?: "cut" | "reset" | "silence" | "refused"
      }
    }
  /** Fails with an `Error`. `states` is the statement that the handler wraps around the error. */
  | { readonly error: string; readonly states?: "nothingDone" | "done" | "unknown" }
  /** Fails with one of the eight failures. */
  | { readonly failure: { readonly class: FailureTag; readonly code: string; readonly sideEffect: Effect } }
  /** Fails with a declared refusal. */
  | { readonly refusal: { readonly _tag: "OutOfStock"; readonly left: number } }
  /** Dies, or interrupts itself. */
  | { readonly ends: "crash" | "interruption" }

/** A side effect. */
export type Effect = "none" | "committed" | "unknown"

/** The class and code of a failure. */
export interface Named {
  readonly class: FailureTag
  readonly code: string
}

/** An answer. */
export interface Answer {
  readonly name: string
  readonly given: Given
  /** How many errors of the handler enclose the error; 0 for the answer itself. */
  readonly depth: 0 | 2
  readonly evidence: Effect
  /** True if the upstream answered. */
  readonly isAnswered: boolean
  /** The failure of a read; absent if the answer is a success. */
  readonly read?: Named
  /** The failure of a write before its outcome is settled; absent if a write fails like a read. */
  readonly write?: Named
}

type Row = readonly [
  name: string,
  given: Given,
  evidence: Effect | "no answer",
  read?: readonly [FailureTag, string],
  write?: readonly [FailureTag, string]
]

const json = { "content-type": "application/json" }
const http = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = json,
  ends?: "cut" | "reset" | "silence" | "refused"
): Given => ({ http: { status, headers, body, ...(ends === undefined ? {} : { ends }) } })
const failure = (sideEffect: Effect): Given => ({ failure: { class: "Permanent", code: "wrong_state", sideEffect } })

const busy = { ...json, "retry-after": "120" }
const gave: Given = { error: "The clerk gave up." }
const stated = (states: "nothingDone" | "done" | "unknown"): Given => ({ error: "The clerk gave up.", states })
const html = "<!doctype html><html><body>Welcome</body></html>"

const rows: ReadonlyArray<Row> = [
  ["a value", { value: { n: 1 } }, "committed"],
  ["200 with the result", http(200, '{"n":1}'), "committed"],
  ["201 with the result", http(201, '{"n":1}'), "committed"],
  ["202 with the result", http(202, '{"n":1}'), "unknown"],
  ["202 without a body", http(202, ""), "unknown", ["SchemaMismatch", "invalid_result_json"]],
  [
    "204",
    http(204, ""),
    "committed",
    ["SchemaMismatch", "invalid_result_json"],
    ["SchemaMismatch", "done_without_result"]
  ],
  [
    "200 that breaks the contract",
    http(200, '{"n":"one"}'),
    "committed",
    ["SchemaMismatch", "invalid_result"],
    ["SchemaMismatch", "done_unreadable"]
  ],
  ["200 whose JSON ends early", http(200, '{"n":'), "committed", ["SchemaMismatch", "truncated_response"]],
  [
    "200 that states a failure",
    http(200, '{"ok":false,"error":"channel_not_found"}'),
    "unknown",
    ["Permanent", "not_found"]
  ],
  [
    "200 with an inner isError",
    http(200, '{"isError":true,"content":[{"type":"text","text":"The clerk gave up."}]}'),
    "unknown",
    ["Permanent", "tool_failed"]
  ],
  [
    "an HTML page with 200",
    http(200, html, { "content-type": "text/html" }),
    "unknown",
    ["SchemaMismatch", "unexpected_content"]
  ],
  ["404", http(404, '{"message":"No such customer"}'), "none", ["Permanent", "not_found"]],
  ["409", http(409, "{}"), "none", ["ToolArgError", "conflicting_value"]],
  ["422", http(422, "{}"), "none", ["ToolArgError", "invalid_request"]],
  ["429 with Retry-After", http(429, "{}", busy), "none", ["Transient", "rate_limited"]],
  ["503 with Retry-After", http(503, "{}", busy), "none", ["Transient", "unavailable"]],
  ["408", http(408, "{}"), "no answer", ["Transient", "timeout"]],
  ["500", http(500, "{}"), "no answer", ["Transient", "unavailable"]],
  ["503", http(503, "{}"), "no answer", ["Transient", "unavailable"]],
  ["a body that is cut", http(200, '{"n":', json, "cut"), "no answer", ["Transient", "body_cut"]],
  ["a connection that is reset", http(200, "", json, "reset"), "no answer", ["Transient", "connection_lost"]],
  ["a refused connection", http(200, "", json, "refused"), "none", ["Transient", "connection_failed"]],
  ["silence", http(200, "", json, "silence"), "no answer", ["Transient", "timeout"]],
  ["a declared refusal", { refusal: { _tag: "OutOfStock", left: 0 } }, "none", ["Permanent", "out_of_stock"]],
  ["a typed failure without an effect", failure("none"), "none", ["Permanent", "wrong_state"]],
  ["a typed failure after the effect", failure("committed"), "committed", ["Permanent", "wrong_state"]],
  ["a typed failure of unknown effect", failure("unknown"), "unknown", ["Permanent", "wrong_state"]],
  ["an error", gave, "unknown", ["Permanent", "tool_failed"]],
  ["nothingDone(error)", stated("nothingDone"), "none", ["Permanent", "tool_failed"]],
  ["done(error)", stated("done"), "committed", ["Permanent", "tool_failed"]],
  ["unknown(error)", stated("unknown"), "unknown", ["Permanent", "tool_failed"]],
  ["a crash", { ends: "crash" }, "no answer", ["Permanent", "tool_crashed"]],
  ["an interruption", { ends: "interruption" }, "no answer", ["Permanent", "tool_crashed"]]
]

const named = (pair: readonly [FailureTag, string] | undefined): Named | undefined =>
  pair === undefined ? undefined : { class: pair[0], code: pair[1] }

const direct: ReadonlyArray<Answer> = rows.map(([name, given, evidence, read, write]) => ({
  name,
  given,
  depth: 0,
  evidence: evidence === "no answer" ? "unknown" : evidence,
  isAnswered: evidence !== "no answer",
  ...(read === undefined ? {} : { read: named(read) as Named }),
  ...(write === undefined ? {} : { write: named(write) as Named })
}))

/** The failures of a read and of a write if the handler wraps the error in two others, if they differ. */
const differently: Readonly<Record<string, readonly [Named, Named]>> = {
  // the client of the handler has read the body, and the guard reads the error of the client
  "200 whose JSON ends early": [
    { class: "SchemaMismatch", code: "truncated_response" },
    { class: "SchemaMismatch", code: "done_unreadable" }
  ],
  "a body that is cut": [
    { class: "Transient", code: "connection_lost" },
    { class: "Transient", code: "connection_lost" }
  ]
}

/** Returns why the answer cannot be the cause of an error; `undefined` if it can. */
export const cannotBeACause = ({ given, read }: Answer): string | undefined => {
  if (read === undefined) return "A success is not the cause of an error."
  if ("ends" in given) return "A crash and an interruption end the handler, which then encloses nothing."
  if (!("http" in given)) return undefined
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

/** Every answer, and every error a second time below two causes. */
export const answers: ReadonlyArray<Answer> = [...direct, ...enclosed]

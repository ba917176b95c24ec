/**
 * The rows of docs/what-is-told.md: what a handler returns, what the guard reports, and whether the run continues [3.3].
 *
 * `test/agent/reports.test.ts` runs each row as a call of a model. `node scripts/reports.ts` writes the page.
 */
import { Cause, Effect, Stream } from "effect"
import { HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { SqlError } from "effect/sql"
import type { SideEffect } from "#domain/failure/Failure"
import * as GuardedTool from "#src/tool/GuardedTool"
import { brokenBody, response } from "../pipeline/support.ts"

/** One row. The tool answers `{ n: integer }`. */
export interface Report {
  /** What the handler returned, in words. */
  readonly gave: string
  readonly handler: () => Effect.Effect<unknown, unknown>
  /** The class and code of the failure, or `success`. */
  readonly outcome: string
  readonly sideEffect: SideEffect
  /** The message that the model reads; for a success, its data. */
  readonly message: string
  /** The next step that the model reads; `none` for a success. */
  readonly nextStep: "fix_arguments" | "wait" | "use_other_tool" | "ask_user" | "stop" | "none"
  /** True if the run continues. Otherwise the run ends, because a person must decide. */
  readonly continues: boolean
}

/** Rows about one kind of tool. */
export interface Group {
  readonly title: string
  readonly note: string
  readonly definition: { readonly access: "read" | "write" | "destructive"; readonly accessBy?: "owner" | "server" }
  readonly rows: ReadonlyArray<Report>
}

const coded = (code: string, message: string) => Effect.fail(Object.assign(new Error(message), { code }))
const answered = (...args: Parameters<typeof response>) => Effect.sync(() => response(...args))
const request = HttpClientRequest.post("https://api.example/tickets")
const rejected = (status: number) =>
  Effect.fail(
    new HttpClientError.HttpClientError({
      reason: new HttpClientError.StatusCodeError({
        request,
        response: HttpClientResponse.fromWeb(request, new Response(null, { status }))
      })
    })
  )
const closed = new Error("The ticket is already closed")

const ended = (outcome: string, nextStep: Report["nextStep"], message: string) =>
  ({ outcome, sideEffect: "none", nextStep, message, continues: true }) as const
const committed = (outcome: string, message: string) =>
  ({ outcome, sideEffect: "committed", nextStep: "stop", message, continues: true }) as const
const uncertain = (outcome: string, message: string) =>
  ({ outcome, sideEffect: "unknown", nextStep: "ask_user", message, continues: true }) as const
const unanswered = (message: string) =>
  ({
    outcome: "human_review outcome_unknown",
    sideEffect: "unknown",
    nextStep: "stop",
    message: `It is not known whether close_ticket was done: ${message}`,
    continues: false
  }) as const
const success = (data: string, sideEffect: SideEffect) =>
  ({ outcome: "success", sideEffect, nextStep: "none", message: data, continues: true }) as const

const nothingDone: ReadonlyArray<Report> = [
  {
    gave: "HTTP 401",
    handler: () => answered(401, ""),
    ...ended("permanent unauthorized", "ask_user", "HTTP status 401")
  },
  {
    gave: "HTTP 422",
    handler: () => answered(422, '{"message":"q is too long"}'),
    ...ended("tool_arg_error invalid_request", "fix_arguments", "q is too long")
  },
  {
    gave: "HTTP 429 with Retry-After",
    handler: () => answered(429, "", { "retry-after": "60" }),
    ...ended("transient rate_limited", "use_other_tool", "HTTP status 429")
  },
  {
    gave: "HTTP 503 with Retry-After",
    handler: () => answered(503, "", { "retry-after": "60" }),
    ...ended("transient unavailable", "use_other_tool", "HTTP status 503")
  },
  {
    gave: "an error with a status 409 (of an HTTP client, or a plain object)",
    handler: () => Effect.fail({ status: 409, message: "A ticket with this title exists" }),
    ...ended("tool_arg_error conflicting_value", "fix_arguments", "A ticket with this title exists")
  },
  {
    gave: "an error of Effect's HTTP client with a 404",
    handler: () => rejected(404),
    ...ended("permanent not_found", "use_other_tool", "StatusCode error (404 POST https://api.example/tickets)")
  },
  {
    gave: "a refused connection, two causes deep",
    handler: () =>
      Effect.fail(
        new Error("The order failed", {
          cause: new Error("fetch failed", {
            cause: Object.assign(new Error("connect ECONNREFUSED 10.0.0.7:443"), { code: "ECONNREFUSED" })
          })
        })
      ),
    ...ended("transient connection_failed", "use_other_tool", "The order failed")
  },
  {
    gave: "an unknown host",
    handler: () => coded("ENOTFOUND", "getaddrinfo ENOTFOUND api.example"),
    ...ended("transient connection_failed", "use_other_tool", "getaddrinfo ENOTFOUND api.example")
  },
  {
    gave: "`nothingDone(error)` around any error",
    handler: () => Effect.fail(GuardedTool.nothingDone(closed)),
    ...ended("permanent wrong_state", "ask_user", "The ticket is already closed")
  }
]

const done: ReadonlyArray<Report> = [
  { gave: "a value", handler: () => Effect.succeed({ n: 1 }), ...success('{"n":1}', "committed") },
  {
    gave: "HTTP 201 with a body that conforms to the contract",
    handler: () => answered(201, '{"n":1}'),
    ...success('{"n":1}', "committed")
  },
  {
    gave: "HTTP 201 or 204 without a body",
    handler: () => answered(204),
    ...committed("schema_mismatch done_without_result", "close_ticket was done; it sent no result.")
  },
  {
    gave: "an error of Effect's HTTP client with a 204",
    handler: () => rejected(204),
    ...committed("schema_mismatch done_without_result", "close_ticket was done; it sent no result.")
  },
  {
    gave: "HTTP 200 with a body that breaks the contract",
    handler: () => answered(200, '{"n":"one"}'),
    ...committed(
      "schema_mismatch done_unreadable",
      "The answer of close_ticket breaks its contract: n: expected integer, got string"
    )
  },
  {
    gave: "`done(error)` around any error",
    handler: () => Effect.fail(GuardedTool.done(new Error("The mail server is down"))),
    ...committed("permanent tool_failed", "close_ticket was done, then: The mail server is down")
  }
]

const uncertainRows: ReadonlyArray<Report> = [
  {
    gave: "HTTP 202 with a body that conforms to the contract",
    handler: () => answered(202, '{"n":1}'),
    ...success('{"n":1}', "unknown")
  },
  {
    gave: "HTTP 200 that states a failure",
    handler: () => answered(200, '{"ok":false,"error":"The ticket is already closed"}'),
    ...uncertain("permanent wrong_state", "The ticket is already closed")
  },
  {
    gave: "HTTP 200 with an HTML page",
    handler: () => answered(200, "<!doctype html><html><title>Login</title></html>"),
    ...uncertain(
      "schema_mismatch unexpected_content",
      "The answer of close_ticket is not the JSON that it promises: the text is an HTML page, not JSON"
    )
  },
  {
    gave: "a redirect that is not followed",
    handler: () => answered(302, "", { location: "/login" }),
    ...uncertain("permanent misconfigured", "HTTP status 302")
  },
  {
    gave: "an error without evidence, whatever its name and words say",
    handler: () => Effect.fail(closed),
    ...uncertain("permanent wrong_state", "The ticket is already closed")
  },
  {
    gave: "an error that is named `TicketNotFound`",
    handler: () => Effect.fail({ _tag: "TicketNotFound", message: "No ticket T-1" }),
    ...uncertain("permanent not_found", "No ticket T-1")
  },
  {
    gave: "a text that a promise rejects with",
    handler: () => Effect.fail(new Cause.UnknownError("409 Conflict")),
    ...uncertain("tool_arg_error conflicting_value", "409 Conflict")
  },
  {
    gave: "a violated constraint of a database",
    handler: () => Effect.fail(new SqlError.SqlError({ reason: new SqlError.UniqueViolation({ cause: "x", constraint: "c" }) })),
    ...uncertain("tool_arg_error conflicting_value", "UniqueViolation")
  },
  {
    gave: "`unknown(error)` around a 404",
    handler: () => Effect.fail(GuardedTool.unknown({ status: 404, message: "No such receipt" })),
    ...uncertain("permanent not_found", "No such receipt")
  }
]

const unansweredRows: ReadonlyArray<Report> = [
  {
    gave: "nothing, until the timeout",
    handler: () => Effect.never,
    ...unanswered("close_ticket did not answer within 5000 ms.")
  },
  {
    gave: "HTTP 500",
    handler: () => answered(500, ""),
    ...unanswered("HTTP status 500")
  },
  {
    gave: "HTTP 200, cut after its head",
    handler: () => answered(200, brokenBody('{"n":')),
    ...unanswered("The connection broke after 5 bytes of the answer.")
  },
  {
    gave: "a stream that breaks before its first byte",
    handler: () => Effect.succeed(Stream.fail(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }))),
    ...unanswered("read ECONNRESET")
  },
  {
    gave: "a lost connection to a database",
    handler: () => coded("57P01", "terminating connection due to administrator command"),
    ...unanswered("terminating connection due to administrator command")
  },
  {
    gave: "a timeout of Effect",
    handler: () => Effect.fail(new Cause.TimeoutError()),
    ...unanswered("The tool failed: TimeoutError")
  },
  {
    gave: "a crash",
    handler: () => Effect.die(new Error("boom")),
    ...unanswered("close_ticket crashed.")
  },
  {
    gave: "a thrown object with a status",
    handler: () => Effect.die({ status: 409 }),
    ...unanswered("close_ticket crashed.")
  }
]

/** All rows, by what is known about the effect. */
export const groups: ReadonlyArray<Group> = [
  {
    title: "A write: nothing was done",
    note: "The model may correct its arguments, wait or choose another way.",
    definition: { access: "write" },
    rows: nothingDone
  },
  {
    title: "A write: the action was done",
    note: "After a failure the model also reads \"Do not call again.\", and the same arguments are refused for the turn.",
    definition: { access: "write" },
    rows: done
  },
  {
    title: "A write: the tool reported something that proves nothing",
    note: "After a failure the model also reads \"The tool reported a failure; it is not known whether anything was done. Do not repeat the call; ask the user.\" The same arguments are refused for the turn.",
    definition: { access: "write" },
    rows: uncertainRows
  },
  {
    title: "A write: no answer",
    note: "A person must check whether the write was done. If the upstream honours the key, or the tool has a `reconcile`, the guard settles most of these without a person.",
    definition: { access: "write" },
    rows: unansweredRows
  },
  {
    title: "A tool that its owner declared destructive",
    note: "Every unknown outcome ends the run.",
    definition: { access: "destructive" },
    rows: [
      { gave: "an error without evidence", handler: () => Effect.fail(closed), ...unanswered("The ticket is already closed") },
      {
        gave: "HTTP 401",
        handler: () => answered(401, ""),
        ...ended("permanent unauthorized", "ask_user", "HTTP status 401")
      }
    ]
  },
  {
    title: "A tool that only its server calls destructive, or whose access is not stated",
    note: "Its calls are approved like those of a destructive tool, and its errors are answered like those of a write.",
    definition: { access: "destructive", accessBy: "server" },
    rows: [
      {
        gave: "an error without evidence, such as an MCP `isError`",
        handler: () => Effect.fail(closed),
        ...uncertain("permanent wrong_state", "The ticket is already closed")
      }
    ]
  },
  {
    title: "A read",
    note: "A read never has a side effect.",
    definition: { access: "read" },
    rows: [
      {
        gave: "an error without evidence",
        handler: () => Effect.fail(closed),
        ...ended("permanent wrong_state", "ask_user", "The ticket is already closed")
      },
      {
        gave: "a crash",
        handler: () => Effect.die(new Error("boom")),
        ...ended("permanent tool_crashed", "use_other_tool", "close_ticket crashed.")
      }
    ]
  }
]

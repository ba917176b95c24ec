/** Tests what an error proves about the effect of a write, at any depth of its causes. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Exit, Schema } from "effect"
import { HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { SqlError } from "effect/sql"
import * as Failure from "#domain/failure/Failure"
import * as StatedEffect from "#domain/failure/StatedEffect"
import { read, readCause } from "#domain/classification/SideEffectEvidence"

const coded = (code: string, more: object = {}) => Object.assign(new Error(code), { code, ...more })
const wrapped = (cause: unknown) => new Error("outer", { cause: new Error("middle", { cause }) })
const request = HttpClientRequest.post("https://api.example/orders")
const answer = (status: number, body: string | null = null, headers: Record<string, string> = {}) =>
  HttpClientResponse.fromWeb(request, new Response(body, { status, headers }))
const rejected = (status: number, headers: Record<string, string> = {}) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.StatusCodeError({ request, response: answer(status, null, headers) })
  })
const undecoded = (cause: unknown, type: string, status = 200) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.DecodeError({
      request,
      response: answer(status, "x", { "content-type": type }),
      cause
    })
  })
const transport = (cause?: unknown) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
const sql = (reason: SqlError.SqlErrorReason) => new SqlError.SqlError({ reason })
const both = (self: Cause.Cause<unknown>, that: Cause.Cause<unknown>) => Cause.combine(self, that)
const caused = (cause: unknown) => new Error("outer", { cause })
const suppressed = (error: unknown, suppressed: unknown) => Object.assign(new Error("x"), { error, suppressed })
const cyclic = () => {
  const error = new Error("a")
  const other = new Error("b", { cause: error })
  error.cause = other
  return error
}
const closed = new Proxy(
  {},
  {
    get: () => {
      throw new Error("no")
    },
    getPrototypeOf: () => {
      throw new Error("no")
    }
  }
)
const failure = (sideEffect: Failure.SideEffect, more: object = {}) =>
  new Failure.Permanent({ tool: "other", code: "refused", detail: "", hint: "", sideEffect, traceId: "t", ...more })

/** Returns the side effect, and for `unknown` whether the upstream answered. */
const said = (error: unknown, tool?: string): string => {
  const { isAnswered, sideEffect } = read(error, { tool })
  return sideEffect === "unknown" ? `unknown ${isAnswered ? "answered" : "no answer"}` : sideEffect
}

const rows: ReadonlyArray<readonly [what: string, error: unknown, expected: string]> = [
  ["an error without evidence", new Error("hm"), "unknown answered"],
  ["a name that says `not found`", { _tag: "CustomerNotFound" }, "unknown answered"],
  ["a class name that says `refused`", { name: "ConnectionRefusedError" }, "unknown answered"],
  ["words about a refused connection", new Error("connect ECONNREFUSED 127.0.0.1:1"), "unknown answered"],
  ["words about a status", new Error("Request failed with status code 404"), "unknown answered"],
  ["words about a timeout", new Error("Request timed out"), "unknown answered"],
  ["a thrown string", "404 Not Found", "unknown answered"],
  ["undefined", undefined, "unknown answered"],
  ["a plain object with a status", { status: 409 }, "none"],
  ["a status as text", { statusCode: "422" }, "none"],
  ["the exit code of a process", { status: 204 }, "unknown answered"],
  ["a status in a response", { response: { status: 404 } }, "none"],
  ["the metadata of AWS", { $metadata: { httpStatusCode: 403 } }, "none"],
  ["a status inside the body of an answer", { message: "x", body: { status: 404 } }, "unknown answered"],
  ["a status inside the error of an answer", { message: "x", error: { status: 404 } }, "unknown answered"],
  ["an event that holds an error", { error: coded("ECONNREFUSED") }, "none"],
  ["HTTP 408", { status: 408 }, "unknown no answer"],
  ["HTTP 499", { status: 499 }, "unknown no answer"],
  ["HTTP 429 without Retry-After", { status: 429 }, "none"],
  ["HTTP 500", { status: 500 }, "unknown no answer"],
  ["HTTP 503", { status: 503 }, "unknown no answer"],
  ["HTTP 503 with Retry-After", { status: 503, headers: { "Retry-After": "3" } }, "none"],
  ["HTTP 503 with Retry-After in Headers", { status: 503, headers: new Headers({ "retry-after": "3" }) }, "none"],
  ["HTTP 503 with Retry-After in milliseconds", { status: 503, headers: { "retry-after-ms": "250" } }, "none"],
  ["HTTP 503 with a date", { status: 503, headers: { "retry-after": "Fri, 31 Dec 2027 23:59:59 GMT" } }, "none"],
  ["HTTP 503 with a past date", { status: 503, headers: { "retry-after": "Sunday, 06-Nov-94 08:49:37 GMT" } }, "none"],
  ...[
    "soon",
    "-1",
    "",
    " ",
    "NaN",
    "Infinity",
    "1e3",
    "0x10",
    "3 seconds",
    "3;",
    "null",
    "Fri, 31 Foo 2027 23:59:59 GMT",
    "Fri, 32 Dec 2027 23:59:59 GMT",
    "Fri, 31 Dec 2027 25:59:59 GMT",
    "Foo, 31 Dec 2027 23:59:59 GMT",
    "2027-12-31T23:59:59Z",
    "Fri, 31 Dec 2027 23:59:59 CET"
  ].map((value): (typeof rows)[number] => [
    `HTTP 503 with Retry-After: ${value}`,
    { status: 503, headers: { "retry-after": value, "retry-after-ms": value } },
    "unknown no answer"
  ]),
  ["HTTP 503 with Retry-After -1 as a number", { status: 503, headers: { "retry-after": -1 } }, "unknown no answer"],
  [
    "HTTP 503 with the reset of a limit",
    { status: 503, headers: { "ratelimit-remaining": "0", "ratelimit-reset": "3" } },
    "unknown no answer"
  ],
  ["HTTP 503 with a wait in its body", { status: 503, body: { retry_after: 3 }, retryAfter: 3 }, "unknown no answer"],
  ["HTTP 302", { status: 302 }, "unknown answered"],
  ["Effect's error with 404", rejected(404), "none"],
  ["Effect's error with 500", rejected(500), "unknown no answer"],
  ["Effect's error with 503 and Retry-After", rejected(503, { "retry-after": "9" }), "none"],
  ["Effect's error with 204", rejected(204), "committed"],
  ["Effect's error with 202", rejected(202), "unknown answered"],
  ["Effect's error with 200 that its handler rejected", rejected(200), "unknown answered"],
  ["a 200 with broken JSON", undecoded(new SyntaxError("x"), "application/json"), "committed"],
  ["a 200 with HTML", undecoded(new SyntaxError("x"), "text/html"), "unknown answered"],
  ["a 202 with broken JSON", undecoded(new SyntaxError("x"), "application/json", 202), "unknown answered"],
  ["a 200 cut after its head", undecoded(coded("UND_ERR_SOCKET"), "application/json"), "unknown no answer"],
  ["a broken transport", transport(), "unknown no answer"],
  ["a refused connection inside a transport", transport(wrapped(coded("ECONNREFUSED"))), "none"],
  ["a refused connection two causes deep", wrapped(coded("ECONNREFUSED")), "none"],
  ["an unknown host", coded("ENOTFOUND"), "none"],
  ["a resolver that does not answer", coded("EAI_AGAIN"), "none"],
  ["a refusing name server", coded("EREFUSED", { syscall: "queryA" }), "none"],
  ["a lost connection", coded("ECONNRESET"), "unknown no answer"],
  ["a connection that timed out", coded("ETIMEDOUT"), "unknown no answer"],
  ["an unreachable host", coded("EHOSTUNREACH"), "unknown no answer"],
  ["a timeout of undici", coded("UND_ERR_CONNECT_TIMEOUT"), "unknown no answer"],
  ["Effect's timeout", new Cause.TimeoutError(), "unknown no answer"],
  ["a tag that only says timeout", { _tag: "TimeoutError" }, "unknown answered"],
  ["an aborted request", new DOMException("x", "AbortError"), "unknown no answer"],
  ["an errno about a file", coded("EACCES"), "unknown answered"],
  ["a unique violation", coded("23505"), "unknown answered"],
  ["Effect's unique violation", sql(new SqlError.UniqueViolation({ cause: "x", constraint: "c" })), "unknown answered"],
  ["a deadlock", sql(new SqlError.DeadlockError({ cause: "x" })), "unknown answered"],
  ["a cancelled statement", sql(new SqlError.StatementTimeoutError({ cause: "x" })), "unknown answered"],
  [
    "a lost connection to a database",
    sql(new SqlError.ConnectionError({ cause: coded("57P01") })),
    "unknown no answer"
  ],
  ["a database that refuses connections", sql(new SqlError.ConnectionError({ cause: coded("ECONNREFUSED") })), "none"],
  ["a lost connection of mysql2", coded("PROTOCOL_CONNECTION_LOST"), "unknown no answer"],
  ["gRPC UNAVAILABLE", coded("x", { code: 14, details: "closing" }), "unknown no answer"],
  ["gRPC ABORTED", coded("x", { code: 10, details: "x" }), "unknown answered"],
  ["a JSON-RPC error", { code: -32_603, message: "x" }, "unknown answered"],
  ["a JSON-RPC error that a server sent", { code: -32_001, message: "x" }, "unknown answered"],
  ["a timeout of the MCP SDK", Object.assign(new Error("x"), { code: -32_001 }), "unknown no answer"],
  [
    "a refusal after a lost connection",
    Object.assign(coded("ECONNRESET"), { cause: { status: 409 } }),
    "unknown no answer"
  ],
  ["an empty aggregate", new AggregateError([]), "unknown answered"],
  ["an aggregate of refused connections", new AggregateError([coded("ECONNREFUSED"), coded("ECONNREFUSED")]), "none"],
  [
    "an aggregate with a lost connection",
    new AggregateError([{ status: 404 }, coded("ECONNRESET")]),
    "unknown no answer"
  ],
  [
    "an aggregate with an error without evidence",
    new AggregateError([{ status: 404 }, new Error("x")]),
    "unknown answered"
  ],
  ["a list of messages in a body", { status: 422, errors: [{ message: "x is required" }] }, "none"],
  ["a cycle", cyclic(), "unknown answered"],
  ["a cycle with evidence", Object.assign(cyclic(), { status: 404 }), "none"],
  ["getters that throw", Object.defineProperty(coded("ECONNREFUSED"), "cause", { get: () => closed }), "none"],
  ["a proxy whose traps throw", closed, "unknown answered"],
  ["nothingDone around an error", StatedEffect.nothingDone(new Error("x")), "none"],
  ["nothingDone around a string", StatedEffect.nothingDone("x"), "none"],
  ["nothingDone around a 500, two causes deep", wrapped(StatedEffect.nothingDone({ status: 500 })), "none"],
  ["done around a 404", StatedEffect.done({ status: 404 }), "committed"],
  ["unknown around a 404", StatedEffect.unknown({ status: 404 }), "unknown answered"],
  ["nothingDone around a status", StatedEffect.nothingDone({ status: 500 }), "none"],
  ["nothingDone below a status", { status: 500, cause: StatedEffect.nothingDone(new Error("x")) }, "unknown no answer"],
  [
    "nothingDone alongside a lost connection",
    { cause: StatedEffect.nothingDone(1), reason: coded("ECONNRESET") },
    "unknown no answer"
  ],
  ["unknown below a 404", { status: 404, cause: StatedEffect.unknown(1) }, "unknown answered"],
  ["done below a lost connection", Object.assign(coded("ECONNRESET"), { cause: StatedEffect.done(1) }), "committed"],
  ["nothingDone below a general tag", transport(StatedEffect.nothingDone(1)), "none"],
  [
    "the outer of two statements",
    StatedEffect.done(new Error("x", { cause: StatedEffect.nothingDone(1) })),
    "committed"
  ],
  [
    "a statement alongside an error without one",
    new AggregateError([StatedEffect.nothingDone(1), 2]),
    "unknown answered"
  ],
  [
    "an aggregate that a statement caused, with a lost connection",
    new AggregateError([coded("ECONNRESET")], "x", { cause: StatedEffect.nothingDone(1) }),
    "unknown no answer"
  ],
  [
    "an aggregate in an aggregate",
    new AggregateError([StatedEffect.nothingDone(1), new AggregateError([{ status: 404 }, coded("EPIPE")])]),
    "unknown no answer"
  ],
  ["an error that suppressed a lost connection", suppressed({ status: 404 }, coded("ECONNRESET")), "unknown no answer"],
  ["an error that suppressed another with evidence", suppressed({ status: 404 }, { status: 409 }), "none"],
  ["an error with a Cause of one failure", caused(Cause.fail({ status: 404 })), "none"],
  [
    "an error with a Cause that has a defect",
    caused(both(Cause.fail({ status: 404 }), Cause.die(1))),
    "unknown no answer"
  ],
  [
    "an error with a Cause that has an interruption",
    caused(both(Cause.fail(StatedEffect.nothingDone(1)), Cause.interrupt(1))),
    "unknown no answer"
  ],
  [
    "an error with a Cause of statements",
    caused(both(Cause.fail(StatedEffect.nothingDone(1)), Cause.die(StatedEffect.nothingDone(2)))),
    "none"
  ],
  ["an error with a failed Exit", caused(Exit.die(new Error("x"))), "unknown no answer"],
  ["a failure of the guard", failure("none", { traceId: "" }), "none"],
  [
    "a failure of the guard about a lost connection",
    failure("unknown", { code: "connection_lost" }),
    "unknown no answer"
  ]
]

describe("the evidence of errors", () => {
  for (const [what, error, expected] of rows) {
    it(`3.3 ${what} proves: ${expected}`, () => assert.strictEqual(said(error), expected))
  }

  it("3.3 a failure of another guarded tool proves neither that the calling tool did nothing nor that it was done", () => {
    assert.strictEqual(said(failure("none"), "mine"), "unknown answered")
    assert.strictEqual(said(failure("committed"), "mine"), "unknown answered")
    assert.strictEqual(said(failure("committed", { tool: "mine" }), "mine"), "committed")
    assert.strictEqual(said(failure("none", { tool: "mine" }), "mine"), "none")
  })

  it("3.3 a 404 does not prove that nothing was done if its causes are too many to be read", () => {
    const chain = (length: number): Error =>
      length === 0
        ? Object.assign(new Error("reset"), { code: "ECONNRESET" })
        : new Error("wrapped", { cause: chain(length - 1) })
    assert.strictEqual(said(Object.assign(chain(5), { status: 404 })), "unknown no answer")
    assert.strictEqual(said(Object.assign(chain(20), { status: 404 })), "unknown answered")
    const cycle: Error = Object.assign(new Error("cycle"), { status: 404 })
    cycle.cause = cycle
    assert.strictEqual(said(cycle), "none")
  })

  it("3.3 several failures of a handler have the most severe of their side effects, and are unanswered if one of them is", () => {
    const together = (...causes: ReadonlyArray<Cause.Cause<unknown>>) => {
      const { isAnswered, sideEffect } = readCause(causes.reduce(both), "mine")
      return `${sideEffect}${sideEffect === "unknown" && !isAnswered ? " no answer" : ""}`
    }
    const refused = Cause.fail({ status: 404 })
    const stated = Cause.fail(StatedEffect.nothingDone(1))
    assert.strictEqual(together(refused, Cause.fail({ status: 409 })), "none")
    assert.strictEqual(together(refused, Cause.fail(new Error("x"))), "unknown")
    assert.strictEqual(together(Cause.fail(StatedEffect.done(1)), Cause.fail({ status: 500 })), "committed")
    for (const nothing of [refused, stated]) {
      assert.strictEqual(together(nothing), "none")
      assert.strictEqual(together(nothing, Cause.die(new Error("x"))), "unknown no answer")
      assert.strictEqual(together(Cause.interrupt(1), nothing), "unknown no answer")
      assert.strictEqual(together(nothing, Cause.die(StatedEffect.nothingDone(2))), "none")
      assert.strictEqual(together(nothing, Cause.die(StatedEffect.done(2))), "committed")
    }
    // a failure of another guarded tool proves nothing about the calling tool
    assert.strictEqual(together(Cause.die(failure("none"))), "unknown no answer")
    assert.strictEqual(together(Cause.die(failure("none", { tool: "mine" }))), "none")
    assert.strictEqual(together(Cause.empty), "unknown")
  })

  it("3.3 a complete answer has a code if it has no content, or cannot be read as the JSON that it promises", () => {
    assert.strictEqual(read(rejected(204)).code, "done_without_result")
    assert.strictEqual(read(undecoded(new SyntaxError("x"), "application/problem+json")).code, "done_unreadable")
  })

  it("3.5 a statement in a defect is found among its causes, and a status is not a statement", () => {
    assert.strictEqual(readCause(Cause.die(wrapped(StatedEffect.nothingDone("x"))), "mine").sideEffect, "none")
    assert.strictEqual(readCause(Cause.die({ status: 404 }), "mine").sideEffect, "unknown")
  })

  it("3.5 a statement has the message of its error and contains the error", () => {
    const inner = new Error("card declined")
    const outer = StatedEffect.nothingDone(inner)
    assert.strictEqual(outer.message, "card declined")
    assert.strictEqual(outer.cause, inner)
    assert.strictEqual(StatedEffect.inner(StatedEffect.done(outer)), inner)
  })

  it.prop("3.3 reads any JSON", [Schema.Json], ([value]) => {
    const { sideEffect } = read(value)
    assert.include(["none", "unknown", "committed"], sideEffect)
  })
})

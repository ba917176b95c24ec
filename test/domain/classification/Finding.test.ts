/** Tests which rule decides about an error, and how statuses, the access and the arguments limit what words can say. */
import { assert, describe, it } from "@effect/vitest"
import { classify } from "#domain/classification/Classification"

/** The code of each error, the rule that decides, and the rule on a write if it is another. */
const rows: ReadonlyArray<readonly [error: unknown, code: string, rule: string]> = [
  // statuses and their phrases
  [{ status: 404 }, "unknown_reference", "http:404"],
  [{ status: 404, message: "Endpoint '/v9' does not exist" }, "unsupported", "http:404"],
  [{ status: 400, message: "Endpoint '/v9' does not exist" }, "unsupported", "refusal:endpoint"],
  [{ status: 410, message: "Endpoint '/v9' does not exist" }, "unknown_reference", "http:410"],
  ["Bad Gateway", "unavailable", "reason:502"],
  ["Error: Bad Gateway", "unavailable", "reason:502"],
  ["Bad Gateway.", "unavailable", "reason:502"],
  ["Bad Gateway! ", "unavailable", "reason:502"],
  ["Bad Gateway .", "unavailable", "reason:502"],
  ["Not Found", "unknown_reference", "reason:404"],
  ["the error: Bad Gateway", "unavailable", "transient:down"],
  ["x. Bad Gateway", "unavailable", "transient:down"],
  ["Moved Permanently", "tool_failed", "default"],
  // sentences of strerror
  ["cat: a: No such file or directory", "unknown_reference", "strerror:ENOENT"],
  ["cat: a: Permission denied", "permission_denied", "strerror:EACCES"],
  ["kill: Operation not permitted", "permission_denied", "strerror:EPERM"],
  ["x: Connection refused", "connection_failed", "strerror:ECONNREFUSED"],
  ["mkdir: File exists", "conflicting_value", "strerror:EEXIST"],
  ["x: no such file or directories", "unknown_reference", "missing:reference"],
  // exit codes
  [{ exitCode: 127 }, "missing_software", "exit:127"],
  [{ exitCode: 137 }, "out_of_memory", "exit:137"],
  [{ exitCode: 2 }, "invalid_request", "exit:2"],
  [{ exitCode: 2, message: "The account is closed" }, "wrong_state", "state"],
  [{ exitCode: 127, message: "The account is closed" }, "missing_software", "exit:127"],
  [{ exitCode: 1 }, "tool_failed", "default"],
  // tags
  [{ _tag: "UserNotFound" }, "unknown_reference", "tag:UserNotFound"],
  [{ _tag: "rate_limit_error" }, "rate_limited", "tag:rate_limit_error"],
  [{ _tag: "TimeoutException" }, "timeout", "tag:TimeoutException"],
  [{ _tag: "Odd" }, "tool_failed", "default"],
  [
    { _tag: "UserNotFound", cause: { _tag: "HttpClientError", reason: { _tag: "TransportError" } } },
    "connection_lost",
    "effect:HttpClientError/TransportError"
  ],
  // classes
  [{ name: "ValueError" }, "invalid_request", "class:ValueError"],
  [{ name: "OrderNotFoundError" }, "unknown_reference", "class:OrderNotFoundError"],
  [{ name: "OrderNotFound" }, "tool_failed", "default"],
  [{ name: "orderNotFoundError" }, "tool_failed", "default"],
  [{ name: "OrderNotFoundErrors" }, "tool_failed", "default"],
  [{ name: "ThrottlingException" }, "rate_limited", "class:ThrottlingException"],
  [{ name: "throttlingException" }, "tool_failed", "default"],
  [{ name: "rate_limit_error" }, "tool_failed", "default"],
  // codes
  [{ code: 11_000 }, "conflicting_value", "mongo:11000"],
  [{ code: "ENOENT" }, "unknown_reference", "errno:ENOENT"],
  [{ code: "errno:2" }, "unknown_reference", "errno:2"],
  [{ code: "23505" }, "tool_failed", "default"],
  [{ code: "23505", severity: "ERROR" }, "conflicting_value", "sqlstate:23505"],
  [{ code: "235051" }, "tool_failed", "default"],
  // names in CamelCase
  ["It is BucketNameTooLong", "invalid_request", "argument:bound"],
  ["It is AccountClosedError", "wrong_state", "class:AccountClosedError"],
  ["It is TheAccountClosed today", "wrong_state", "state"],
  ["It is TheErrorIsOdd", "tool_failed", "default"],
  // words that a client error may have
  [{ status: 399, message: "The server is busy" }, "unavailable", "transient:down"],
  [{ status: 400, message: "The server is busy" }, "invalid_request", "http:400"],
  [{ status: 404, message: "try again later" }, "unknown_reference", "http:404"],
  [{ status: 409, message: "try again later" }, "temporary_failure", "transient:again"],
  [{ status: 409, message: "fatal: the remote end hung up unexpectedly" }, "connection_lost", "git:network"],
  [{ status: 400, message: "fatal: the remote end hung up unexpectedly" }, "invalid_request", "http:400"],
  [{ status: 500, message: "fatal: the remote end hung up unexpectedly" }, "connection_lost", "git:network"],
  [{ status: 403, message: "Too many requests" }, "rate_limited", "limit:throttled"],
  [
    { status: 401, message: "upstream connect error or disconnect/reset before headers" },
    "unavailable",
    "gateway:upstream"
  ],
  [
    { status: 422, message: "upstream connect error or disconnect/reset before headers" },
    "invalid_request",
    "http:422"
  ],
  [{ status: 400, message: "SyntaxError: Unexpected end of JSON input" }, "invalid_request", "argument:invalid"],
  [{ status: 500, message: "SyntaxError: Unexpected end of JSON input" }, "truncated_response", "script:json-cut"],
  [{ status: 408, message: "The record is locked by another process" }, "timeout", "http:408"],
  [{ code: "EACCES" }, "permission_denied", "errno:EACCES"],
  // things that are open
  [{ status: 429, message: "Maximum active stream limit exceeded" }, "too_many_open", "resource:slots"],
  [{ status: 400, message: "Maximum active stream limit exceeded" }, "limit_exceeded", "script:configured-limit"]
]

describe("the rule that decides", () => {
  for (const [error, code, rule] of rows)
    it(`3.1 ${JSON.stringify(error)} is ${code} by ${rule}`, () => {
      const classified = classify(error, { access: "read" })
      assert.deepStrictEqual([classified.code, classified.rule], [code, rule])
    })

  const named: ReadonlyArray<readonly [message: string, args: unknown, code: string, rule: string]> = [
    ["Package foo not found", { a: "foo" }, "unknown_reference", "missing:reference"],
    ["Package foo not found", { a: "bar" }, "missing_software", "refusal:software"],
    ["Package foo not found", undefined, "missing_software", "refusal:software"],
    ["cat: a: Permission denied", { a: "b" }, "permission_denied", "strerror:EACCES"],
    ["tesseract is not installed", { a: "tesseract" }, "missing_software", "refusal:not-installed"],
    ["The config file foo.yml was not found", { a: "foo.yml" }, "unknown_reference", "missing:reference"],
    ["The config file foo.yml was not found", { a: "x.yml" }, "misconfigured", "refusal:configuration"],
    ["The config file foo.yml was not found", undefined, "misconfigured", "refusal:configuration"],
    ["The SEARCH_URL environment variable is not set", { a: "SEARCH_URL" }, "misconfigured", "refusal:configuration"]
  ]
  for (const [message, args, code, rule] of named)
    it(`3.1 "${message}" is ${code} with ${JSON.stringify(args) ?? "unknown arguments"}`, () => {
      const classified = classify(message, { access: "read", arguments: args })
      assert.deepStrictEqual([classified.code, classified.rule], [code, rule])
    })

  it("3.1 on a write a phrase of strerror yields to a sentence about a lasting fault", () => {
    const of = (access: "read" | "write") =>
      classify("x: Connection refused. The order 7 does not exist", { access }).code
    assert.deepStrictEqual([of("read"), of("write")], ["connection_failed", "unknown_reference"])
  })
})

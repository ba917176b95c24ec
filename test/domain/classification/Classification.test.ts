/** Tests the classifier with structured errors, arguments, writes and the user's rules. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, PlatformError, Schema } from "effect"
import { AiError } from "effect/ai"
import { HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { CircuitBreaker, RateLimiter } from "effect/persistence"
import { SqlError } from "effect/sql"
import { classify, classifyResponse, type Options, type Rule } from "#domain/classification/Classification"
import { Permanent, SemanticGarbage, Transient } from "#domain/failure/Failure"

const read = { access: "read" } as const
const write = { access: "write" } as const

/** Returns the class, code and side effect of a failed write. */
const onWrite = (error: unknown, options: Partial<Options> = {}) => {
  const { code, sideEffect, tag } = classify(error, { access: "write", ...options })
  return `${tag} ${code} ${sideEffect}`
}

const own = { tool: "t", hint: "h", traceId: "x", detail: "It is so." }

describe("classify: the guard's failures and the user's rules", () => {
  it("3.1 passes on a failure of the guard unchanged", () => {
    const failure = new Transient({
      ...own,
      code: "busy",
      sideEffect: "none",
      retryAfter: Duration.seconds(3)
    })
    assert.deepStrictEqual(classify(failure, write), {
      tag: "Transient",
      code: "busy",
      detail: "It is so.",
      sideEffect: "none",
      ground: "failure busy",
      isAnswered: true,
      retryAfter: Duration.seconds(3),
      rule: "own"
    })
  })

  it("3.3 keeps the side effect of a guard's failure on a write, and drops it on a read", () => {
    const failure = new Permanent({ ...own, code: "refused", sideEffect: "committed" })
    assert.strictEqual(classify(failure, write).sideEffect, "committed")
    assert.strictEqual(classify(failure, read).sideEffect, "none")
  })

  it("3.1 does not search the causes of a failure of the guard for evidence", () => {
    let reads = 0
    const cause = {
      get message() {
        reads += 1
        return "HTTP 503"
      }
    }
    const failure = new Permanent({ ...own, code: "refused", sideEffect: "none", cause })
    assert.deepInclude(classify(failure, write), { tag: "Permanent", code: "refused", ground: "failure refused" })
    assert.strictEqual(reads, 0)
  })

  it("3.1 reads the delay of a failure of the guard from its words if it states none", () => {
    const failure = new Transient({ ...own, code: "busy", sideEffect: "none", detail: "Retry after 7 seconds." })
    assert.deepStrictEqual(classify(failure, read).retryAfter, Duration.seconds(7))
  })

  it("3.1 maps a custom code of a check to the general code of its class", () => {
    const failure = new SemanticGarbage({ ...own, code: "celsius", sideEffect: "none" })
    assert.deepStrictEqual(
      [classify(failure, read).tag, classify(failure, read).code],
      ["SemanticGarbage", "tool_failed"]
    )
  })

  it("3.1 applies the user's rules even to a failure of the guard", () => {
    const failure = new Transient({ ...own, code: "busy", sideEffect: "none" })
    const rules: ReadonlyArray<Rule> = [
      { name: "down for good", match: ({ error }) => (error === failure ? { code: "misconfigured" } : undefined) }
    ]
    assert.deepInclude(classify(failure, { ...write, rules }), { code: "misconfigured", rule: "down for good" })
  })

  it("3.1 applies the user's rules first, and fills in omitted fields", () => {
    const rules: ReadonlyArray<Rule> = [
      { name: "passes", match: () => undefined },
      { name: "teapot", match: ({ statuses }) => (statuses[0] === 418 ? { tag: "Transient" } : undefined) },
      { name: "later", match: () => ({ code: "refused" }) }
    ]
    assert.deepStrictEqual(classify({ status: 418, message: "I am short" }, { ...write, rules }), {
      tag: "Transient",
      code: "temporary_failure",
      detail: "I am short",
      sideEffect: "none",
      ground: "HTTP 418",
      isAnswered: true,
      rule: "teapot"
    })
    assert.strictEqual(classify({ status: 401 }, { ...write, rules }).rule, "later")
  })
})

describe("classify: Effect's errors", () => {
  const request = HttpClientRequest.post("https://api.example/orders/O-1")
  const status = (code: number, headers: Record<string, string> = {}) =>
    new HttpClientError.HttpClientError({
      reason: new HttpClientError.StatusCodeError({
        request,
        response: HttpClientResponse.fromWeb(request, new Response(null, { status: code, headers }))
      })
    })
  const transport = (cause: unknown) =>
    new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
  const system = (tag: PlatformError.SystemErrorTag, code?: string, module = "FileSystem") =>
    PlatformError.systemError({
      _tag: tag,
      module,
      method: "open",
      pathOrDescriptor: "notes.md",
      ...(code === undefined ? {} : { cause: Object.assign(new Error(`${code}: x`), { code }) })
    })

  it("3.1 reads the status of a StatusCodeError, and its Retry-After", () => {
    assert.strictEqual(onWrite(status(401)), "Permanent unauthorized none")
    assert.strictEqual(onWrite(status(422)), "ToolArgError invalid_request none")
    assert.strictEqual(onWrite(status(500)), "Transient unavailable unknown")
    assert.deepStrictEqual(classify(status(503, { "retry-after": "7" }), write).retryAfter, Duration.seconds(7))
    assert.strictEqual(onWrite(status(503, { "retry-after": "7" })), "Transient unavailable none")
  })

  it("3.1 reads the socket's error inside a TransportError", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" })
    assert.strictEqual(
      onWrite(transport(new TypeError("fetch failed", { cause: refused }))),
      "Transient connection_failed none"
    )
    assert.strictEqual(onWrite(transport(undefined)), "Transient connection_lost unknown")
  })

  it("3.1 treats an unreadable body as a schema mismatch, and a write's outcome as unknown", () => {
    const decode = new HttpClientError.HttpClientError({
      reason: new HttpClientError.DecodeError({
        request,
        response: HttpClientResponse.fromWeb(request, new Response("<html>", { status: 200 }))
      })
    })
    assert.strictEqual(onWrite(decode), "SchemaMismatch invalid_result_json unknown")
  })

  it("3.1 prefers the errno inside a PlatformError to its tag", () => {
    assert.strictEqual(onWrite(system("Unknown", "ENOSPC")), "Resource disk_full unknown")
    assert.strictEqual(onWrite(system("BadResource", "EISDIR")), "ToolArgError invalid_request unknown")
    assert.strictEqual(onWrite(system("PermissionDenied")), "Permanent unauthorized unknown")
    assert.strictEqual(onWrite(system("NotFound", "ENOENT", "ChildProcess")), "Permanent missing_software unknown")
  })

  it("3.1 reads the reasons of a SqlError", () => {
    const of = (reason: SqlError.SqlErrorReason) => onWrite(new SqlError.SqlError({ reason }))
    assert.strictEqual(
      of(new SqlError.UniqueViolation({ cause: "x", constraint: "c" })),
      "ToolArgError conflicting_value unknown"
    )
    assert.strictEqual(of(new SqlError.DeadlockError({ cause: "x" })), "Transient lock_conflict unknown")
    assert.strictEqual(of(new SqlError.StatementTimeoutError({ cause: "x" })), "Transient timeout unknown")
    assert.strictEqual(of(new SqlError.AuthenticationError({ cause: "x" })), "Permanent unauthorized unknown")
    assert.strictEqual(
      of(new SqlError.UnknownError({ cause: { code: "42P01", message: 'relation "x" does not exist' } })),
      "ToolArgError unknown_reference unknown"
    )
  })

  it("3.1 reads the reasons of an AiError, with its retryAfter", () => {
    const of = (reason: AiError.AiErrorReason) => new AiError.AiError({ module: "M", method: "m", reason })
    const limited = of(new AiError.RateLimitError({ retryAfter: Duration.seconds(9) }))
    assert.strictEqual(onWrite(limited), "Transient rate_limited unknown")
    assert.deepStrictEqual(classify(limited, write).retryAfter, Duration.seconds(9))
    assert.strictEqual(onWrite(of(new AiError.QuotaExhaustedError({}))), "Resource quota_exceeded unknown")
    assert.strictEqual(
      onWrite(of(new AiError.AuthenticationError({ kind: "InvalidKey" }))),
      "Permanent unauthorized unknown"
    )
    assert.strictEqual(
      onWrite(of(new AiError.InvalidRequestError({ description: "the prompt is too long" }))),
      "Resource context_limit unknown"
    )
    assert.strictEqual(classify(of(new AiError.InvalidRequestError({ description: "x" })), read).tag, "ToolArgError")
  })

  it("3.1 reads timeouts, circuits, limiters and schema errors", () => {
    assert.strictEqual(onWrite(new Cause.TimeoutError()), "Transient timeout unknown")
    assert.strictEqual(
      onWrite(
        new CircuitBreaker.CircuitBreakerError({
          reason: new CircuitBreaker.CircuitOpen({ key: "k", retryAfter: Duration.seconds(5) })
        })
      ),
      "Transient circuit_open unknown"
    )
    assert.strictEqual(
      onWrite(
        new RateLimiter.RateLimiterError({
          reason: new RateLimiter.RateLimitExceeded({
            key: "k",
            retryAfter: Duration.seconds(5),
            limit: 1,
            remaining: 0
          })
        })
      ),
      "Transient rate_limited unknown"
    )
    const exit = Effect.runSyncExit(Schema.decodeUnknownEffect(Schema.Int)("x"))
    const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    assert.strictEqual(onWrite(error), "SchemaMismatch invalid_result unknown")
  })

  it("3.1 reads the tags of other tagged errors by pattern", () => {
    assert.strictEqual(onWrite({ _tag: "UserNotFound" }), "ToolArgError unknown_reference unknown")
    assert.strictEqual(onWrite({ _tag: "RateLimited" }), "Transient rate_limited unknown")
    assert.strictEqual(onWrite({ _tag: "Unauthorized" }), "Permanent unauthorized unknown")
    assert.strictEqual(onWrite({ _tag: "OrderAlreadyShipped" }), "Permanent wrong_state unknown")
  })
})

describe("classify: shapes", () => {
  it("3.1 finds the same error in a field, in a body, in a stringified body and in a message", () => {
    const body = { error: { type: "invalid_request_error", code: "insufficient_quota", message: "No." } }
    const expected = "Resource quota_exceeded none"
    const said = "Resource quota_exceeded unknown"
    assert.strictEqual(onWrite({ status: 429, error: body.error }), expected)
    assert.strictEqual(onWrite({ status: 429, body }), expected)
    assert.strictEqual(onWrite({ status: 429, body: JSON.stringify(body) }), expected)
    assert.strictEqual(onWrite({ status: 429, body: JSON.stringify(JSON.stringify(body)) }), expected)
    assert.strictEqual(onWrite({ response: { status: 429, data: body } }), expected)
    assert.strictEqual(onWrite(new Error(`429 ${JSON.stringify(body)}`)), said)
    assert.strictEqual(onWrite(`Error code: 429 - {'error': {'code': 'insufficient_quota', 'param': None}}`), said)
    assert.strictEqual(
      onWrite(new Error("outer", { cause: new Error("inner", { cause: { status: 429, body } }) })),
      expected
    )
    assert.strictEqual(onWrite(new AggregateError([{ status: 429, body }], "all failed")), expected)
  })

  it("3.1 parses an MCP result, as JSON and as a Python repr", () => {
    const text = "Error: 503 Service Unavailable"
    const json = JSON.stringify({ isError: true, content: [{ type: "text", text }] })
    const repr = `meta=None content=[TextContent(type='text', text='${text}', annotations=None)] isError=True`
    for (const message of [json, repr]) {
      assert.deepStrictEqual(classify({ message }, read), {
        tag: "Transient",
        code: "unavailable",
        detail: text,
        sideEffect: "none",
        ground: "it only reads",
        isAnswered: true,
        rule: "http:503"
      })
    }
  })

  it("3.1 does not treat an echoed value as a response", () => {
    const { code } = classify(
      "1 validation error for A\nx\n  bad [type=dict_type, input_value={'status': 503}, input_type=dict]",
      read
    )
    assert.strictEqual(code, "invalid_arguments")
  })

  it("3.1 reads the upstream's status inside a gateway's response", () => {
    const wrapped = (param: string) => ({
      status: 400,
      body: { error: { message: "", type: "upstream_error", param, code: "bad_response_status_code" } }
    })
    assert.strictEqual(classify(wrapped("520"), read).tag, "Transient")
    assert.strictEqual(classify(wrapped("403"), read).tag, "Permanent")
    assert.strictEqual(classify(wrapped("400"), read).tag, "ToolArgError")
  })

  it("3.1 uses the exit code of a process only if its output does not decide", () => {
    assert.strictEqual(classify({ message: "sh failed", code: 127, cmd: "x" }, read).code, "missing_software")
    assert.strictEqual(classify({ exitCode: 124, stderr: "" }, read).code, "timeout")
    assert.strictEqual(
      classify({ exitCode: 1, stderr: "cat: x: No such file or directory" }, read).code,
      "unknown_reference"
    )
  })

  it("3.1 recognises limits at a 4xx status, but no other transient phrase", () => {
    assert.strictEqual(
      onWrite({ status: 400, message: "The maximum context length is 8192 tokens" }),
      "Resource context_limit none"
    )
    assert.strictEqual(onWrite({ status: 403, message: "API rate limit exceeded" }), "Transient rate_limited none")
    assert.strictEqual(onWrite({ status: 400, message: "Request timed out" }), "ToolArgError invalid_request none")
    assert.strictEqual(
      onWrite({ status: 422, message: "Must not be reached more than 5 per minute" }),
      "ToolArgError invalid_request none"
    )
  })
})

describe("classify: the side effect of a write", () => {
  const statuses: ReadonlyArray<readonly [status: number, expected: string]> = [
    [400, "ToolArgError invalid_request none"],
    [401, "Permanent unauthorized none"],
    [402, "Resource quota_exceeded none"],
    [403, "Permanent unauthorized none"],
    [404, "ToolArgError unknown_reference none"],
    [405, "Permanent unsupported none"],
    [408, "Transient timeout unknown"],
    [409, "ToolArgError conflicting_value none"],
    [410, "ToolArgError unknown_reference none"],
    [412, "ToolArgError conflicting_value none"],
    [413, "ToolArgError arguments_too_large none"],
    [418, "Permanent refused none"],
    [422, "ToolArgError invalid_request none"],
    [423, "Transient lock_conflict none"],
    [425, "Transient unavailable none"],
    [429, "Transient rate_limited none"],
    [444, "ToolArgError invalid_request none"],
    [451, "Permanent refused none"],
    [500, "Transient unavailable unknown"],
    [501, "Permanent unsupported unknown"],
    [502, "Transient unavailable unknown"],
    [503, "Transient unavailable unknown"],
    [504, "Transient timeout unknown"],
    [505, "Permanent unsupported unknown"],
    [507, "Resource disk_full unknown"],
    [520, "Transient unavailable unknown"],
    [529, "Transient unavailable unknown"]
  ]
  for (const [status, expected] of statuses) {
    it(`3.3 HTTP ${status} is ${expected}`, () => {
      assert.strictEqual(onWrite({ status }), expected)
      assert.strictEqual(classify({ status }, read).sideEffect, "none")
    })
  }

  it("3.3 leaves the side effect unknown for a transient phrase", () => {
    for (const message of ["Too many requests", "connection refused", "database is locked", "try again later"]) {
      const { sideEffect, tag } = classify({ message }, write)
      assert.deepStrictEqual([tag, sideEffect], ["Transient", "unknown"], message)
    }
  })

  it("3.3 leaves the side effect unknown for a refused connection that only a message states", () => {
    for (const message of [
      "dial tcp 10.0.0.1:443: connect: connection refused",
      "ssh: connect to host x port 22: Connection refused"
    ]) {
      assert.strictEqual(onWrite(message), "Transient connection_failed unknown")
    }
  })
})

describe("classify: missing things and arguments", () => {
  const code = (error: unknown, args: unknown) => classify(error, { access: "read", arguments: args }).code

  it("3 blames the arguments only if they name the missing thing", () => {
    assert.strictEqual(code("Order O-7 not found", { order_id: "O-7" }), "unknown_reference")
    assert.strictEqual(code("Order O-7 not found", { order_id: "O-8" }), "not_found")
    assert.strictEqual(code("Order 42 not found", { order: { ids: [41, 42] } }), "unknown_reference")
    assert.strictEqual(code('relation "custmer" does not exist', { sql: "select * from custmer" }), "unknown_reference")
    assert.strictEqual(code('relation "audit" does not exist', { sql: "select * from orders" }), "not_found")
    assert.strictEqual(code("unknown service disney", { services: "netflix,disney" }), "unknown_reference")
    assert.strictEqual(code("Error calling tool 'note': no such table: project", { tool: "note" }), "not_found")
  })

  it("3 blames the arguments if the error's URL or path contains their value", () => {
    const request = { url: "https://api.example/orders/O-7" }
    assert.strictEqual(code({ status: 404, message: "Not Found", request }, { id: "O-7" }), "unknown_reference")
    assert.strictEqual(code({ status: 404, message: "Not Found", request }, { id: "O-8" }), "not_found")
    assert.strictEqual(
      code({ code: "ENOENT", message: "gone", path: "/data/a b.txt" }, { file: "a b.txt" }),
      "unknown_reference"
    )
  })

  it("3 blames the arguments for a missing thing if they are not known, but not for a missing endpoint", () => {
    assert.strictEqual(classify({ status: 404, message: "Not Found" }, read).code, "unknown_reference")
    assert.strictEqual(code({ status: 404, message: "Not Found" }, {}), "not_found")
    assert.strictEqual(classify({ status: 404, message: "404 page not found" }, read).code, "unknown_reference")
    assert.strictEqual(classify({ status: 404, message: "No such customer: 'cus_1'" }, read).code, "unknown_reference")
    assert.strictEqual(classify({ status: 404, message: "Endpoint '/v9' does not exist" }, read).code, "unsupported")
  })

  it("3.3 treats a host that the arguments do not name as a transient fault", () => {
    const error = { code: "ENOTFOUND", message: "getaddrinfo ENOTFOUND api.internal" }
    assert.strictEqual(code(error, { url: "https://api.internal/x" }), "unknown_reference")
    assert.strictEqual(code(error, { customer: "C-1" }), "connection_failed")
    assert.strictEqual(onWrite(error, { arguments: { customer: "C-1" } }), "Transient connection_failed none")
  })
})

describe("classify: waits and details", () => {
  it("4.11 reads the delay in headers, bodies and messages for transient failures only", () => {
    const wait = (error: unknown) => classify(error, { ...read, now: 0 }).retryAfter
    assert.deepStrictEqual(wait({ status: 429, headers: { "Retry-After": "3" } }), Duration.seconds(3))
    assert.deepStrictEqual(wait({ status: 429, headers: new Headers({ "retry-after-ms": "20" }) }), Duration.millis(20))
    assert.deepStrictEqual(
      wait({ status: 429, headers: { "retry-after": "Thu, 01 Jan 1970 00:00:04 GMT" } }),
      Duration.seconds(4)
    )
    assert.deepStrictEqual(wait({ status: 429, body: { retry_after: 0.5 } }), Duration.millis(500))
    assert.deepStrictEqual(
      wait({ status: 429, body: { error: { details: [{ retryDelay: "36s" }] } } }),
      Duration.seconds(36)
    )
    assert.deepStrictEqual(wait("Rate limit reached. Please try again in 1.4s."), Duration.millis(1400))
    assert.isUndefined(wait({ status: 400, headers: { "retry-after": "3" } }))
  })

  const details: ReadonlyArray<readonly [message: string, detail: string]> = [
    ["ERROR:\nParameter `x` is required", "Parameter `x` is required"],
    [
      'Traceback (most recent call last):\n  File "a.py", line 1\n    f()\nValueError: bad  value\n',
      "ValueError: bad value"
    ],
    ["Cloning into 'x'...\nfatal: repository 'y' does not exist", "fatal: repository 'y' does not exist"],
    ['{"error":{"message":"No such file","code":"x"}}', "No such file"],
    ["<html><head><title>502 Bad Gateway</title></head></html>", "502 Bad Gateway"],
    ["   \n", "The tool failed without an error message."]
  ]
  it.effect(
    "3.1 the detail of a value that a promise or a function throws is its message, or its status without a message",
    () =>
      Effect.gen(function* () {
        const details = yield* Effect.forEach(
          [new Error("The ticket is closed"), "409 Conflict", { message: "No such ticket" }, { status: 409 }],
          (thrown) =>
            Effect.map(
              Effect.all([
                Effect.flip(Effect.tryPromise(() => Promise.reject(thrown))),
                Effect.flip(
                  Effect.try(() => {
                    throw thrown
                  })
                )
              ]),
              (errors) => errors.map((error) => classify(error, { access: "read" }).detail)
            )
        )
        const twice = (text: string) => [text, text]
        assert.deepStrictEqual(
          details,
          ["The ticket is closed", "409 Conflict", "No such ticket", "HTTP status 409"].map(twice)
        )
      })
  )

  for (const [message, detail] of details) {
    it(`3 reduces a message to its useful line: ${JSON.stringify(detail)}`, () => {
      assert.strictEqual(classify({ message }, read).detail, detail)
    })
  }

  it("3 cuts the detail at 200 characters, but not inside a surrogate pair", () => {
    const { detail } = classify({ message: "x".repeat(198) + "\u{1f600}".repeat(9) }, read)
    assert.strictEqual(detail, `${"x".repeat(198)}…`)
  })

  it("3 names the status if there is no message", () => {
    assert.strictEqual(classify({ status: 502 }, read).detail, "HTTP status 502")
  })
})

describe("classifyResponse", () => {
  const response = (status: number, body = "", headers: Record<string, string> = {}) => ({ status, headers, body })

  it("3.1 returns undefined for 2xx", () => {
    assert.isUndefined(classifyResponse(response(200, '{"error":"x"}'), read))
    assert.isUndefined(classifyResponse(response(204), read))
  })

  it("3.1 reads status, headers and body", () => {
    assert.deepStrictEqual(
      classifyResponse(response(503, '{"message":"The database is down"}', { "Retry-After": "5" }), write),
      {
        tag: "Transient",
        code: "unavailable",
        detail: "The database is down",
        sideEffect: "none",
        ground: "HTTP 503 with Retry-After",
        isAnswered: true,
        retryAfter: Duration.seconds(5),
        rule: "http:503"
      }
    )
    assert.strictEqual(
      classifyResponse(response(400, '{"error":{"code":"context_length_exceeded"}}'), write)?.code,
      "context_limit"
    )
    assert.strictEqual(classifyResponse(response(302), write)?.tag, "Permanent")
  })
})

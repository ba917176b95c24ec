/**
 * Tests answers in which real products state a failure with the status 200, in various envelopes, and answers that only
 * look like failures.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as GuardedTool from "#src/tool/GuardedTool"
import { ask, asked, response, settled, tool, type Tool, within } from "./support.ts"

/** Creates a dynamic tool that returns this answer. */
const dynamic = (access: "read" | "write", answer: unknown): Tool =>
  // the types of a dynamic tool are known only at run time
  GuardedTool.dynamic(`${access}_it`, {
    access,
    description: "Looks up one order.",
    retry: { attempts: 1 },
    handler: () => Effect.succeed(answer)
  } as never) as unknown as Tool

type Rows = ReadonlyArray<readonly [product: string, answer: unknown]>

/** Answers that contain only a failure. */
const failures: Rows = [
  ["shopify errors text", { errors: "[API] Invalid API key or access token" }],
  ["shopify errors by field", { errors: { title: ["can't be blank"] } }],
  ["slack", { ok: false, error: "channel_not_found" }],
  ["slack warning", { ok: false, error: "invalid_auth", warning: "missing_charset" }],
  ["wechat", { errcode: 40013, errmsg: "invalid appid" }],
  ["wechat with a request id", { errcode: 40001, errmsg: "invalid credential, rid: 6-1", rid: "6" }],
  ["telegram", { ok: false, error_code: 400, description: "Bad Request: chat not found" }],
  ["jsonrpc error", { jsonrpc: "2.0", id: 7, error: { code: -32602, message: "Invalid params" } }],
  ["jsonrpc inner ok false", { jsonrpc: "2.0", id: 1, result: { ok: false, reason: "locked" } }],
  ["soap", { Envelope: { Body: { Fault: { faultcode: "soap:Server", faultstring: "Out of stock" } } } }],
  ["aws", { __type: "ResourceNotFoundException", message: "Requested resource not found" }],
  ["aws xml-like", { Error: { Code: "NoSuchKey", Message: "The specified key does not exist." }, RequestId: "a" }],
  ["lambda", { errorType: "Error", errorMessage: "boom", trace: ["Error: boom"] }],
  ["lambda proxy", { statusCode: 500, headers: {}, body: '{"message":"Internal server error"}' }],
  ["api gateway", { message: "Forbidden" }],
  ["google rpc status", { code: 5, message: "Resource not found", details: [] }],
  ["google maps", { status: "REQUEST_DENIED", error_message: "The provided API key is invalid.", results: [] }],
  ["feishu", { code: 99991663, msg: "Invalid access token for authorization.", error: { log_id: "x" } }],
  ["feishu data", { code: 230002, msg: "Bot is NOT in the chat", data: {} }],
  ["dingtalk", { errcode: 88, sub_code: "40014", errmsg: "不合法的access_token", sub_msg: "x" }],
  ["dingtalk new", { code: "InvalidAuthentication", requestid: "A", message: "不合法的access_token" }],
  ["baidu", { error_code: 110, error_msg: "Access token invalid or no longer valid" }],
  ["baidu log", { log_id: 12, error_code: 17, error_msg: "Open api daily request limit reached" }],
  ["amap", { status: "0", info: "INVALID_USER_KEY", infocode: "10001" }],
  ["meituan", { result: "ng", error: { code: 808, msg: "门店不存在" } }],
  ["retcode", { retcode: -1, retmsg: "param error" }],
  ["ret", { ret: -3, msg: "need login" }],
  ["errno", { errno: -6, errmsg: "不允许接入用户数据", request_id: 12 }],
  ["code+message text", { code: "INVALID_X", message: "x is invalid" }],
  ["code+message reqid", { code: "INVALID_X", message: "x is invalid", request_id: "r-1", timestamp: "2026-01-01" }],
  ["anthropic", { type: "error", error: { type: "overloaded_error", message: "Overloaded" }, request_id: "req_1" }],
  ["type error", { type: "error", message: "no such channel" }],
  ["wrapped with req id", { request_id: "r", data: { ok: false } }],
  ["wrapped meta", { meta: { request_id: "x", timestamp: 1 }, data: { success: false, message: "locked" } }],
  ["status error + request_id", { status: "error", message: "No such order", request_id: "r-1" }],
  ["status error + error_code", { status: "error", error_code: "E_STOCK", message: "Sold out" }],
  ["jsend error", { status: "error", message: "Unable to communicate with database", code: 7, data: null }],
  ["twilio", { code: 20003, message: "Authenticate", more_info: "https://x", status: 401 }],
  ["cloudflare", { success: false, errors: [{ code: 1003, message: "Invalid zone" }], messages: [], result: null }],
  ["jira", { errorMessages: ["Issue does not exist"], errors: {} }],
  ["jira by field", { errorMessages: [], errors: { project: "project is required" } }],
  ["hubspot", { status: "error", message: "Contact already exists", correlationId: "a", category: "CONFLICT" }],
  ["mongo", { ok: 0, errmsg: "not master", code: 10107, codeName: "NotWritablePrimary" }],
  ["mailgun", { message: "Forbidden" }],
  ["mailchimp", { type: "about:blank", title: "Resource Not Found", status: 404, detail: "x", instance: "a" }],
  ["square", { errors: [{ category: "INVALID_REQUEST_ERROR", code: "NOT_FOUND", detail: "Customer not found" }] }],
  ["twitter", { errors: [{ code: 32, message: "Could not authenticate you." }] }],
  ["facebook", { error: { message: "(#100) x", type: "OAuthException", code: 100, fbtrace_id: "A" } }],
  ["sap", { error: { code: "SY/530", message: { lang: "en", value: "Order locked" } } }],
  ["docker", { message: "No such container: x" }],
  ["vault", { errors: ["permission denied"] }],
  ["consul", { error: "Permission denied" }],
  ["prometheus", { status: "error", errorType: "bad_data", error: "parse error" }],
  ["spring", { timestamp: "2026-01-01T00:00:00", status: 500, error: "Internal Server Error", path: "/a" }],
  [
    "spring with message",
    { timestamp: 1, status: 404, error: "Not Found", message: "No message available", path: "/a" }
  ],
  ["nest", { statusCode: 400, message: ["name must be a string"], error: "Bad Request" }],
  ["drf detail", { detail: "Not found." }],
  ["fastapi 422", { detail: [{ loc: ["body", "x"], msg: "field required", type: "value_error.missing" }] }],
  ["laravel", { message: "The given data was invalid.", errors: { email: ["taken"] } }],
  ["trpc batch", [{ error: { message: "UNAUTHORIZED", code: -32001, data: {} } }]],
  ["jsonrpc batch", [{ jsonrpc: "2.0", id: 1, error: { code: -32601, message: "Method not found" } }]],
  ["dropbox", { error_summary: "path/not_found/..", error: { ".tag": "path", path: { ".tag": "not_found" } } }],
  ["github credentials", { message: "Bad credentials", documentation_url: "https://docs", status: "401" }],
  ["trello", { message: "invalid id" }],
  ["asana", { errors: [{ message: "project: Not a recognized ID: 1", help: "For more" }] }],
  ["monday", { errors: [{ message: "x", locations: [] }], account_id: 12 }],
  ["result fail", { result: "fail", message: "locked" }],
  ["resultCode", { resultCode: "9999", resultMsg: "system error" }],
  ["success is N", { Success: "N", Message: "No stock" }],
  ["mcp", { content: [{ type: "text", text: "boom" }], isError: true }],
  ["a response with a version", { response: { status: "error", message: "No stock" }, version: "1.0" }],
  ["zoho", { code: "INVALID_DATA", details: {}, message: "the id given seems to be invalid", status: "error" }],
  ["algolia", { message: "Index does not exist", status: 404 }],
  ["discord", { message: "Unknown Channel", code: 10003 }],
  ["discord rate limit", { message: "You are being rate limited.", retry_after: 0.3, global: false }],
  ["spotify", { error: { status: 404, message: "Not found." } }],
  ["kakao", { msg: "this access token does not exist", code: -401 }],
  ["gitlab", { message: { name: ["has already been taken"], path: ["is too long"] } }],
  [
    "line",
    {
      message: "The request body has 1 error(s)",
      details: [{ message: "May not be empty", property: "messages[0].text" }]
    }
  ],
  ["toss", { code: "ALREADY_PROCESSED_PAYMENT", message: "이미 처리된 결제 입니다." }]
]

/** Answers of writes that state a failure alongside other data. */
const failuresOfWrites: Rows = [
  ["jsend fail", { status: "fail", data: { title: "A title is required" } }],
  ["one of two mutations", { data: { a: { userErrors: [{ message: "taken" }] }, b: { userErrors: [] } } }]
]

/** Answers of a tool without a result that state a failure in a field that may be data elsewhere. */
const failuresWithoutResult: Rows = [
  ["error_code", { error_code: "E42" }],
  ["retcode", { retcode: -1 }],
  ["ret", { ret: 3, data: null }],
  ["errno", { errno: 7 }],
  ["influx", { results: [{ statement_id: 0, error: "database not found: x" }] }],
  ["status denied", { status: "denied" }],
  ["status rejected", { status: "rejected", reason: "duplicate" }],
  ["status failed", { status: "failed", id: "o-1" }],
  ["status error", { status: "error", since: "2026-01-01", service: "db", incidents: 3 }],
  ["status declined", { request_id: "r-1", data: { status: "declined" } }]
]

/** Answers that are data, although a field has the name or the value of a failure. */
const data: Rows = [
  ["currency", { code: "USD", name: "US Dollar", message: "Currency of the United States" }],
  ["currency bare", { code: "USD", rate: 1.2 }],
  ["country", { code: "DE", message: "Germany" }],
  ["country by name", { code: "US", message: "United States of America" }],
  ["voucher", { code: "SAVE-10", message: "Ten percent off" }],
  ["voucher in capitals", { code: "SUMMER_SALE", message: "Ten percent off" }],
  ["success code", { code: "OK", message: "ok" }],
  ["success code2", { code: "SUCCESS", message: "created", data: { id: 1 } }],
  ["result code 0000", { resultCode: "0000", resultMsg: "ok" }],
  ["errcode 0", { errcode: 0, errmsg: "ok" }],
  ["ret 0", { ret: 0, msg: "" }],
  ["retcode 0", { retcode: 0, retmsg: "OK" }],
  ["graphql ok", { data: { x: { product: { id: 1 }, userErrors: [] } }, extensions: { cost: {} } }],
  ["jsonrpc ok", { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "3 orders" }], isError: false } }],
  ["req ok", { request_id: "r", data: { ok: true } }],
  ["list with failed", { data: [{ ok: false }], meta: { total: 1 } }],
  ["two payloads", { a: { ok: false }, b: { ok: true } }],
  ["approval list", { data: [{ id: 1, status: "rejected" }], request_id: "r" }],
  ["checks report", { total: 3, failed: 1, tests: [{ name: "a" }] }],
  ["errors count", { errors: 3, fixed: 7 }],
  ["error rate", { error_rate: 0.2, errors: 17, requests: 1000 }],
  ["message", { message: "Order created" }],
  ["telegram ok", { ok: true, result: { message_id: 1 } }],
  ["maps zero", { status: "ZERO_RESULTS", results: [] }],
  ["maps ok", { status: "OK", results: [{ a: 1 }] }],
  ["result of a command", { returncode: 1, stdout: "", stderr: "no match" }],
  ["title of a film", { title: "Permission denied" }],
  ["message of a person", { message: "Permission was denied by the landlord, so we moved to Oslo.", from: "Ana" }],
  [
    "list of errors",
    [
      { time: "2026-01-01", message: "disk full" },
      { time: "2026-01-02", message: "timeout" }
    ]
  ],
  ["list of jobs", { jobs: [{ id: 7, name: "build", error: "exit 2" }], timestamp: 1 }],
  ["statistics", { code: 12 }],
  ["postal code", { code: "NO-0150", message: "Oslo" }],
  ["nothing found", { message: "No orders matched" }],
  ["status of a circuit", { type: "breaker", fault: "none" }]
]

/** Entities of writes whose state is a failure: the answer is a result that proves nothing. */
const states: Rows = [
  ["an order", { id: "o-1", status: "failed", amount: 5 }],
  ["an application", { request_id: "r", id: "app-1", status: "denied", applicant: "Ana" }],
  ["a monitor", { service: "db", status: "error", since: "2026-01-01", incidents: 3 }],
  [
    "an entry of a catalogue",
    { error_code: 40_013, name: "invalid appid", meaning: "The appid is wrong", remedy: "Check it" }
  ],
  ["an entry of a log", { ts: 1, type: "error", msg: "disk full", service: "db" }],
  ["an entry of a log with a level", { type: "error", message: "disk full", level: "error", host: "a" }],
  ["an order in an envelope", { data: { id: "o-1", status: "failed" }, request_id: "r-1" }]
]

/** Answers that are data if the tool only reads. */
const dataOfReads: Rows = [
  ["entry of a log", { type: "error", message: "disk full", timestamp: "2026-01-01" }],
  ["payment", { id: "p-1", status: "failed", error: "card declined" }],
  ["long-running operation", { name: "operations/1", done: true, error: { code: 9, message: "failed precondition" } }],
  ["report of a linter", { errors: [{ message: "Missing semicolon", line: 3, severity: 2 }], warnings: [] }],
  ["report of a validator", { valid: false, errors: [{ field: "name", message: "is required" }] }],
  ["report of a test run", { ok: false, failed: 3, tests: [{ name: "a" }] }],
  ["message of a test run", { result: "failed", message: "2 of 40 tests failed" }],
  ["rows alongside an error", { rows: [1], error: "shard 3 was left out" }],
  ["access request", { status: "rejected", reason: "duplicate" }]
]

const isFailure = (outcome: unknown): outcome is ReadonlyArray<string> =>
  Array.isArray(outcome) && outcome.length === 3 && ["none", "committed", "unknown"].includes(String(outcome[2]))

describe("a failure that an answer states", () => {
  for (const [product, answer] of failures) {
    it.effect(`3.4 (mission 001.37) the answer of ${product} is a failure of a read`, () =>
      Effect.gen(function* () {
        const outcome = yield* asked(dynamic("read", answer), {})
        assert.isTrue(isFailure(outcome), JSON.stringify(outcome))
      }).pipe(within([]))
    )
  }

  for (const [product, answer] of [...failures, ...failuresOfWrites, ...failuresWithoutResult]) {
    it.effect(
      `3.3 (mission 001.37) a write without a result is not reported as done after the answer of ${product}`,
      () => {
        const write = tool("write_it", { access: "write", success: Schema.Void }, response(200, JSON.stringify(answer)))
        return Effect.gen(function* () {
          const outcome = yield* settled(write.tool.call({ q: "a" }))
          assert.isTrue(isFailure(outcome) && outcome[2] === "unknown", JSON.stringify(outcome))
        }).pipe(within([write.layer]))
      }
    )
  }

  for (const [product, answer] of [...failures, ...failuresOfWrites]) {
    it.effect(
      `3.3 (mission 001.37) a write whose result may be any JSON fails with an unknown effect after the answer of ${product}`,
      () =>
        Effect.gen(function* () {
          const outcome = yield* asked(dynamic("write", answer), {})
          assert.isTrue(isFailure(outcome) && outcome[2] === "unknown", JSON.stringify(outcome))
        }).pipe(within([]))
    )
  }
})

describe("an answer that looks like a failure", () => {
  for (const [what, answer] of data) {
    it.effect(`3.4 ${what} is a success of a read and of a write`, () =>
      Effect.gen(function* () {
        for (const access of ["read", "write"] as const) {
          const { envelope } = yield* ask([dynamic(access, answer)], `${access}_it`, "{}")
          assert.deepStrictEqual(envelope, { status: "success", data: answer })
        }
      }).pipe(within([]))
    )
  }

  for (const [what, answer] of dataOfReads) {
    it.effect(`3.4 ${what} is a success of a read`, () =>
      Effect.gen(function* () {
        const { envelope } = yield* ask([dynamic("read", answer)], "read_it", "{}")
        assert.deepStrictEqual(envelope, { status: "success", data: answer })
      }).pipe(within([]))
    )
  }

  for (const [what, answer] of states) {
    it.effect(`3.3 the state of ${what} is a result, which does not prove that a write was done`, () =>
      Effect.gen(function* () {
        const read = yield* ask([dynamic("read", answer)], "read_it", "{}")
        assert.deepStrictEqual(read.envelope, { status: "success", data: answer })
        const write = yield* ask([dynamic("write", answer)], "write_it", "{}")
        assert.deepStrictEqual(write.envelope.data, answer)
        assert.include(write.envelope.notice, "It is not known what was done.")
      }).pipe(within([]))
    )
  }

  for (const [what, success, answer] of [
    ["a message", Schema.Struct({ message: Schema.String }), { message: "Forbidden" }],
    ["an error", Schema.Struct({ error: Schema.String }), { error: "permission denied" }],
    ["a code", Schema.Struct({ code: Schema.String, message: Schema.String }), { code: "INVALID_X", message: "wrong" }],
    ["data", Schema.Struct({ rows: Schema.Array(Schema.Int) }), { rows: [], error: "shard 3 was left out" }]
  ] as const) {
    it.effect(`3.4 ${what} that the contract declares is a success of a read`, () => {
      const read = tool("read_it", { success }, answer)
      return Effect.gen(function* () {
        assert.isFalse(isFailure(yield* settled(read.tool.call({ q: "a" }))))
      }).pipe(within([read.layer]))
    })
  }

  it.effect("3.4 a failure in fields that the contract does not declare is a failure of a read", () => {
    const success = Schema.Struct({ rows: Schema.optionalKey(Schema.Array(Schema.Int)) })
    const read = tool("read_it", { success }, { error: "permission denied" })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(read.tool.call({ q: "a" })), ["Permanent", "permission_denied", "none"])
    }).pipe(within([read.layer]))
  })
})

describe("messages about fields", () => {
  for (const [answer, words] of [
    [{ message: { title: ["has already been taken"] } }, "title: has already been taken"],
    [
      { message: "2 errors", details: [{ message: "May not be empty", property: "messages[0].text" }] },
      "messages[0].text: May not be empty"
    ]
  ] as const) {
    for (const status of [200, 400])
      it.effect(`4.4 HTTP ${status} with ${JSON.stringify(answer)} is an error that names the arguments`, () => {
        const write = tool(
          "write_it",
          { access: "write", success: Schema.Json },
          response(status, JSON.stringify(answer))
        )
        return Effect.gen(function* () {
          const { envelope } = yield* ask([write.tool], "write_it", '{"q":"a"}')
          assert.strictEqual(envelope.error.error_class, "tool_arg_error")
          assert.include(envelope.error.message, words)
          assert.strictEqual(envelope.error.side_effect, status === 200 ? "unknown" : undefined)
        }).pipe(within([write.layer]))
      })
  }

  for (const answer of [
    { message: "Hello", details: [{ message: "Hi", from: "Ana" }] },
    { message: { subject: ["Hello"], unread: true } },
    { message: "2 replies", details: [] }
  ])
    it.effect(`3.4 ${JSON.stringify(answer)} is data`, () =>
      Effect.gen(function* () {
        const { envelope } = yield* ask([dynamic("write", answer)], "write_it", "{}")
        assert.deepStrictEqual(envelope, { status: "success", data: answer })
      }).pipe(within([]))
    )
})

describe("the words of a failure in an envelope", () => {
  for (const [answer, words] of [
    [
      { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "The disk is full" }], isError: true } },
      "The disk is full"
    ],
    [
      { data: { x: { userErrors: [{ field: ["title"], message: "can't be blank" }] } }, extensions: {} },
      "can't be blank"
    ],
    [{ request_id: "r", data: { ok: false, reason: "The row is locked" } }, "The row is locked"],
    [{ compositeResponse: [{ body: [{ message: "Rolled back" }], httpStatusCode: 400 }] }, "Rolled back"],
    [
      [{ errorCode: "REQUIRED_FIELD_MISSING", message: "Missing: [LastName]", fields: ["LastName"] }],
      "Missing: [LastName]"
    ]
  ] as const) {
    it.effect(`3.3 the model reads the words of ${JSON.stringify(answer)}`, () =>
      Effect.gen(function* () {
        const { envelope } = yield* ask([dynamic("write", answer)], "write_it", "{}")
        assert.include(envelope.error.message, words)
      }).pipe(within([]))
    )
  }

  const Item = Schema.Struct({
    code: Schema.optionalKey(Schema.String),
    error: Schema.optionalKey(Schema.Struct({ message: Schema.String })),
    errorCode: Schema.optionalKey(Schema.String),
    message: Schema.optionalKey(Schema.String),
    status: Schema.optionalKey(Schema.Int)
  })
  for (const access of ["read", "write"] as const)
    for (const answer of [
      [{ code: "INVALID_DATE", message: "The date is invalid." }],
      [{ errorCode: "REQUIRED_FIELD_MISSING", message: "Missing: [LastName]" }],
      [{ error: { message: "The disk was full" } }],
      [{ status: 404 }, { status: 200 }]
    ])
      it.effect(
        `3.3 for a ${access} whose contract declares the items of a list, ${JSON.stringify(answer)} is data`,
        () =>
          Effect.gen(function* () {
            const listed = tool("list_it", { access, success: Schema.Array(Item) }, answer)
            const { envelope } = yield* ask([listed.tool], "list_it", '{"q":"a"}').pipe(within([listed.layer]))
            assert.deepStrictEqual([envelope.status, envelope.data], ["success", answer])
          })
      )
})

describe("a code of an error alongside a number of done items", () => {
  // A code states a failure of the whole write, but not how many items failed: it is neither a part that was done, as
  // `failed` beside `sent` is, nor proof that nothing was done. So the effect is unknown, and the code is quoted.
  const success = Schema.Struct({ n: Schema.Int })
  for (const answer of [
    { error_code: 2, sent: 3 },
    { errcode: 2, sent: 3 },
    { error_code: "E_PARTIAL", sent: 3 }
  ]) {
    it.effect(
      `3.3 leaves the effect of a write unknown, and the call is not repeated: ${JSON.stringify(answer)}`,
      () => {
        const sending = tool("send_emails", { access: "write", success }, answer)
        return Effect.gen(function* () {
          const { envelope } = yield* ask([sending.tool], "send_emails", '{"q":"a"}')
          const { code, error_class, message, retryable, side_effect } = envelope.error
          assert.deepStrictEqual(
            [error_class, code, side_effect, retryable],
            ["permanent", "tool_failed", "unknown", false]
          )
          const [name = "", value] = Object.entries(answer)[0] ?? []
          assert.include(message, `"${name}" is ${JSON.stringify(value)}`)
          yield* ask([sending.tool], "send_emails", '{"q":"a"}')
          assert.strictEqual(sending.runs(), 1)
        }).pipe(within([sending.layer]))
      }
    )
  }

  it.effect("3.3 is data if the contract declares the code", () => {
    const declared = Schema.Struct({ error_code: Schema.Int, sent: Schema.Int })
    const sending = tool("send_emails", { access: "write", success: declared }, { error_code: 2, sent: 3 })
    return Effect.gen(function* () {
      const { envelope } = yield* ask([sending.tool], "send_emails", '{"q":"a"}')
      assert.deepStrictEqual([envelope.status, envelope.data], ["success", { error_code: 2, sent: 3 }])
    }).pipe(within([sending.layer]))
  })
})

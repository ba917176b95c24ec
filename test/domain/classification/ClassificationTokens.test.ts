/** Tests the classification of error codes, as a field of an error and in messages as programs print them. */
import { assert, describe, it } from "@effect/vitest"
import { classify } from "#domain/classification/Classification"

const codeOf = (error: unknown) => classify(error, { access: "write" }).code

/** Each line contains the code of a failure and the error codes that are classified with it. */
const codes = `
unknown_reference: ENOENT ESRCH
permission_denied: EACCES EPERM PERMISSION_DENIED permission_denied
conflicting_value: EEXIST ENOTEMPTY
invalid_request: Z_DATA_ERROR ENOTDIR EISDIR EINVAL ENAMETOOLONG ELOOP EXDEV
lock_conflict: EBUSY ETXTBSY
temporary_failure: EAGAIN EINTR ESTALE
out_of_memory: ENOMEM ERR_WORKER_OUT_OF_MEMORY
disk_full: ENOSPC EDQUOT
too_many_open: EMFILE ENFILE ENOBUFS
limit_exceeded: EFBIG EMLINK ERR_STRING_TOO_LONG ERR_FS_FILE_TOO_LARGE ERR_CHILD_PROCESS_STDIO_MAXBUFFER
arguments_too_large: E2BIG SQLITE_TOOBIG request_too_large RequestEntityTooLargeException
wrong_state: EROFS EADDRINUSE ERR_SERVER_ALREADY_LISTEN
unsupported: ENOSYS ENOTSUP EOPNOTSUPP
misconfigured: ENOEXEC EPROTO CERT_HAS_EXPIRED SELF_SIGNED_CERT_IN_CHAIN ERR_SSL_WRONG_VERSION_NUMBER F0000
tool_failed: EIO EBADF SQLITE_IOERR SQLITE_CORRUPT 58030 XX001 ERR_ENCODING_INVALID_ENCODED_DATA
connection_failed: ECONNREFUSED EHOSTUNREACH ENETUNREACH EAI_AGAIN 08001 57P03 WSAECONNREFUSED
unknown_reference: ENOTFOUND EAI_NONAME 42P01 42703 42883 3D000 3F000 42S02 NoSuchKey NoSuchBucket NOT_FOUND model_not_found resource_missing channel_not_found no_such_user
connection_lost: ECONNRESET EPIPE ECONNABORTED UND_ERR_SOCKET ERR_STREAM_PREMATURE_CLOSE 08006 08S01 57P01 40003 read_response_body_failed
timeout: ETIMEDOUT ESOCKETTIMEDOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT ABORT_ERR 57014 HYT00 DEADLINE_EXCEEDED RequestTimeout timeout_error ModelTimeoutException
timeout: UND_ERR_CONNECT_TIMEOUT
body_cut: UND_ERR_RES_CONTENT_LENGTH_MISMATCH Z_BUF_ERROR
response_too_large: UND_ERR_RES_EXCEEDED_MAX_SIZE HPE_HEADER_OVERFLOW
unexpected_content: HPE_INVALID_CONSTANT
tool_crashed: ERR_STREAM_DESTROYED ERR_HTTP_HEADERS_SENT
missing_software: MODULE_NOT_FOUND ERR_MODULE_NOT_FOUND ERR_DLOPEN_FAILED
unauthorized: ERR_ACCESS_DENIED 42501 28000 28P01 SQLITE_AUTH UNAUTHENTICATED AccessDenied ExpiredTokenException authentication_error permission_error invalid_api_key API_KEY_INVALID missing_scope token_revoked ER_ACCESS_DENIED_ERROR
refused: ERR_FR_TOO_MANY_REDIRECTS
refused: 08004 P0001 content_policy_violation DataInspectionFailed card_declined
invalid_request: ERR_INVALID_ARG_TYPE ERR_INVALID_URL ERR_OUT_OF_RANGE ERR_PARSE_ARGS_UNKNOWN_OPTION 22P02 23502 23514 42601 42702 21000 SQLITE_MISMATCH SQLITE_CONSTRAINT_NOTNULL OUT_OF_RANGE invalid_value unsupported_value integer_below_min_value string_above_max_length ER_PARSE_ERROR tool_use_failed
conflicting_value: 23505 23503 42P07 42710 2BP01 SQLITE_CONSTRAINT SQLITE_CONSTRAINT_UNIQUE ALREADY_EXISTS ConditionalCheckFailedException BucketAlreadyExists already_exists ER_DUP_ENTRY name_already_taken
lock_conflict: 40001 40P01 55P03 SQLITE_BUSY SQLITE_BUSY_SNAPSHOT SQLITE_LOCKED ABORTED TransactionConflictException ER_LOCK_DEADLOCK resource_locked
wrong_state: 25006 25P02 55000 55006 SQLITE_READONLY_DBMOVED InvalidObjectState order_closed user_suspended
disk_full: 53100 SQLITE_FULL ER_DISK_FULL
out_of_memory: 53200 SQLITE_NOMEM
too_many_open: 53300 ER_CON_COUNT_ERROR
limit_exceeded: 53400 54000 54001 LimitExceededException
quota_exceeded: insufficient_quota insufficient_user_quota billing_hard_limit_reached ServiceQuotaExceededException daily_quota_exceeded Arrearage
context_limit: context_length_exceeded prompt_too_long
rate_limited: rate_limit_error rate_limit_exceeded RATE_LIMIT_EXCEEDED RateLimitExceeded ThrottlingException ProvisionedThroughputExceededException SlowDown RESOURCE_EXHAUSTED Throttling.RateQuota api_throttled
unavailable: overloaded_error UNAVAILABLE ServiceUnavailable do_request_failed search_service_unavailable server_error api_error INTERNAL
unsupported: 0A000 UNIMPLEMENTED feature_not_supported
invalid_result: bad_response_body
`

/** Messages as programs print them, with their classification. */
const texts: ReadonlyArray<readonly [code: string, text: string]> = [
  ["permission_denied", "PermissionError: [Errno 13] Permission denied: 'x'"],
  ["unknown_reference", "socket.gaierror: [Errno -2] Name or service not known"],
  ["connection_failed", "urlopen error [Errno 111] Connection refused"],
  ["connection_failed", "[Errno 61] Connection refused"],
  ["disk_full", "Error: write failed (os error 28)"],
  ["lock_conflict", "PermissionError: [WinError 32] The process cannot access the file"],
  ["connection_lost", "OSError: [WinError 10054] closed"],
  ["invalid_request", "curl: (3) URL using bad/illegal format or missing URL"],
  ["unknown_reference", "curl: (6) Could not resolve host: x"],
  ["connection_failed", "curl: (7) Failed to connect to x port 1"],
  ["body_cut", "curl: (18) transfer closed with 9 bytes remaining to read"],
  ["timeout", "curl: (28) Operation timed out"],
  ["connection_lost", "curl: (56) Recv failure: Connection reset by peer"],
  ["misconfigured", "curl: (60) SSL certificate problem: certificate has expired"],
  ["refused", "curl: (47) Maximum (50) redirects followed"],
  ["connection_lost", "error: RPC failed; curl 56 Recv failure"],
  ["unknown_reference", "SQLSTATE[42S02]: Base table or view not found"],
  ["conflicting_value", "ERROR 1062 (23000): Duplicate entry '7' for key 'PRIMARY'"],
  ["lock_conflict", "ERROR 1205 (HY000): Lock wait timeout exceeded; try restarting transaction"],
  ["too_many_open", '(pymysql.err.OperationalError) (1040, "Too many connections")'],
  ["unknown_reference", "rpc error: code = NotFound desc = no document"],
  ["unavailable", "rpc error: code = Unavailable desc = closing"],
  ["timeout", "4 DEADLINE_EXCEEDED: Deadline exceeded"],
  ["permission_denied", "<_InactiveRpcError: StatusCode.PERMISSION_DENIED>"],
  ["invalid_arguments", "MCP error -32602: name"],
  ["unsupported", "MCP error -32601: Method not found"],
  ["invalid_json", "error code: -32700"],
  ["timeout", "MCP error -32001: Request timed out"],
  ["tool_failed", "MCP error -32603: oops"],
  ["rate_limited", "An error occurred (ThrottlingException) when calling the Converse operation: slow"],
  ["connection_failed", "page.goto: net::ERR_CONNECTION_REFUSED at http://x/"],
  ["misconfigured", "page.goto: net::ERR_CERT_DATE_INVALID at https://x/"],
  ["connection_lost", "page.goto: NS_ERROR_NET_RESET"],
  ["unknown_reference", "npm error code E404"],
  ["refused", "npm error code ERESOLVE"],
  ["unavailable", "421 4.7.0 closing"],
  ["unknown_reference", "550 5.1.1 unknown recipient"],
  ["quota_exceeded", "452 4.2.2 the recipient's mailbox"],
  ["disk_full", "452 4.3.1 the spool"],
  ["arguments_too_large", "552 5.3.4 the message"],
  ["invalid_request", "501 5.5.4 the command"],
  ["refused", "554 5.7.1 the message"],
  ["unauthorized", "535 5.7.8 not accepted"],
  ["invalid_request", "<400> InternalError.Algo.InvalidParameter: x"],
  ["unauthorized", "Failed to fetch https://x - status code 403"],
  ["unavailable", "503 Server Error: Service Unavailable for url: https://x"],
  ["unauthorized", "Client error '401 Unauthorized' for url 'https://x'"],
  ["rate_limited", "Error code: 429 - oops"],
  ["timeout", "<html><head><title>504 Gateway Time-out</title></head></html>"],
  ["invalid_request", "400 status code (no body)"],
  ["out_of_memory", "MemoryError"],
  ["limit_exceeded", "RecursionError: deep"],
  ["missing_software", "ImportError: no"],
  ["timeout", "asyncio.exceptions.TimeoutError"],
  ["timeout", "httpx.ConnectTimeout: x"],
  ["connection_lost", "http.client.RemoteDisconnected: x"],
  ["unknown_reference", "java.net.UnknownHostException: x"],
  ["invalid_request", "java.lang.NumberFormatException: x"],
  ["tool_crashed", "java.lang.NullPointerException"],
  ["lock_conflict", "psycopg2.errors.DeadlockDetected: x"],
  ["conflicting_value", "psycopg2.errors.UniqueViolation: x"],
  ["invalid_result_json", "json.decoder.JSONDecodeError: x"],
  ["rate_limited", "openai.RateLimitError: x"],
  ["unauthorized", "openai.AuthenticationError: x"],
  ["connection_lost", "openai.APIConnectionError: x"],
  ["unsupported", "NotImplementedError"]
]

/** Texts that contain the digits of a status but name no status. */
const none: ReadonlyArray<string> = [
  "Ticket 503 is broken",
  "returned 500 rows",
  "500 items exceeded",
  "The list of 404 things",
  "http://localhost:503/ is odd",
  "550 Failed to open file.",
  "530 Login incorrect.",
  "version 4.29.500",
  "port 429"
]

describe("tokens", () => {
  for (const line of codes.trim().split("\n")) {
    const [expected = "", tokens = ""] = line.split(": ")
    for (const code of tokens.split(" ")) {
      it(`3.1 classifies the code ${code} as ${expected}`, () => {
        // five digits are a SQLSTATE only in the error of a driver
        const field = /^\d{5}$/.test(code) ? { severity: "ERROR" } : {}
        assert.strictEqual(codeOf({ message: "It failed.", code, ...field }), expected)
      })
    }
  }

  for (const error of [
    Object.assign(new Error("could not serialize access"), { code: "40001" }),
    { code: "40001", message: "could not serialize access due to concurrent update" },
    { sqlState: "40001", message: "It failed." },
    "ERROR 1213 (40001): Deadlock found",
    "SQLSTATE[40001]: It failed."
  ]) {
    it(`3.1 ${JSON.stringify(error)} of a database is lock_conflict`, () =>
      assert.strictEqual(codeOf(error), "lock_conflict"))
  }

  for (const [error, expected] of [
    [{ code: "40004", msg: "Business Failed", sub_code: "ACQ.TRADE_NOT_EXIST" }, "tool_failed"],
    [{ errcode: 40_013, errmsg: "invalid appid" }, "invalid_request"],
    [{ errcode: "40001", errmsg: "invalid credential" }, "unauthorized"],
    [{ code: 40_001, message: "It failed." }, "tool_failed"],
    [{ code: "40001", message: "It failed." }, "tool_failed"]
  ] as const) {
    it(`3.1 ${JSON.stringify(error)} of an API is not a SQLSTATE`, () => assert.strictEqual(codeOf(error), expected))
  }

  for (const [expected, text] of texts) {
    it(`3.1 classifies ${JSON.stringify(text.slice(0, 60))}`, () => {
      assert.strictEqual(codeOf(text), expected)
    })
  }

  for (const text of none) {
    it(`3.1 finds no status in ${JSON.stringify(text)}`, () => {
      assert.notMatch(classify(text, { access: "read" }).rule, /^http:/)
    })
  }
})

/** Tests that each row of phrases classifies its example with the code of the row. */
import { assert, describe, it } from "@effect/vitest"
import { classify, ruleOf } from "#domain/classification/Classification"
import { chinese, chineseStem } from "#domain/classification/phrases/Chinese"
import { codes } from "#domain/failure/FailureCode"
import { container } from "#domain/classification/phrases/Container"
import { database } from "#domain/classification/phrases/Database"
import { overrides } from "#domain/classification/phrases/Override"
import { git } from "#domain/classification/phrases/Git"
import { alphabets, alphabetStem, languages } from "#domain/classification/phrases/Language"
import { limits, limitStem, firstLimits } from "#domain/classification/phrases/Limit"
import { existing, missing, unknownTools } from "#domain/classification/phrases/Existence"
import { transientFaults } from "#domain/classification/phrases/Transient"
import { generalRefusals, refusals, states } from "#domain/classification/phrases/Refusal"
import { script } from "#domain/classification/phrases/Script"
import { shell } from "#domain/classification/phrases/Shell"
import { sentences, validators } from "#domain/classification/phrases/Validation"

const lists = {
  firstLimits,
  overrides,
  git,
  container,
  shell,
  database,
  script,
  validators,
  unknownTools,
  refusals,
  chinese
}

/** Lists that are matched only if the grammar finds no sentence of the kind. */
const general = { limits, generalRefusals, transientFaults, existing, states, languages, alphabets, sentences, missing }

/** For each row of phrases, a message that the row classifies. */
const examples: Readonly<Record<string, string>> = {
  "script:engine": "RangeError: Invalid array length",
  "limit:request-over-rate": "Request too large for model x on tokens per min (TPM): Limit 6000, Requested 8000",
  "limit:rate-per-minute": "You have exceeded 60 requests per minute",
  "limit:calls": "Function call limit (5) exceeded",
  "limit:quota-per-day": "Quota exceeded for 'Requests per day'",
  "limit:rate-with-quota-word": "You are over your current quota. Please retry in 36.04s.",
  "limit:quota": "You have exhausted your monthly credits",
  "limit:quota-left": "The usage limit was reached",
  "limit:credit": "Insufficient credits",
  "limit:rate": "API rate limit exceeded",
  "limit:too-many-requests": "Too many requests",
  "limit:too-fast": "You send messages too quickly",
  "limit:context": "The context window of the model is exceeded",
  "limit:prompt": "Prompt is too long",
  "limit:tokens": "The input has 9000 tokens, which is more than the model takes",
  "limit:input-length": "Input length should be less than 1000",
  "limit:reduce-input": "Please reduce the length of the messages",
  "spawn:missing": "Error: spawn nope ENOENT",
  "spawn:limit": "Error: spawn node EAGAIN",
  "errno:socket": "connect ENOENT /run/x.sock",
  "errno:connect": "Error: connect ETIMEDOUT 10.0.0.1:443",
  "tls:connect": "Client network socket disconnected before secure TLS connection was established",
  "git:index-lock": "fatal: Unable to create '/r/.git/index.lock': File exists.",
  "tool:name": "No such function name: sum",
  "http:bare": "bad answer, status_code=502",
  "tool:output": "Tool sum has an output schema but returned no structured content",
  "fetch:encoding": "TypeError: terminated\nincorrect header check",
  "gateway:upstream": "upstream connect error or disconnect/reset before headers",
  "git:lock": "error: cannot lock ref 'refs/heads/x'",
  "git:network": "fatal: the remote end hung up unexpectedly",
  "git:host": "fatal: unable to access 'https://git.example/a/': Could not resolve host: git.example",
  "git:auth": "fatal: Authentication failed for 'https://git.example/a/'",
  "git:safe-directory": "fatal: detected dubious ownership in repository at '/srv/r'",
  "git:repository": "fatal: not a git repository (or any of the parent directories): .git",
  "git:local-changes": "error: cannot rebase: You have unstaged changes.",
  "git:conflict": "CONFLICT (modify/delete): f deleted in HEAD",
  "git:rejected": " ! [rejected] main -> main (fetch first)",
  "git:nothing-to-do": "nothing added to commit but untracked files present",
  "git:exists": "fatal: a branch named 'x' already exists",
  "git:reference": "error: pathspec 'x' did not match any file(s) known to git",
  "git:command": "git: 'comit' is not a git command. See 'git --help'.",
  "git:upstream": "fatal: The current branch x has no upstream branch.",
  "git:fatal": "fatal: options '--a' and '--b' disagree",
  "docker:daemon-rights": "permission denied while trying to connect to the Docker daemon socket",
  "docker:daemon": "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.",
  "docker:rights": "Error response from daemon: pull access denied for acme/app",
  "docker:missing": "Error response from daemon: No such container: web",
  "docker:exists": 'Error response from daemon: Conflict. The container name "/web" is already in use',
  "docker:usage": "docker: invalid reference format.",
  "docker:state": "Bind for 0.0.0.0:80 failed: port is already allocated.",
  "kube:missing": 'Error from server (NotFound): pods "web" not found',
  "kube:rights": "Error from server (Forbidden): no",
  "kube:conflict": "Error from server (Conflict): no",
  "kube:exists": 'Error from server (AlreadyExists): pods "web" already exists',
  "kube:invalid": "Error from server (BadRequest): no",
  "kube:transient": "Error from server (ServiceUnavailable): no",
  terraform: "Error: Unsupported argument",
  "browser:missing": "Looks like Playwright was just installed. Run: npx playwright install",
  "browser:closed": "Error: Execution context was destroyed, most likely because of a navigation.",
  "browser:strict": "Error: strict mode violation: locator('a') resolved to 2 elements",
  "pip:missing": "ERROR: No matching distribution found for nope",
  "npm:script": 'npm error Missing script: "x"',
  "npm:tree": "error: externally-managed-environment",
  "build:failed": "make: *** [all] Error 1",
  "build:compile": "a.ts(1,1): error TS1005: ';' expected.",
  "shell:spawn": "exec: foo: executable file not found in $PATH",
  "shell:command": "bash: line 1: jq: command not found",
  "shell:library": "x: error while loading shared libraries: libx.so.1",
  "shell:syntax": "bash: -c: line 1: syntax error near unexpected token `)'",
  "shell:usage": "ls: unrecognized option '--x'",
  "shell:value": "date: invalid date 'x'",
  "shell:missing": "make: *** No rule to make target 'x'.  Stop.",
  "shell:killed": "Killed",
  "shell:fork": "RuntimeError: can't start new thread",
  "shell:ssh-host": "ssh: Could not resolve hostname x",
  "shell:ssh": "kex_exchange_identification: Connection closed by remote host",
  "shell:ssh-auth": "sudo: a password is required",
  "shell:cut": "gzip: stdin: unexpected end of file",
  "shell:format": "gzip: x: not in gzip format",
  "shell:crash": "Segmentation fault (core dumped)",
  "sql:slots": "sorry, too many clients already",
  "sql:lock": "SqliteError: database is locked",
  "sql:statement-timeout": "canceling statement due to user request",
  "kafka:metadata": "Topic orders not present in metadata after 60000 ms.",
  "sql:not-ready": "the database system is shutting down",
  "sql:connection": "server closed the connection unexpectedly",
  "sql:host": 'could not translate host name "x" to address',
  "sql:auth": 'password authentication failed for user "x"',
  "sql:unique": "UNIQUE constraint failed: t.a",
  "sql:constraint": "NOT NULL constraint failed: t.a",
  "sql:missing": "no such table: t",
  "sql:exists": "table t already exists",
  "sql:syntax": 'near "selec": syntax error',
  "sql:value": 'invalid input syntax for type integer: "x"',
  "sql:too-big": "string or blob too big",
  "sql:read-only": "attempt to write a readonly database",
  "sql:full": "database or disk is full",
  "sql:memory": "out of shared memory",
  "sql:limit": "stack depth limit exceeded",
  "sql:file": "unable to open database file",
  "sql:extension": 'extension "x" is not available',
  "redis:type": "WRONGTYPE Operation against a key holding the wrong kind of value",
  "redis:auth": "NOAUTH Authentication required.",
  "redis:transient": "LOADING Redis is loading the dataset in memory",
  "redis:state": "MISCONF Redis is configured to save RDB snapshots",
  "redis:error": "ERR EXEC without MULTI",
  "mongo:duplicate": "E11000 duplicate key",
  "sql:socket": 'connection to server on socket "/run/s" failed: No such file or directory',
  "script:signature": "TypeError: f() takes 1 positional argument but 2 were given",
  "script:url": "ValueError: unknown url type: 'x'",
  "script:request": "TypeError: Request with GET/HEAD method cannot have body.",
  "script:redirects": "TooManyRedirects: Exceeded 30 redirects.",
  "script:certificate": "certificate verify failed: self-signed certificate",
  "script:memory": "java.lang.OutOfMemoryError: Java heap space",
  "script:depth": "RangeError: Maximum call stack size exceeded",
  "script:configured-limit": "The project has reached its limit of 3",
  "script:size": "stdout maxBuffer length exceeded",
  "script:disk": "The disk is full",
  "script:json-html": "SyntaxError: Unexpected token < in JSON at position 0",
  "script:json-cut": "SyntaxError: Unexpected end of JSON input",
  "script:json": 'SyntaxError: Unexpected token a, "a" is not valid JSON',
  "script:main": "Error: Cannot find module '/srv/x.js'\n  code: 'MODULE', requireStack: []",
  "script:module": "ModuleNotFoundError: No module named 'x'",
  "script:serialize": "TypeError: Object of type set is not JSON serializable",
  "script:crash": "TypeError: x is not a function",
  "script:go-value": "json: cannot unmarshal string into Go value of type int",
  "script:go-rows": "sql: no rows in result set",
  "script:dial": "dial tcp 10.0.0.1:443: i/o timeout",
  "script:resolve": "getaddrinfo failed",
  "script:exit": "The command exited with code 3",
  "validator:output": "Output validation error: {} is not of type 'array'",
  "validator:retry": "The city is ambiguous. Correct the input and call again.",
  "validator:json": "Extra data: line 1 column 3 (char 2)",
  "validator:pydantic": "1 validation error for Arguments\nlimit\n  Input should be a valid integer",
  "validator:json-schema": "'a' is a required property",
  "validator:ajv": "data must NOT have additional properties",
  "validator:zod": "Expected string, received number",
  "validator:effect": 'Expected string, got 1\n  at ["a"]',
  "validator:graphql": 'Cannot query field "x" on type "Query".',
  "validator:arguments": "Missing required parameter: owner",
  "missing:tool": "Unknown tool: serch",
  "refusal:software": "tesseract is not installed",
  "refusal:configuration": "The SEARCH_URL environment variable is not set",
  "refusal:key": "An API key is required",
  "refusal:credentials": "The access token has expired",
  "refusal:authentication": "You are not logged in",
  "refusal:permission": "A permission error",
  "refusal:rights": "You do not have permission to do that",
  "refusal:subscription": "You are not subscribed to this",
  "refusal:blocked": "This page was blocked by our policy",
  "refusal:variable": "SEARCH_URL is not set",
  "refusal:endpoint": "Endpoint '/v1/x' does not exist",
  "refusal:unsupported": "Streaming is not supported with this account type",
  "transient:connect-timeout": "Connection to api.example timed out",
  "transient:refused": "Unable to connect to the server",
  "transient:cut": "Response ended prematurely",
  "transient:lost": "Error: socket hang up",
  "transient:timeout": "The request timed out",
  "transient:fetch": "TypeError: fetch failed",
  "transient:busy": "The service is temporarily unavailable",
  "transient:outage": "A temporary outage of the clerk",
  "transient:lock": "The record is locked by another process",
  "transient:source": "Unable to fetch exchange rates",
  "transient:group": "errors in a TaskGroup (2 sub-exceptions)",
  "transient:again": "Something went wrong, try again later",
  existing: "A user of that name already exists",
  "state:already": "The order is already cancelled",
  "state:must-be": "The line must be suspended to resume",
  "state:cannot": "Cannot refund: it has not been delivered",
  "state:no-longer": "The offer has expired",
  "state:is-not": "The account is closed",
  "state:not-enough": "Not enough seats",
  "argument:must": "The amount must be positive",
  "argument:required": "Please provide a customer",
  "argument:invalid": "That is not a valid date",
  "argument:range": "The text is too long",
  "argument:expected": "The sums do not match",
  "argument:unsupported": "Unsupported currency: XYZ",
  "missing:reference": "Customer C-1 not found",
  "missing:model": "model: gpt-x",
  "chinese:rate": "操作过于频繁",
  "chinese:tokens": "上下文长度超限",
  "chinese:quota": "今日额度用完",
  "chinese:memory": "内存不足",
  "chinese:disk": "磁盘满",
  "chinese:session": "登录已过期",
  "chinese:transient": "系统繁忙",
  "chinese:configuration": "连接字符串有误",
  "chinese:permission": "权限被拒绝",
  "chinese:rights": "没有权限",
  "chinese:missing": "订单不存在",
  "chinese:argument": "参数错误",
  "language:rate": "Muitas requisições",
  "language:quota": "Quota dépassé",
  "language:memory": "Memoria insuficiente",
  "language:disk": "Die Festplatte ist voll",
  "language:transient": "Inténtelo más tarde",
  "language:rights": "Accès refusé",
  "language:missing": "Pedido não encontrado",
  "language:argument": "Ungültiges Datum",
  "alphabet:memory": "Недостаточно памяти",
  "alphabet:disk": "ディスク容量不足",
  "alphabet:transient": "タイムアウトしました",
  "alphabet:rights": "Доступ запрещён",
  "alphabet:missing": "ファイルが見つかりません",
  "alphabet:argument": "Неверный формат"
}

describe("phrases", () => {
  for (const [list, rows] of Object.entries(lists)) {
    for (const { name, diagnosis } of rows) {
      it(`3.1 ${list}: the row ${name} classifies its example`, () => {
        const example = examples[name]
        if (example === undefined) return assert.fail(`no example of ${name}`)
        const { code, rule } = classify({ message: example }, { access: "read" })
        assert.deepStrictEqual({ rule, code }, { rule: name, code: diagnosis.code })
      })
    }
  }

  for (const [list, rows] of Object.entries(general)) {
    for (const { name, diagnosis } of rows) {
      it(`3.1 ${list}: the row ${name} recognises its example, and the grammar finds the same class`, () => {
        const message = examples[name] ?? assert.fail(`no example of ${name}`)
        assert.strictEqual(ruleOf(message), name)
        assert.strictEqual(classify({ message }, { access: "read" }).tag, codes[diagnosis.code].tag)
      })
    }
  }

  it("3.1 every row has one example and a unique name", () => {
    const names = Object.values({ ...lists, ...general }).flatMap((rows) => rows.map(({ name }) => name))
    assert.deepStrictEqual([...new Set(names)].sort(), [...names].sort())
    assert.deepStrictEqual(Object.keys(examples).sort(), [...names].sort())
  })

  it("3.1 the stem that is tried before the rows of limits matches the example of each row", () => {
    for (const { name } of limits) assert.match((examples[name] ?? "").toLowerCase(), limitStem)
  })

  it("3.1 the stem of each alphabet matches the examples of its rows", () => {
    for (const { name } of chinese) assert.match(examples[name] ?? "", chineseStem)
    for (const { name } of alphabets) assert.match((examples[name] ?? "").toLowerCase(), alphabetStem)
  })

  it("3.1 matches no phrase inside the quoted name of a column, a field or a file", () => {
    const of = (message: string) => classify({ message }, { access: "read" }).tag
    assert.strictEqual(of("Column 'quota exceeded' is not part of the sheet"), "ToolArgError")
    assert.strictEqual(of('Unknown field "connection reset"'), "ToolArgError")
    assert.strictEqual(of("File `too many requests` does not exist"), "ToolArgError")
  })
})

/** Tests the sentences of messages: what the words of each language say, and what they do not. */
import { assert, describe, it } from "@effect/vitest"
import { classify } from "#domain/classification/Classification"
import { clausesOf } from "#domain/classification/grammar/Clause"
import { hasAny, negated, rolesOf } from "#domain/classification/grammar/Role"
import { read, sentences } from "#domain/classification/grammar/Sentence"
import { codes } from "#domain/failure/FailureCode"
import { vocabularies } from "#domain/classification/grammar/Vocabularies"

const codeOf = (message: string): string => classify({ message }, { access: "read" }).code

/** The code of each message. */
const messages: ReadonlyArray<readonly [code: string, message: string]> = [
  ["rate_limited", "You have exceeded 60 requests per minute"],
  ["quota_exceeded", "Quota exceeded for 'Requests per day'"],
  ["rate_limited", "You are over your current quota. Please retry in 36.04s."],
  ["quota_exceeded", "You have exhausted your monthly credits"],
  ["quota_exceeded", "The usage limit was reached"],
  ["quota_exceeded", "Insufficient credits"],
  ["quota_exceeded", "error code: billing.quota.exceeded"],
  ["rate_limited", "API rate limit exceeded"],
  ["rate_limited", "Too many requests"],
  ["rate_limited", "You send messages too quickly"],
  ["missing_software", "tesseract is not installed"],
  ["misconfigured", "The SEARCH_URL environment variable is not set"],
  ["unauthorized", "An API key is required"],
  ["unauthorized", "The access token has expired"],
  ["unauthorized", "You are not logged in"],
  ["unauthorized", "You do not have permission to do that"],
  ["unauthorized", "You are not subscribed to this"],
  ["refused", "This page was blocked by our policy"],
  ["unsupported", "Streaming is not supported with this account type"],
  ["timeout", "Connection to api.example timed out"],
  ["connection_failed", "Unable to connect to the server"],
  ["body_cut", "Response ended prematurely"],
  ["connection_lost", "Error: socket hang up"],
  ["timeout", "The request timed out"],
  ["connection_lost", "TypeError: fetch failed"],
  ["unavailable", "The service is temporarily unavailable"],
  ["unavailable", "A temporary outage of the clerk"],
  ["lock_conflict", "The record is locked by another process"],
  ["temporary_failure", "Unable to fetch exchange rates"],
  ["temporary_failure", "errors in a TaskGroup (2 sub-exceptions)"],
  ["conflicting_value", "A user of that name already exists"],
  ["wrong_state", "The order is already cancelled"],
  ["wrong_state", "The line must be suspended to resume"],
  ["wrong_state", "Cannot refund: it has not been delivered"],
  ["wrong_state", "The offer has expired"],
  ["wrong_state", "The account is closed"],
  ["wrong_state", "Not enough seats"],
  ["invalid_request", "The amount must be positive"],
  ["invalid_request", "Please provide a customer"],
  ["invalid_request", "That is not a valid date"],
  ["invalid_request", "The text is too long"],
  ["invalid_request", "The sums do not match"],
  ["invalid_request", "Unsupported currency: XYZ"],
  ["unknown_reference", "Customer C-1 not found"],
  ["unknown_reference", "model: gpt-x"],
  ["rate_limited", "Muitas requisições"],
  ["quota_exceeded", "Quota dépassé"],
  ["out_of_memory", "Memoria insuficiente"],
  ["disk_full", "Die Festplatte ist voll"],
  ["temporary_failure", "Inténtelo más tarde"],
  ["unauthorized", "Accès refusé"],
  ["unknown_reference", "Pedido não encontrado"],
  ["invalid_request", "Ungültiges Datum"],
  ["out_of_memory", "Недостаточно памяти"],
  ["disk_full", "ディスク容量不足"],
  ["unauthorized", "Доступ запрещён"],
  ["unknown_reference", "ファイルが見つかりません"],
  ["invalid_request", "Неверный формат"],
  ["lock_conflict", "The process cannot access the file because it is being used by another process."],
  ["invalid_request", "La quantité doit être supérieure à zéro"],
  ["invalid_request", "Das Feld Lieferdatum darf nicht leer sein"],
  ["timeout", "Превышено время ожидания ответа от сервера"],
  ["invalid_request", "Nieprawidłowy numer PESEL"],
  ["unauthorized", "접근 권한이 없습니다"],
  ["invalid_request", "Il codice fiscale inserito non è valido"],
  ["timeout", "Se agotó el tiempo de espera de la solicitud"],
  ["invalid_request", "Het veld naam is verplicht"],
  ["wrong_state", "Der Vorgang ist bereits abgeschlossen"],
  ["conflicting_value", "room_name_already_taken"],
  ["invalid_request", "BucketNameTooLong"],
  ["rate_limited", "Exceeded 2 calls per second for api client."],
  ["quota_exceeded", "monthly_sms_quota_exhausted"],
  ["disk_full", "path/insufficient_space/.."],
  ["too_many_open", "The maximum number of concurrent jobs was reached"],
  ["too_many_open", "No GPU available: all devices are allocated"],
  ["timeout", "The query exceeded the maximum execution time"],
  ["unavailable", "The system is temporarily offline for maintenance"],
  ["unauthorized", "Sitzung abgelaufen, bitte melden Sie sich erneut an"],
  ["unauthorized", "The user is not a member of this project"],
  ["conflicting_value", "This slug has already been used"],
  ["invalid_result", "Error decoding response body: expected value at line 1"],
  ["invalid_result", "Expected JSON but received HTML"],
  ["invalid_result", "Cannot return null for non-nullable field Query.n."],
  ["invalid_result", "Structured content does not match the tool's output schema"],
  ["unknown_reference", "Unknown cipher: aes-512"],
  ["unauthorized", "ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN"],
  ["unauthorized", "login_required"],
  ["disk_full", "rpc error: code = ResourceExhausted desc = mvcc: database space exceeded"],
  ["limit_exceeded", "rpc error: code = ResourceExhausted desc = slowly"],
  ["unknown_reference", "diff: нет.txt: Нет такого файла или каталога"],
  ["unknown_reference", "diff: yok.txt: Böyle bir dosya ya da dizin yok"],
  ["connection_failed", "curl: (7) x: Forbindelsen nægtet"],
  ["disk_full", "cp: a: Auf dem Gerät ist kein Speicherplatz mehr verfügbar"],
  ["unauthorized", "Yetkiniz yok"],
  ["invalid_request", "Fältet är ogiltigt"],
  ["invalid_request", "Povinné pole chybí"],
  ["temporary_failure", "Спробуйте пізніше"],
  ["conflicting_value", "Kaydı zaten var"],
  ["disk_full", "etcdserver: mvcc: database space exceeded"],
  ["lock_conflict", "Transaction was aborted. It was wounded by another one"],
  ["unauthorized", "The API token is invalid"],
  ["invalid_request", "mat1 and mat2 shapes cannot be multiplied"],
  ["conflicting_value", "The bucket you tried to delete is not empty"],
  ["tool_crashed", "Segmentation fault (core dumped)"],
  ["quota_exceeded", "Today's upload limit reached for this account: user rate limit exceeded"],
  ["timeout", "The operation did not complete within the allocated time 00:01:00"],
  ["rate_limited", "QUERY_LIMIT_EXCEEDED"],
  ["missing_software", "cmd - не является внутренней или внешней командой"],
  ["misconfigured", "SERPER_API_KEY is not set"],
  ["unauthorized", "The search is off: missing SERPER_API_KEY"],
  ["invalid_result", "Response serialization failed: input data nil or zero length"]
]

describe("sentences", () => {
  it("3.1 a value that exceeds a number or has the wrong size is an argument, and neither a limit nor transient", () => {
    for (const message of [
      "The credits field is too long",
      "Allowance is too small",
      "The budget exceeds 100 characters",
      "The tax rate exceeds 100",
      "The queries field exceeds 5 items",
      "The frequency exceeds 20 kHz"
    ]) {
      assert.strictEqual(classify({ message }, { access: "write" }).tag, "ToolArgError", message)
    }
    const transfer = classify({ message: "Insufficient balance in account A-1 for this transfer" }, { access: "write" })
    assert.strictEqual(transfer.tag, "Permanent")
  })

  for (const [code, message] of messages)
    it(`3.1 ${message} is ${code}`, () => assert.strictEqual(codeOf(message), code))

  it("3.1 a word inside another word, and the words of paths, addresses and files, have no role", () => {
    for (const message of [
      "cuotas",
      "unlocked",
      "timeoutable",
      "nonvalidated",
      "the busyness of a server",
      "see https://example.com/access-denied/timeout",
      "wrote /var/log/permission/denied/forbidden",
      "opened invalid.json"
    ])
      assert.isUndefined(
        read(message, () => true),
        message
      )
  })

  it("3.1 a word that reports a fault only if negated has no role without a negation", () => {
    const absent = rolesOf(["absent"])
    const isAbsent = (text: string): boolean => clausesOf(text).parts.some((part) => hasAny(part, absent))
    assert.deepStrictEqual(
      ["the order was found", "the order was not found", "finding the order failed: found 0"].map(isAbsent),
      [false, true, false]
    )
  })

  it("3.1 a negation before an advice or an outage cancels it", () => {
    for (const message of ["There is no outage", "Never try again"])
      assert.notMatch(classify({ message }, { access: "read" }).tag, /Transient/, message)
  })

  it("3.1 an option of a command, and a Chinese exception, have no role", () => {
    for (const message of ["ran it with --no-update and --lock", "除超时错误以外"]) assert.isUndefined(read(message))
  })

  it("3.1 on a write a sentence about a lasting fault outweighs one about a passing fault", () => {
    const message = "Connection failed. The order 7 does not exist"
    const tagOf = (access: "read" | "write", text = message) => classify({ message: text }, { access }).tag
    assert.deepStrictEqual([tagOf("read"), tagOf("write")], ["Transient", "ToolArgError"])
    assert.strictEqual(tagOf("write", "The mail server is down"), "Transient")
    const phrase = "Access denied for this path\nfatal: The remote end hung up unexpectedly"
    assert.deepStrictEqual([tagOf("read", phrase), tagOf("write", phrase)], ["Transient", "Permanent"])
    assert.strictEqual(tagOf("write", "API rate limit exceeded. The order is invalid"), "Transient")
  })

  it("3.1 on a write what exceeds a time limit, a deadlock and a server that refuses connections stay transient", () => {
    const codeOf = (message: string) => classify({ message }, { access: "write" }).code
    const codes = {
      "AxiosError: timeout of 5000ms exceeded": "timeout",
      'Get "https://api.example/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)':
        "timeout",
      "Navigation timeout of 30000 ms exceeded": "timeout",
      "Délai d'attente dépassé, veuillez réessayer plus tard": "timeout",
      "ERROR: deadlock detected\nDETAIL: Process 811 waits for ShareLock; blocked by process 812.": "lock_conflict",
      "The connection to the server 10.0.0.1:6443 was refused - did you specify the right host or port?": "unavailable"
    }
    for (const [message, code] of Object.entries(codes)) assert.strictEqual(codeOf(message), code, message)
    assert.strictEqual(codeOf("The request timed out. The maximum size of 5 MB was exceeded"), "invalid_request")
  })

  it("3.1 with a 429, an empty balance or a limit of open things is no rate limit", () => {
    const of = (message: string) => classify({ status: 429, message }, { access: "read" }).tag
    const messages = ["余额不足或无可用资源包,请充值。", "Maximum active stream limit exceeded", "Busy"]
    assert.deepStrictEqual(messages.map(of), ["Resource", "Resource", "Transient"])
  })

  it("3.1 with a 400 or a 422, what is no valid JSON is the request", () => {
    const of = (status?: number) => {
      const message = "Expected double-quoted property name in JSON at position 3"
      return classify(status === undefined ? { message } : { status, message }, { access: "read" }).code
    }
    assert.deepStrictEqual([400, 422, undefined].map(of), ["invalid_request", "invalid_request", "invalid_result_json"])
  })

  it("3.1 a missing key is an argument if the arguments name it or are not known", () => {
    const of = (args?: unknown) => classify("KeyError: 'price'", { access: "read", arguments: args }).code
    const known = [undefined, { column: "price" }, { column: "name" }]
    assert.deepStrictEqual(known.map(of), ["unknown_reference", "unknown_reference", "tool_crashed"])
  })

  it("3.1 a missing package that the arguments name is a missing thing", () => {
    const of = (file: string) => classify("Package not found at '/srv/a.pptx'", { access: "read", arguments: { file } })
    assert.deepStrictEqual([of("/srv/a.pptx").code, of("/srv/b.pptx").code], ["unknown_reference", "missing_software"])
  })

  it("3.1 a message that nothing recognises is not transient, and its hint does not say that the call fails again", () => {
    for (const access of ["read", "write"] as const) {
      const { code, rule, tag } = classify({ message: "the flux is odd" }, { access })
      assert.deepStrictEqual([tag, code, rule], ["Permanent", "tool_failed", "default"])
    }
    assert.notMatch(codes.tool_failed.hint, /will fail again/)
    assert.match(codes.tool_failed.hint, /not recognised/)
  })

  it("3.1 every rule has a unique name", () => {
    const names = sentences.map(({ name }) => name)
    assert.deepStrictEqual([...new Set(names)], names)
  })

  it("3.1 no vocabulary lists a term twice for one role, and every term is in lower case", () => {
    for (const vocabulary of vocabularies) {
      for (const [role, list] of Object.entries(vocabulary)) {
        const terms = list.split(",").map((term) => term.trim())
        assert.deepStrictEqual([...new Set(terms)], terms, role)
        assert.strictEqual(list, list.toLowerCase(), role)
        assert.isFalse(terms.includes(""), role)
      }
    }
    assert.isAbove(Object.keys(negated).length, 0)
  })
})

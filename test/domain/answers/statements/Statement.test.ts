/** Tests what the answer of a tool states about itself: a failure, a doubt about a write, or nothing. */
import { assert, describe, it } from "@effect/vitest"
import { failedPartIn, flaggedFailureIn, statementOf } from "#domain/answers/statements/Statement"

interface Given {
  readonly access?: "read" | "write"
  readonly args?: unknown
  /** The names of the fields that the contract declares. */
  readonly declares?: ReadonlyArray<string>
  readonly conforms?: boolean
  readonly isValue?: boolean
}

/** Returns `failure: …`, `doubt: …`, `partial: …` or `nothing`. */
const statement = (tool: string, received: unknown, given: Given = {}): string => {
  const { access = "write", args = {}, conforms = true, declares = [], isValue = true } = given
  const isDeclared = (path: ReadonlyArray<string>) => declares.includes(path.join("."))
  const found = statementOf(received, { tool, access, arguments: args, declares: isDeclared, conforms, isValue })
  if (found === undefined) return "nothing"
  if (found._tag === "Failure") return `failure: ${found.error.message}`
  return `${found.isPartial ? "partial" : "doubt"}: ${found.sentence}`
}

/** A field of the answer, in the sentence on it. */
const says = (field: string) => `The answer says that ${field}.`
const reads = (field: string) => `"${field}" of the answer reads as a failure.`

type Row = readonly [tool: string, received: unknown, expected: string, given?: Given]

const rows = (name: string, list: ReadonlyArray<Row>) =>
  describe(name, () => {
    for (const [tool, received, expected, given] of list)
      it(`3.3 ${tool}: ${JSON.stringify(received).slice(0, 80)}${given === undefined ? "" : ` ${JSON.stringify(given)}`}`, () =>
        assert.strictEqual(statement(tool, received, given), expected))
  })

rows("a state", [
  ["create_order", { status: "rejected" }, `doubt: ${says('"status" is "rejected"')}`],
  ["create_order", { id: "o-1", status: "rejected" }, `doubt: ${says('"status" is "rejected"')}`],
  ["create_order", { id: "o-1", state: "CREATE_FAILED" }, `doubt: ${says('"state" is "CREATE_FAILED"')}`],
  ["create_order", { phase: "notAllowed" }, `doubt: ${says('"phase" is "notAllowed"')}`],
  ["create_order", { estado: "rechazado" }, `doubt: ${says('"estado" is "rechazado"')}`],
  ["create_order", { status: "abgelehnt" }, `doubt: ${says('"status" is "abgelehnt"')}`],
  ["create_order", { 状态: "失败" }, `doubt: ${reads("状态")}`],
  ["create_order", { status: "not found" }, `doubt: ${reads("status")}`],
  ["create_order", { result: "failed" }, `failure: ${says('"result" is "failed"')}`],
  ["create_order", { status: "failed: no stock is left here" }, "failure: failed: no stock is left here"],
  ["pay_order", { trade_state: "PAYERROR" }, `doubt: ${says('"trade_state" is "PAYERROR"')}`],
  ["pay_order", { trade_state: "NOTPAY" }, `doubt: ${says('"trade_state" is "NOTPAY"')}`],
  ["pay_order", { trade_state: "NOERROR" }, "nothing"],
  ["create_order", { status: "ok" }, "nothing"],
  ["create_order", { status: "one two three four failed" }, "nothing"],
  ["create_order", { status: `${"x".repeat(35)} failed` }, "nothing"],
  ["create_order", { note: "failed" }, "nothing"],
  ["reject_po", { status: "rejected" }, "nothing"],
  ["reject_order", { status: "abgelehnt" }, "nothing"],
  ["mark_failed", { status: "failed" }, "nothing"]
])

rows("the state of an entity", [
  ["update_order", { id: "o-1", paymentStatus: "DECLINED" }, "nothing"],
  ["update_order", { id: "o-1", orderStatus: "DECLINED" }, `doubt: ${says('"orderStatus" is "DECLINED"')}`],
  ["create_order", { id: "o-1", paymentStatus: "DECLINED" }, `doubt: ${says('"paymentStatus" is "DECLINED"')}`],
  ["update_order", { status: "cancelled" }, `doubt: ${says('"status" is "cancelled"')}`],
  ["update_order", { status: "cancelled", total: 3 }, "nothing"],
  ["update_order", { id: "o-1", status: "cancelled" }, "nothing"],
  ["cancel_order", { status: "cancelled" }, "nothing"],
  [
    "create_order",
    { id: "1", properties: { provisioningState: "Failed" } },
    `doubt: ${says('"provisioningState" is "Failed"')}`
  ]
])

rows("a field that denies the action", [
  ["refund_order", { refunded: false }, `failure: ${says('"refunded" is false')}`],
  ["refund_order", { id: "o-1", refunded: false }, `failure: ${says('"refunded" is false')}`],
  ["approve_po", { approved: false }, `failure: ${says('"approved" is false')}`],
  ["send_email", { sent: 0 }, `failure: ${says('"sent" is 0')}`],
  ["send_email", { sent: "no" }, `failure: ${says('"sent" is "no"')}`],
  ["send_email", { data: { sent: false } }, `failure: ${says('"sent" is false')}`],
  ["create_project", { wasCreated: false }, `failure: ${says('"wasCreated" is false')}`],
  ["send_invoice", { invoiceSent: false }, `failure: ${says('"invoiceSent" is false')}`],
  ["verify_email", { verified: false }, `doubt: ${says('"verified" is false')}`],
  ["verify_email", { data: { verified: false } }, `doubt: ${says('"verified" is false')}`],
  ["update_rows", { affected_rows: 0 }, `doubt: ${says('"affected_rows" is 0')}`],
  ["create_order", { exito: false }, `doubt: ${says('"exito" is false')}`],
  ["create_order", { accepted: false }, `doubt: ${says('"accepted" is false')}`],
  ["create_order", { id: "1", accepted: false }, "nothing"],
  ["send_email", { sent: 0, queued: 3 }, "nothing"],
  ["send_email", { sent: 0, failed: 0 }, "nothing"],
  ["create_project", { created: false, updated: true }, "nothing"],
  ["schedule_email", { sent: false, scheduledAt: "2026-01-01" }, "nothing"],
  ["create_ticket", { archived: false }, "nothing"],
  ["send_invoice", { reminderSent: false }, "nothing"],
  ["create_table", { affectedRows: 0 }, "nothing"],
  ["delete_rows", { deleted: 0, acknowledged: true }, "nothing"],
  ["delete_rows", { deleted: 0, success: true }, "nothing"]
])

rows("numbers of items", [
  ["send_emails", { failed: 3, succeeded: 0 }, `failure: ${says('"succeeded" is 0')}`],
  ["send_emails", { failed: 2, total: 2 }, `failure: ${says('"failed" is 2')}`],
  ["import_rows", { rejected_rows: 14, loaded_rows: 0 }, `failure: ${says('"rejected_rows" is 14')}`],
  ["send_emails", { failed: 2, sent: 8 }, `partial: ${says('"failed" is 2 and "sent" is 8')}`],
  ["send_emails", { failed: 2, total: 5 }, `partial: ${says('"failed" is 2 and "total" is 5')}`],
  ["send_emails", { failed: ["a"], sent: ["b"] }, `partial: ${says('"failed" is 1 and "sent" is 1')}`],
  ["send_emails", { summary: { failed: 2, sent: 8 } }, `partial: ${says('"failed" is 2 and "sent" is 8')}`],
  ["create_order", { rejected: ["a"], accepted: ["b"] }, `partial: ${says('"rejected" is 1 and "accepted" is 1')}`],
  ["send_emails", { errors: "2", sent: "3" }, `partial: ${says('"errors" is 2 and "sent" is 3')}`],
  ["send_emails", { errors: "3", sent: "0" }, "failure: 3"],
  ["send_emails", { errors: "0", sent: "3" }, "nothing"],
  [
    "send_emails",
    { errors: [{ id: "a", message: "no such address" }], sent: ["b"] },
    `partial: ${says('"errors" is 1 and "sent" is 1')}`
  ],
  ["send_emails", { summary: { errors: "2", sent: "3" } }, `partial: ${says('"errors" is 2 and "sent" is 3')}`],
  ["send_emails", { errors: "2", sent: "3", error: "The queue is gone" }, "failure: The queue is gone"],
  [
    "run_migration",
    { steps_failed: 1, steps_succeeded: 3 },
    `partial: ${says('"steps_failed" is 1 and "steps_succeeded" is 3')}`
  ],
  [
    "run_migration",
    { stepsFailed: 1, stepsSucceeded: 3 },
    `partial: ${says('"stepsFailed" is 1 and "stepsSucceeded" is 3')}`
  ],
  ["run_tests", { steps_failed: 1, steps_succeeded: 3 }, "nothing"],
  ["run_command", { failed: 1, succeeded: 3 }, "nothing"],
  ["send_emails", { n_failed: 1, n_ok: 2 }, `partial: ${says('"n_failed" is 1 and "n_ok" is 2')}`],
  ["send_emails", { summary: { total: 5, ok: 4, ko: 1 } }, `partial: ${says('"ko" is 1 and "total" is 5')}`],
  ["send_emails", { done: 3, failed: 1 }, `partial: ${says('"failed" is 1 and "done" is 3')}`],
  [
    "send_emails",
    { fehlgeschlagen: 1, erfolgreich: 4 },
    `partial: ${says('"fehlgeschlagen" is 1 and "erfolgreich" is 4')}`
  ],
  ["send_emails", { fallidos: 1, exitosos: 4 }, `partial: ${says('"fallidos" is 1 and "exitosos" is 4')}`],
  ["send_emails", { échecs: 1, succès: 4 }, `partial: ${says('"échecs" is 1 and "succès" is 4')}`],
  ["send_emails", { fehlgeschlagen: 0, erfolgreich: 4 }, "nothing"],
  ["send_emails", { failed_login_attempts: 3, sent: 1 }, "nothing"],
  ["send_emails", { error_rate: 2, sent: 3 }, "nothing"],
  ["send_emails", { max_errors: 3, sent: 3 }, "nothing"],
  ["translate_page", { ko: 5, en: 3 }, "nothing"],
  ["send_emails", { failed: 2 }, `doubt: ${says('"failed" is 2')}`],
  ["send_emails", { failed: 2, sent: 8 }, "nothing", { declares: ["failed"] }],
  ["send_emails", { failed: 0, sent: 8 }, "nothing"],
  ["send_emails", { failed: 2, other: "x" }, "nothing"],
  ["send_emails", { failed: 2, warnings: [] }, "nothing"],
  ["send_emails", { failed: -1, sent: 1 }, "nothing"],
  ["send_emails", { failed: 1.5 }, "nothing"],
  ["create_order", { failed_attempts: 2 }, "nothing"],
  ["run_tests", { passed: 10, failed: 2 }, "nothing"]
])

rows("a flag or an error", [
  ["create_order", { success: false }, `failure: ${says('"success" is false')}`],
  ["create_order", { success: false, message: "no stock" }, "failure: no stock"],
  ["create_order", { error: "no stock" }, "failure: no stock"],
  ["create_order", { id: "o-1", error: "no stock" }, "failure: no stock"],
  ["send_emails", { errors: ["a"] }, "failure: a"],
  ["create_order", { success: false }, `doubt: ${says('"success" is false')}`, { declares: ["success"] }],
  [
    "create_order",
    { success: false },
    `failure: ${says('"success" is false')}`,
    { declares: ["success"], isValue: false }
  ],
  ["create_order", { error: "no stock" }, `doubt: ${says('"error" is "no stock"')}`, { declares: ["error"] }],
  ["create_order", { ok: true, error: null }, "nothing"]
])

rows("a message", [
  ["pay_invoice", { success: true, message: "Payment failed" }, `doubt: ${reads("message")}`],
  ["refund_order", { message: "Refund failed: card may be expired" }, "failure: Refund failed: card may be expired"],
  ["refund_order", "Refund failed: card may be expired", "failure: Refund failed: card may be expired"],
  ["refund_order", { message: "Refund failed: card may be expired", id: "r1" }, `doubt: ${reads("message")}`],
  ["create_order", { failureReason: "no stock" }, `doubt: ${reads("failureReason")}`],
  ["create_order", { TYPE: "E", MESSAGE: "x" }, `doubt: ${says('"TYPE" is "E"')}`],
  ["create_order", { TYPE: "S", MESSAGE: "x" }, "nothing"],
  ["create_order", { failureReason: "none" }, "nothing"],
  ["create_order", { errorCode: "0000" }, "nothing"]
])

const failing = "doubt: The answer reads as a failure."

rows("a text", [
  ["cancel_order", "The order was not cancelled because it shipped", failing],
  ["cancel_order", "Nothing was changed", failing],
  ["cancel_order", "No order was cancelled", failing],
  ["cancel_order", "Status: failed", failing],
  ["cancel_order", '{"status":"failed"}', `doubt: ${says('"status" is "failed"')}`],
  ["cancel_order", '{"cancelled":false}', `doubt: ${says('"cancelled" is false')}`],
  ["cancel_order", '{"failed":2,"cancelled":3}', `partial: ${says('"failed" is 2 and "cancelled" is 3')}`],
  ["cancel_order", "The payment was not refunded", "nothing"],
  ["cancel_order", "The order can not be cancelled again", "nothing"],
  ["cancel_order", "Order cancelled.", "nothing"],
  ["cancel_order", "Status: ok", "nothing"],
  ["cancel_order", "[1]", "nothing"],
  ["cancel_order", "{bad", "nothing"],
  ["cancel_order", "failed\nsecond", "nothing"],
  ["cancel_order", `${"x".repeat(251)} failed`, "nothing"],
  ["report_error", "Error reported", "nothing"],
  ["create_issue", "Issue created: Upload failed", "nothing"]
])

const text = (words: string) => ({ content: [{ type: "text", text: words }] })
const filler = (length: number): object => Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, null]))

rows("the result of an MCP tool", [
  ["create_order", { ...text("The card was declined"), isError: true }, "failure: The card was declined"],
  [
    "create_order",
    { ...text("ok"), structuredContent: { status: "rejected", n: 1 } },
    `doubt: ${says('"status" is "rejected"')}`
  ],
  [
    "create_order",
    { ...text("ok"), structuredContent: { status: "rejected", n: 1 } },
    "nothing",
    { declares: ["structuredContent.status"] }
  ],
  ["create_order", text("Upload failed"), "doubt: The answer reads as a failure."]
])

rows("an incomplete result", [
  ["create_order", { status: "partial", data: [1], error: { message: "no stock" } }, "nothing"],
  ["create_order", { status: "partial", data: [1], error: "no stock" }, "failure: no stock", { declares: ["status"] }],
  ["create_order", { status: "partial", data: [1], error: "no stock" }, "nothing", { conforms: false }],
  ["get_order", { status: "partial", data: [1], error: "no stock" }, "nothing", { access: "read" }]
])

rows("the failure of an entity", [
  ["create_job", { id: "j-1", status: "failed", total: 5 }, `doubt: ${says('"status" is "failed"')}`],
  ["send_emails", { id: "b-1", failed: 3, total: 3 }, `doubt: ${says('"failed" is 3')}`],
  ["send_emails", { id: "", failed: 3, total: 3 }, `failure: ${says('"failed" is 3')}`],
  ["send_emails", { updated: "today", failed: 3, total: 3 }, `failure: ${says('"failed" is 3')}`],
  ["create_order", { success: false, rows: [{ n: 1 }] }, `failure: ${says('"success" is false')}`],
  [
    "create_order",
    { success: false, rows: [{ n: 1 }] },
    `doubt: ${says('"success" is false')}`,
    { declares: ["success"], isValue: false }
  ]
])

rows("failed items beside an error", [
  ["send_emails", { errors: ["no such address"], sent: 1 }, `partial: ${says('"errors" is 1 and "sent" is 1')}`],
  ["send_emails", { summary: { failed: 2, sent: 8 }, error: "The queue is gone" }, "failure: The queue is gone"],
  [
    "send_emails",
    { summary: { errors: "2", sent: "8" }, name: "a" },
    `partial: ${says('"errors" is 2 and "sent" is 8')}`
  ]
])

const head = "Refund failed: card expired"

rows("the only text of an answer", [
  ["refund_order", null, "nothing"],
  ["refund_order", [head], "nothing"],
  ["refund_order", { message: head, request_id: "r-1", next: null }, `failure: ${head}`],
  ["refund_order", { data: head }, `failure: ${head}`],
  ["refund_order", { ok: true, message: head }, `doubt: ${reads("message")}`],
  ["refund_order", { comment: head }, `doubt: ${reads("comment")}`],
  ["refund_order", { message: head, total: 3 }, `doubt: ${reads("message")}`]
])

rows("an answer that breaks its contract", [
  ["create_order", { status: "denied", n: 1 }, `failure: ${says('"status" is "denied"')}`, { conforms: false }],
  ["create_order", { ok: false, rows: [1] }, `failure: ${says('"ok" is false')}`, { conforms: false }],
  ["refund_order", { refunded: false, n: 1 }, `failure: ${says('"refunded" is false')}`, { conforms: false }],
  ["create_order", { state: "rejected", n: 1 }, `failure: ${says('"state" is "rejected"')}`, { conforms: false }],
  ["send_emails", { failed: 2, sent: 8 }, "nothing", { conforms: false }],
  ["create_order", { n: 1 }, "nothing", { conforms: false }],
  ["create_order", { retcode: 7, n: 1 }, `failure: ${says('"retcode" is 7')}`, { conforms: false }],
  ["create_order", { retcode: 7, n: 1 }, "nothing"],
  ["get_order", { state: "rejected", n: 1 }, "nothing", { conforms: false, access: "read" }],
  ["get_order", { error: "no such order" }, "failure: no such order", { conforms: false, access: "read" }]
])

const refused = { success: false, message: "no such order" }

rows("a read", [
  ["get_order", refused, "failure: no such order", { access: "read" }],
  ["get_order", { ...refused, ...filler(14) }, "failure: no such order", { access: "read" }],
  ["get_order", { ...refused, ...filler(15) }, "nothing", { access: "read" }],
  ["get_order", { ...refused, total: 0 }, "nothing", { access: "read", declares: ["total"] }],
  ["get_order", { ...refused, total: null }, "failure: no such order", { access: "read", declares: ["total"] }],
  ["get_order", { data: refused }, "failure: no such order", { access: "read" }],
  ["get_order", { data: refused }, "nothing", { access: "read", declares: ["data.success"] }],
  ["get_order", 5, "nothing", { access: "read" }],
  ["get_order", null, "nothing", { access: "read" }],
  ["get_order", [{ error: "no such order" }], "nothing", { access: "read", declares: ["error"] }],
  ["get_order", "503 Service Unavailable", "failure: 503 Service Unavailable", { access: "read" }],
  ["get_order", "no such order", "nothing", { access: "read" }]
])

const listed = { errorCode: "REQUIRED_FIELD_MISSING", message: "name is missing" }

rows("a list of errors", [
  ["get_orders", [listed], "failure: name is missing", { access: "read" }],
  ["get_orders", [listed], "nothing", { access: "read", declares: ["message"] }],
  ["get_orders", [listed, { ...listed, fields: [1] }], "nothing", { access: "read", declares: ["fields"] }],
  ["create_orders", [listed], "failure: name is missing"],
  ["create_orders", [listed], "failure: name is missing", { declares: ["message"] }],
  ["create_orders", [listed], "nothing", { declares: ["errorCode", "message"] }],
  [
    "create_orders",
    [listed, { ...listed, fields: [1] }],
    "failure: name is missing",
    { declares: ["errorCode", "message"] }
  ]
])

rows("a write with a contract", [
  ["create_order", [{ status: "rejected" }], "nothing", { declares: ["status"] }],
  ["create_order", [{ status: "rejected", n: 1 }], `doubt: ${says('"status" is "rejected"')}`, { declares: ["n"] }],
  ["create_order", { status: "rejected" }, "nothing", { declares: ["status"] }]
])

rows("a field that repeats an argument", [
  ["create_order", { success: false }, `failure: ${says('"success" is false')}`, { args: { draft: false } }],
  ["create_order", { dryRun: true }, `doubt: ${says('"dryRun" is true')}`, { args: { dryRun: false } }],
  ["create_order", { state: "rejected", n: 1 }, `doubt: ${says('"state" is "rejected"')}`, { args: { q: "rejected" } }],
  ["create_order", { status: "rejected", n: 1 }, "nothing", { args: { q: "rejected" } }],
  ["create_order", { ok: true, warning: "Nothing was changed" }, "nothing", { args: { q: "Nothing was changed" } }],
  ["publish_page", { slug: "a", published: false }, "nothing", { args: { published: false } }],
  ["publish_page", { published: false }, `failure: ${says('"published" is false')}`, { args: { published: true } }],
  ["publish_page", { published: "no" }, `failure: ${says('"published" is "no"')}`, { args: { published: false } }],
  ["create_project", { created: false, updated: true }, "nothing", { args: { updated: true } }]
])

rows("JSON in a text", [
  ["create_order", '{"success":false,"rows":[1]}', `doubt: ${says('"success" is false')}`],
  ["refund_order", `{"refunded":false,"note":"${"x".repeat(65_536 - 28)}"}`, `doubt: ${says('"refunded" is false')}`],
  ["refund_order", `{"refunded":false,"note":"${"x".repeat(65_537 - 28)}"}`, "nothing"],
  ["refund_order", ' \n{"refunded":false}', `doubt: ${says('"refunded" is false')}`],
  ["refund_order", '"The refund {1} failed"', failing]
])

describe("the same text of several calls", () => {
  it("3.3 is read by the tool and the arguments of each call", () => {
    const refunded = '{"refunded":false,"n":1}'
    const published = '{"published":false,"n":1}'
    assert.deepStrictEqual(
      [
        statement("cancel_order", refunded),
        statement("refund_order", refunded),
        statement("refund_order", refunded),
        statement("cancel_order", refunded),
        statement("publish_page", published, { args: { published: false } }),
        statement("publish_page", published),
        statement("publish_page", published, { args: { published: false } }),
        statement("create_order", '{"dryRun":true,"n":1}'),
        statement("create_order", '{"dryRun":true,"n":1}', { args: { dryRun: true } })
      ],
      [
        "nothing",
        `doubt: ${says('"refunded" is false')}`,
        `doubt: ${says('"refunded" is false')}`,
        "nothing",
        "nothing",
        `doubt: ${says('"published" is false')}`,
        "nothing",
        `doubt: ${says('"dryRun" is true')}`,
        "nothing"
      ]
    )
  })
})

rows("a remark", [
  ["update_order", { ok: true, warning: "Nothing was changed" }, `doubt: ${reads("warning")}`],
  ["update_order", { ok: true, warnings: [{ message: "The order was not updated" }] }, `doubt: ${reads("warnings")}`],
  ["update_order", { id: "1", note: "The order was not updated" }, `doubt: ${reads("note")}`],
  ["update_order", { ok: true, warning: "Deprecated API version" }, "nothing"],
  ["update_order", { status: "updated", note: "The order cannot be updated" }, "nothing"],
  ["add_comment", { ok: true, comment: "Nothing was changed" }, "nothing"],
  ["create_order", { id: "1", note: "Nothing was created" }, "nothing"]
])

rows("a field named after a failure", [
  ["create_order", { validationErrors: ["a"] }, `doubt: ${reads("validationErrors")}`],
  ["create_order", { fehler: "Konto gesperrt" }, `doubt: ${reads("fehler")}`],
  ["create_order", { timedOut: true }, `doubt: ${says('"timedOut" is true')}`],
  ["create_order", { dryRun: true }, `doubt: ${says('"dryRun" is true')}`],
  ["create_order", { id: "1", dryRun: true }, `doubt: ${says('"dryRun" is true')}`],
  ["create_order", { rejected: ["a"] }, `doubt: ${reads("rejected")}`],
  ["create_order", { validationErrors: [] }, "nothing"],
  ["create_order", { fehler: 0 }, "nothing"],
  ["create_order", { id: "1", timedOut: true }, "nothing"],
  ["create_order", { dryRun: true }, "nothing", { args: { dryRun: true } }],
  ["abort_upload", { aborted: true }, "nothing"],
  ["rollback_deploy", { rolledBack: true }, "nothing"],
  ["validate_order", { validationErrors: ["a"] }, "nothing"]
])

rows("a part of an answer", [
  ["create_order", { order: { id: 1 }, meta: { success: false } }, `doubt: ${reads("meta")}`],
  ["create_order", [{ status: "failed" }, { status: "failed" }], `doubt: ${says('"status" is "failed"')}`],
  ["create_order", { results: [{ status: "failed" }] }, `doubt: ${says('"status" is "failed"')}`],
  ["create_order", { results: [{ status: "failed" }] }, "nothing", { declares: ["results"] }],
  ["create_order", [{ status: "failed" }, { status: "ok" }], "nothing"],
  ["create_order", [{ id: 1, status: "failed" }], "nothing"],
  ["create_order", { a: [], b: [], c: [], d: [], e: [{ status: "failed" }] }, "nothing"]
])

rows("a text that repeats an argument", [
  ["add_note", { ok: true, message: "Payment failed" }, `doubt: ${reads("message")}`],
  ["add_note", { ok: true, message: "Payment failed" }, "nothing", { args: { text: "Payment failed" } }],
  ["set_flag", { enabled: false, created: false }, "nothing", { args: { created: false } }]
])

rows("a read", [
  ["get_order", { error: "not found" }, "failure: not found", { access: "read" }],
  ["get_order", { success: false, message: "x" }, "failure: x", { access: "read" }],
  ["get_order", { error: "x" }, "failure: x", { access: "read", conforms: false }],
  ["get_order", "503 Service Unavailable", "failure: 503 Service Unavailable", { access: "read" }],
  ["get_order", { error: "not found", id: 1 }, "nothing", { access: "read", declares: ["id"] }],
  ["get_order", { success: false, message: "x" }, "nothing", { access: "read", declares: ["success"] }],
  ["get_order", { sent: false }, "nothing", { access: "read", conforms: false }],
  ["get_order", "hello", "nothing", { access: "read" }],
  ["get_order", null, "nothing", { access: "read" }]
])

rows("an answer that breaks its contract", [
  ["send_email", { sent: false }, `failure: ${says('"sent" is false')}`, { conforms: false }],
  ["send_email", { status: "rejected", x: 1 }, `failure: ${says('"status" is "rejected"')}`, { conforms: false }],
  ["send_email", { failed: 2, sent: 1 }, "nothing", { conforms: false }],
  ["send_email", { status: "partial", data: { sent: 1 } }, "nothing", { conforms: false }],
  ["send_email", { x: 1 }, "nothing", { conforms: false }]
])

describe("an answer of another server", () => {
  const none = { arguments: {}, declares: () => false }

  it("3.3 fails by a flag or by a text that begins with the failure", () => {
    const flagged = (received: unknown, tool: string, isDeclared = false) =>
      flaggedFailureIn(received, { tool, arguments: {}, declares: () => isDeclared })?.message
    const text = { content: [{ type: "text", text: '{"success":false}' }] }
    assert.strictEqual(flagged(text, "create_order"), says('"success" is false'))
    assert.strictEqual(flagged("Refund failed: card", "refund_order"), "Refund failed: card")
    assert.strictEqual(flagged({ refunded: false }, "refund_order"), says('"refunded" is false'))
    assert.isUndefined(flagged('{"refunded":false,"n":1}', "cancel_order"))
    assert.strictEqual(flagged('{"refunded":false,"n":1}', "refund_order"), says('"refunded" is false'))
    assert.isUndefined(flagged(text, "create_order", true))
    assert.isUndefined(flagged("Refund done", "refund_order"))
    assert.isUndefined(flagged({ id: 1 }, "create_order"))
  })

  it("3.3 names the items that failed if others were done", () => {
    const part = (text: string) => failedPartIn(text, { tool: "send_emails", ...none })
    assert.strictEqual(part('{"failed":2,"sent":3}'), says('"failed" is 2 and "sent" is 3'))
    for (const text of ['{"failed":2}', '{"failed":2,"sent":0}', "text"]) assert.isUndefined(part(text), text)
  })
})

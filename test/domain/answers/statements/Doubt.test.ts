/** Tests which fields and texts in the answer of a write raise a doubt, and which are data. */
import { assert, describe, it } from "@effect/vitest"
import { doubtIn, doubtOfText } from "#domain/answers/statements/Doubt"
import { isFailedState } from "#domain/answers/statements/StatedState"

const says = (field: string) => `The answer says that ${field}.`
const reads = (field: string) => `"${field}" of the answer reads as a failure.`

const doubt = (tool: string, answer: unknown, declared: ReadonlyArray<string> = [], path: ReadonlyArray<string> = []) =>
  doubtIn(answer, { tool, declares: (at) => declared.includes(at.join(".")) }, path) ?? "none"

type Row = readonly [tool: string, answer: unknown, expected: string, declared?: ReadonlyArray<string>]

const table = (name: string, rows: ReadonlyArray<Row>) =>
  describe(name, () => {
    for (const [tool, answer, expected, declared = []] of rows)
      it(`3.3 ${tool}: ${JSON.stringify(answer).slice(-90)}${declared.length === 0 ? "" : `, declared: ${declared.join()}`}`, () =>
        assert.strictEqual(doubt(tool, answer, declared), expected))
  })

const status = { status: "failed" }
const isFailed = says('"status" is "failed"')
const list = (length: number): object => ({ total: length, results: Array.from({ length }, () => status) })
const data = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`k${index}`, index]))

table("a value that is no answer", [
  ["create_order", null, "none"],
  ["create_order", 5, "none"],
  ["create_order", new Uint8Array([1]), "none"]
])

table("a declared field", [
  ["create_order", { status: "rejected", n: 1 }, says('"status" is "rejected"')],
  ["create_order", { status: "rejected", n: 1 }, "none", ["status"]],
  ["create_order", { data: { status: "rejected", n: 1 } }, says('"status" is "rejected"')],
  ["create_order", { data: { status: "rejected", n: 1 } }, "none", ["data.status"]],
  ["verify_email", { verified: false }, says('"verified" is false')],
  ["verify_email", { verified: false }, "none", ["verified"]],
  ["verify_email", { data: { verified: false } }, "none", ["data.verified"]],
  ["create_order", { order: { id: 1 }, meta: { success: false } }, "none", ["meta.success"]],
  ["create_order", { id: "1", properties: { provisioningState: "Failed" } }, "none", ["properties.provisioningState"]],
  ["create_order", { total: 1, results: [status] }, "none", ["results"]],
  ["create_order", { total: 1, results: [status] }, "none", ["results.status"]]
])

table("the properties of an entity", [
  ["create_order", { id: "1", attributes: { a: 1 }, properties: { state: "Failed" } }, says('"state" is "Failed"')],
  [
    "create_order",
    { id: "1", properties: { state: 5, provisioningState: "Failed" } },
    says('"provisioningState" is "Failed"')
  ],
  ["update_order", { id: "1", properties: { paymentStatus: "DECLINED" } }, "none"],
  ["create_order", { id: "1", properties: { state: "cancelled" } }, "none"],
  ["create_order", { id: "1", other: { state: "Failed" } }, "none"]
])

table("an answer that contains only statements about itself", [
  ["update_order", { status: "cancelled", message: "ok" }, says('"status" is "cancelled"')],
  ["update_order", { status: "cancelled", state: "ok" }, says('"status" is "cancelled"')],
  ["update_order", { status: "cancelled", request_id: "r-1", items: [] }, says('"status" is "cancelled"')],
  ["update_order", { status: "cancelled", total: 3 }, "none"]
])

table("a list", [
  ["create_order", list(1), isFailed],
  ["create_order", list(50), isFailed],
  ["create_order", list(51), "none"],
  ["create_order", { total: 2, results: [status, { status: "ok" }] }, "none"],
  ["create_order", { total: 2, done: [{ status: "ok" }], results: [status] }, isFailed],
  ["create_order", { n: 1, a: [1], b: [1], c: [1], results: [status] }, isFailed],
  ["create_order", { n: 1, a: [1], b: [1], c: [1], d: [1], results: [status] }, "none"],
  ["create_order", { n: 1, a: [{ n: 1, b: [status] }] }, isFailed],
  ["create_order", { n: 1, a: [{ n: 1, b: [1], c: [status] }] }, "none"],
  ["create_order", { n: 1, a: [{ n: 1, b: [{ n: 1, c: [status] }] }] }, "none"],
  [
    "create_order",
    {
      total: 2,
      items: [
        { id: 1, ...status },
        { id: 2, ...status }
      ]
    },
    "none"
  ],
  ["create_order", { total: 1, items: [{ id: 1, status: "failed", orderStatus: "DECLINED" }] }, "none"]
])

table("many fields", [
  ["pay_order", { ...data, trade_state: "PAYERROR" }, says('"trade_state" is "PAYERROR"')],
  ["pay_order", { ...data, warning: "The order was not paid" }, reads("warning")],
  ["pay_order", { ok: true, ...data, 消息: "支付失败" }, reads("消息")],
  ["pay_order", { ok: true, ...data, message: "The upload failed" }, reads("message")],
  ["pay_order", { ok: true, ...data, message: "The upload failed", payment_id: "p-1" }, "none"],
  ["pay_order", { ok: true, ...data, declineReason: "No funds" }, reads("declineReason")],
  ["pay_order", { ok: true, ...data, failure_code: "card_declined" }, says('"failure_code" is "card_declined"')],
  ["create_order", { ...data, validationErrors: ["The date is over"] }, reads("validationErrors")],
  ["create_order", { ...data, fehler: "Konto gesperrt" }, reads("fehler")],
  ["create_order", { ...data, dryRun: true }, says('"dryRun" is true')],
  ["create_order", { ...data, approved: false }, says('"approved" is false')],
  ["create_order", { ...data, éxito: false }, says('"éxito" is false')],
  ["create_order", { ...data, responseMeta: { success: false } }, reads("responseMeta")]
])

table("a message", [
  ["pay_invoice", { message: "Payment failed" }, reads("message")],
  ["pay_invoice", { success: true, rows: [{ n: 1 }], message: "Upload failed" }, reads("message")],
  ["pay_invoice", { rows: [{ n: 1 }], message: "Upload failed" }, "none"],
  ["pay_invoice", { ok: true, message: "Upload failed with 2 errors" }, "none"],
  ["pay_invoice", { id: "1", message: "Upload failed" }, "none"],
  ["pay_invoice", { ok: true, message: 5 }, "none"],
  ["pay_invoice", { data: { ok: true, message: "The invoice is not available" } }, reads("message")],
  ["pay_invoice", { order: { n: 1, ok: true, message: "The invoice is not available" } }, "none"],
  ["send_error_mail", { ok: true, message: "Error mail is on its way" }, "none"],
  ["update_orders", { ok: true, message: "No orders to update" }, "none"],
  ["create_order", { ok: true, message: "Order created; it may fail if the card expires" }, "none"],
  ["create_order", { ok: true, message: "The payment failed when the bank asked" }, reads("message")],
  ["create_order", { ok: true, message: "Order created. Payment failed" }, reads("message")],
  ["create_order", { ok: true, message: "Success, not before noon" }, "none"],
  ["buy_item", { ok: true, message: "Booked; it cannot be changed after noon" }, "none"],
  ["buy_item", { ok: true, message: "Hello; it is not available" }, reads("message")],
  ["reject_order", { ok: true, message: "已驳回" }, "none"],
  ["create_order", { ok: true, message: "已驳回" }, reads("message")],
  ["create_issue", { ok: true, message: "Issue created: Upload failed" }, "none"],
  ["create_order", { ok: true, message: "Order created: Payment failed" }, reads("message")],
  ["create_issue", { ok: true, message: "Note: payment failed" }, reads("message")]
])

table("a remark", [
  ["update_order", { ok: true, note: null, warning: "Nothing was changed" }, reads("warning")],
  ["update_order", { ok: true, warning: { message: 5 } }, "none"],
  ["update_order", { ok: true, warning: { text: "Nothing was changed" } }, reads("warning")],
  ["update_order", { ok: true, warnings: [5] }, "none"],
  ["update_order", { status: "ok", note: "The order cannot be updated" }, reads("note")],
  ["update_order", { status: 5, note: "The order cannot be updated" }, reads("note")],
  ["update_order", { name: "updated", note: "The order cannot be updated" }, reads("note")],
  ["update_order", { status: "updated", note: "The order cannot be updated" }, "none"],
  ["update_order", { updatedRows: 3, note: "The order cannot be updated" }, "none"],
  ["update_order", { ok: true, title: "Nothing was changed" }, "none"],
  ["add_comment", { ok: true, commentText: "Nothing was changed" }, "none"],
  ["update_order", { ok: true, notes: [...Array(19).fill("x"), "Nothing was changed"] }, reads("notes")],
  ["update_order", { ok: true, notes: [...Array(20).fill("x"), "Nothing was changed"] }, "none"]
])

table("a field that denies an action", [
  ["create_order", { result: false }, says('"result" is false')],
  ["create_order", { id: "1", result: false }, "none"],
  ["purge_user", { id: "1", deleted: false }, says('"deleted" is false')],
  ["archive_user", { id: "1", deleted: false }, "none"],
  ["archive_user", { deleted: false }, says('"deleted" is false')],
  ["create_order", { sucesso: false, deleted: true }, says('"sucesso" is false')],
  ["reject_order", { id: "1", result: false }, "none"],
  ["create_order", { locked: false }, "none"]
])

table("the type of a message", [
  ["create_order", { RETURN: { TYPE: "E", MESSAGE: "x" } }, reads("RETURN")],
  ["create_order", { TYPE: "E", MESSAGE: "x" }, says('"TYPE" is "E"')],
  ["create_order", { severity: "error", text: "x" }, says('"severity" is "error"')],
  ["create_order", { TYPE: "E" }, "none"],
  ["create_order", { TYPE: "SE", MESSAGE: "x" }, "none"],
  ["create_order", { TYPE: "ES", MESSAGE: "x" }, "none"],
  ["create_order", { subtype: "E", message: "x" }, "none"],
  ["create_order", { typeName: "E", message: "x" }, "none"],
  ["create_order", { type: "E", subtext: "x" }, "none"],
  ["create_order", { type: "E", texts: "x" }, "none"]
])

table("entries that were refused", [
  ["send_emails", { bounced: ["a"], others: [] }, reads("bounced")],
  ["send_emails", { bounced: ["a"], others: 5 }, reads("bounced")],
  ["send_emails", { bounced: ["a"], others: ["b"] }, "none"],
  ["send_emails", { bounced: [] }, "none"]
])

table("a flag", [
  ["create_order", { dryRun: true }, says('"dryRun" is true')],
  ["cancel_upload", { aborted: true }, "none"],
  ["ignore_alert", { ignored: true }, "none"],
  ["rollback_deploy", { rolledBack: true }, "none"]
])

describe("an answer below four fields", () => {
  it("3.3 raises a doubt, and one below five raises none", () => {
    assert.strictEqual(doubt("create_order", status, [], ["a", "b", "c", "d"]), isFailed)
    assert.strictEqual(doubt("create_order", status, [], ["a", "b", "c", "d", "e"]), "none")
  })
})

describe("a text", () => {
  const padded = `Upload failed ${"x".repeat(236)}`
  for (const [tool, text, isDoubtful] of [
    ["create_order", "Upload failed", true],
    ["create_order", padded, true],
    ["create_order", `${padded}x`, false],
    ["create_order", "Status: failed\n", true],
    ["create_order", "Status = failed!", true],
    ["create_order", "The order is new; payment failed", false],
    ["cancel_order", "Done. The order can not be cancelled", false],
    ["cancel_order", "Order cancelled; a cancellation is impossible now", false],
    ["cancel_order", "Your order is sealed: it cannot be cancelled", true],
    ["cancel_order", "We could not cancel flights", true],
    ["update_order", "Status: cancelled", true],
    ["update_order", "paymentStatus: declined", true],
    ["update_order", "Title: cancelled", false]
  ] as const)
    it(`3.3 "${text.slice(0, 60)}" of ${tool} ${isDoubtful ? "raises a" : "raises no"} doubt`, () =>
      assert.strictEqual(doubtOfText(text, tool), isDoubtful ? "The answer reads as a failure." : undefined))
})

describe("a state", () => {
  const entity = { isEntity: true, isBare: false }
  const bare = { isEntity: false, isBare: true }
  for (const [tool, name, state, holder, isFailed] of [
    ["create_order", "status", "pedido rechazado", bare, true],
    ["create_order", "status", "order of today failed!", bare, true],
    ["create_order", "status", "it is payerror", bare, true],
    ["create_order", "status", `failed ${"x".repeat(33)}`, bare, true],
    ["create_order", "status", `failed ${"x".repeat(34)}`, bare, false],
    ["create_order", "status", "order of this day failed", bare, false],
    ["create_order", "status", "notunsupported", bare, false],
    ["create_order", "status", "notfoundation", bare, false],
    ["create_order", "status", "notfound", bare, true],
    ["create_order", "status", "42", bare, false],
    ["create_order", "status", "expired", bare, true],
    ["create_order", "status", "expired", entity, false],
    ["update_order", "status", "failed", entity, true],
    ["update_order", "newOrderStatus", "failed", entity, true],
    ["update_order", "paymentState", "failed", entity, false],
    ["update_order", "note", "failed", entity, false],
    ["reject_order", "status", "отклонён", bare, false]
  ] as const)
    it(`3.3 ${tool}: ${name} "${state}" of ${holder === entity ? "an entity" : "a bare answer"}: ${isFailed}`, () =>
      assert.strictEqual(isFailedState(name, state, holder, tool), isFailed))
})

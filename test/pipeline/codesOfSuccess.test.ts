/** Tests codes and messages that mean success for one tool and failure for another. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Recognisers from "#src/checks/Recognisers"
import * as GuardedTool from "#src/tool/GuardedTool"
import { ask, response, settled, tool, type Tool, within } from "./support.ts"

/** Creates a dynamic write that returns this answer. */
const dynamic = (name: string, answer: unknown): Tool =>
  // the types of a dynamic tool are known only at run time
  GuardedTool.dynamic(name, {
    access: "write",
    description: "Changes one record. Writes.",
    handler: () => Effect.succeed(answer)
  }) as unknown as Tool

type Rows = ReadonlyArray<readonly [tool: string, answer: object]>

/** Answers that report the state that the tool was called to reach. */
const successes: Rows = [
  ["lock_account", { code: "LOCKED", message: "Account locked" }],
  ["lock_account", { code: "LOCKED", message: "The account is locked" }],
  ["lockAccount", { code: "ACCOUNT_LOCKED", message: "账户已锁定" }],
  ["freeze_account", { code: "ACCOUNT_LOCKED", message: "Account 7 frozen" }],
  ["block_card", { code: "CARD_BLOCKED", message: "Card 1234 blocked" }],
  ["block_card", { code: "CARD_BLOCKED", message: "The card is blocked from now on" }],
  ["disable_user", { code: "USER_DISABLED", message: "User disabled" }],
  ["deactivate_user", { code: "USER_DISABLED", message: "User u-1 is disabled" }],
  ["reject_po", { code: "PO_REJECTED", message: "Purchase order 7 was rejected" }],
  ["reject_po", { code: "PO_REJECTED", message: "采购订单已驳回" }],
  ["decline_invite", { code: "INVITE_DECLINED", message: "Invite declined" }],
  ["revoke_token", { code: "TOKEN_REVOKED", message: "Token revoked" }],
  ["expire_coupon", { code: "COUPON_EXPIRED", message: "The coupon is expired" }],
  ["cancel_job", { code: "JOB_ABORTED", message: "Job 7 aborted" }],
  ["clone_board", { code: "BOARD_DUPLICATED", message: "Board duplicated" }],
  ["mark_reading", { code: "MARKED_INVALID", message: "Reading 7" }],
  ["report_failure", { code: "FAILURE_REPORTED", message: "Thank you" }],
  ["charge_no_show_fee", { code: "NO_SHOW_FEE", message: "20 EUR" }],
  ["charge_fee", { code: "NO_SHOW_FEE", message: "No-show fee charged" }],
  ["place_order", { status: "ok", code: "DUPLICATE_ORDER_CREATED" }],
  ["place_order", { status: "ok", code: "DUPLICATE_ORDER_CREATED", message: "Duplicate order o-2" }],
  ["place_order", { code: "DUPLICATE_ORDER_CREATED", message: "Order o-2" }],
  ["set_state", { success: true, code: "LOCKED", message: "State of account 7" }],
  ["set_state", { ok: true, code: "CARD_BLOCKED", message: "Card 7" }],
  ["set_state", { code: "LOCKED", message: "State updated" }],
  ["deny_request", { message: "Request denied" }],
  ["deny_request", { message: "The request was denied" }],
  ["deny_access", { message: "Access denied" }],
  ["ban_user", { message: "User banned" }],
  ["close_account", { message: "Account closed" }],
  ["end_session", { code: "SESSION_TERMINATED", message: "Session terminated" }],
  ["revoke_access", { code: "ACCESS_REVOKED", message: "Access revoked" }],
  ["save_note", { code: 1, message: "Note 7 saved as draft" }],
  ["import_rows", { code: 1, message: "30 rows imported into orders" }],
  ["send_mail", { message: { subject: ["Hello"], to: ["ann@example.com"] } }],
  ["create_tag", { message: { labels: ["urgent", "billing"] } }]
]

/** Answers whose code may be a success or a failure of the tool, so they prove nothing. */
const ambiguous: Rows = [
  ["set_card_state", { code: "CARD_BLOCKED", message: "Card 1234 blocked" }],
  ["transfer_money", { code: "CARD_BLOCKED", message: "Card 1234 blocked" }],
  ["review_po", { code: "PO_REJECTED", message: "Purchase order 7 was rejected" }],
  ["book_room", { code: "NO_SHOW_FEE", message: "20 EUR" }],
  ["transfer_money", { code: "ACCOUNT_FROZEN", message: "Account 7 frozen" }],
  ["reject_po", { code: "PO_REJECTED", message: "PO rejected by validation" }],
  ["grant_access", { code: "REVOKED", message: "Access revoked" }],
  ["save_it", { code: 1, message: "0 rows saved" }],
  ["save_it", { code: 1, message: "订单 7" }],
  ["save_it", { ret: 1, message: "Order 7" }],
  ["save_it", { code: 4, message: "Easter" }],
  ["create_user", { code: 30, message: "Username used by a user created last year" }]
]

/** Answers that state a failure of the tool. */
const failures: Rows = [
  ["sell_item", { code: "SOLD", message: "Sold out" }],
  ["close_ticket", { code: "CLOSED", message: "Connection closed" }],
  ["end_session", { code: "ABORTED", message: "Request aborted" }],
  ["lock_account", { code: "LOCKED", message: "Database is locked" }],
  ["stop_server", { code: "BLOCKED", message: "Blocked by firewall" }],
  ["transfer_money", { code: "ACCOUNT_LOCKED", message: "The account is locked" }],
  ["pay", { code: "card_declined", message: "Your card was declined." }],
  ["lock_account", { code: "ACCOUNT_ALREADY_LOCKED", message: "Account 7 is already locked" }],
  ["lock_account", { code: "LOCKED", message: "The account is locked by another administrator" }],
  ["lock_account", { code: "LOCK_FAILED", message: "Account 7" }],
  ["lock_account", { code: "ACCOUNT_NOT_LOCKED", message: "Account 7" }],
  ["lock_account", { code: "PERMISSION_DENIED", message: "Account 7" }],
  ["lock_account", { code: "LOCKED", message: "Account locked", ok: false }],
  ["lock_account", { code: "LOCKED", message: "Account locked", status: "error" }],
  ["unlock_locked_account", { code: "ACCOUNT_LOCKED", message: "The account is locked" }],
  ["retry_failed_payment", { code: "PAYMENT_FAILED", message: "Payment 7" }],
  ["renew_expired_token", { code: "TOKEN_EXPIRED", message: "Token expired" }],
  ["reject_po", { code: "PO_NOT_FOUND", message: "There is no purchase order 7" }],
  ["reject_po", { code: "REQUEST_DENIED", message: "The API key is invalid" }],
  ["deny_request", { message: "Access denied" }],
  ["deny_request", { message: "Request denied: insufficient permissions" }],
  ["deny_request", { code: "REQUEST_NOT_DENIED", message: "Request 7" }],
  ["update_order", { code: "CONFLICT", message: "The order was updated in the meantime" }],
  ["create_order", { code: "NOT_CREATED", message: "Order 7" }],
  ["create_order", { code: "ORDER_ALREADY_CREATED", message: "Order 7" }],
  ["send_request", { message: "Request denied" }],
  ["save_it", { code: 1, message: "参数错误" }],
  ["save_it", { code: 1, message: "You need to log in" }],
  ["save_it", { ret: 1, msg: "用户不存在" }],
  ["save_it", { code: 40_001, message: "Order 7" }],
  ["send_mail", { code: 1001, message: "0 messages sent" }],
  ["create_user", { code: "ERR_DUP", message: "User created by admin exceeds quota" }],
  ["create_project", { message: { name: ["has already been taken"] } }]
]

const isUnknown = (outcome: unknown): boolean => Array.isArray(outcome) && outcome[2] === "unknown"

describe("a write whose answer has the code of a state", () => {
  for (const [name, answer] of successes) {
    it.effect(`3.3 for ${name}, ${JSON.stringify(answer)} is a plain success`, () =>
      Effect.gen(function* () {
        const { envelope } = yield* ask([dynamic(name, answer)], name, "{}")
        assert.deepStrictEqual(envelope, { status: "success", data: answer })
        assert.strictEqual(Recognisers.hiddenFailure(answer, { tool: name })._tag, "Ok")
      }).pipe(within([]))
    )
  }

  for (const [name, answer] of ambiguous) {
    it.effect(`3.3 for ${name}, ${JSON.stringify(answer)} is a result that proves nothing`, () =>
      Effect.gen(function* () {
        const { envelope } = yield* ask([dynamic(name, answer)], name, "{}")
        assert.deepStrictEqual(envelope.data, answer)
        assert.include(envelope.notice, "It is not known what was done.")
      }).pipe(within([]))
    )
  }

  for (const [name, answer] of failures) {
    it.effect(`3.3 for ${name}, ${JSON.stringify(answer)} is a failure of unknown effect`, () => {
      const empty = tool(name, { access: "write", success: Schema.Void }, response(200, JSON.stringify(answer)))
      return Effect.gen(function* () {
        const { envelope } = yield* ask([dynamic(name, answer)], name, "{}")
        assert.deepStrictEqual([envelope.status, envelope.error?.side_effect], ["error", "unknown"])
        assert.isTrue(isUnknown(yield* settled(empty.tool.call({ q: "a" }))))
      }).pipe(within([empty.layer]))
    })
  }

  it.effect("3.3 an ambiguous code of a tool without a result is a failure of unknown effect", () => {
    const answer = { code: "CARD_BLOCKED", message: "Card 1234 blocked" }
    const empty = tool("pay", { access: "write", success: Schema.Void }, response(200, JSON.stringify(answer)))
    return Effect.gen(function* () {
      assert.isTrue(isUnknown(yield* settled(empty.tool.call({ q: "a" }))))
    }).pipe(within([empty.layer]))
  })
})

describe("a text that is the success of a tool", () => {
  it("3.4 `Request denied` is a success of deny_request and a failure of send_request", () => {
    for (const recogniser of [Recognisers.hiddenFailure, Recognisers.errorText]) {
      assert.strictEqual(recogniser("Request denied", { tool: "deny_request" })._tag, "Ok")
      assert.strictEqual(recogniser("Request denied", { tool: "send_request" })._tag, "Garbage")
      assert.strictEqual(recogniser("Request denied")._tag, "Garbage")
    }
  })
})

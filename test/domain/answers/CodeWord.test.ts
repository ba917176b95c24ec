/** Tests which alphabetic codes name a failure, next to a message and for a tool. */
import { asJson } from "./asJson.ts"
import { assert, describe, it } from "@effect/vitest"
import { isFailureCode, meaningOf } from "#domain/answers/CodeWord"

describe("meaningOf", () => {
  for (const [given, expected] of [
    [["INVALID_ARGUMENT", "x", "create_order"], "failure"],
    [["Throttling.User", "x", "get"], "failure"],
    [["card_declined", "Your card was declined", "pay"], "failure"],
    [["card_declined", "hello", "pay"], "ambiguous"],
    [["USD", "price", "get"], "none"],
    [["SAVE-10", "hello", "get"], "none"],
    [["ORDER_CREATED", "x", "create_order"], "none"],
    [["PO_REJECTED", "x", "reject_po"], "none"],
    [["PO_REJECTED", "x", "create_po"], "ambiguous"],
    [["LOCKED", "x", "lock_account"], "none"],
    [["LOCKED", "The account is locked", "get"], "failure"],
    [["LOCKED", "hello", "get"], "ambiguous"],
    [["ACCESS_DENIED", "hello", "get"], "failure"],
    [["NO", "hello", "get"], "none"],
    [["NO_STOCK", "hello", "get"], "ambiguous"],
    [["NO_SHOW_FEE", "hello", "charge_no_show_fee"], "none"],
    [["NOT_FOUND", "hello", "get"], "failure"],
    [["NOT", "hello", "get"], "none"],
    [["UserUnknown", "hello", "get"], "failure"],
    [["UNKNOWN", "hello", "get"], "none"],
    [["InvalidAccessKeyId.NotFound", "x", "get"], "failure"],
    [["HTTPError", "x", "get"], "failure"],
    [["A_B", "The user was not found", "get"], "failure"],
    [["AB", "The user was not found", "get"], "none"],
    [["A-B", "The user was not found", "get"], "none"],
    [["A.B", "The user was not found", "get"], "failure"],
    [["A_B", "hello", "get"], "none"],
    [["XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX_FAILED", "x", "get"], "failure"],
    [["XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX_FAILED", "x", "get"], "none"],
    [["1FAILED", "x", "get"], "none"],
    [["FAILED!", "x", "get"], "none"],
    [["FAILED", "Order created", "create_order"], "none"],
    [["CONNECTION_CLOSED", "x", "close_ticket"], "ambiguous"],
    [["TICKET_CLOSED", "x", "close_ticket"], "none"],
    [["CLOSED", "Connection closed", "close_ticket"], "ambiguous"],
    [["ITEM_GONE", "hello", "get"], "ambiguous"],
    [["GONE", "hello", "get"], "none"],
    [["X_LOCKED", "The user was not found", "get"], "failure"],
    [["TICKET_CREATED", "The user was not found", "create_ticket"], "failure"],
    [["TICKET_CREATED", "Connection closed", "close_ticket"], "failure"],
    [["fooBarERROR", "x", "get"], "failure"],
    [["", "x", "get"], "none"],
    [["EXPIRED", "The coupon expired", "get"], "ambiguous"],
    [["DELETED_ITEM", "x", "delete_item"], "none"],
    [["a/b:c", "x", "get"], "none"]
  ] as ReadonlyArray<readonly [readonly [string, string, string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [code, message, tool] = given
      assert.deepStrictEqual(asJson(meaningOf(code, message, tool)), expected)
    })
})

describe("isFailureCode", () => {
  for (const [given, expected] of [
    [["NOT_FOUND", "x", "get"], true],
    [["USD", "x", "get"], false],
    [["LOCKED", "x", "get"], false]
  ] as ReadonlyArray<readonly [readonly [string, string, string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [code, message, tool] = given
      assert.deepStrictEqual(asJson(isFailureCode(code, message, tool)), expected)
    })
})

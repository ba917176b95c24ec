/** Tests which tools read errors, texts, outputs and documents. */
import { asJson } from "./asJson.ts"
import { assert, describe, it } from "@effect/vitest"
import { isDocumentRead, isErrorRead, isOutputRead, isTextRead } from "#domain/answers/ReadSubject"

describe("isErrorRead", () => {
  for (const [given, expected] of [
    [[{ error: "it broke" }, "it broke", "get_last_error"], true],
    [[{ error: "unauthorized" }, "unauthorized", "get_last_error"], false],
    [[{ error: "it broke" }, "it broke", "get_order"], false],
    [[{ success: false, error: "it broke" }, "it broke", "get_last_error"], false],
    [[{ success: true, error: "it broke" }, "it broke", "get_last_error"], true],
    [[{ data: null, error: "it broke" }, "it broke", "get_last_error"], false],
    [[{ data: 1, x: null, error: "it broke" }, "it broke", "get_last_error"], true],
    [["it broke", "it broke", "list_issues"], false],
    [["x", "rate limit exceeded", "list_issues"], false],
    [["x", "You exceeded your current quota", "list_issues"], false]
  ] as ReadonlyArray<readonly [readonly [unknown, string, string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer, message, tool] = given
      assert.deepStrictEqual(asJson(isErrorRead(answer, message, tool)), expected)
    })
})

describe("isTextRead", () => {
  for (const [given, expected] of [
    [[{ message: "Payment failed" }, "Payment failed", "read_message"], true],
    [[{ message: "Forbidden" }, "Forbidden", "read_message"], false],
    [[{ message: "Payment failed" }, "Payment failed", "get_order"], false],
    [[{ ok: false, message: "Payment failed" }, "Payment failed", "read_message"], false],
    [["x", "it broke", "get_last_error"], true],
    [["Payment failed", "Payment failed", "get_email"], true]
  ] as ReadonlyArray<readonly [readonly [unknown, string, string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer, message, tool] = given
      assert.deepStrictEqual(asJson(isTextRead(answer, message, tool)), expected)
    })
})

describe("isOutputRead", () => {
  for (const [given, expected] of [
    [["run_tests"], true],
    [["bash"], true],
    [["get_last_error"], true],
    [["read_message"], true],
    [["get_order"], false],
    [["is_open"], true],
    [["search_orders"], true]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [tool] = given
      assert.deepStrictEqual(asJson(isOutputRead(tool)), expected)
    })
})

describe("isDocumentRead", () => {
  for (const [given, expected] of [
    [["read_file"], true],
    [["fetch_url"], true],
    [["get_order"], false],
    [["list_pages"], false],
    [["viewBook"], true]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [tool] = given
      assert.deepStrictEqual(asJson(isDocumentRead(tool)), expected)
    })
})

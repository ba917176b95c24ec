/** Tests which answers state an error and contain nothing else. */
import { asJson } from "./asJson.ts"
import { assert, describe, it } from "@effect/vitest"
import {
  bareMessageIn,
  countsFailures,
  hasData,
  isEmpty,
  isFault,
  isNothing,
  isReport,
  messageIn,
  statedIn
} from "#domain/answers/StatedError"

describe("isNothing", () => {
  for (const [given, expected] of [
    [[undefined], true],
    [[null], true],
    [[""], true],
    [["False"], true],
    [["false"], false],
    [[false], true],
    [[[]], true],
    [[{}], true],
    [[[0]], false],
    [[0], false],
    [[true], false],
    [[" "], false]
  ] as ReadonlyArray<readonly [readonly [unknown], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [value] = given
      assert.deepStrictEqual(asJson(isNothing(value)), expected)
    })
})

describe("isEmpty", () => {
  for (const [given, expected] of [
    [[null], true],
    [[0], true],
    [[1], false],
    [[[0, ""]], true],
    [[{ a: 0, b: null }], true],
    [[{ a: 1 }], false],
    [["x"], false],
    [[[{}]], true],
    [[[[0]]], false]
  ] as ReadonlyArray<readonly [readonly [unknown], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [value] = given
      assert.deepStrictEqual(asJson(isEmpty(value)), expected)
    })
})

describe("isFault", () => {
  for (const [given, expected] of [
    [[{ faultcode: "x" }], true],
    [[{ faultstring: "x" }], true],
    [[{ reason: "x", code: { value: "y" } }], true],
    [[{ reason: "x", code: "soap:Server" }], true],
    [[{ reason: "x", code: "P0420" }], false],
    [[{ reason: "x", code: 5 }], false],
    [[{ message: "x", code: 100 }], true],
    [[{ message: "x", code: 99 }], false],
    [[{ message: "x", code: "500" }], false],
    [[{ code: 500 }], false],
    [[{ message: "", code: 500 }], false],
    [["x"], false],
    [[{ code: "soap:Server" }], false],
    [[{ faultcode: "" }], false],
    [[{ code: "P0420" }], false]
  ] as ReadonlyArray<readonly [readonly [unknown], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [value] = given
      assert.deepStrictEqual(asJson(isFault(value)), expected)
    })
})

describe("isReport", () => {
  for (const [given, expected] of [
    [[{ valid: false }], true],
    [[{ isValid: true }], true],
    [[{ is_valid: true }], true],
    [[{ passed: false }], true],
    [[{ passed: 3 }], false],
    [[{ errors: ["a"], errorCount: 1 }], true],
    [[{ errors: ["a"], errorCount: 2 }], false],
    [[{ errors: ["a"], total: 1 }], true],
    [[{ errors: ["a"], count: 1 }], true],
    [[{ errors: ["a"], discount: 1 }], false],
    [[{ errors: ["a"], totals: 1 }], false],
    [[{ errors: ["a"], warnings: [] }], true],
    [[{ errors: ["a"], warnings: 0 }], true],
    [[{ errors: ["a"], warnings: [], data: 1 }], false],
    [[{ errors: ["a"], warnings: "x" }], false],
    [[{ errors: [{ line: 1 }] }], true],
    [[{ errors: [{ ruleId: 1 }] }], true],
    [[{ errors: [{ message: 1 }] }], false],
    [[{ errors: [] }], false],
    [[{ errors: "a" }], false],
    [[{}], false]
  ] as ReadonlyArray<readonly [readonly [object], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer] = given
      assert.deepStrictEqual(asJson(isReport(answer as never)), expected)
    })
})

describe("hasData", () => {
  for (const [given, expected] of [
    [[{ a: 1 }], true],
    [[{ message: "x" }], false],
    [[{ a: null }], false],
    [[{ request_id: "x" }], false],
    [[{}], false]
  ] as ReadonlyArray<readonly [readonly [object], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer] = given
      assert.deepStrictEqual(asJson(hasData(answer as never)), expected)
    })
})

describe("countsFailures", () => {
  for (const [given, expected] of [
    [["3 errors"], true],
    [["2 of 5 tests failed"], true],
    [["2 out of 5 checks"], true],
    [["an error"], false],
    [["3 cats"], false],
    [["1 problem"], true]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [text] = given
      assert.deepStrictEqual(asJson(countsFailures(text)), expected)
    })
})

describe("statedIn", () => {
  for (const [given, expected] of [
    [[{ error: "presentation not found" }], "presentation not found"],
    [[{ error: "none" }], null],
    [[{ error: "no errors" }], null],
    [[{ error: " " }], null],
    [[{ error: ["x gone"] }], "x gone"],
    [[{ error: { message: "gone" } }], "gone"],
    [[{ error: { a: { b: "gone" } } }], "gone"],
    [[{ error: { a: { b: { c: "gone" } } } }], "gone"],
    [[{ error: { a: { b: { c: { d: "gone" } } } } }], null],
    [[{ error: 5 }], null],
    [[{ errors: [{ detail: "gone" }] }], "gone"],
    [[{ status: "error", message: "gone" }], "gone"],
    [[{ status: "Failed", message: "gone" }], "gone"],
    [[{ status: "failures", message: "gone" }], null],
    [[{ status: "unfail", message: "gone" }], null],
    [[{ result: "failed", message: "gone" }], null],
    [[{ result: "failed", error: "Order not found" }], "Order not found"],
    [[{ status: "ok", result: "failed", message: "gone" }], null],
    [[{ success: false, message: "gone" }], "gone"],
    [[{ ok: false, message: "gone" }], "gone"],
    [[{ error: true, message: "gone" }], "gone"],
    [[{ success: false }], null],
    [[{ success: false, message: "3 errors" }], null],
    [[{ success: false, error: "3 errors" }], "3 errors"],
    [[{ success: false, message: "gone", data: { a: { b: 1 } } }], null],
    [[{ success: false, message: "gone", rows: [1] }], null],
    [[{ success: false, message: "gone", rows: [0] }], "gone"],
    [[{ success: false, message: "gone", n: { a: 1 } }], "gone"],
    [[{ Response: "False", Error: "Movie not found!" }], "Movie not found!"],
    [[{ object: "error", message: "gone" }], "gone"],
    [[{ status: "0", message: "NOTOK", result: "Invalid API Key" }], "Invalid API Key"],
    [[{ status: "0", message: "No", result: "Invalid API Key" }], null],
    [[{ status: "1", message: "NOTOK", result: "x" }], null],
    [[{ type: "error", message: "gone" }], "gone"],
    [[{ type: "ValidationException", message: "gone" }], "gone"],
    [[{ type: "x ValidationException", message: "gone" }], null],
    [[{ type: "errors", message: "gone" }], null],
    [[{ type: "error", message: "gone", time: 5 }], null],
    [[{ type: "error", message: "gone", level: "x" }], null],
    [[{ error: "user not found", id: 5 }], "user not found"],
    [[{ error: "user not found", id: 5, name: "a" }], null],
    [[{ error: "user not found", a: 1, b: 2 }], "user not found"],
    [[{ error: "user not found", a: 1, b: 2, c: 3 }], null],
    [[{ error: "user not found", a: { x: 1 } }], null],
    [[{ error: "user not found", a: "x".repeat(60) }], "user not found"],
    [[{ error: "user not found", a: "x".repeat(61) }], null],
    [[{ error: "hello there", a: 1 }], null],
    [[{ error: "hello there", query: "x" }], "hello there"],
    [[{ error: "hello there", query: { a: 1 } }], "hello there"],
    [[{ error: "hello there", query: { a: { b: 1 } } }], null],
    [[{ error: "hello there", a: 0 }], "hello there"],
    [[{ status: "error", message: "gone", a: 1 }], null],
    [[{ status: "error", error: "lost", message: "gone" }], "lost"],
    [[{ fault: { faultstring: "gone" } }], "gone"],
    [[{ fault: { code: "P0420", description: "x" } }], null],
    [[{ fault: "gone" }], "gone"],
    [["x"], null],
    [[null], null],
    [[[1]], null]
  ] as ReadonlyArray<readonly [readonly [unknown], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer] = given
      assert.deepStrictEqual(asJson(statedIn(answer)), expected)
    })
})

describe("messageIn", () => {
  for (const [given, expected] of [
    [[{ message: "Endpoint does not exist" }], "Endpoint does not exist"],
    [[{ message: "Endpoint does not exist", error: "" }], "Endpoint does not exist"],
    [[{ message: "Hello" }], null],
    [[{ message: "Hello", status: 404 }], "Hello"],
    [[{ message: "Hello", status: 400 }], "Hello"],
    [[{ message: "Hello", status: 599 }], "Hello"],
    [[{ message: "Hello", status: 399 }], null],
    [[{ message: "Hello", status: 600 }], null],
    [[{ message: "Hello", statusCode: 404 }], "Hello"],
    [[{ message: "Hello", code: 404 }], "Hello"],
    [[{ message: "Hello", cod: "404" }], "Hello"],
    [[{ message: "ZERO_RESULTS_FOUND", status: 0 }], "ZERO_RESULTS_FOUND"],
    [[{ message: "no results", status: 0 }], null],
    [[{ message: "Hello", code: "INVALID_DATE" }], "Hello"],
    [[{ message: "Hello", errorCode: "INVALID_DATE" }], "Hello"],
    [[{ message: "Hello", code: "USD" }], null],
    [[{ message: "Success", status: 404 }], null],
    [[{ message: "Order created", status: 404 }, "create_order"], null],
    [[{ message: "Endpoint does not exist", ok: true }], null],
    [[{ message: "Endpoint does not exist", a: 1 }], null],
    [[{ message: "Endpoint does not exist", available: false }], null],
    [[{ message: "Endpoint does not exist", error: false }], "Endpoint does not exist"],
    [[{ message: "Endpoint does not exist", valid: false }], "Endpoint does not exist"],
    [[{ message: "Endpoint does not exist", result: false }], "Endpoint does not exist"],
    [[{ title: "Endpoint does not exist" }], null],
    [[{ note: "Permission denied" }], null],
    [[{ reason: "Permission denied" }], "Permission denied"],
    [
      [{ message: "Hello " + "x".repeat(594), status: 404 }],
      "Hello xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    ],
    [[{ message: "Hello " + "x".repeat(595), status: 404 }], null],
    [[{ detail: [{ loc: ["query", "q"], msg: "field required" }] }], "field required"],
    [["x"], null],
    [[{ status: 404 }], null]
  ] as ReadonlyArray<readonly [readonly [unknown, string?], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer, tool] = given
      assert.deepStrictEqual(asJson(messageIn(answer, tool)), expected)
    })
})

describe("bareMessageIn", () => {
  for (const [given, expected] of [
    [[{ message: "Hello", status: 404 }, "get"], "Hello"],
    [[{ message: "Hello", status: 0 }, "get"], null],
    [[{ message: "Forbidden" }, "get"], "Forbidden"],
    [[{ message: "Error: gone" }, "get"], "Error: gone"],
    [[{ message: "Permission denied" }, "get"], "Permission denied"],
    [[{ reason: "Permission denied" }, "get"], null],
    [[{ message: "INVALID_DATE" }, "get"], null],
    [[{ message: "Hello", code: "INVALID_DATE" }, "get"], "Hello"],
    [[{ detail: [{ loc: ["query", "q"], msg: "field required" }] }, "get"], "field required"],
    [[{ reason: "Forbidden" }, "get"], "Forbidden"],
    [[{ message: "Hello" }, "get"], null],
    [[5, "get"], null],
    [[{ message: "You exceeded your current quota" }, "get"], "You exceeded your current quota"]
  ] as ReadonlyArray<readonly [readonly [unknown, string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer, tool] = given
      assert.deepStrictEqual(asJson(bareMessageIn(answer, tool)), expected)
    })
})

/** Tests which answers have the shape of an envelope, and what is read from them. */
import { asJson } from "./asJson.ts"
import { assert, describe, it } from "@effect/vitest"
import { dataOf, errorOf, partialOf } from "#domain/answers/AnsweredEnvelope"

describe("dataOf", () => {
  for (const [given, expected] of [
    [[{ status: "success", data: 1 }], 1],
    [[{ status: "success", data: 1, total: 3 }], { status: "success", data: 1, total: 3 }],
    [[{ status: "success", data: 1, timestamp: 5 }], { status: "success", data: 1, timestamp: 5 }],
    [[{ status: "success", data: 1, timestamp: 5 }, true], 1],
    [[{ status: "success" }], { status: "success" }],
    [[{ status: "success", data: 1, error: null }], 1],
    [[{ status: "success", data: 1, error: "x" }], { status: "success", data: 1, error: "x" }],
    [[{ status: "error", data: 1 }], { status: "error", data: 1 }],
    [[[1]], [1]],
    [[null], null],
    [[{ status: "success", data: null, trace_id: "t" }], null]
  ] as ReadonlyArray<readonly [readonly [unknown, boolean?], unknown]>)
    it(`5.1 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer, isLossy] = given
      assert.deepStrictEqual(asJson(dataOf(answer, isLossy)), expected)
    })
})

describe("partialOf", () => {
  for (const [given, expected] of [
    [
      [{ status: "partial", data: [1], error: { message: "two of three", next: { page: 2 }, hint: "go on" } }],
      { data: [1], detail: "two of three", hint: "go on", next: { page: 2 } }
    ],
    [[{ status: "partial", data: [1], error: "two of three" }], { data: [1], detail: "two of three" }],
    [
      [{ status: "partial", data: [1], message: " two\n of  three ", hint: "go on", next: { page: 2 } }],
      { data: [1], detail: "two of three", hint: "go on", next: { page: 2 } }
    ],
    [[{ status: "partial", data: [1], error: { next: {} } }], { data: [1] }],
    [[{ status: "partial", data: [1], error: { message: 5, hint: "" } }], { data: [1] }],
    [
      [{ status: "partial", data: [1], message: "x".repeat(201) }],
      {
        data: [1],
        detail:
          "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
      }
    ],
    [[{ status: "partial", data: [1], message: " ".repeat(800) + "x" }], { data: [1] }],
    [[{ status: "partial", data: [1], message: " ".repeat(799) + "x" }], { data: [1], detail: "x" }],
    [[{ status: "partial" }], null],
    [[{ status: "partial", data: 1, total: 3 }], null],
    [[{ status: "partial", data: 1, request_id: "r" }], { data: 1 }],
    [[{ status: "success", data: 1 }], null],
    [["x"], null],
    [[{ status: "partial", data: 1, next: [1] }], { data: 1 }],
    [[{ status: "partial", data: 1, error: { message: null }, message: "rest" }], { data: 1, detail: "rest" }]
  ] as ReadonlyArray<readonly [readonly [unknown], unknown]>)
    it(`5.1 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer] = given
      assert.deepStrictEqual(asJson(partialOf(answer)), expected)
    })
})

describe("errorOf", () => {
  for (const [given, expected] of [
    [
      [{ status: "error", error: { code: "x", message: "gone" } }],
      { status: "error", error: { code: "x", message: "gone" } }
    ],
    [[{ status: "error", error: "gone" }], { status: "error", error: { message: "gone" } }],
    [
      [{ status: "error", error: null }],
      { status: "error", error: { message: "The tool states an error without a message" } }
    ],
    [[{ status: "error", data: 1 }], null],
    [[{ status: "error", error: 5 }], null],
    [
      [{ status: "error" }],
      { status: "error", error: { status: "error", message: "The tool states an error without a message" } }
    ],
    [[{ status: "error", error: "gone", total: 3 }], null],
    [
      [{ status: "error", error_class: "permanent", message: "gone" }],
      { status: "error", error: { status: "error", error_class: "permanent", message: "gone", code: "permanent" } }
    ],
    [
      [{ status: "error", error_code: "c", error_class: "permanent", message: "gone" }],
      {
        status: "error",
        error: { status: "error", error_code: "c", error_class: "permanent", message: "gone", code: "c" }
      }
    ],
    [
      [{ status: "error", error_type: "t", message: "gone" }],
      { status: "error", error: { status: "error", error_type: "t", message: "gone", code: "t" } }
    ],
    [
      [{ status: "error", code: "c", error_code: "d", message: "gone" }],
      { status: "error", error: { status: "error", code: "c", error_code: "d", message: "gone" } }
    ],
    [
      [{ status: "error", message: "gone", human_review: true }],
      {
        status: "error",
        error: { status: "error", message: "gone", human_review: true, code: "requires_human_approval" }
      }
    ],
    [
      [{ status: "error", message: "gone", human_review: false }],
      { status: "error", error: { status: "error", message: "gone", human_review: false } }
    ],
    [
      [{ status: "error", message: " " }],
      { status: "error", error: { status: "error", message: "The tool states an error without a message" } }
    ],
    [
      [{ status: "error", message: 5 }],
      { status: "error", error: { status: "error", message: "The tool states an error without a message" } }
    ],
    [
      [{ status: "error", message: "gone", fields: ["a", "b", "c", "d", "e", "f"] }],
      {
        status: "error",
        error: { status: "error", message: "gone", fields: ["a", "b", "c", "d", "e", "f"], path: "a, b, c, d, e" }
      }
    ],
    [
      [{ status: "error", message: "gone", fields: [5, "a"] }],
      { status: "error", error: { status: "error", message: "gone", fields: [5, "a"], path: "a" } }
    ],
    [
      [{ status: "error", message: "gone", fields: [{ a: 1 }] }],
      { status: "error", error: { status: "error", message: "gone", fields: [{ a: 1 }], errors: [{ a: 1 }] } }
    ],
    [
      [{ status: "error", message: "gone", fields: { a: "bad" } }],
      { status: "error", error: { status: "error", message: "gone", fields: { a: "bad" }, errors: { a: "bad" } } }
    ],
    [
      [{ status: "error", message: "gone", fields: "a" }],
      { status: "error", error: { status: "error", message: "gone", fields: "a" } }
    ],
    [
      [{ status: "error", message: "gone", request_id: "r" }],
      { status: "error", error: { status: "error", message: "gone", request_id: "r" } }
    ],
    [[{ status: "ok", error: "x" }], null],
    [[5], null]
  ] as ReadonlyArray<readonly [readonly [unknown], unknown]>)
    it(`5.1 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer] = given
      assert.deepStrictEqual(asJson(errorOf(answer)), expected)
    })
})

/** Tests which answers are a list of errors and nothing else. */
import { asJson } from "./asJson.ts"
import { assert, describe, it } from "@effect/vitest"
import { errorListIn } from "#domain/answers/ErrorList"

describe("errorListIn", () => {
  for (const [given, expected] of [
    [[[{ errorCode: "REQUIRED_FIELD_MISSING", message: "name is missing" }], "x"], "name is missing"],
    [
      [[{ errorCode: "REQUIRED_FIELD_MISSING", message: "name is missing", fields: ["a"], n: null }], "x"],
      "name is missing"
    ],
    [[[{ errorCode: "REQUIRED_FIELD_MISSING", message: "name is missing", total: 3 }], "x"], null],
    [[[{ errorCode: "USD", message: "price" }], "x"], null],
    [[[{ code: "NOT_FOUND", msg: "gone" }], "x"], "gone"],
    [[[{ code: "NOT_FOUND", detail: "gone", extensions: { a: 1 }, parameters: [1] }], "x"], "gone"],
    [[[{ code: "NOT_FOUND" }], "x"], null],
    [[[{ code: 404, message: "gone" }], "x"], null],
    [[[{ code: "", message: "gone" }], "x"], null],
    [[[{ code: "NOT_FOUND", message: " " }], "x"], null],
    [[[{ status: 404, body: { message: "gone" } }], "x"], "gone"],
    [[[{ statusCode: 404, body: { error: { message: "gone" } } }], "x"], "gone"],
    [[[{ status: 404, body: { error: "gone" } }], "x"], "gone"],
    [[[{ status: 404, body: {} }], "x"], "HTTP 404"],
    [[[{ status: 404, body: [{ message: "gone" }] }], "x"], "gone"],
    [[[{ status: 404, body: '{"message":"gone"}' }], "x"], "gone"],
    [[[{ status: 404, body: '{"message":' }], "x"], "HTTP 404"],
    [[[{ status: 404, body: "gone" }], "x"], "HTTP 404"],
    [[[{ status: 404 }], "x"], null],
    [[[{ status: "404", body: {} }], "x"], null],
    [[[{ status: 400, body: {} }], "x"], "HTTP 400"],
    [[[{ status: 599, body: {} }], "x"], "HTTP 599"],
    [[[{ status: 399, body: {} }], "x"], null],
    [[[{ status: 600, body: {} }], "x"], null],
    [[[{ n: 404, body: {} }], "x"], null],
    [[[{ httpStatusCode: 500, body: null }], "x"], "HTTP 500"],
    [[[{ code: 500, body: 5 }], "x"], "HTTP 500"],
    [
      [
        [{ status: 404, body: '{"message":"' + "x".repeat(16_370) + '"}' }].map((r) => ({ ...r, body: r.body.length })),
        "x"
      ],
      "HTTP 404"
    ],
    [[[{ status: 404, body: '{"message":"gone"}' + " ".repeat(16_366) }], "x"], "gone"],
    [[[{ status: 404, body: '{"message":"gone"}' + " ".repeat(16_367) }], "x"], "HTTP 404"],
    [[[{ error: { message: "gone" } }], "x"], "gone"],
    [[[{ error: { message: "gone" }, id: 1 }], "x"], null],
    [[[{ error: { message: "gone" }, id: 1, jsonrpc: "2.0" }], "x"], "gone"],
    [[[{ error: { json: { message: "gone" } } }], "x"], "gone"],
    [[[{ error: { errorMessage: "gone" } }], "x"], "gone"],
    [[[{ error: "gone" }], "x"], null],
    [[[{ error: { a: 1 } }], "x"], null],
    [[[{ error: { message: "gone" } }, { error: { message: "lost" } }], "x"], "gone"],
    [[[{ error: { message: "gone" } }, { a: 1 }], "x"], null],
    [[[{ error: { message: "gone" } }, "x"], "x"], null],
    [[[], "x"], null],
    [[{ compositeResponse: [{ body: [{ message: "gone" }], httpStatusCode: 400 }] }, "x"], "gone"],
    [[{ a: [{ error: { message: "gone" } }], b: 1 }, "x"], null],
    [[{ request_id: "r", a: [{ error: { message: "gone" } }] }, "x"], "gone"],
    [["text", "x"], null],
    [[null, "x"], null],
    [[Array.from({ length: 50 }, () => ({ error: { message: "gone" } })), "x"], "gone"],
    [[Array.from({ length: 51 }, () => ({ error: { message: "gone" } })), "x"], null],
    [[[{ code: "PO_REJECTED", message: "Order rejected" }], "reject_po"], null]
  ] as ReadonlyArray<readonly [readonly [unknown, string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer, tool] = given
      assert.deepStrictEqual(asJson(errorListIn(answer, tool)), expected)
    })
})

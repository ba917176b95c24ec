/** Tests which answers of reads have the failure of something else as their data. */
import { asJson } from "./asJson.ts"
import { assert, describe, it } from "@effect/vitest"
import { isObservation } from "#domain/answers/Observation"

describe("isObservation", () => {
  for (const [given, expected] of [
    [[{ url: "https://a.example", statusCode: 404 }], true],
    [[{ ok: false, latency: 12 }], true],
    [[{ result: "failure", duration: 7 }], true],
    [[{ statusCode: 404 }], false],
    [[{ status: "failed" }], true],
    [[{ status: "404" }], false],
    [[{ status: "failed", result: "error" }], true],
    [[{ ok: false }], false],
    [[{ ok: false, status: "failed" }], false],
    [[{ statusCode: 404, url: "/a" }], false],
    [[{ statusCode: 404, url: "https://a.example", message: "Not here" }], false],
    [[{ statusCode: 404, url: "https://a.example", message: "" }], true],
    [[{ statusCode: 404, url: "https://a.example", message: null, code: 0, error: false }], true],
    [[{ statusCode: 404, url: "https://a.example", errors: [] }], true],
    [[{ statusCode: 404, url: "https://a.example", errors: ["x"] }], false],
    [[{ statusCode: 404, url: "https://a.example", reason: "Not Found" }], true],
    [[{ statusCode: 404, url: "https://a.example", reason: "No idea" }], false],
    [[{ statusCode: 404, url: "https://a.example", title: "Not Found" }], false],
    [[{ statusCode: 404, url: "https://a.example", reason: 5 }], false],
    [[{ statusCode: 404, url: "https://a.example", body: { message: "x" } }], false],
    [[{ statusCode: 404, url: "https://a.example", body: { a: "x" } }], true],
    [[{ statusCode: 404, url: "https://a.example", body: { data: { message: "x" } } }], true],
    [[{ statusCode: 404, url: "https://a.example", body: '{"message":"x"}' }], false],
    [[{ statusCode: 404, url: "https://a.example", body: ' {"a":"x"}' }], true],
    [[{ statusCode: 404, url: "https://a.example", body: '{"message":' }], true],
    [[{ statusCode: 404, url: "https://a.example", body: "message" }], true],
    [[{ statusCode: 404, url: "https://a.example", body: '[{"message":"x"}]' }], true],
    [[{ statusCode: 404, url: "https://a.example", body: '{"message":"x"}' + " ".repeat(16_369) }], false],
    [[{ statusCode: 404, url: "https://a.example", body: '{"message":"x"}' + " ".repeat(16_370) }], true],
    [[{ statusCode: 200, url: "https://a.example" }], false],
    [[{ url: "https://a.example" }], false],
    [[{ statusCode: 404, name: "a" }], false],
    [[{ statusCode: 404, request_id: "a" }], false],
    [[{ statusCode: 404, type: "a" }], false],
    [[{ statusCode: 404, name: {} }], false],
    [[{ statusCode: 404, data: { a: 1 } }], false],
    [[{ statusCode: 404, headers: { a: 1 } }], true],
    [[{ statusCode: 404, latency: 0 }], true],
    [[{ ...Object.fromEntries(Array.from({ length: 120 }, (_, i) => ["k" + i, i])), ok: false }], true]
  ] as ReadonlyArray<readonly [readonly [object], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer] = given
      assert.deepStrictEqual(asJson(isObservation(answer as never)), expected)
    })
})

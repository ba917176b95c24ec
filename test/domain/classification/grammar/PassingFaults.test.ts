/** Tests which messages of a failed write report a passing fault, which a repeat may mend, and which a lasting fault. */
import { assert, describe, it } from "@effect/vitest"
import { classify } from "#domain/classification/Classification"

describe("passing faults of a write", () => {
  it("3.1 with a 422 a sentence about a limit decides, and no other sentence about a passing fault", () => {
    const of = (message: string) => classify({ status: 422, message }, { access: "write" })
    assert.deepStrictEqual(
      ["Too many requests", "Rate limit exceeded", "Please try again later", "The server is busy"].map((message) => {
        const { code, sideEffect } = of(message)
        return [code, sideEffect]
      }),
      [
        ["rate_limited", "none"],
        ["rate_limited", "none"],
        ["invalid_request", "none"],
        ["invalid_request", "none"]
      ]
    )
  })
})

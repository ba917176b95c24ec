/** Tests the check of secrets that callers pass. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import * as Secret from "#domain/text/Secret"

const message = "`apiKey` is not a Redacted text: pass `Redacted.make(text)`."

describe("Secret", () => {
  it("12.3 a Redacted text gives its text", () => {
    assert.strictEqual(Secret.textOf("apiKey", Redacted.make("sk-1")), "sk-1")
    assert.strictEqual(Secret.textOf("apiKey", Redacted.make("")), "")
    assert.isUndefined(Secret.fault("apiKey", Redacted.make("sk-1")))
  })

  it("12.3 any other value leads to an error that names the option and the remedy, and not the secret", () => {
    // callers in plain JavaScript can pass anything
    const values: ReadonlyArray<any> = ["sk-1", Redacted.make(1), undefined, null, { value: "sk-1" }]
    for (const value of values) {
      assert.strictEqual(Secret.fault("apiKey", value), message)
      assert.throws(() => Secret.textOf("apiKey", value), RangeError, message)
    }
  })
})

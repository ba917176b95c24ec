import { fromBytes, isToken } from "#domain/approval/ApproverToken"
import { makeFinders, redactText } from "#domain/redaction/Redaction"
import { assert, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"

describe("ApproverToken", () => {
  it("10.3 a token has 128 bits and a recognisable form", () => {
    assert.strictEqual(fromBytes(new Uint8Array(16).fill(0xa5)), `tga_${"a5".repeat(16)}`)
    assert.isTrue(isToken(fromBytes(randomBytes(16))))
    for (const text of [
      "",
      "tga_",
      `tga_${"a".repeat(31)}`,
      `tga_${"a".repeat(33)}`,
      `tga_${"A".repeat(32)}`,
      `x tga_${"a".repeat(32)}`
    ])
      assert.isFalse(isToken(text))
  })

  it("4.15 a token is removed from the text that a model reads", () => {
    const finders = makeFinders()
    for (let n = 0; n < 100; n++) {
      const token = fromBytes(randomBytes(16))
      assert.notInclude(redactText(finders, `Authorization failed for ${token}, ask Ana.`), token)
    }
  })
})

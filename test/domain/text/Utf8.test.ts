import * as Utf8 from "#domain/text/Utf8"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

describe("Utf8", () => {
  it.prop("4.14 counts the bytes that an encoder writes", [Schema.String], ([text]) => {
    const bytes = new TextEncoder().encode(text).length
    assert.strictEqual(Utf8.length(text), bytes)
    for (const limit of [bytes - 1, bytes, bytes + 1]) assert.strictEqual(Utf8.fits(text, limit), bytes <= limit)
  })

  it("4.14 counts texts longer than its buffer", () => {
    for (const unit of ["a", "é", "漢", "😀", "\ud800"]) {
      const text = `x${unit.repeat(50_000)}`
      assert.strictEqual(Utf8.length(text), Buffer.byteLength(text))
    }
  })
})

/** Tests the escaping of texts for regular expressions. */
import { escapeRegExp } from "#kit/text/EscapeRegExp"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

describe("escapeRegExp", () => {
  it.prop("matches any text literally, with and without the flag u", [Schema.String], ([text]) => {
    for (const flags of ["", "u"]) assert.isTrue(new RegExp(`^${escapeRegExp(text)}$`, flags).test(text))
  })

  it("does not escape hyphens, because the flag u forbids that outside a class", () => {
    assert.strictEqual(escapeRegExp("my-tool.v2"), "my-tool\\.v2")
  })
})

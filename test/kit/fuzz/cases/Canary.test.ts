/** Tests canaries: detection of leaks, including truncated ones, and agreement with redaction. */
import { makeFinders, redactJson, redactText } from "#domain/redaction/Redaction"
import * as Canary from "#kit/fuzz/cases/Canary"
import { assert, describe, it } from "@effect/vitest"

describe("Canary", () => {
  const finders = makeFinders()

  it("13.6 detects leaked canaries, even truncated ones, and redaction removes tokens, keys and paths", () => {
    for (const mark of ["@token@", "@key@"]) {
      const text = Canary.expand(`denied for ${mark}, again`)
      assert.strictEqual(Canary.leak(text, false), mark)
      assert.strictEqual(Canary.leak(text.slice(0, 35), false), mark)
      assert.isUndefined(Canary.leak(redactText(finders, text), true))
      assert.isUndefined(Canary.leak(JSON.stringify(redactJson(finders, { note: text })), false))
    }
    const path = Canary.expand("denied in @path@:12:5")
    assert.deepStrictEqual([Canary.leak(path, true), Canary.leak(path, false)], ["@path@", undefined])
    assert.isUndefined(Canary.leak(redactText(finders, path), true))
    assert.strictEqual(Canary.leak(Canary.expand("see @hidden@"), false), "@hidden@")
  })

  it("13.6 does not report a mark that was not expanded, and expands only known marks", () => {
    assert.isUndefined(Canary.leak("@token@ @key@ @path@ @hidden@", true))
    assert.strictEqual(Canary.expand("a@b.de @nothing@"), "a@b.de @nothing@")
  })
})

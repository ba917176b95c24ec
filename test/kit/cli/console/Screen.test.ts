/** Tests fitting lines to the terminal, and escaping control characters. */
import { assert, describe, it } from "@effect/vitest"
import { displayWidth } from "effect/cli/CliOutput"
import { fit, plain, wrap } from "#kit/cli/console/Screen"

describe("Screen", () => {
  it("puts a text on one line, and shows hidden characters as code points", () => {
    assert.strictEqual(plain("a\u001b[31mred\r\n\tb\u0007\u202ec\u0000"), "a[U+001B][31mred b[U+0007][U+202E]c[U+0000]")
    assert.strictEqual(plain("  x \n y  "), "x y")
  })

  it("cuts a text to a display width", () => {
    assert.strictEqual(fit("short", 5), "short")
    assert.strictEqual(fit("longer", 5), "long…")
    assert.strictEqual(fit("世界世界", 5), "世界…")
    assert.strictEqual(fit("e\u0301e\u0301e\u0301", 2), "e\u0301…")
    assert.strictEqual(fit("abc", 1), "…")
  })

  it("wraps lines at spaces, and cuts a word that is longer than a line", () => {
    assert.deepStrictEqual(wrap("one two three", 7), ["one two", "three"])
    assert.deepStrictEqual(wrap("abcdefghij k", 5), ["abcd…", "k"])
    for (const line of wrap("All 47 orders were read; 5 have not arrived. ".repeat(5), 20)) {
      assert.isAtMost(displayWidth(line), 20)
    }
  })
})

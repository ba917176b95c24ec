import * as JsonLength from "#domain/json/JsonLength"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

describe("JsonLength", () => {
  it("5.5 returns a text unchanged if it fits", () => {
    assert.strictEqual(JsonLength.cut("abc", 3), "abc")
    assert.strictEqual(JsonLength.cut('"\n', 4), '"\n')
    assert.strictEqual(JsonLength.cut("", 0), "")
  })

  it("5.5 ends a cut text with a mark, and counts escapes in full", () => {
    assert.strictEqual(JsonLength.cut("abcd", 3), "ab…")
    assert.strictEqual(JsonLength.cut('""""', 7), '"""…')
    assert.strictEqual(JsonLength.cut("\u0001\u0001", 11), "\u0001…")
    assert.strictEqual(JsonLength.cut("😀😀", 3), "😀…")
    assert.strictEqual(JsonLength.cut("😀😀", 2), "…")
    assert.strictEqual(JsonLength.cut("ab", 1), "…")
    assert.strictEqual(JsonLength.cut("ab", 0), "")
    assert.strictEqual(JsonLength.cut("ab", -5), "")
  })

  it.prop(
    "5.5 a cut text is at most as long as requested, and has the same beginning",
    [Schema.String, Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 }))],
    ([text, length]) => {
      const cut = JsonLength.cut(text, length)
      assert.isAtMost(JsonLength.of(cut), length)
      assert.isTrue(cut === text || text.startsWith(cut.slice(0, -1)))
      assert.strictEqual(cut === text, JsonLength.of(text) <= length)
      if (text.isWellFormed()) assert.isTrue(cut.isWellFormed())
    }
  )

  it("5.5 each character counts as JSON.stringify writes it", () => {
    const units = [0, 7, 8, 9, 0xa, 0xb, 0xc, 0xd, 0xe, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x7f]
    const surrogates = [0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000]
    const texts = [...units, ...surrogates].map((unit) => String.fromCharCode(unit))
    for (const text of [
      ...texts,
      "\ud800\udc00",
      "\udbff\udfff",
      "\ud800a",
      "a\udc00",
      "\udc00\ud800",
      "\ud800\ud800"
    ]) {
      const width = JSON.stringify(`${text}.`).length - 3
      const repeated = `${text}.`.repeat(3)
      const length = 3 * (width + 1)
      assert.strictEqual(JsonLength.cut(repeated, length), repeated, JSON.stringify(text))
      const cut = JsonLength.cut(repeated, length - 1)
      assert.isTrue(cut.endsWith("…") && JsonLength.of(cut) < length, JSON.stringify(text))
      assert.isTrue(repeated.startsWith(cut.slice(0, -1)) && cut.length > 2 * text.length + 1, JSON.stringify(text))
    }
  })
})

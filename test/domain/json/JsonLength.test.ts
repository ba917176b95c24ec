import * as JsonLength from "#domain/json/JsonLength"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

describe("JsonLength", () => {
  it("5.5 returns a text that fits unchanged", () => {
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
})

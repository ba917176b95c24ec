import { assert, describe, it } from "@effect/vitest"
import { cut } from "#domain/text/Cut"

describe("cut", () => {
  it("5.5 returns a text unchanged if it fits", () => {
    assert.strictEqual(cut("ab😀", 4), "ab😀")
  })

  it("5.5 cuts between characters and marks the cut", () => {
    assert.strictEqual(cut("ab😀cd", 4), "ab…")
    assert.strictEqual(cut("ab😀cd", 5), "ab😀…")
  })

  it("5.5 a text is cut to the maximum length, but not within a surrogate pair", () => {
    assert.deepStrictEqual(
      [cut("abc", 3), cut("abcd", 3), cut("abcd", 1), cut("\ud7ff\ud7ffcd", 3), cut("a\udc00cd", 3)],
      ["abc", "ab…", "…", "\ud7ff\ud7ff…", "a\udc00…"]
    )
    assert.deepStrictEqual([cut("a\ud800\udc00d", 3), cut("a\udbff\udfffd", 3)], ["a…", "a…"])
  })
})

import { parts, shown, shownOnOneLine, visibleJson } from "#domain/text/VisibleText"
import { assert, describe, it } from "@effect/vitest"

describe("VisibleText", () => {
  it("10.3 leaves visible text of several scripts unchanged", () => {
    for (const text of ["Refund 20,000 ¢", "für Ärger", "返金する", "عربي", "नमस्ते", "😀 ok", ""])
      assert.strictEqual(shown(text), text)
  })

  it("10.3 shows hidden characters by number", () => {
    const hidden = [
      0x00, 0x07, 0x0a, 0x1b, 0x7f, 0x85, 0x9b, 0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x180e, 0x2003, 0x200b, 0x200d,
      0x200e, 0x2028, 0x202e, 0x2060, 0x2066, 0x2800, 0x3000, 0x3164, 0xd800, 0xe000, 0xfe0f, 0xfeff, 0xffa0, 0xe0041,
      0xe0100
    ]
    for (const codePoint of hidden) {
      const name = `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`
      assert.strictEqual(shown(`a${String.fromCodePoint(codePoint)}b`), `a[${name}]b`)
    }
    assert.deepStrictEqual(parts("\u202ea\nb", true), [{ codePoint: 0x202e }, "a\nb"])
    assert.deepStrictEqual(parts("a\nb"), ["a", { codePoint: 10 }, "b"])
    assert.deepStrictEqual(parts("a\u202e"), ["a", { codePoint: 0x202e }])
    assert.deepStrictEqual(parts(""), [])
  })
})

describe("visibleJson", () => {
  it("10.3 contains no hidden character and has the same value", () => {
    const value = { "a\u202eb": "\u009b31m \u200b \u{e0041} \u2028 \ud800 é 😀", plain: ["x", 1, null] }
    const text = visibleJson(JSON.stringify(value))
    assert.deepStrictEqual(JSON.parse(text), value)
    assert.deepStrictEqual(parts(text), [text])
    assert.include(text, "\\u009b31m \\u200b \\udb40\\udc41 \\u2028 \\ud800 é 😀")
  })
})

describe("shownOnOneLine", () => {
  it("10.3 white space becomes one space, the ends are trimmed, and hidden characters are shown", () => {
    assert.strictEqual(shownOnOneLine(" \t a \n\v\f\r b\u202ec\n"), "a b[U+202E]c")
  })
})

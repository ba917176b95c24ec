/** Tests where the pages of a long text end: after a number of code units or of bytes as JSON, and between characters. */
import * as TextPage from "#domain/envelope/artifact/TextPage"
import { assert, describe, it } from "@effect/vitest"

const cutAt = (text: string, offset: number, limit: number, room: number): readonly [number, number] => {
  const { end, start } = TextPage.cut(text, offset, limit, room)
  return [start, end]
}

describe("TextPage", () => {
  const units = [
    0x00, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x7f, 0x80,
    0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff
  ]
  it.each(units)("4.14 counts the bytes that JSON has for the code unit %i", (unit) => {
    const one = String.fromCharCode(unit)
    const bytes = Buffer.byteLength(JSON.stringify(one)) - 2
    const text = `a${one}z`
    assert.deepStrictEqual(cutAt(text, 0, 3, 1 + bytes), [0, 2])
    assert.deepStrictEqual(cutAt(text, 0, 3, bytes), [0, 1])
  })

  it.each(["😀", "\u{10000}", "\u{10ffff}"])("4.14 a pair has four bytes and is never split: %s", (pair) => {
    const text = `a${pair}z`
    assert.deepStrictEqual(cutAt(text, 0, 4, 5), [0, 3])
    assert.deepStrictEqual(cutAt(text, 0, 4, 4), [0, 1])
    assert.deepStrictEqual(cutAt(text, 0, 2, 100), [0, 1])
    assert.deepStrictEqual(cutAt(text, 2, 2, 100), [1, 4])
    assert.deepStrictEqual(cutAt(text, 2, 1, 100), [1, 3])
  })

  it("4.14 halves of pairs in the wrong order are separate characters", () => {
    for (const text of ["\udc00\ud800", "\ud800\ud800", "\udc00\udc00", "\ud800a", "a\udc00"]) {
      assert.deepStrictEqual(cutAt(text, 1, 1, 100), [1, 2])
      assert.deepStrictEqual(cutAt(text, 0, 1, 100), [0, 1])
    }
  })

  it("4.14 has at least one character, however little room there is, and none at the end", () => {
    assert.deepStrictEqual(cutAt("abc", 0, 3, 0), [0, 1])
    assert.deepStrictEqual(cutAt("😀a", 0, 1, 0), [0, 2])
    assert.deepStrictEqual(cutAt("abc", 3, 3, 100), [3, 3])
    assert.deepStrictEqual(cutAt("", 0, 3, 100), [0, 0])
    assert.deepStrictEqual(cutAt("abc", 1, 5, 2), [1, 3])
  })
})

/** Tests the positions of the parts of a JSON text. */
import * as JsonPointer from "#domain/json/JsonPointer"
import * as JsonDocument from "#kit/lint/reading/JsonDocument"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const pointers = (value: unknown): ReadonlyArray<ReadonlyArray<string | number>> => [
  [],
  ...(Array.isArray(value)
    ? value.flatMap((each: unknown, index) => pointers(each).map((inner) => [index, ...inner]))
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, each]) => pointers(each).map((inner) => [key, ...inner]))
      : [])
]

describe("JsonDocument", () => {
  it.prop("13.3 returns the text of the value at every pointer, for any white space", [Schema.Json], ([sample]) => {
    // JSON has no -0
    const value: unknown = JSON.parse(JSON.stringify(sample))
    for (const text of [
      JSON.stringify(value),
      ` ${JSON.stringify(value, null, "\t")}\n`,
      JSON.stringify(value, null, 2).replaceAll("\n", "\r\n")
    ]) {
      const root = JsonDocument.parse(text)
      for (const pointer of pointers(value)) {
        const node = JsonDocument.nodeAt(root, pointer)
        assert.isDefined(node)
        assert.deepStrictEqual(JSON.parse(text.slice(node?.start, node?.end)), JsonPointer.valueAt(value, pointer))
      }
      assert.deepStrictEqual(JsonDocument.duplicates(root), [])
    }
  })

  it("13.3 marks scalars, the names of objects and arrays, and the first character of elements", () => {
    const text = `{ "a": [ { "b": "x" }, 7 ], "c": {} }`
    const marked = (...pointer: ReadonlyArray<string | number>) => {
      const { end, start } = JsonDocument.rangeOf(JsonDocument.parse(text), pointer)
      return text.slice(start, end)
    }
    assert.deepStrictEqual(
      [marked(), marked("a"), marked("a", 0), marked("a", 0, "b"), marked("a", 1), marked("c"), marked("c", "gone", 3)],
      ["{", '"a"', "{", '"x"', "7", '"c"', '"c"']
    )
  })

  it("13.3 finds repeated keys, and the place of the last occurrence", () => {
    const text = `{"a":1,"b":{"c":1,"c":2},"a":3}`
    const root = JsonDocument.parse(text)
    assert.deepStrictEqual(JsonDocument.duplicates(root), [["b", "c"], ["a"]])
    assert.strictEqual(JsonDocument.rangeOf(root, ["a"]).start, text.length - 2)
  })

  it("13.3 counts lines and columns from 1, after LF and CRLF, and skips a byte order mark", () => {
    const locate = JsonDocument.locator("a\nbc\r\n\nd")
    assert.deepStrictEqual([0, 1, 2, 3, 5, 6, 7].map(locate), [
      { line: 1, column: 1 },
      { line: 1, column: 2 },
      { line: 2, column: 1 },
      { line: 2, column: 2 },
      { line: 2, column: 4 },
      { line: 3, column: 1 },
      { line: 4, column: 1 }
    ])
    const marked = JsonDocument.parse("\ufeff[1]")
    assert.deepStrictEqual([marked.start, marked.end], [1, 4])
  })
})

/** Tests which values the classifier reads in the texts of errors. */
import { assert, describe, it } from "@effect/vitest"
import * as Literal from "#domain/classification/Literal"

/** A text, the value that starts it, and the rest of the text. */
const rows: ReadonlyArray<readonly [text: string, value: unknown, rest: string]> = [
  ['{"a": null, "b": true, "c": false} x', { a: null, b: true, c: false }, " x"],
  ["{'a': None, 'b': True, 'c': False} x", { a: null, b: true, c: false }, " x"],
  ['  {"a":1}', { a: 1 }, ""],
  ["\n\t[1]", [1], ""],
  ["\u00a0[1]", [1], ""],
  ["[1 , -2.5,1e3]", [1, -2.5, 1000], ""],
  ["[\u20281\u2028]", [1], ""],
  ["(1, 'a')", [1, "a"], ""],
  ["[]x", [], "x"],
  ["{}x", {}, "x"],
  ["[,1,]", [1], ""],
  ["{,'a':1,}", { a: 1 }, ""],
  ["{'a'}", {}, ""],
  ["{'a' 'b': 1}", { b: 1 }, ""],
  ["{'a': {'b': [1, (2,)]}}", { a: { b: [1, [2]] } }, ""],
  ["[1", [1], ""],
  ["[1,", [1], ""],
  ["['a", ["a"], ""],
  ["{'a': 'b", { a: "b" }, ""],
  ["{'a':", { a: undefined }, ""],
  ["{'a", {}, ""],
  ["{", {}, ""],
  ["[", [], ""],
  ["[1 ; 2]", [1, undefined], "; 2]"],
  ["{'a': 1 ; 2}", { a: 1 }, "; 2}"],
  ["Point(x=1, y='b') c", { x: 1, y: "b" }, " c"],
  ["word rest", "word", " rest"],
  ["None", null, ""],
  ["toString", "toString", ""],
  ["12 x", 12, " x"],
  [";", undefined, ";"],
  ["", undefined, ""],
  ["'a\\'b' c", "a'b", " c"],
  ['"a\\"b\\n\\t\\\\" c', 'a"b\n\t\\', " c"],
  ["'it\"s' x", 'it"s', " x"],
  ["'\\u00e9x'", "éx", ""],
  ["'\\u00E9'", "é", ""],
  ["'\\u00g9'", "u00g9", ""],
  ["'\\xe9'", "xe9", ""],
  ["'\\n00e9'", "\n00e9", ""],
  ["'\\u00e", "u00e", ""],
  ["'a\\", "a", ""],
  ["'\\u-0041'", "u-0041", ""]
]

describe("values in texts", () => {
  for (const [text, value, rest] of rows)
    it(`3.1 ${JSON.stringify(text)} is read up to ${JSON.stringify(rest)}`, () => {
      const read = Literal.read(text, 0)
      assert.deepStrictEqual(JSON.parse(JSON.stringify([read.value])), JSON.parse(JSON.stringify([value])))
      assert.strictEqual(text.slice(read.end), rest)
    })

  it("3.1 a field without a value has the value undefined", () => {
    assert.deepStrictEqual(Object.entries(Literal.read("{'a':", 0).value as object), [["a", undefined]])
    assert.isUndefined(Literal.read("", 0).value)
    assert.isUndefined(Literal.read(";", 0).value)
  })

  it("3.1 values below the twelfth level are not read", () => {
    const deep = (levels: number) => `${"[".repeat(levels)}1${"]".repeat(levels)}`
    assert.strictEqual(JSON.stringify(Literal.read(deep(12), 0).value), deep(12))
    assert.notStrictEqual(JSON.stringify(Literal.read(deep(13), 0).value), deep(13))
    const fields = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
    assert.strictEqual(JSON.stringify(Literal.read(fields(12), 0).value), fields(12))
    assert.notStrictEqual(JSON.stringify(Literal.read(fields(13), 0).value), fields(13))
  })

  const found: ReadonlyArray<readonly [text: string, value: unknown, start?: number]> = [
    ['{"a":1}', { a: 1 }, 0],
    ['Bad: {"a":1}', { a: 1 }, 5],
    ['Bad={"a":1}', { a: 1 }, 4],
    ["Bad: [Point(x=1)]", [{ x: 1 }], 5],
    ["content=[Text(a='b')]", [{ a: "b" }], 8],
    ["Bad {words}", undefined],
    ["a[0] and f{1}", undefined],
    ["input_value={'a': 1}", undefined],
    ["input: {'a': 1}", undefined],
    ["got {'a': 1}", undefined],
    ["received={'a': 1}", undefined],
    ["value= {'a': 1}", undefined],
    ["input_value={'a': 1} and then {'b': 2}", { b: 2 }, 30],
    ["the input was refused: {'a': 1}", { a: 1 }, 23],
    ["a long text about something else entirely, got {'a': 1}", undefined]
  ]
  for (const [text, value, start] of found)
    it(`3.1 ${value === undefined ? "no response is" : "a response is"} found in ${JSON.stringify(text)}`, () => {
      const result = Literal.find(text)
      assert.strictEqual(JSON.stringify(result?.value), JSON.stringify(value))
      assert.strictEqual(result?.start, start)
    })
})

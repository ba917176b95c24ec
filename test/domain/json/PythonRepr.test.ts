/** Tests that reprs of Python values are read, and that other texts are refused. */
import { assert, describe, it } from "@effect/vitest"
import { read } from "#domain/json/PythonRepr"

const value = (text: string): unknown => {
  const reading = read(text)
  return reading._tag === "Read" ? reading.value : reading._tag
}

describe("PythonRepr", () => {
  it("13.2 reads dicts, lists, tuples, sets and constants", () => {
    assert.deepStrictEqual(value("{'a': None, 'b': [1, 2.5, -3e2], 'c': (True, False), 'd': {1, 2}, 4: {}, 'e': ()}"), {
      a: null,
      b: [1, 2.5, -300],
      c: [true, false],
      d: [1, 2],
      "4": {},
      e: []
    })
    assert.deepStrictEqual(value(" [ 'a' , ] "), ["a"])
    assert.deepStrictEqual(value("(1,)"), [1])
  })

  it("13.2 reads strings in single and double quotes, with escapes", () => {
    assert.deepStrictEqual(value(`['it\\'s', "it's", '"', b'\\x41', '\\u00e9\\U0001F600\\n\\\\', r'a', '\\d']`), [
      "it's",
      "it's",
      '"',
      "A",
      "é😀\n\\",
      "a",
      "\\d"
    ])
  })

  it("13.2 reads class instances", () => {
    assert.deepStrictEqual(
      value("[Text(type='text', n=1), Decimal('1.5'), datetime.date(2026, 1, 31), <Level.LOW: 'low'>, Empty()]"),
      [{ type: "text", n: 1 }, "1.5", [2026, 1, 31], "low", {}]
    )
  })

  it("13.2 reads the output of a pydantic model", () => {
    assert.deepStrictEqual(value("meta=None content=[TextContent(type='text', text='a b=c')] isError=False"), {
      meta: null,
      content: [{ type: "text", text: "a b=c" }],
      isError: false
    })
  })

  it("13.2 distinguishes a truncated repr from other text", () => {
    for (const cut of ["{'a': 1", "{'a': 'b", "[1, ", "meta=None content=[TextContent(type='te", "{'a"]) {
      assert.strictEqual(value(cut), "Cut", cut)
    }
    for (const other of [
      "",
      "text",
      "'text'",
      "(see below)",
      "[FILE] a.txt",
      "{a: 1}",
      "{'a': 1} and more",
      "{'a': 1}}",
      "{'a', 'b': 1}",
      "[1 2]",
      "[Text(1, a=2)]",
      "{(1, 2): 3}",
      "{'__proto__': 1}",
      "['\\U99999999']",
      "a=1",
      "the answer=42 is right",
      '{"a": true}',
      "[<Level.LOW>]",
      "[nan]"
    ]) {
      assert.strictEqual(value(other), "Other", other)
    }
  })

  it("13.2 terminates for deep and long texts", () => {
    assert.strictEqual(value("[".repeat(100_000)), "Other")
    assert.deepStrictEqual(value("a=1 ".repeat(50_000)), { a: 1 })
    assert.deepStrictEqual(value(`['${"a".repeat(100_000)}']`), ["a".repeat(100_000)])
  })

  it("13.2 converts numbers with the given function", () => {
    assert.deepStrictEqual(
      read("[1, 1.0]", (source) => source),
      { _tag: "Read", value: ["1", "1.0"] }
    )
  })

  it("13.2 an error of the given function is passed on, unless it is a RangeError", () => {
    const failing = (error: Error) => () =>
      read("[1]", () => {
        throw error
      })
    assert.throws(failing(new TypeError("broken")), "broken")
    assert.deepStrictEqual(failing(new RangeError("too large"))(), { _tag: "Other" })
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as JsonText from "#domain/json/JsonText"

const limits = JsonText.argumentLimits
const parse = (text: string) => JsonText.parse(text, limits)
const errorOf = (text: string, within = limits): JsonText.ParseError => {
  const result = JsonText.parse(text, within)
  assert.isTrue(Result.isFailure(result), text.slice(0, 80))
  return Result.getOrThrow(Result.flip(result))
}

describe("JsonText.parse", () => {
  it("4.2 reads what JSON.parse reads", () => {
    for (const text of [
      `{"a":[1,-0.5e3,"x",true,null,{}]}`,
      ` "text" `,
      "12",
      "null",
      `{"constructor":{"name":"x"}}`,
      `{"constructor":null}`,
      `{"constructor":[1]}`,
      `{"a":{"prototype":1}}`,
      `{"a":null,"prototype":{"constructor":1}}`
    ]) {
      assert.deepStrictEqual(parse(text), Result.succeed(JSON.parse(text)), text)
    }
  })

  it("4.9 names the position and the last complete field of truncated text", () => {
    assert.deepStrictEqual(errorOf(`{"page":1,\n"orders":[{"id":"A-1","cents":5},{"id":"A-2","cen`), {
      _tag: "Truncated",
      position: 60,
      line: 2,
      column: 50,
      message: "the JSON ends too early, at position 60 (line 2, column 50); last complete field: orders[1].id",
      lastField: "orders[1].id"
    })
    assert.strictEqual(errorOf(`{"a":1,"a_long_name_that_is_cut`).lastField, "a")
    const { column, line } = errorOf(`\n{"a":x}`)
    assert.deepStrictEqual([line, column], [2, 6])
    assert.deepStrictEqual(errorOf(`{"pa`), {
      _tag: "Truncated",
      position: 4,
      line: 1,
      column: 5,
      message: "the JSON ends too early, at position 4; no field is complete"
    })
  })

  it("4.9 counts a number at the very end as truncated, since more digits could have followed", () => {
    assert.strictEqual(errorOf(`{"a":1,"b":12`).lastField, "a")
    assert.strictEqual(errorOf(`{"a":1,"b":12,`).lastField, "b")
  })

  it("4.9 recognises truncation marks", () => {
    for (const mark of [
      "...",
      "…",
      " ... [truncated]",
      "\n... (1234 more characters)",
      "[output truncated at 10 KB]"
    ]) {
      assert.strictEqual(errorOf(`{"a":[1,2,${mark}`)._tag, "Truncated", mark)
    }
    assert.strictEqual(errorOf(`{"a":"some text...\n[truncated]`)._tag, "Truncated")
    assert.strictEqual(errorOf(`{"a":[1, 2, ...]}`)._tag, "Invalid")
  })

  it("4.2 describes the fault in one line and echoes at most one character or one known word", () => {
    const wrong: ReadonlyArray<readonly [string, number, string]> = [
      [`{"a":1,}`, 7, "there is an extra comma"],
      [`[1,]`, 3, "a value is missing, or there is an extra comma"],
      [`{'a':1}`, 1, "field names need double quotes"],
      [`{"a":'x'}`, 5, "strings need double quotes"],
      [`{a:1}`, 1, "field names need double quotes"],
      [`{"a":None}`, 5, "None is not JSON: write true, false, null or a number"],
      [`{"a":1 "b":2}`, 7, `expected "," or "}", found "\\""`],
      [`{"a" 1}`, 5, `expected ":" after a field name, found "1"`],
      [`{"a":"x\ny"}`, 7, "a line break inside a string must be written as \\n"],
      [`{"a":"\\x"}`, 7, "an invalid escape inside a string"],
      [`{"a":"\u0001"}`, 6, "a control character inside a string"],
      [`{"a":1} // done`, 8, "more text follows the JSON value"],
      [`{"a":/* x */1}`, 5, "comments are not allowed"],
      [`{"a\\x":1}`, 4, "an invalid escape inside a string"],
      [`{"a\n":1}`, 3, "a line break inside a string must be written as \\n"],
      [`{"a":01}`, 6, `an invalid number before "1"`],
      [`{"a":\u{1f600}}`, 5, `expected a value, found "\u{1f600}"`]
    ]
    for (const [text, position, problem] of wrong) {
      const error = errorOf(text)
      assert.strictEqual(error._tag, "Invalid", text)
      assert.strictEqual(error.position, position, text)
      assert.strictEqual(error.message, `invalid JSON at position ${position}: ${problem}`)
    }
  })

  it("4.9 names the format of a text that is not JSON", () => {
    const kinds: ReadonlyArray<readonly [string, string]> = [
      ["", "empty"],
      [" \n", "empty"],
      ["<!DOCTYPE html><html><body>502 Bad Gateway</body></html>", "html"],
      ["\n  <HTML><head>", "html"],
      [`<?xml version="1.0"?><Error/>`, "xml"],
      ["```json\n{}\n```", "markdown"],
      ["Error: 503 Service Unavailable", "text"],
      ["404 page not found", "text"],
      ["true story", "text"],
      ["tru", "text"],
      ['Error: {"code":503}', "text"],
      ["```json\n{}", "markdown"],
      [`${" ".repeat(300)}<html>`, "html"],
      ["\ufeff<html>", "html"],
      ["\ufeff ", "empty"],
      ["None", "text"]
    ]
    for (const [text, looksLike] of kinds) {
      const error = errorOf(text)
      assert.strictEqual(error._tag, "Invalid", text)
      assert.strictEqual(error.looksLike, looksLike, text)
    }
    for (const text of ['"abc', '\ufeff "abc']) assert.strictEqual(errorOf(text)._tag, "Truncated", text)
    assert.strictEqual(errorOf('"abc"d')._tag, "Invalid")
    assert.strictEqual(errorOf("<html>").message, "the text is an HTML page, not JSON")
  })

  it("4.2 refuses keys that pollute prototypes, even if they are escaped, but allows them as values", () => {
    for (const text of [
      `{"__proto__":{"admin":true}}`,
      `{"a":[{"\\u005f_pr\\u006Fto__":1}]}`,
      `{"constructor":{"prototype":{"admin":true}}}`,
      `{"a":{"constr\\u0075ctor":{"x":1,"prototype":{}}}}`
    ]) {
      const error = errorOf(text)
      assert.strictEqual(error._tag, "Invalid", text)
      assert.match(error.message, /^the key "(__proto__|constructor\.prototype)" is not accepted, at position \d+$/)
      assert.isAbove(error.position, 0)
    }
    assert.deepStrictEqual(errorOf(`{"a":[{"__proto__":1}]}`).refused, ["a", 0, "__proto__"])
    assert.deepStrictEqual(errorOf(`{"constructor":{"prototype":1}}`).refused, ["constructor", "prototype"])
    assert.deepStrictEqual(errorOf(`{"__proto__"`).refused, ["__proto__"])
    const escaped = [..."__proto__"].map((unit) => `\\u00${unit.charCodeAt(0).toString(16)}`).join("")
    assert.deepStrictEqual(errorOf(`{"${escaped}":1}`).refused, ["__proto__"])
    for (const text of [
      `{"some_long_name":x}`,
      `{"constructor":{"some_long_name":x}}`,
      `{"a":{"prototype":1,"b":x}}`,
      `[{"prototype":x}]`,
      `{"constructor":[{"prototype":x}]}`
    ])
      assert.include(errorOf(text).message, 'expected a value, found "x"', text)
    for (const text of [`{"a":"__proto__"}`, `["__proto__"]`, `{"prototype":1,"constructor":"x"}`]) {
      assert.deepStrictEqual(parse(text), Result.succeed(JSON.parse(text)), text)
    }
    assert.isUndefined(({} as { admin?: boolean }).admin)
  })

  it("4.2 applies the depth limit exactly, and not to text inside a string", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
    assert.isTrue(Result.isSuccess(parse(nested(64))))
    assert.deepStrictEqual(errorOf(nested(65)), {
      _tag: "TooDeep",
      position: 64,
      line: 1,
      column: 65,
      message: "nested more than 64 levels deep, at position 64"
    })
    const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
    assert.isTrue(Result.isSuccess(parse(objects(64))))
    assert.strictEqual(errorOf(objects(65))._tag, "TooDeep")
    assert.strictEqual(errorOf(nested(201), JsonText.resultLimits)._tag, "TooDeep")
    assert.isTrue(Result.isSuccess(JsonText.parse(nested(200), JsonText.resultLimits)))
    assert.isTrue(Result.isSuccess(parse(JSON.stringify(nested(65)))))
  })

  it("4.2 scans 100,000 levels of either bracket without overflowing the stack", () => {
    for (const bracket of ["[", `{"a":`]) {
      assert.strictEqual(errorOf(bracket.repeat(100_000))._tag, "TooDeep")
      const generous = { maxBytes: 1_000_000, maxDepth: 1_000_000 }
      assert.strictEqual(errorOf(bracket.repeat(100_000), generous)._tag, "Truncated")
    }
  })

  it("4.9 refuses text over the size limit before reading it", () => {
    assert.deepStrictEqual(errorOf(`"${"x".repeat(19)}"`, { maxBytes: 20, maxDepth: 1 }), {
      _tag: "TooLarge",
      position: 20,
      line: 1,
      column: 1,
      message: "the text has 21 characters; at most 20 are read"
    })
    assert.isTrue(Result.isSuccess(JsonText.parse(`"${"x".repeat(18)}"`, { maxBytes: 20, maxDepth: 1 })))
  })

  it("4.9 refuses text with so many objects, values or field names that they would exhaust the memory", () => {
    const equal = (count: number, part: string) => `[${`${part},`.repeat(count - 1)}${part}]`
    const numbered = (count: number, part: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => part(index)).join(",")
    const message = "the text holds more than 200000 objects and arrays, 1000000 values or 100000 field names"
    for (const [kind, allowed, text] of [
      ["objects", 199_999, (count: number) => equal(count, "{}")],
      ["arrays", 199_999, (count: number) => equal(count, "[]")],
      ["elements", 1_000_001, (count: number) => equal(count, "0")],
      ["fields", 1_000_000, (count: number) => equal(count / 8, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1}`)],
      ["names of one object", 100_000, (count: number) => `{${numbered(count, (index) => `"n${index}":1`)}}`],
      ["names of many objects", 100_000, (count: number) => `[${numbered(count, (index) => `{"n${index}":1}`)}]`]
    ] as const) {
      assert.isTrue(Result.isSuccess(JsonText.parse(text(allowed), JsonText.resultLimits)), kind)
      const error = errorOf(text(allowed + 8), JsonText.resultLimits)
      assert.deepStrictEqual([error._tag, error.message], ["TooLarge", message], kind)
    }
  })

  it("4.9 a large text that ends inside a string is truncated", () => {
    for (const end of ["", "\\", '\\"']) {
      const error = errorOf(`{"a":1,"b":"${"x".repeat(100_000)}${end}`)
      assert.deepStrictEqual([error._tag, error.lastField], ["Truncated", "a"], end)
    }
  })

  it("4.2 tolerates a byte order mark and includes it in positions", () => {
    assert.deepStrictEqual(parse(`\ufeff{"a":1}`), Result.succeed({ a: 1 }))
    assert.strictEqual(errorOf(`\ufeff{"a":x}`).position, 6)
  })

  it("4.2 keeps messages short, whatever the field names are", () => {
    const name = "n".repeat(20_000)
    const error = errorOf(`{"${name}":{"${name}\\n":{"${name}":1,"b":[`)
    assert.isAtMost(error.message.length, 250)
    assert.notInclude(error.message, "\n")
    assert.isAtMost(error.lastField!.length, 120)
  })
})

describe("JsonText.parseArguments", () => {
  const read = (text: string) => JsonText.parseArguments(text, limits)

  it("4.2 reads empty text as no arguments", () => {
    for (const text of ["", " \n\t", "\ufeff"]) {
      assert.deepStrictEqual(read(text), Result.succeed({ value: {}, doubleEncoded: false }))
    }
  })

  it("4.2 decodes a string that contains an object once, and reports it", () => {
    assert.deepStrictEqual(
      read(JSON.stringify(`{"a":"{\\"b\\":1}"}`)),
      Result.succeed({ value: { a: `{"b":1}` }, doubleEncoded: true })
    )
    const twice = JSON.stringify(JSON.stringify(`{"a":1}`))
    assert.deepStrictEqual(read(twice), Result.succeed({ value: JSON.stringify(`{"a":1}`), doubleEncoded: false }))
    assert.deepStrictEqual(read(`"SELECT 1"`), Result.succeed({ value: "SELECT 1", doubleEncoded: false }))
    assert.deepStrictEqual(read(`null`), Result.succeed({ value: null, doubleEncoded: false }))
  })

  it("4.2 distinguishes a truncated double-encoded string from a missing field", () => {
    const result = Result.getOrThrow(Result.flip(read(JSON.stringify(`{"a":1,"b":"x`))))
    assert.strictEqual(result._tag, "Truncated")
    assert.strictEqual(result.lastField, "a")
    assert.match(result.message, /^inside a JSON string: the JSON ends too early/)
  })

  it("4.2 reports the first duplicate key, whose last value counts", () => {
    assert.deepStrictEqual(
      read(`{"a":":","b":[{"c":1,"d":2,"\\u0063":3}],"b2":{"c":1}}`),
      Result.succeed({
        value: { a: ":", b: [{ c: 3, d: 2 }], b2: { c: 1 } },
        doubleEncoded: false,
        duplicate: "b[0].c"
      })
    )
    assert.deepStrictEqual(
      read(`\ufeff"{\\"a\\":1,\\"a\\":2}"`),
      Result.succeed({ value: { a: 2 }, doubleEncoded: true, duplicate: "a" })
    )
  })
})

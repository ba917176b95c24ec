/** Tests the tokens of JSON: their ends in whole, damaged and cut texts, and the descriptions of their faults. */
import * as JsonText from "#domain/json/JsonText"
import * as Token from "#domain/json/JsonToken"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

/** Returns the end of a token, or `wrong at` and the position of a fault, or `cut` if the text ends too early. */
const ending = (text: string, end: number): string | number =>
  end < 0 ? `wrong at ${~end}` : end > text.length ? "cut" : end

const problemOf = (text: string): string =>
  Result.match(JsonText.parse(text, JsonText.argumentLimits), {
    onFailure: ({ message }) => message.replace(/^invalid JSON at position \d+(?: \(line \d+, column \d+\))?: /u, ""),
    onSuccess: () => "valid"
  })

describe("JsonToken", () => {
  it("4.2 a number ends where JSON ends it, and is cut only if more digits make it valid", () => {
    for (const [text, end] of [
      ["0", 1],
      ["-0", 2],
      ["12", 2],
      ["1.5e+3", 6],
      ["1E-10", 5],
      ["0.25,", 4],
      ["12]", 2],
      ["1e5 ", 3],
      ["-", "cut"],
      ["1.", "cut"],
      ["1e", "cut"],
      ["1e+", "cut"],
      ["1.5E-", "cut"],
      ["-a", "wrong at 0"],
      ["-,", "wrong at 0"],
      ["01", "wrong at 1"],
      ["-01", "wrong at 2"],
      ["1.x", "wrong at 1"],
      ["1.e5", "wrong at 1"],
      ["1..", "wrong at 1"],
      ["1.5.", "wrong at 3"],
      ["1e5e", "wrong at 3"],
      ["1e5.", "wrong at 3"],
      ["1ex", "wrong at 1"],
      ["1E,", "wrong at 1"]
    ] as const)
      assert.strictEqual(ending(text, Token.endOfScalar(text, 0)), end, text)
  })

  it("4.2 a literal ends with its last letter, and is cut only if the text ends inside it", () => {
    for (const [text, end] of [
      ["true", 4],
      ["false,", 5],
      ["null]", 4],
      ["tru", "cut"],
      ["f", "cut"],
      ["nul", "cut"],
      ["trux", "wrong at 0"],
      ["nu,", "wrong at 0"],
      ["True", "wrong at 0"],
      [":", "wrong at 0"],
      ["/1", "wrong at 0"]
    ] as const)
      assert.strictEqual(ending(text, Token.endOfScalar(text, 0)), end, text)
  })

  it("4.2 a string ends with its quote, and its escapes are those of JSON", () => {
    for (const [content, end] of [
      ['a"', 2],
      ['"', 1],
      ['\\""', 3],
      ['\\\\"', 3],
      ['\\u00e9\\uFFAA\\u0af9"', 19],
      ['\\/\\b\\f\\n\\r\\t"', 13],
      [' \u007f\u2028"', 4],
      ["a", "cut"],
      ["\\", "cut"],
      ["\\u", "cut"],
      ["\\u00e", "cut"],
      ["\u001f", "wrong at 0"],
      ["a\n", "wrong at 1"],
      ["\\x", "wrong at 1"],
      ["\\u00g0", "wrong at 4"],
      ["\\u/", "wrong at 2"],
      ["\\u:", "wrong at 2"],
      ["\\u@", "wrong at 2"],
      ["\\uG", "wrong at 2"],
      ["\\u`", "wrong at 2"]
    ] as const)
      assert.strictEqual(ending(content, Token.endOfString(content, 0)), end, JSON.stringify(content))
  })

  it("4.2 only the four whitespace characters of JSON are skipped", () => {
    assert.strictEqual(Token.skipSpace(" \t\r\n x", 0), 5)
    assert.strictEqual(Token.skipSpace("  ", 1), 2)
    for (const other of ["\f", "\v", "\u00a0", "\u2028", "\ufeff"]) assert.strictEqual(Token.skipSpace(other, 0), 0)
  })

  it("4.2 the description of a fault names the remedy", () => {
    const bareWord = (word: string) => `${word} is not JSON: write true, false, null or a number`
    for (const [text, problem] of [
      ...["None", "True", "False", "NaN", "Infinity", "undefined", "TRUE", "FALSE", "NULL", "nil"].map(
        (word) => [`[${word}]`, bareWord(word)] as const
      ),
      ["[nilly]", 'expected a value, found "n"'],
      ["[aNone]", 'expected a value, found "a"'],
      ["[`a`]", "strings need double quotes"],
      ["['a']", "strings need double quotes"],
      ["[// a", "comments are not allowed"],
      ["[/* a", "comments are not allowed"],
      ["[/a", 'expected a value, found "/"'],
      ['{"a":}', "a value is missing, or there is an extra comma"],
      ["[1,,2]", 'expected a value, found ","'],
      ["[-a]", 'expected a value, found "-"'],
      ["[1.e]", 'an invalid number before "."'],
      ["{// a", "comments are not allowed"],
      ["{/* a", "comments are not allowed"],
      ["{/a", 'expected a field name, found "/"'],
      ["{'a':1}", "field names need double quotes"],
      ["{$a:1}", "field names need double quotes"],
      ["{,", 'expected a field name, found ","'],
      ["{1:2}", 'expected a field name, found "1"'],
      ['{"a":1,}', "there is an extra comma"],
      ['{"a"}', 'expected ":" after a field name, found "}"'],
      ["[1}", 'expected "," or "]", found "}"'],
      ['{"a":1]', 'expected "," or "}", found "]"'],
      ["[]]", "more text follows the JSON value"],
      ['["a\tb"]', "a tab inside a string must be written as \\t"],
      ['["a\rb"]', "a line break inside a string must be written as \\n"],
      ['["a\u001fb"]', "a control character inside a string"],
      ['["\\q"]', "an invalid escape inside a string"]
    ] as const)
      assert.strictEqual(problemOf(text), problem, text)
  })

  it("4.9 a mark of truncation is at the end, alone, and at most 160 characters long", () => {
    const isMark = (text: string) => Token.isCutMark(text, 0)
    for (const text of [
      "...",
      "…",
      "… ",
      "...  [12 more]",
      "...(12 more)",
      "...{12 more}",
      "...<12 more>",
      "truncated",
      "[TRUNCATED]",
      "(truncated at 10 KB)",
      "<truncated/>",
      "output truncated",
      "[Response truncated\nafter 2 lines]",
      `[result  truncated ${"x".repeat(140)}`,
      "[content truncated]",
      "text truncated"
    ])
      assert.isTrue(isMark(text), text)
    for (const text of [
      "",
      "..",
      "....",
      "... more",
      '..."',
      "x...",
      "untruncated",
      "truncatedly",
      "[other truncated]",
      "outputtruncated",
      `[result  truncated ${"x".repeat(142)}`
    ])
      assert.isFalse(isMark(text), text)
  })
})

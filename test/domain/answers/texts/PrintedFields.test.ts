/** Tests the fields of objects that a program printed, and of XML. */
import { assert, describe, it } from "@effect/vitest"
import { printedFieldsIn, xmlFieldsIn } from "#domain/answers/texts/PrintedFields"
import type { Field } from "#domain/answers/texts/StatedProblem"

/** Returns the name and the value of each field, and whether it is in an error; the number of more than eight fields. */
const read = (fields: ReadonlyArray<Field> | undefined): unknown => {
  assert.isTrue(fields === undefined || fields.every(({ isItem }) => !isItem))
  return fields === undefined
    ? null
    : fields.length > 8
      ? fields.length
      : fields.map(({ isInError, name, value }) => [name, value, isInError])
}

describe("printedFieldsIn", () => {
  for (const [text, fields] of [
    [
      "{ status: false, message: 'no such key' }",
      [
        ["status", false, false],
        ["message", "no such key", false]
      ]
    ],
    ['{"code" => 404}', [["code", 404, false]]],
    ['"errorCode": "LOCKED", more', [["errorcode", "LOCKED", false]]],
    ["message: 'x'", [["message", "x", false]]],
    ['  message: "x"', [["message", "x", false]]],
    ["message:x", null],
    ["plain text", null],
    [
      "{ error: { code: 5, message: 'x' } }",
      [
        ["code", 5, true],
        ["message", "x", true]
      ]
    ],
    [
      "{ data: [ 1 ], code: -5, ok: true, none: null, x: nil, f: 1.5 }",
      [
        ["code", -5, false],
        ["ok", true, false],
        ["none", null, false],
        ["x", null, false],
        ["f", 1.5, false]
      ]
    ],
    ["=> { a: bare word }", [["a", "bare word ", false]]],
    [
      "a = [b: 'c', d: 'e']",
      [
        ["b", "c", false],
        ["d", "e", false]
      ]
    ],
    ["{}", null],
    ["code: { a: 1 } and then a very long text that follows without any fields at all, which is more than half", null],
    [
      "{ a: 1 and then a very long text that follows without any fields at all, which is more than half of it",
      [["a", 1, false]]
    ],
    [`{ ${Array.from({ length: 40 }, (_, i) => `k${"abcdefghijklmnopqrstuvwxyz"[i % 26]}: 1`).join(", ")} }`, 40],
    [`{ ${Array.from({ length: 41 }, (_, i) => `k${"abcdefghijklmnopqrstuvwxyz"[i % 26]}: 1`).join(", ")} }`, null],
    [
      "{ exception: { a: 1 }, b: 2 }",
      [
        ["a", 1, true],
        ["b", 2, true]
      ]
    ],
    ["{ b: u'x' }", [["b", "x", false]]]
  ] as ReadonlyArray<readonly [string, unknown]>)
    it(`3.4 reads ${JSON.stringify(text).slice(0, 80)}`, () =>
      assert.deepStrictEqual(read(printedFieldsIn(text)), fields))
})

describe("xmlFieldsIn", () => {
  for (const [text, fields] of [
    ["<Error><Code>NoSuchKey</Code></Error>", [["code", "NoSuchKey", true]]],
    [
      "<a><b>12</b><c>-7</c><d>1x</d><e> 5 </e></a>",
      [
        ["b", 12, false],
        ["c", -7, false],
        ["d", "1x", false],
        ["e", 5, false]
      ]
    ],
    [
      "<r status=\"404\" code='x'><m>x</m></r>",
      [
        ["status", "404", false],
        ["m", "x", false]
      ]
    ],
    ["<fault/><a>1</a>", null],
    ["<exceptions><a>1</a></exceptions>", [["a", 1, true]]],
    ["<ok><a><![CDATA[no such key]]></a></ok>", [["a", "no such key", false]]],
    ["<html><body>x</body></html>", null],
    ["< a>", null],
    ['<?xml version="1.0"?><a><b>x</b></a>', [["b", "x", false]]],
    ["text <a><b>x</b></a>", null],
    ["  <a><b>x</b></a>", [["b", "x", false]]],
    ["<a:b><c:d>x</c:d></a:b>", [["d", "x", false]]],
    ["<error /><a>1</a>", [["a", 1, false]]],
    ["<a></a>", [["a", "", false]]],
    ["<a>", null],
    [`<r>${"<a>1</a>".repeat(40)}</r>`, 40],
    [`<r>${"<a>1</a>".repeat(41)}</r>`, null],
    [
      `<r>${"<a>1</a>".repeat(5)}${" ".repeat(700)}<html></html></r>`,
      [
        ["a", 1, false],
        ["a", 1, false],
        ["a", 1, false],
        ["a", 1, false],
        ["a", 1, false],
        ["html", "", false]
      ]
    ],
    ["<h1>x</h1>", [["h1", "x", false]]],
    ["<a>1234567890</a>", [["a", "1234567890", false]]],
    ["<status/>x", null]
  ] as ReadonlyArray<readonly [string, unknown]>)
    it(`3.4 reads ${JSON.stringify(text).slice(0, 80)}`, () => assert.deepStrictEqual(read(xmlFieldsIn(text)), fields))
})

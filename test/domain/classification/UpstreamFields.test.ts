/** Tests which fields of a JSON body are quoted, how much of them, and which errors concern fields. */
import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "#domain/json/JsonObject"
import { QuotedError } from "#domain/classification/QuotedError"
import { concernsFields, ofText, ofValue } from "#domain/classification/UpstreamWords"

const long = (length: number): string => "x".repeat(length)
const deep = (levels: number): unknown => (levels === 0 ? "deep" : { error: deep(levels - 1) })
const deepList = (levels: number): unknown => (levels === 0 ? "deep" : [deepList(levels - 1)])
const many = (length: number): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length }, (_, n) => [`f${n}`, "bad"]))

const texts: ReadonlyArray<readonly [text: string, words: string]> = [
  ["a\r\n\u2028b", "a b"],
  [' {"message":"a"}', "a"],
  ['\n[{"message":"a"}]', "a"],
  ['x {"message":"a"}', 'x {"message":"a"}'],
  ["7", "7"],
  ["null", "null"],
  ["[7]", "[7]"],
  ['{"a":null}', '{"a":null}'],
  ['{"error":true}', '{"error":true}'],
  ['<html><head><title lang="en">T</title></head><!-- a b -->B<style >c</style >D</html>', "T B D"],
  ["<html><script>a</script \n>B</html>", "B"],
  ["<!-- c --><html>a</html>", "a"],
  ["see <html>", "see <html>"],
  ['{"message":"a"}'.padEnd(16_384), "a"],
  ['{"message":"a"}'.padEnd(16_385), '{"message":"a"}'],
  [`<html>${" ".repeat(16_384)}a`, ""],
  [long(1000), long(1000)],
  [long(1001), `${long(999)}…`],
  [`${long(600)} ${long(400)}`, `${long(600)} ${long(398)}…`],
  [`${long(601)} ${long(500)}`, `${long(601)}…`],
  [`${long(600)} ${long(500)}`, `${long(600)} ${long(398)}…`],
  [`${long(999)} ab`, `${long(999)}…`],
  [`${long(600)} ${long(399)} ab`, `${long(600)} ${long(398)}…`]
]

const values: ReadonlyArray<readonly [value: unknown, words: string]> = [
  [7, ""],
  [null, ""],
  ["a\nb", "a b"],
  [["a", "b", "c", "d", "e", "f"], "a; b; c; d; e"],
  [{ message: " " }, ""],
  [{ message: " a ", error: "" }, "a"],
  [deep(7), "deep"],
  [deep(8), ""],
  [deepList(7), "deep"],
  [deepList(8), ""],
  [{ errors: { name: ["is taken"] } }, "name: is taken"],
  [{ message: { name: ["is taken"] } }, "name: is taken"],
  [{ detail: { name: ["is taken"] } }, "name: is taken"],
  [{ cause: { name: ["is taken"] } }, ""],
  [{ message: { a: ["x"], b: ["y"] } }, "a: x; b: y"],
  [{ message: { name: "is taken" } }, ""],
  [{ message: { name: [] } }, ""],
  [{ message: { name: [7] } }, ""],
  [{ message: { name: ["a", 7] } }, ""],
  [{ message: { name: ["a"], other: "b" } }, ""],
  [{ message: { errors: ["a"] } }, "a"],
  [{ message: {} }, ""],
  [{ errors: { name: "is taken" } }, "name: is taken"],
  [{ errors: { message: "a" } }, "a"],
  [{ errors: { message: "a", name: "b" } }, "b: a"],
  [{ errors: { name: { message: "a" } } }, "name: a"],
  [{ errors: { name: [], b: "c" } }, "b: c"],
  [{ errors: many(7) }, "f0: bad; f1: bad; f2: bad; f3: bad; f4: bad"],
  [{ errors: { [long(121)]: "bad" } }, `${long(119)}…: bad`],
  [{ errors: { a: deep(5) } }, "a: deep"],
  [{ errors: { a: deep(6) } }, ""],
  [{ errors: [{ field: "a", message: "b" }] }, "a: b"],
  [{ errors: [{ field: " a ", message: "b" }] }, "a: b"],
  [{ errors: [{ field: " ", name: "n", message: "b" }] }, "n: b"],
  [{ errors: [{ field: 7, message: "b" }] }, "b"],
  [{ errors: [{ field: long(120), message: "b" }] }, `${long(120)}: b`],
  [{ errors: [{ field: long(121), message: "b" }] }, "b"],
  [{ errors: [{ field: "a" }] }, ""],
  [{ errors: [{ loc: ["a", { b: 1 }, 2], message: "b" }] }, "a.2: b"],
  [{ errors: [{ loc: [], message: "b" }] }, "b"],
  [{ errors: [{ source: { parameter: "p" }, message: "b" }] }, "p: b"],
  [{ errors: [{ source: {}, message: "b" }] }, "b"],
  [{ errors: [{ field: "a", error: { field: "b", message: "c" } }] }, "a: b: c"],
  [{ field: "a", message: "b" }, "b"],
  [{ title: "a", detail: "a b" }, "a b"],
  [{ title: "a b", detail: "a" }, "a b"],
  [{ title: "a", detail: "a" }, "a"],
  [{ title: "a", detail: "b", note: "c" }, "a; b; c"],
  [{ title: "a.", detail: "b;", note: "c" }, "a. b; c"],
  [{ "Error Message": "a", "error-message": "b", ERROR_MESSAGE: "c" }, "a; b; c"],
  [
    {
      title: "1",
      message: "2",
      msg: "3",
      detail: "4",
      details: "5",
      reason: "6",
      fault: "7",
      exception: "8",
      hint: "9",
      text: "A",
      content: "B",
      note: "C",
      warning: "D"
    },
    "1; 2; 3; 4; 5; 6; 7; 8; 9; A; B; C"
  ],
  [{ message: `${long(1400)} a`, title: `${long(1400)} b` }, `${long(999)}…`]
]

const bad = { message: "is bad", property: "a" }

const onFields: ReadonlyArray<readonly [error: JsonObject, concernsFields: boolean]> = [
  [{ message: { name: ["is taken"] } }, true],
  [{ message: { name: ["x", "is taken"] } }, true],
  [{ message: { a: ["x"], b: [" is taken"] } }, true],
  [{ message: { name: ["不能为空"] } }, true],
  [{ id: 1, message: { name: ["is taken"] } }, true],
  [{ message: { name: ["a@b.example"] } }, false],
  [{ message: { name: ["is taken", 7] } }, false],
  [{ message: { name: "is taken" } }, false],
  [{ message: { name: [] } }, false],
  [{ message: ["is taken"] }, false],
  [{ data: { name: ["is taken"] } }, false],
  [{ message: "Bad", details: [bad] }, true],
  [{ message: "Bad", errors: [bad] }, true],
  [{ message: "OK", details: [bad] }, false],
  [{ message: 7, details: [bad] }, false],
  [{ title: "Bad", details: [bad] }, false],
  [{ details: [bad] }, false],
  [{ message: "Bad", items: [bad] }, false],
  [{ message: "Bad", details: [] }, false],
  [{ message: "Bad", details: bad }, false],
  [{ message: "Bad", details: ["a"] }, false],
  [{ message: "Bad", details: [{ message: "is bad" }] }, false],
  [{ message: "Bad", details: [{ property: "a" }] }, false],
  [{ message: "Bad", details: [bad, { message: "b" }] }, false],
  [{ message: "Bad" }, false],
  [{}, false]
]

describe("the fields of an upstream's error", () => {
  for (const [text, words] of texts)
    it(`3.3 the text ${JSON.stringify(text).slice(0, 80)} of ${text.length} characters is quoted`, () =>
      assert.strictEqual(ofText(text), words))

  for (const [value, words] of values)
    it(`3.3 ${JSON.stringify(value).slice(0, 90)} has the words ${JSON.stringify(words).slice(0, 60)}`, () =>
      assert.strictEqual(ofValue(value), words))

  for (const [error, expected] of onFields)
    it(`3.3 ${JSON.stringify(error)} ${expected ? "concerns" : "does not concern"} fields`, () =>
      assert.strictEqual(concernsFields(error), expected))

  it("3.3 a quoted error has the status and the headers of its response, if there is one", () => {
    const response = { status: 404, headers: { a: "1" } }
    assert.deepInclude(new QuotedError("x", 1, response), response)
    assert.isUndefined(new QuotedError("x", 1).status)
  })
})

/** Tests JSON Pointers in both representations of RFC 6901, which are strings and URI fragments. */
import * as JsonPointer from "#domain/json/JsonPointer"
import { assert, describe, it } from "@effect/vitest"

/** The document of RFC 6901, section 5, and its pointers as strings and as URI fragments. */
const document = {
  foo: ["bar", "baz"],
  "": 0,
  "a/b": 1,
  "c%d": 2,
  "e^f": 3,
  "g|h": 4,
  "i\\j": 5,
  'k"l': 6,
  " ": 7,
  "m~n": 8
}
const pointers: ReadonlyArray<readonly [text: string, reference: string, value: unknown]> = [
  ["", "#", document],
  ["/foo", "#/foo", ["bar", "baz"]],
  ["/foo/0", "#/foo/0", "bar"],
  ["/", "#/", 0],
  ["/a~1b", "#/a~1b", 1],
  ["/c%d", "#/c%25d", 2],
  ["/e^f", "#/e%5Ef", 3],
  ["/g|h", "#/g%7Ch", 4],
  ["/i\\j", "#/i%5Cj", 5],
  ['/k"l', "#/k%22l", 6],
  ["/ ", "#/%20", 7],
  ["/m~0n", "#/m~0n", 8]
]

describe("JsonPointer", () => {
  it("13.1 resolves the examples of RFC 6901", () => {
    for (const [text, reference, value] of pointers) {
      assert.deepStrictEqual(JsonPointer.valueAt(document, JsonPointer.parse(text)), value, text)
      assert.deepStrictEqual(JsonPointer.resolve(document, reference), value, reference)
      assert.strictEqual(JsonPointer.format(JsonPointer.parse(text)), text)
    }
  })

  it("13.1 finds only own fields, and nothing outside the document", () => {
    const references = ["#/toString", "#/__proto__", "#/foo/length", "#/foo/01", "#/foo/-1", "#/foo/2", "#/foo/0/0"]
    for (const reference of [...references, "#foo", "/foo", "other.json#/foo", ""]) {
      assert.isUndefined(JsonPointer.resolve(document, reference), reference)
    }
  })

  it("13.1 decodes a reference before splitting it, and keeps a reference that cannot be decoded", () => {
    assert.deepStrictEqual(JsonPointer.fromReference("#/foo%2F0"), ["foo", "0"])
    assert.deepStrictEqual(JsonPointer.fromReference("#/100%"), ["100%"])
  })

  it("13.3 reports whether a pointer is within another", () => {
    assert.isTrue(JsonPointer.isWithin(["a", 0, "b"], ["a", "0"]))
    assert.isTrue(JsonPointer.isWithin(["a"], ["a"]))
    assert.isFalse(JsonPointer.isWithin(["a"], ["a", 0]))
    assert.isFalse(JsonPointer.isWithin(["ab"], ["a"]))
  })

  it("13.1 reads an index of several digits, and no anchor", () => {
    const list = Array.from({ length: 200 }, (_, index) => index)
    for (const index of [0, 9, 10, 123]) assert.strictEqual(JsonPointer.resolve(list, `#/${index}`), index)
    for (const anchor of ["#foo", "#x/foo"]) assert.isUndefined(JsonPointer.fromReference(anchor))
  })

  it("13.3 a pointer is within a place only if all parts of the place agree", () => {
    assert.isFalse(JsonPointer.isWithin(["a", "b"], ["x", "b"]))
    assert.isFalse(JsonPointer.isWithin(["a"], ["a", "undefined"]))
    assert.isTrue(JsonPointer.isWithin(["a"], []))
  })
})

/** Tests that schemas inside the values of keywords are found and replaced, and that the kind of a value is checked. */
import { isOf, mapSchemas, schemasIn } from "#domain/schema/json/KeywordValue"
import { assert, describe, it } from "@effect/vitest"

describe("the value of a keyword", () => {
  it("13.1 contains schemas, each found with its path", () => {
    const a = { type: "string" }
    assert.deepStrictEqual(schemasIn("schema", a), [[a, []]])
    assert.deepStrictEqual(schemasIn("schemas", [a, true]), [
      [a, [0]],
      [true, [1]]
    ])
    assert.deepStrictEqual(schemasIn("schema or schemas", [a]), [[a, [0]]])
    assert.deepStrictEqual(schemasIn("schemas by name", { a }), [[a, ["a"]]])
    assert.deepStrictEqual(schemasIn("schemas or names by name", { a, b: ["a"] }), [[a, ["a"]]])
  })

  it("13.1 contains no schemas if it is of the wrong kind", () => {
    assert.deepStrictEqual(schemasIn("schemas", {}), [])
    assert.deepStrictEqual(schemasIn("schemas by name", []), [])
    assert.deepStrictEqual(schemasIn("names", ["a"]), [])
  })

  it("13.1 is rebuilt with other schemas, and otherwise unchanged", () => {
    const closed = (schema: unknown) => ({ ...Object(schema), closed: true })
    assert.deepStrictEqual(mapSchemas("schema", {}, closed), { closed: true })
    assert.deepStrictEqual(mapSchemas("schemas", [{}, {}], closed), [{ closed: true }, { closed: true }])
    assert.deepStrictEqual(mapSchemas("schemas or names by name", { a: ["b"], b: {} }, closed), {
      a: ["b"],
      b: { closed: true }
    })
    const named = JSON.parse('{"__proto__":{},"b":{}}')
    assert.strictEqual(
      JSON.stringify(mapSchemas("schemas by name", named, closed)),
      '{"__proto__":{"closed":true},"b":{"closed":true}}'
    )
    assert.deepStrictEqual(mapSchemas("values", [{}], closed), [{}])
  })

  it("13.3 is checked against the kind of its keyword", () => {
    assert.isTrue(isOf("pattern", String.raw`\-`), "a pattern that is valid only without the flag u")
    assert.isFalse(isOf("pattern", "("))
    assert.isFalse(isOf("names", ["a", "a"]))
    assert.isTrue(isOf("type", ["string", "null"]))
    assert.isFalse(isOf("type", "dict"))
  })
})

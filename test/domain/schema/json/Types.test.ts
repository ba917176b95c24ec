/** Tests the types of values and their names, and the rewriting of older dialects. */
import { allowNull, exclusiveBounds } from "#domain/schema/json/OlderDialect"
import { hasType, isType, typeNamed, typeOf } from "#domain/schema/json/Types"
import { assert, describe, it } from "@effect/vitest"

describe("types of JSON Schema", () => {
  it("13.3 each value has its narrowest type", () => {
    assert.deepStrictEqual([null, [], {}, "a", 1, 1.5, true, false].map(typeOf), [
      "null",
      "array",
      "object",
      "string",
      "integer",
      "number",
      "boolean",
      "boolean"
    ])
  })

  it("13.3 a whole number has the types integer and number; a fraction has only the type number", () => {
    const types = ["string", "number", "integer", "boolean", "object", "array", "null", "dict"]
    const typesOf = (value: unknown) => types.filter((type) => hasType(value, type))
    assert.deepStrictEqual([1, 1.5, "a", null, [], {}, true].map(typesOf), [
      ["number", "integer"],
      ["number"],
      ["string"],
      ["null"],
      ["array"],
      ["object"],
      ["boolean"]
    ])
  })

  it("13.3 names of types in other languages are recognised in any case; the names of Object methods are not types", () => {
    assert.deepStrictEqual(
      ["integer", "Integer", "STR", "dict", "float", "none", "tostring", "", 1, ["str"]].map(typeNamed),
      ["integer", "integer", "string", "object", "number", "null", undefined, undefined, undefined, undefined]
    )
    assert.isUndefined(typeNamed("constructor"))
    assert.deepStrictEqual(["string", "String", "str", ["string"], undefined].map(isType), [
      true,
      false,
      false,
      false,
      false
    ])
  })
})

describe("older dialects", () => {
  const rewritten = (rewrite: (node: Record<string, unknown>) => void, node: Record<string, unknown>) => {
    rewrite(node)
    return node
  }

  it("13.1 an exclusive bound that is a flag makes the bound exclusive, or is removed", () => {
    const rewrite = (node: Record<string, unknown>) => rewritten(exclusiveBounds, node)
    assert.deepStrictEqual(rewrite({ minimum: 1, exclusiveMinimum: true }), { exclusiveMinimum: 1 })
    assert.deepStrictEqual(rewrite({ maximum: 9, exclusiveMaximum: true, minimum: 1 }), {
      exclusiveMaximum: 9,
      minimum: 1
    })
    assert.deepStrictEqual(rewrite({ minimum: 1, exclusiveMinimum: false }), { minimum: 1 })
    assert.deepStrictEqual(rewrite({ exclusiveMinimum: true }), {})
    assert.deepStrictEqual(rewrite({ exclusiveMinimum: true, minimum: "1" }), { minimum: "1" })
    assert.deepStrictEqual(rewrite({ exclusiveMinimum: 1, minimum: 0 }), { exclusiveMinimum: 1, minimum: 0 })
  })

  it("13.1 nullable adds null to the types and to the enum, once", () => {
    const rewrite = (node: Record<string, unknown>) => rewritten(allowNull, node)
    assert.deepStrictEqual(rewrite({ type: "string" }), { type: ["string", "null"] })
    assert.deepStrictEqual(rewrite({ type: ["string", "null"] }), { type: ["string", "null"] })
    assert.deepStrictEqual(rewrite({ enum: ["a"] }), { enum: ["a", null] })
    assert.deepStrictEqual(rewrite({ enum: ["a", null] }), { enum: ["a", null] })
    assert.deepStrictEqual(rewrite({ enum: "a" }), { enum: "a" })
    assert.deepStrictEqual(rewrite({ minimum: 1 }), { minimum: 1 })
  })
})

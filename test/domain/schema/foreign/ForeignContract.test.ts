/** Tests contracts that are made from JSON Schemas of other projects. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as ForeignContract from "#domain/schema/foreign/ForeignContract"

type Json = Readonly<Record<string, unknown>>

const accepts = (schema: Json, value: unknown) => Result.isSuccess(ForeignContract.make(schema).decode(value))

describe("a contract from a foreign JSON Schema", () => {
  it("4.4 accepts any value if the type is not a JSON type, even if it is the name of an Object method", () => {
    const { decode, unchecked } = ForeignContract.make({ properties: { a: { type: "constructor" } } })
    assert.deepStrictEqual(unchecked, [
      { pointer: "/properties/a/type", reason: '"constructor" is not a JSON type: read as anything' }
    ])
    assert.isTrue(Result.isSuccess(decode({ a: 1 })))
  })

  it("4.4 reads the type names of other languages, and reports them", () => {
    const contract = ForeignContract.make({
      type: "dict",
      properties: { n: { type: "float" }, any: { type: "any" }, s: { type: "String", required: true } },
      required: ["n"]
    })
    assert.isTrue(Result.isSuccess(contract.decode({ n: 1.5, any: [1], s: "x" })))
    assert.isTrue(Result.isFailure(contract.decode({ n: "1.5" })))
    assert.isTrue(Result.isFailure(contract.decode([])))
    assert.deepStrictEqual(
      contract.unchecked.map(({ pointer, reason }) => `${pointer}: ${reason}`),
      [
        '/type: "dict" is not a JSON type: read as "object"',
        '/properties/n/type: "float" is not a JSON type: read as "number"',
        '/properties/any/type: "any" is not a JSON type: read as anything',
        "/properties/s/required: is not a valid value of required",
        '/properties/s/type: "String" is not a JSON type: read as "string"'
      ]
    )
  })

  it("4.4 leaves out and lists the parts that cannot be compiled, and checks the others", () => {
    const contract = ForeignContract.make({
      type: "object",
      properties: {
        a: { not: { type: "string" }, minimum: 1 },
        b: { if: { type: "string" }, else: { minLength: 3 } },
        c: { enum: [{ x: 1 }, "y"] },
        d: { type: "string", pattern: "(?=a)" },
        e: { type: "string", pattern: "[" },
        f: { $ref: "https://elsewhere.example/schema.json" },
        g: { $ref: "#/$defs/missing" },
        h: 7
      },
      required: ["a"],
      dependentRequired: { a: ["b"] }
    })
    assert.isTrue(Result.isFailure(contract.decode({ a: 0 })))
    assert.isTrue(Result.isSuccess(contract.decode({ a: 1, b: "x", c: 1, d: "b", e: "[", f: 1, g: 2, h: 3 })))
    assert.deepStrictEqual(contract.unchecked.map(({ pointer }) => pointer).toSorted(), [
      "/dependentRequired",
      "/properties/a/not",
      "/properties/b/if",
      "/properties/c/enum",
      "/properties/d/pattern",
      "/properties/e/pattern",
      "/properties/f/$ref",
      "/properties/g/$ref",
      "/properties/h"
    ])
  })

  it("4.4 follows references to any place in the schema, including circular ones", () => {
    const tree = {
      type: "object",
      properties: {
        name: { type: "string" },
        again: { $ref: "#/properties/name" },
        children: { type: "array", items: { $ref: "#" } }
      },
      required: ["name"],
      additionalProperties: false
    }
    assert.deepStrictEqual(ForeignContract.make(tree).unchecked, [])
    assert.isTrue(accepts(tree, { name: "a", again: "b", children: [{ name: "c", children: [] }] }))
    assert.isFalse(accepts(tree, { name: "a", children: [{ name: 1 }] }))
    assert.isFalse(accepts(tree, { name: "a", again: 2 }))
  })

  it("4.4 reads the older forms of draft-04, draft-07 and OpenAPI 3.0", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      $id: "https://example.com/a",
      type: "object",
      definitions: { Id: { type: "string", minLength: 2 } },
      properties: {
        id: { $ref: "#/definitions/Id" },
        pair: { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false },
        above: { type: "number", minimum: 3, exclusiveMinimum: true },
        maybe: { type: "string", nullable: true }
      }
    }
    assert.isTrue(accepts(schema, { id: "ab", pair: ["a", 1], above: 4, maybe: null }))
    for (const wrong of [{ id: "a" }, { pair: ["a", "b"] }, { pair: ["a", 1, 2] }, { above: 3 }, { maybe: 1 }]) {
      assert.isFalse(accepts(schema, wrong), JSON.stringify(wrong))
    }
  })

  it("4.4 accepts any value in place of a schema without throwing", () => {
    const odd: ReadonlyArray<unknown> = [
      null,
      7,
      "schema",
      [],
      true,
      false,
      {},
      { type: [] },
      { type: 7 },
      { properties: [] },
      { properties: { __proto__: { type: "string" }, constructor: { type: "string" } } },
      { required: "all" },
      { anyOf: [] },
      { allOf: [{ anyOf: [{ type: "string" }] }, { oneOf: [{ type: "number" }, { type: "string" }] }] },
      { $ref: "#" },
      { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }
    ]
    for (const schema of odd) {
      const contract = ForeignContract.make(schema as never) // the schema is invalid on purpose
      assert.isString(Result.isSuccess(contract.decode({ a: 1 })) ? "success" : "failure")
    }
    let deep: Json = { type: "string" }
    for (let i = 0; i < 5_000; i++) deep = { type: "object", properties: { a: deep } }
    assert.isTrue(accepts(deep, { a: {} }))
  })
})

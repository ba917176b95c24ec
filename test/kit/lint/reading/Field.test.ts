/** Tests the paths of parameters through references, unions and maps, even in recursive and hostile schemas. */
import { fieldsIn } from "#kit/lint/reading/Field"
import * as JsonPointer from "#domain/json/JsonPointer"
import { assert, describe, it } from "@effect/vitest"

const fields = (schema: unknown) => fieldsIn({ schema, pointer: [] })

/** Returns the path, types, level and place of each field. */
const summary = (schema: unknown) =>
  fields(schema).map(
    ({ level, path, pointer, shapes }) =>
      `${path || "."} ${shapes.map(({ type }) => type).join("|")} ${level} ${JsonPointer.format(pointer)}`
  )

describe("Field", () => {
  it("13.3 finds each place with its types and its level", () => {
    assert.deepStrictEqual(
      summary({
        type: "object",
        properties: {
          id: { type: ["string", "null"] },
          rows: { type: "array", items: { type: "object", properties: { "a b": { type: "integer" } } } },
          map: { type: "object", additionalProperties: { type: "number" } },
          free: {}
        }
      }),
      [
        ". object 0 ",
        "id string|null 1 /properties/id",
        "rows array 1 /properties/rows",
        "map object 1 /properties/map",
        "free any 1 /properties/free",
        "rows[] object 1 /properties/rows/items",
        "map.* number 1 /properties/map/additionalProperties",
        'rows[]["a b"] integer 2 /properties/rows/items/properties/a b'
      ]
    )
  })

  it("13.3 resolves references, merges allOf and splits anyOf", () => {
    const schema = {
      type: "object",
      properties: {
        a: { $ref: "#/$defs/Id", description: "outer" },
        b: { anyOf: [{ type: "string", maxLength: 5 }, { type: "null" }] },
        c: { allOf: [{ $ref: "#/$defs/Id" }, { maxLength: 9 }] },
        d: { anyOf: [{ type: "number" }, { not: {} }] },
        e: { const: 7 },
        f: { enum: ["x", 1] },
        g: { type: "dict" }
      },
      $defs: { Id: { type: "string", description: "inner", minLength: 1 } }
    }
    const found = new Map(fields(schema).map((field) => [field.path, field]))
    assert.strictEqual(found.get("a")?.description, "outer")
    assert.deepStrictEqual(found.get("a")?.shapes[0]?.schema["minLength"], 1)
    assert.deepStrictEqual(
      found.get("b")?.shapes.map(({ schema, type }) => [type, schema["maxLength"]]),
      [
        ["string", 5],
        ["null", undefined]
      ]
    )
    const c = found.get("c")?.shapes[0]
    assert.deepStrictEqual(
      [c?.type, c?.schema["minLength"], c?.schema["maxLength"], c?.isComposed],
      ["string", 1, 9, true]
    )
    assert.deepStrictEqual(
      ["d", "e", "f", "g"].map((path) => found.get(path)?.shapes.map(({ type }) => type)),
      [["number"], ["integer"], ["string", "integer"], ["object"]]
    )
  })

  it("13.3 terminates for recursive schemas, and visits each definition once", () => {
    const tree = {
      type: "object",
      properties: { node: { $ref: "#/$defs/Node" } },
      $defs: { Node: { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/Node" } } } } }
    }
    assert.deepStrictEqual(summary(tree), [
      ". object 0 ",
      "node object 1 /properties/node",
      "node.children array 2 /$defs/Node/properties/children",
      "node.children[] object 2 /$defs/Node/properties/children/items"
    ])
    assert.deepStrictEqual(summary({ $ref: "#" }), [". any 0 "])
    assert.deepStrictEqual(
      summary({ type: "object", properties: { a: { $ref: "#/nowhere" } } })[1],
      "a any 1 /properties/a"
    )
  })

  it("13.3 limits the shapes and fields of schemas that are very wide, very deep, or have multiplying references", () => {
    const wide = { anyOf: Array.from({ length: 200 }, () => ({ type: "string" })) }
    const many = { type: "object", properties: { a: { allOf: [wide, wide, wide, wide] } } }
    assert.isAtMost(fields(many)[1]?.shapes.length ?? 0, 64)
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => {
        const next = { $ref: `#/$defs/D${index + 1}` }
        return [`D${index}`, { anyOf: [next, next] }]
      })
    )
    for (const D40 of [false, { type: "string" }]) {
      const schema = { type: "object", properties: { a: { $ref: "#/$defs/D0" } }, $defs: { ...doubling, D40 } }
      assert.isAtMost(fields(schema)[1]?.shapes.length ?? 0, 64)
    }
    let deep: unknown = { type: "string" }
    for (let level = 0; level < 150; level++) deep = { type: "object", properties: { a: deep, b: { type: "string" } } }
    assert.isAtMost(fields(deep).length, 60)
    const broad = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, { type: "string" }]))
    assert.strictEqual(fields({ type: "object", properties: broad }).length, 5_000)
  })

  it("13.3 accepts a value of each JSON type as a schema, and keywords of the wrong type", () => {
    for (const odd of [
      null,
      true,
      false,
      7,
      "x",
      [],
      [[]],
      { properties: 7 },
      { type: "object", properties: [1], required: 7, items: 3 }
    ]) {
      assert.isAtLeast(fields(odd).length, 1)
    }
  })
})

import { inherit, markJsonSchema, notationOf } from "#domain/schema/SchemaNotation"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

describe("SchemaNotation", () => {
  for (const [what, schema, expected] of [
    ["an object", Schema.Struct({ n: Schema.Int }), "json-schema"],
    ["an array", Schema.Array(Schema.Int), "json-schema"],
    ["a union", Schema.Union([Schema.Int, Schema.Null]), "json-schema"],
    ["a leaf, which schemas share", Schema.String, "effect"]
  ] as const) {
    it(`15.1 ${what} that was compiled from JSON Schema is maintained as ${expected}`, () => {
      assert.strictEqual(notationOf(schema.ast), "effect")
      markJsonSchema(schema.ast)
      assert.strictEqual(notationOf(schema.ast), expected)
    })
  }

  it("15.1 the encoded side of a schema is maintained in the notation of the schema", () => {
    const [compiled, written] = [Schema.Struct({ n: Schema.Int }).ast, Schema.Struct({ n: Schema.Int }).ast]
    markJsonSchema(compiled)
    const sides = [Schema.Struct({ n: Schema.Int }).ast, Schema.Struct({ n: Schema.Int }).ast] as const
    assert.strictEqual(inherit(sides[0], compiled), sides[0])
    inherit(sides[1], written)
    assert.deepStrictEqual(sides.map(notationOf), ["json-schema", "effect"])
  })
})

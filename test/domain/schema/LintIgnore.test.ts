import { assert, describe, it } from "@effect/vitest"
import { lintIgnore, lintIgnoresOf } from "#domain/schema/LintIgnore"
import { Schema } from "effect"

const Marked = Schema.String.pipe(lintIgnore({ "string-bounds": "Comes from other systems." }))

describe("suppressions in a schema", () => {
  for (const [where, schema, pointer] of [
    ["the schema itself", Marked, []],
    ["a field", Schema.Struct({ a: Marked }), ["properties", "a"]],
    ["a member of a union", Schema.Struct({ a: Schema.NullOr(Marked) }), ["properties", "a"]],
    ["the items of an array", Schema.Array(Marked), ["items"]],
    ["a field that is suspended", Schema.Struct({ a: Schema.suspend(() => Marked) }), ["properties", "a"]],
    ["an element of a tuple", Schema.Tuple([Schema.Int, Marked]), ["prefixItems", "1"]],
    ["the rest of a tuple", Schema.TupleWithRest(Schema.Tuple([Schema.Int]), [Marked]), ["items"]],
    ["the values of a record", Schema.Record(Schema.String, Marked), ["additionalProperties"]]
  ] as const) {
    it(`13.3 are found in ${where}`, () => {
      assert.deepStrictEqual(lintIgnoresOf(schema), [
        { pointer, reasons: { "string-bounds": "Comes from other systems." } }
      ])
    })
  }

  it("13.3 are found once in a recursive schema", () => {
    interface Node {
      readonly name: string
      readonly inner: ReadonlyArray<Node>
    }
    const Node: Schema.Codec<Node> = Schema.Struct({
      name: Marked,
      inner: Schema.Array(Schema.suspend((): Schema.Codec<Node> => Node))
    })
    assert.deepStrictEqual(
      lintIgnoresOf(Node).map(({ pointer }) => pointer),
      [["properties", "name"]]
    )
  })
})

/** Tests the literals that are added to an enum. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as EnumLiteral from "#domain/faults/EnumLiteral"

describe("EnumLiteral", () => {
  it("13.1 a text with an integer becomes a `bigint` if the enum has such a member", () => {
    const big = Schema.Literals([1n, 2n])
    for (const [schema, value, literal] of [
      [big, "3", 3n],
      [big, "-12", -12n],
      [Schema.Literal(1n), "3", 3n],
      [Schema.Literals(["a", 1n]), "3", 3n],
      [big, "id-3", "id-3"],
      [big, "3 EUR", "3 EUR"],
      [big, "1.5", "1.5"],
      [big, true, true],
      [Schema.Literals(["1", "2"]), "3", "3"],
      [Schema.Literals([1, 2]), 3, 3],
      [Schema.NullOr(Schema.String), "3", "3"]
    ] as const)
      assert.strictEqual(EnumLiteral.of(schema.ast, value).literal, literal)
  })

  it("13.1 a literal is written as source", () => {
    assert.deepStrictEqual(
      [Schema.Literal('a"b'), Schema.Literal(3), Schema.Literal(false), Schema.Literal(-3n)].map(({ ast }) =>
        EnumLiteral.source(ast)
      ),
      ['"a\\"b"', "3", "false", "-3n"]
    )
  })
})

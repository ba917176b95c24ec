/** Tests the line of a schema that a suggestion proposes. */
import { assert, describe, it } from "@effect/vitest"
import { Schema, type SchemaAST } from "effect"
import * as ForeignSchema from "#domain/schema/foreign/ForeignSchema"
import * as SchemaLine from "#domain/faults/SchemaLine"

describe("SchemaLine", () => {
  it("15.1 each suggestion is a line of an Effect schema, and a schema that is kept has none", () => {
    const of = (suggestion: Parameters<typeof SchemaLine.of>[1]) => SchemaLine.of("orders[].due", suggestion)
    assert.strictEqual(of({ _tag: "nullable" }), "orders[].due: Schema.NullOr(…)")
    assert.strictEqual(of({ _tag: "optional" }), "orders[].due: Schema.optionalKey(…)")
    assert.strictEqual(of({ _tag: "wider enum", values: ["late"] }), 'orders[].due: Schema.Literals([…, "late"])')
    assert.strictEqual(of({ _tag: "wider type", type: "number" }), "orders[].due: Schema.Union([…, Schema.Finite])")
    assert.strictEqual(
      of({ _tag: "wider bound", expected: "at most 5" }),
      "orders[].due: … without the check: at most 5"
    )
    assert.strictEqual(of({ _tag: "open object" }), "orders[].due: … that accepts more fields")
    assert.isUndefined(of({ _tag: "keep" }))
    assert.strictEqual(SchemaLine.of("", { _tag: "nullable" }), "success: Schema.NullOr(…)")
  })

  it("15.1 the line contains what the schema has now, in the notation of the schema", () => {
    const Order = Schema.Struct({ due: Schema.String, status: Schema.Literals(["placed", "shipped"]) })
    const effect = Order.ast
    const foreign = ForeignSchema.compile({
      type: "object",
      properties: { due: { type: "string" }, status: { enum: ["placed", "shipped"] } },
      required: ["due", "status"]
    }).schema.ast
    const line = (schema: SchemaAST.AST, name: string, suggestion: Parameters<typeof SchemaLine.of>[1]) =>
      SchemaLine.of(name, suggestion, { schema, place: [{ _tag: "Field", name }] })
    assert.strictEqual(line(effect, "due", { _tag: "nullable" }), "due: Schema.NullOr(Schema.String)")
    assert.strictEqual(line(effect, "due", { _tag: "optional" }), "due: Schema.optionalKey(Schema.String)")
    assert.strictEqual(
      line(effect, "due", { _tag: "wider type", type: "number" }),
      "due: Schema.Union([Schema.String, Schema.Finite])"
    )
    const late = { _tag: "wider enum", values: ["late"] } as const
    assert.strictEqual(line(effect, "status", late), 'status: Schema.Literals(["placed", "shipped", "late"])')
    assert.strictEqual(line(foreign, "due", { _tag: "nullable" }), 'due: {"type":["string","null"]}')
    assert.strictEqual(line(foreign, "due", { _tag: "optional" }), 'due: not in "required" (remove "due" there)')
    assert.strictEqual(
      line(foreign, "due", { _tag: "wider type", type: "number" }),
      'due: {"type":["string","number"]}'
    )
    assert.strictEqual(line(foreign, "status", late), 'status: {"type":"string","enum":["placed","shipped","late"]}')
    assert.isUndefined(line(foreign, "due", { _tag: "keep" }))
  })
})

/** Tests the line of a schema that a suggestion proposes. */
import { assert, describe, it } from "@effect/vitest"
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
})

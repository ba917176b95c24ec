/** Tests the line of a schema that a suggestion proposes. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, SchemaAST } from "effect"
import * as Fault from "#domain/faults/Fault"
import type { Place } from "#domain/faults/FaultPlace"
import * as ForeignSchema from "#domain/schema/foreign/ForeignSchema"
import * as SchemaLine from "#domain/faults/SchemaLine"
import * as SchemaNotation from "#domain/schema/SchemaNotation"

type Suggestion = Parameters<typeof SchemaLine.of>[0]["suggestion"]

/** The schema and the place in it that a value violated. */
interface Where {
  readonly schema: SchemaAST.AST
  readonly place: Place | undefined
}

const lineOf = (path: string, suggestion: Suggestion, where?: Where): string | undefined =>
  SchemaLine.of(
    {
      fault: { kind: "rule", path, problem: "", ...(where?.place === undefined ? {} : { place: where.place }) },
      suggestion
    },
    where?.schema
  )

/** Returns the JSON form of a schema, and the faults of a value. */
const broken = (schema: Schema.Codec<unknown, unknown>, value: unknown) => {
  const json = Schema.toCodecJson(schema)
  const encoded = SchemaNotation.inherit(SchemaAST.toEncoded(json.ast), schema.ast)
  const decoded = Schema.decodeUnknownResult(json, { errors: "all", reportInput: true })(value)
  return {
    schema: encoded,
    faults: Result.isFailure(decoded) ? Fault.ofResult(decoded.failure.issue, value, encoded) : []
  }
}

describe("SchemaLine", () => {
  it("15.1 each suggestion is a line of an Effect schema, and a schema that is kept has none", () => {
    const of = (suggestion: Suggestion) => lineOf("orders[].due", suggestion)
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
    assert.strictEqual(lineOf("", { _tag: "nullable" }), "success: Schema.NullOr(…)")
  })

  it("15.1 the line contains the present source of the schema, in the notation of the schema", () => {
    const Order = Schema.Struct({ due: Schema.String, status: Schema.Literals(["placed", "shipped"]) })
    const effect = Order.ast
    const foreign = ForeignSchema.compile({
      type: "object",
      properties: { due: { type: "string" }, status: { enum: ["placed", "shipped"] } },
      required: ["due", "status"]
    }).schema.ast
    const line = (schema: SchemaAST.AST, name: string, suggestion: Suggestion) =>
      lineOf(name, suggestion, { schema, place: [{ _tag: "Field", name }] })
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

  it("15.1 the line repeats the source at a place that exists, if the source is short", () => {
    const wide = Schema.Literals(Array.from({ length: 40 }, (_, index) => `value ${index}`))
    const Order = Schema.Struct({
      wide,
      rows: Schema.Array(Schema.Struct({ due: Schema.String })),
      pair: Schema.Tuple([Schema.Int, Schema.String]),
      names: Schema.Record(Schema.String, Schema.Int),
      either: Schema.Union([Schema.Int, Schema.Struct({ a: Schema.Int })]),
      mixed: Schema.Union([Schema.Literal("a"), Schema.Int]),
      only: Schema.Literal("a"),
      big: Schema.Literals([1n, 2n]),
      ruled: Schema.Literals(["a", "b"]).check(Schema.makeFilter(() => true))
    })
    const steps = (...names: ReadonlyArray<string>) => names.map((name) => ({ _tag: "Field", name }) as const)
    const line = (place: Where["place"], suggestion: Suggestion) =>
      lineOf("p", suggestion, { schema: Order.ast, place })
    const late = { _tag: "wider enum", values: ["late"] } as const
    for (const [place, now] of [
      [steps("wide"), "…"],
      [[...steps("rows"), { _tag: "Items" }, ...steps("due")], "Schema.String"],
      [[...steps("pair"), { _tag: "Element", index: 1 }], "Schema.String"],
      [[...steps("names"), { _tag: "Values" }], "Schema.Int"],
      [[...steps("either"), { _tag: "Member", index: 1 }, ...steps("a")], "Schema.Int"],
      [steps("unknown"), "…"],
      [[...steps("wide"), { _tag: "Items" }], "…"],
      [[...steps("rows"), { _tag: "Values" }], "…"],
      [[{ _tag: "Member", index: 0 }], "…"],
      [[{ _tag: "Element", index: 0 }], "…"],
      [[...steps("rows"), ...steps("due")], "…"],
      [undefined, "…"]
    ] as const)
      assert.strictEqual(line(place, { _tag: "nullable" }), `p: Schema.NullOr(${now})`)
    assert.strictEqual(line(steps("mixed"), late), 'p: Schema.Literals([…, "late"])')
    assert.strictEqual(line(steps("only"), late), 'p: Schema.Literals(["a", "late"])')
    assert.strictEqual(line(steps("ruled"), late), 'p: Schema.Literals([…, "late"])')
    assert.strictEqual(line(steps("big"), { _tag: "wider enum", values: ["3"] }), "p: Schema.Literals([1n, 2n, 3n])")
    assert.strictEqual(
      line(steps("big"), { _tag: "wider enum", values: ["-3", "n/a"] }),
      'p: Schema.Literals([1n, 2n, -3n, "n/a"])'
    )
  })

  it("15.1 a bound moves to the values in both notations, and a rule without a bound is left out", () => {
    const fields = {
      total: Schema.Finite.check(Schema.isLessThanOrEqualTo(100)),
      note: Schema.String.check(Schema.isMaxLength(5)),
      code: Schema.String.check(Schema.isPattern(/^[A-Z]+$/u)),
      both: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0), Schema.isLessThanOrEqualTo(10))
    }
    const foreign = ForeignSchema.compile({
      type: "object",
      properties: {
        total: { type: "number", maximum: 100 },
        note: { type: "string", maxLength: 5 },
        list: { type: "array", items: { type: "string" }, maxItems: 2 }
      },
      required: ["total", "note", "list"]
    }).schema
    const line = (
      of: Schema.Codec<unknown, unknown>,
      value: object,
      range?: { readonly least: number; readonly most: number }
    ) => {
      const { faults, schema } = broken(of, value)
      const [fault] = faults
      if (fault === undefined) throw new Error("the value conforms")
      const suggestion = { _tag: "wider bound", expected: fault.expected ?? fault.problem } as const
      return SchemaLine.of({ fault, suggestion, ...(range === undefined ? {} : { range }) }, schema)
    }
    const effect = Schema.Struct(fields)
    const good = { total: 1, note: "a", code: "A", both: 1 }
    assert.strictEqual(
      line(effect, { ...good, total: 140 }, { least: 120, most: 140 }),
      "total: Schema.Finite.check(Schema.isLessThanOrEqualTo(140))"
    )
    assert.strictEqual(
      line(effect, { ...good, note: "longer" }, { least: 6, most: 6 }),
      "note: Schema.String.check(Schema.isMaxLength(6))"
    )
    assert.strictEqual(line(effect, { ...good, code: "a1" }, { least: 2, most: 2 }), "code: Schema.String")
    assert.strictEqual(
      line(effect, { ...good, both: -3 }, { least: -3, most: -3 }),
      "both: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(-3)).check(Schema.isLessThanOrEqualTo(10))"
    )
    const own = { total: 1, note: "a", list: [] }
    assert.strictEqual(
      line(foreign, { ...own, total: 140 }, { least: 140, most: 140 }),
      'total: {"type":"number","maximum":140}'
    )
    assert.strictEqual(
      line(foreign, { ...own, note: "longer" }, { least: 6, most: 6 }),
      'note: {"type":"string","maxLength":6}'
    )
    assert.strictEqual(
      line(foreign, { ...own, list: ["a", "b", "c"] }, { least: 3, most: 3 }),
      'list: {"type":"array","items":{"type":"string"},"maxItems":3}'
    )
    // without the range, it is unknown how far the bound must move
    assert.strictEqual(line(foreign, { ...own, note: "longer" }), 'note: {"type":"string"}')
  })

  it("15.1 a source or a JSON Schema of at most 160 characters is repeated, and a longer one is not", () => {
    const line = (
      schema: SchemaAST.AST,
      change: Omit<Parameters<typeof SchemaLine.of>[0], "fault">,
      expected?: string
    ) =>
      SchemaLine.of(
        {
          fault: {
            kind: "rule",
            path: "a",
            place: [{ _tag: "Field", name: "a" }],
            problem: `expected ${expected}`,
            ...(expected === undefined ? {} : { expected })
          },
          ...change
        },
        schema
      )
    const nullable = { suggestion: { _tag: "nullable" } } as const
    const effect = (length: number) =>
      Schema.Struct({ a: Schema.Literal("x".repeat(length - 'Schema.Literal("")'.length)) }).ast
    const long = `Schema.Literal("${"x".repeat(142)}")`
    assert.strictEqual(line(effect(160), nullable), `a: Schema.NullOr(${long})`)
    assert.strictEqual(line(effect(161), nullable), "a: Schema.NullOr(…)")
    const foreign = (pattern: string) =>
      ForeignSchema.compile({ type: "object", properties: { a: { type: "string", pattern, maxLength: 5 } } }).schema.ast
    const room = '{"type":["string","null"],"maxLength":5,"pattern":""}'.length
    const fits = "x".repeat(160 - room)
    assert.strictEqual(line(foreign(fits), nullable), `a: {"type":["string","null"],"maxLength":5,"pattern":"${fits}"}`)
    assert.strictEqual(line(foreign(`${fits}x`), nullable), 'a: {"anyOf":[{…},{"type":"null"}]}')
    const bound = {
      suggestion: { _tag: "wider bound", expected: "at most 5 characters" },
      range: { least: 7, most: 7 }
    } as const
    const most = "at most 5 characters"
    const inBound = "x".repeat(160 - '{"type":"string","maxLength":7,"pattern":""}'.length)
    assert.strictEqual(line(foreign(inBound), bound, most), `a: {"type":"string","maxLength":7,"pattern":"${inBound}"}`)
    assert.strictEqual(line(foreign(`${inBound}x`), bound, most), `a: … without the check: ${most}`)
  })

  it("15.1 the JSON Schema of a union gets one more member, and that of a recursive schema is left out", () => {
    const line = (properties: object, change: Suggestion, definitions = {}) => {
      const { schema } = ForeignSchema.compile({ type: "object", properties, $defs: definitions })
      return lineOf("a", change, { schema: schema.ast, place: [{ _tag: "Field", name: "a" }] })
    }
    const object = { type: "object", properties: { n: { type: "string" } }, additionalProperties: false }
    assert.strictEqual(
      line({ a: { anyOf: [object, { type: "array" }] } }, { _tag: "nullable" }),
      `a: ${JSON.stringify({ anyOf: [object, { type: "array" }, { type: "null" }] })}`
    )
    const tree = { type: "object", properties: { trees: { type: "array", items: { $ref: "#/$defs/T" } } } }
    assert.strictEqual(
      line({ a: { $ref: "#/$defs/T" } }, { _tag: "nullable" }, { T: tree }),
      'a: {"anyOf":[{…},{"type":"null"}]}'
    )
    assert.strictEqual(
      line({ a: { $ref: "#/$defs/T" } }, { _tag: "wider type", type: "string" }, { T: tree }),
      'a: {"anyOf":[{…},{"type":"string"}]}'
    )
  })

  it("15.1 each type has its line in both notations, and an unknown type is any JSON", () => {
    const foreign = ForeignSchema.compile({
      type: "object",
      properties: { a: { enum: ["x"] }, long: { enum: Array.from({ length: 40 }, (_, index) => `value ${index}`) } },
      required: ["a"]
    }).schema.ast
    const own = (suggestion: Suggestion) => lineOf("a", suggestion)
    const json = (suggestion: Suggestion, name?: string) =>
      lineOf("a", suggestion, {
        schema: foreign,
        place: name === undefined ? undefined : [{ _tag: "Field", name }]
      })
    for (const [type, source, schema] of [
      ["string", "Schema.String", '{"type":"string"}'],
      ["number", "Schema.Finite", '{"type":"number"}'],
      ["boolean", "Schema.Boolean", '{"type":"boolean"}'],
      ["null", "Schema.Null", '{"type":"null"}'],
      ["array", "Schema.Array(Schema.Json)", '"type":"array"'],
      ["object", "Schema.Record(Schema.String, Schema.Json)", '"type":"object"'],
      ["anything", "Schema.Json", ""]
    ] as const) {
      assert.strictEqual(own({ _tag: "wider type", type }), `a: Schema.Union([…, ${source}])`)
      const line = json({ _tag: "wider type", type }) ?? ""
      assert.isTrue(line.startsWith('a: {"anyOf":[{…},') && line.endsWith("]}"), line)
      assert.include(line, schema)
    }
    assert.strictEqual(json({ _tag: "nullable" }, "long"), 'a: {"anyOf":[{…},{"type":"null"}]}')
    assert.strictEqual(json({ _tag: "optional" }), 'a: not in "required"')
    assert.strictEqual(
      lineOf(
        "a[1]",
        { _tag: "optional" },
        {
          schema: foreign,
          place: [
            { _tag: "Field", name: "a" },
            { _tag: "Element", index: 1 }
          ]
        }
      ),
      'a[1]: not required by "minItems" (at most 1 there)'
    )
    assert.strictEqual(json({ _tag: "wider enum", values: ["y", "z"] }), 'a: {"enum":[…,"y","z"]}')
    assert.strictEqual(json({ _tag: "wider enum", values: ["y"] }, "a"), 'a: {"type":"string","enum":["x","y"]}')
    assert.strictEqual(json({ _tag: "wider bound", expected: "at most 5" }), "a: … without the check: at most 5")
    assert.strictEqual(json({ _tag: "open object" }), 'a: {…,"additionalProperties":true}')
    assert.strictEqual(
      lineOf("", { _tag: "open object" }, { schema: foreign, place: [] })?.split(":")[0],
      "outputSchema"
    )
  })
})

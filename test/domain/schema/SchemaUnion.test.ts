/** Tests what is known of a union: its literal values, the tag of its objects, and the form of numbers in JSON. */
import { assert, describe, it } from "@effect/vitest"
import { Schema, SchemaAST } from "effect"
import { discriminator, isNumberForm, literals, literalTypes, taggedBy } from "#domain/schema/SchemaUnion"

const State = Schema.Literals(["open", "closed"])
const North = Schema.Enum({ A: "north", B: 2 } as const)
const Circle = Schema.Struct({ kind: Schema.Literal("circle"), r: Schema.Finite })
const Square = Schema.Struct({ kind: Schema.Literals(["square", "box"]), a: Schema.Finite })

interface List {
  readonly kind: "list"
  readonly of: ReadonlyArray<Shape>
}
type Shape = typeof Circle.Type | List
const List: Schema.Codec<List> = Schema.Struct({
  kind: Schema.Literal("list"),
  of: Schema.Array(Schema.suspend((): Schema.Codec<Shape> => Shape))
})
const Shape: Schema.Codec<Shape> = Schema.Union([Circle, Schema.suspend(() => List)])

describe("literals", () => {
  const cases: ReadonlyArray<readonly [what: string, schema: Schema.Top, values: ReadonlyArray<string> | undefined]> = [
    ["a literal", Schema.Literal(7), ["7"]],
    ["an enum", North, ["north", "2"]],
    [
      "a union of literals, enums and null",
      Schema.NullOr(Schema.Union([State, North])),
      ["open", "closed", "north", "2", "null"]
    ],
    ["a union that repeats a value", Schema.Union([State, Schema.Literal("open")]), ["open", "closed"]],
    ["a suspended enum", Schema.suspend(() => North), ["north", "2"]],
    ["null alone", Schema.Null, undefined],
    ["a union with a type that has other values", Schema.Union([State, Schema.Int]), undefined],
    ["a type", Schema.String, undefined],
    ["an object", Circle, undefined]
  ]
  it.each(cases)("4.4 of %s", (_, schema, values) => assert.deepStrictEqual(literals(schema.ast), values))

  it("15.1 have their types in JSON, where a bigint is a string", () => {
    const types = (schema: Schema.Top) => [...literalTypes(schema.ast)]
    assert.deepStrictEqual(types(Schema.Literals(["a", 1, true, 2n])), ["string", "number", "boolean"])
    assert.deepStrictEqual(types(Schema.Literal(2n)), ["string"])
    assert.deepStrictEqual(types(Schema.NullOr(North)), ["string", "number"])
    assert.deepStrictEqual(types(Schema.Union([Schema.String, Schema.Boolean])), [])
  })
})

describe("the tag of a union", () => {
  const tag = (schema: Schema.Top) => discriminator(schema.ast)

  it("4.4 is the first required literal of all objects, with all values", () => {
    assert.deepStrictEqual(tag(Schema.Union([Circle, Square])), { key: "kind", values: ["circle", "square", "box"] })
    assert.deepStrictEqual(tag(Schema.NullOr(Schema.Union([Circle, Square]))), tag(Schema.Union([Circle, Square])))
    assert.deepStrictEqual(tag(Shape), { key: "kind", values: ["circle", "list"] })
    const V1 = Schema.Struct({ name: Schema.String, v: Schema.Literal(1), kind: Schema.Literal("a") })
    const V2 = Schema.Struct({ kind: Schema.Literal("a"), v: Schema.Literal(2), name: Schema.String })
    assert.deepStrictEqual(tag(Schema.Union([V1, V2])), { key: "v", values: ["1", "2"] })
  })

  it.each([
    ["there is one object", Schema.NullOr(Circle)],
    ["there is no object", State],
    ["an object does not have it", Schema.Union([Circle, Schema.Struct({ r: Schema.Finite })])],
    ["it is optional in an object", Schema.Union([Circle, Schema.Struct({ kind: Schema.optionalKey(State) })])],
    ["it has any value in an object", Schema.Union([Circle, Schema.Struct({ kind: Schema.String })])]
  ] as ReadonlyArray<readonly [string, Schema.Top]>)("4.4 is unknown if %s", (_, schema) =>
    assert.isUndefined(tag(schema))
  )

  it("4.4 selects the objects that have its value", () => {
    const fields = (schema: Schema.Top, key: string, value: unknown) =>
      taggedBy(schema.ast, key, value).map(({ propertySignatures }) => propertySignatures.map(({ name }) => name))
    const Any = Schema.Union([Circle, Square, Schema.String, Schema.Struct({ kind: Schema.String })])
    assert.deepStrictEqual(fields(Any, "kind", "box"), [["kind", "a"]])
    assert.deepStrictEqual(fields(Any, "kind", "circle"), [["kind", "r"]])
    assert.deepStrictEqual(fields(Any, "kind", "other"), [])
    assert.deepStrictEqual(fields(Any, "r", "circle"), [])
    assert.deepStrictEqual(fields(Shape, "kind", "list"), [["kind", "of"]])
  })
})

describe("the form of a number in JSON", () => {
  const names = Schema.Literals(["NaN", "Infinity", "-Infinity"])

  it("4.4 is a finite number or the name of a number that JSON lacks", () => {
    assert.isTrue(isNumberForm(SchemaAST.toEncoded(Schema.toCodecJson(Schema.Number).ast)))
    assert.isTrue(isNumberForm(Schema.Union([Schema.Finite, names]).ast))
    assert.isTrue(
      isNumberForm(
        Schema.Union([Schema.Finite, Schema.Literal("NaN"), Schema.Literal("Infinity"), Schema.Literal("-Infinity")])
          .ast
      )
    )
  })

  it.each([
    ["a number", Schema.Finite],
    ["the names alone", names],
    ["a number with some of the names", Schema.Union([Schema.Finite, Schema.Literals(["NaN", "Infinity"])])],
    ["a number with another name", Schema.Union([Schema.Finite, Schema.Literals(["NaN", "Infinity", "none"])])],
    ["a number with one more name", Schema.Union([Schema.Finite, names, Schema.Literal("none")])],
    ["a text with the names", Schema.Union([Schema.String, names])],
    ["a number and a text with the names", Schema.Union([Schema.Finite, Schema.String, names])],
    ["a union with a rule", Schema.Union([Schema.Finite, names]).check(Schema.makeFilter(() => true))],
    ["a nested union with a rule", Schema.Union([Schema.Finite, names.check(Schema.makeFilter(() => true))])]
  ] as ReadonlyArray<readonly [string, Schema.Top]>)("4.4 is not %s", (_, schema) =>
    assert.isFalse(isNumberForm(schema.ast))
  )
})

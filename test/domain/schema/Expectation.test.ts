/** Tests the words in which a schema, a value and a rule are described to a model. */
import { assert, describe, it } from "@effect/vitest"
import { Schema, SchemaAST } from "effect"
import { declared, expectedByCheck, expectedType, typeName } from "#domain/schema/Expectation"

interface Tree {
  readonly inner?: Tree
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  inner: Schema.optionalKey(Schema.suspend((): Schema.Codec<Tree> => Tree))
})
class Row extends Schema.Class<Row>("Row")({ id: Schema.Int }) {}

describe("the type of a value", () => {
  it("4.4 is its JSON type, and unknown for values that JSON does not have", () => {
    for (const [value, name] of [
      [null, "null"],
      [[], "array"],
      ["", "string"],
      [0, "number"],
      [false, "boolean"],
      [{}, "object"],
      [undefined, undefined],
      [1n, undefined],
      [() => 1, undefined],
      [new Date(), undefined],
      [new Map(), undefined],
      [Object.create(null), undefined]
    ] as const)
      assert.strictEqual(typeName(value), name)
  })
})

describe("the expected type of a schema", () => {
  it.each([
    ["string", Schema.String],
    ["string", Schema.TemplateLiteral(["id-", Schema.Int])],
    ["string", Schema.toEncoded(Schema.toCodecJson(Schema.BigInt))],
    ["string", Schema.BigInt],
    ["string", Schema.toCodecJson(Schema.Date)],
    ["number", Schema.Finite],
    ["number", Schema.Number],
    ["number", Schema.toCodecJson(Schema.Number)],
    ["number", Schema.Finite.check(Schema.isGreaterThan(1))],
    ["integer", Schema.Int],
    ["integer", Schema.Int.check(Schema.isGreaterThan(1))],
    ["boolean", Schema.Boolean],
    ["null", Schema.Null],
    ["null", Schema.Undefined],
    ["null", Schema.Void],
    ['"a b"', Schema.Literal("a b")],
    ["7", Schema.Literal(7)],
    ['"7"', Schema.Literal(7n)],
    ["array", Schema.Array(Schema.String)],
    ["object", Schema.Struct({ a: Schema.String })],
    ["object", Schema.suspend(() => Tree)],
    ['"north" or 2', Schema.Enum({ A: "north", B: 2 } as const)],
    ["string or null", Schema.NullOr(Schema.String)],
    ["string or integer", Schema.Union([Schema.String, Schema.Int, Schema.TemplateLiteral(["a", Schema.Int])])],
    ["object", Row],
    ["Map", Schema.instanceOf(Map, { expected: "Map" })]
  ] as ReadonlyArray<readonly [string, Schema.Top]>)("4.4 is %s", (name, schema) =>
    assert.strictEqual(expectedType(schema.ast), name)
  )

  it("4.4 of a class or built-in type is its name", () => {
    assert.strictEqual(declared(Schema.Date.ast), "a valid Date")
    assert.strictEqual(declared(SchemaAST.toType(Row.ast)), "Row")
    assert.strictEqual(declared(Schema.Date.annotate({ message: "Send a date" }).ast), "a valid value")
  })
})

/** Describes the first rule of a schema, and a value that breaks it. */
const ofRule = (schema: Schema.Top, value: unknown) => expectedByCheck(schema.ast.checks![0]!, value)

describe("the expectation of a rule", () => {
  const long = "x".repeat(100_000)
  it.each([
    [Schema.String.check(Schema.isMinCodePoints(1)), "", { expected: "at least 1 character", got: "0" }],
    [Schema.String.check(Schema.isMinCodePoints(2)), "😀", { expected: "at least 2 characters", got: "1" }],
    [Schema.String.check(Schema.isMaxCodePoints(2)), "😀😀😀", { expected: "at most 2 characters", got: "3" }],
    [Schema.String.check(Schema.isBetweenCodePoints(4, 6)), "a", { expected: "4 to 6 characters", got: "1" }],
    [Schema.String.check(Schema.isBetweenCodePoints(4, 4)), "a", { expected: "4 characters", got: "1" }],
    // texts of more than 100,000 units are counted in units
    [
      Schema.String.check(Schema.isMaxCodePoints(9)),
      `😀${long.slice(2)}`,
      { expected: "at most 9 characters", got: "99999" }
    ],
    [Schema.String.check(Schema.isMaxCodePoints(9)), `😀${long}`, { expected: "at most 9 characters", got: "100002" }],
    [Schema.Array(Schema.Int).check(Schema.isMaxLength(1)), [1, 2], { expected: "at most 1 item", got: "2" }],
    [Schema.Array(Schema.Int).check(Schema.isMinLength(3)), [1, 2], { expected: "at least 3 items", got: "2" }],
    [
      Schema.Record(Schema.String, Schema.Int).check(Schema.isMinProperties(2)),
      { a: 1 },
      { expected: "at least 2 fields", got: "1" }
    ],
    [
      Schema.Record(Schema.String, Schema.Int).check(Schema.isBetweenProperties(0, 1)),
      { a: 1, b: 2 },
      { expected: "0 to 1 field", got: "2" }
    ],
    [Schema.String.check(Schema.isMinCodePoints(1)), null, { expected: "at least 1 character" }],
    [Schema.String.check(Schema.isMinCodePoints(1)), 7, { expected: "at least 1 character" }],
    [Schema.Finite, Number.NaN, { expected: "number" }],
    [Schema.Int, 1.5, { expected: "integer", got: "a fraction" }],
    [Schema.Int, 2 ** 53, { expected: "integer", got: "a number beyond 2^53" }],
    [Schema.Int, Infinity, { expected: "integer" }],
    [Schema.Int, "1.5", { expected: "integer" }],
    [Schema.Int.check(Schema.isGreaterThan(1)), 1, { expected: "integer", got: "a number beyond 2^53" }],
    [Schema.Finite.check(Schema.isGreaterThan(1)), 1, { expected: "number" }],
    [Schema.Number.check(Schema.isGreaterThan(1)), 1, { expected: "a value greater than 1" }],
    [Schema.String.check(Schema.makeFilter(() => false, { expected: "an id" })), "x", { expected: "an id" }],
    [Schema.String.check(Schema.makeFilter(() => false)), "x", { expected: "a valid value" }]
  ] as ReadonlyArray<readonly [Schema.Top, unknown, object]>)("4.4 case %#", (schema, value, words) =>
    assert.deepStrictEqual(ofRule(schema, value), words)
  )
})

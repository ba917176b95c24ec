/** Tests that the source of a schema can be pasted, and that a schema without complete source has none. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, SchemaGetter, SchemaTransformation } from "effect"
import { codeOf, partsOf, rulesOf } from "#domain/schema/SchemaCode"

interface Tree {
  readonly inner?: Tree
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  inner: Schema.optionalKey(Schema.suspend((): Schema.Codec<Tree> => Tree))
})

const notEmpty = Schema.makeFilter((text: string) => text !== "")
const positive = Schema.makeFilter((value: number) => value > 0)
const North = Schema.Enum({ A: "north", B: 2 } as const)
const Text = Schema.String.check(Schema.isMinCodePoints(1))

/** Schemas, each with its source on one line. */
const sources: ReadonlyArray<readonly [schema: Schema.Top, source: string]> = [
  [Schema.String, "Schema.String"],
  [Schema.NullOr(Schema.String), "Schema.Union([Schema.String, Schema.Null])"],
  [Schema.Literals(["a", 1, true]), `Schema.Literals(["a", 1, true])`],
  [North, `Schema.Literals(["north", 2])`],
  [
    Schema.Struct({ a: Schema.String, "b c": Schema.optionalKey(Schema.Int) }),
    `Schema.Struct({ "a": Schema.String, "b c": Schema.optionalKey(Schema.Int) })`
  ],
  [Schema.Array(Schema.Int).check(Schema.isUnique()), "Schema.Array(Schema.Int).check(Schema.isUnique())"],
  [Schema.String.annotate({ description: "Whose." }), `Schema.String.annotate({ "description": "Whose." })`],
  // numbers have their short names
  [Schema.Int, "Schema.Int"],
  [Schema.Number.check(Schema.isInt()), "Schema.Int"],
  [Schema.Finite, "Schema.Finite"],
  [Schema.Int.check(Schema.isGreaterThan(3)), "Schema.Int.check(Schema.isGreaterThan(3))"],
  [
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
    "Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 }))"
  ],
  [
    Schema.Number.check(Schema.isLessThan(3), Schema.isInt()),
    "Schema.Number.check(Schema.isLessThan(3)).check(Schema.isInt())"
  ],
  [
    Schema.Number.annotate({ description: "Cents." }).check(Schema.isInt()),
    `Schema.Number.annotate({ "description": "Cents." }).check(Schema.isInt())`
  ],
  // patterns are literals
  [Schema.String.check(Schema.isPattern(/^a"\/b$/u)), String.raw`Schema.String.check(Schema.isPattern(/^a"\/b$/u))`],
  [Schema.String.check(Schema.isPattern(/\d/)), String.raw`Schema.String.check(Schema.isPattern(/\d/))`],
  // conversions of Effect have names, alone, with rules after them, and after a schema with rules
  [Schema.NumberFromString, "Schema.NumberFromString"],
  [Schema.Date, "Schema.Date"],
  [Schema.DateFromString, "Schema.DateFromString"],
  [Schema.Trim, "Schema.Trim"],
  [Schema.FiniteFromString.check(Schema.isGreaterThan(3)), "Schema.FiniteFromString.check(Schema.isGreaterThan(3))"],
  [
    Text.pipe(Schema.decodeTo(Schema.NumberFromString)),
    "Schema.String.check(Schema.isMinCodePoints(1)).pipe(Schema.decodeTo(Schema.NumberFromString))"
  ],
  [
    Text.pipe(Schema.decodeTo(Schema.NumberFromString.check(Schema.isLessThan(9)))),
    "Schema.String.check(Schema.isMinCodePoints(1)).pipe(Schema.decodeTo(Schema.NumberFromString)).check(Schema.isLessThan(9))"
  ],
  [Schema.Option(Schema.String), "Schema.Option(Schema.String)"]
]

const own = SchemaTransformation.trim()

/** Schemas with a part that has no source. */
const without: ReadonlyArray<readonly [what: string, schema: Schema.Top]> = [
  ["a rule that is a function", Schema.String.check(notEmpty)],
  ["a rule that is a function, on an enum", North.check(Schema.makeFilter(() => true))],
  ["a rule that is a function, after a conversion", Schema.NumberFromString.check(positive)],
  ["a conversion that is not one of Effect's", Schema.String.pipe(Schema.decode(own))],
  ["a conversion of a field", Schema.Struct({ a: Schema.Trim })],
  ["a default", Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)))],
  ["a definition of its own", Tree],
  ["a class", class Row extends Schema.Class<Row>("Row")({ id: Schema.Int }) {}],
  ["an instance of a class", Schema.instanceOf(Map)],
  [
    "one of Effect's conversions after a text that is converted",
    Schema.String.pipe(Schema.decode(own), Schema.decodeTo(Schema.NumberFromString))
  ],
  [
    "one of Effect's conversions after a text with a rule that is a function",
    Schema.String.check(notEmpty).pipe(Schema.decodeTo(Schema.NumberFromString))
  ],
  [
    "another conversion between the same types",
    Schema.String.pipe(
      Schema.decodeTo(Schema.Number, {
        decode: SchemaGetter.transform(Number),
        encode: SchemaGetter.transform(String)
      })
    )
  ]
]

describe("SchemaCode", () => {
  for (const [schema, source] of sources)
    it(`15.1 the source of a schema is ${source}`, () => assert.strictEqual(codeOf(schema.ast), source))

  for (const [what, schema] of without)
    it(`15.1 there is no source for ${what}`, () => assert.isUndefined(codeOf(schema.ast)))

  it("15.1 the source of each schema makes a schema with the same source", () => {
    for (const [schema, source] of sources) {
      const made = new Function("Schema", `return ${source}`)(Schema) as Schema.Top
      assert.strictEqual(codeOf(made.ast), source)
      assert.strictEqual(made.ast._tag, schema.ast._tag === "Enum" ? "Union" : schema.ast._tag)
    }
  })

  it("15.1 a type is separate from its rules, and a rule without source is among them", () => {
    const min = Schema.isMinCodePoints(2)
    const rule = (source: string | undefined) => ({ source })
    const parts = (schema: Schema.Top) => {
      const found = partsOf(schema.ast)
      return found && { type: found.type, rules: found.rules.map(({ source }) => rule(source)) }
    }
    assert.deepStrictEqual(parts(Schema.String.check(notEmpty, min)), {
      type: "Schema.String",
      rules: [rule(undefined), rule(".check(Schema.isMinCodePoints(2))")]
    })
    assert.deepStrictEqual(parts(Schema.Int.check(positive, Schema.isLessThan(3))), {
      type: "Schema.Int",
      rules: [rule(undefined), rule(".check(Schema.isLessThan(3))")]
    })
    assert.deepStrictEqual(parts(Schema.Finite), { type: "Schema.Finite", rules: [] })
    assert.deepStrictEqual(parts(Schema.Number.check(Schema.isLessThan(3), Schema.isInt())), {
      type: "Schema.Number",
      rules: [rule(".check(Schema.isLessThan(3))"), rule(".check(Schema.isInt())")]
    })
    assert.deepStrictEqual(parts(North.check(Schema.makeFilter(() => true))), {
      type: `Schema.Literals(["north", 2])`,
      rules: [rule(undefined)]
    })
    assert.deepStrictEqual(parts(Schema.NumberFromString.check(positive, Schema.isLessThan(3))), {
      type: "Schema.NumberFromString",
      rules: [rule(undefined), rule(".check(Schema.isLessThan(3))")]
    })
    assert.deepStrictEqual(parts(Schema.BigInt.check(Schema.isGreaterThanBigInt(1n))), {
      type: "Schema.BigInt",
      rules: [rule(".check(Schema.isGreaterThanBigInt(1n))")]
    })
    assert.deepStrictEqual(parts(Schema.Array(Schema.Boolean).check(Schema.isMinLength(1))), {
      type: "Schema.Array(Schema.Boolean)",
      rules: [rule(".check(Schema.isMinLength(1))")]
    })
    assert.deepStrictEqual(parts(Schema.Record(Schema.String, Schema.Int).check(Schema.isMinProperties(1))), {
      type: "Schema.Record(Schema.String, Schema.Int)",
      rules: [rule(".check(Schema.isMinProperties(1))")]
    })
    assert.isUndefined(parts(Tree))
    assert.isUndefined(parts(Schema.String.pipe(Schema.decode(own))))
  })

  it("15.1 a group of rules is one rule if all have a source, and otherwise its rules", () => {
    const min = Schema.isMinCodePoints(2)
    const group = Schema.String.check(Schema.makeFilterGroup([min, notEmpty]))
    assert.deepStrictEqual(
      rulesOf(group.ast).map(({ rule, source }) => [rule, source]),
      [
        [min, ".check(Schema.isMinCodePoints(2))"],
        [notEmpty, undefined]
      ]
    )
    const whole = Schema.String.check(Schema.makeFilterGroup([min, Schema.isMaxCodePoints(3)]))
    assert.deepStrictEqual(
      rulesOf(whole.ast).map(({ source }) => source),
      [".check(Schema.makeFilterGroup([Schema.isMinCodePoints(2), Schema.isMaxCodePoints(3)]))"]
    )
    assert.deepStrictEqual(rulesOf(Schema.String.ast), [])
    assert.deepStrictEqual(
      rulesOf(Schema.String.ast, [min]).map(({ source }) => source),
      [".check(Schema.isMinCodePoints(2))"]
    )
  })
})

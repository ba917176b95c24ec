/**
 * Tests that unions of scalars are advertised as one schema with a list of types, which accepts what decoding accepts.
 */
import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Arbitrary, Effect, Result, Schema } from "effect"
import * as Contract from "#domain/schema/Contract"
import { compact } from "#domain/schema/ScalarUnion"
import { damage, generate, type JsonSchema, random } from "../../support/JsonSchemaValues.ts"

type Field = Schema.Codec<unknown, unknown>

const contractOf = (field: Schema.Top) => Contract.makeUnsafe("tool", Schema.Struct({ v: field as unknown as Field })) // no field needs services

const printed = (field: Schema.Top): unknown => {
  const { jsonSchema, jsonSchema2020 } = contractOf(field)
  assert.deepStrictEqual(jsonSchema, jsonSchema2020)
  return (jsonSchema["properties"] as JsonSchema)["v"]
}

const options = { strict: true, allowUnionTypes: true, validateFormats: false }

const Window = Schema.Literals(["d", "w"])
const described = { description: "Only results of this time." }
const dateRestrict = { type: ["string", "null"], enum: ["d", "w", null], ...described, default: null }
const nullByDefault = Schema.withDecodingDefaultKey<Schema.NullOr<typeof Window>>(Effect.succeed(null))

const Text = Schema.String.check(Schema.isMinCodePoints(2), Schema.isMaxCodePoints(3))
const Range = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 }))

describe("a union of scalars", () => {
  it("2.4 a nullable enum with a default has one list of types and each annotation once", () => {
    const fields = [
      Schema.NullOr(Window).annotate(described).pipe(nullByDefault),
      Schema.NullOr(Window.annotate(described)).pipe(nullByDefault),
      Schema.NullOr(Window).annotate(described).pipe(nullByDefault).annotateKey(described),
      Schema.NullOr(Window).annotateKey({ ...described, default: null })
    ]
    for (const field of fields) assert.deepStrictEqual(printed(field), dateRestrict)
  })

  it("2.4 the literal null is refused with its replacement, and a lenient contract prints the type null", () => {
    // only plain JavaScript can write this
    const literals = Schema.Literals(["a", 1, null] as unknown as ReadonlyArray<string>)
    assert.throws(() => contractOf(literals), "  v: null is not a literal; use Schema.NullOr(Schema.Literals([…]))")
    const { contract, problems } = Contract.lenient(Schema.Struct({ v: literals }))
    assert.deepStrictEqual(contract.jsonSchema["properties"], {
      v: { type: ["string", "number", "null"], enum: ["a", 1, null] }
    })
    assert.deepStrictEqual(contract.decode({ v: null }), Result.succeed({ v: null }))
    assert.lengthOf(problems, 1)
    assert.deepStrictEqual(printed(Schema.NullOr(Schema.Literals(["a", 1]))), {
      type: ["string", "number", "null"],
      enum: ["a", 1, null]
    })
  })

  it("2.4 lists each type and each value once, and keeps the keywords of the only member that has some", () => {
    const cases: ReadonlyArray<readonly [Schema.Top, unknown]> = [
      [Schema.Literals(["a", 1, true]), { type: ["string", "number", "boolean"], enum: ["a", 1, true] }],
      [Schema.Union([Window, Schema.Literals(["w", "m"])]), { type: "string", enum: ["d", "w", "m"] }],
      [Schema.Union([Window, Schema.Boolean]), { type: ["string", "boolean"], enum: ["d", "w", true, false] }],
      [Schema.NullOr(Text), { type: ["string", "null"], minLength: 2, maxLength: 3 }],
      [Schema.Union([Schema.Boolean, Range]), { type: ["boolean", "integer"], minimum: 1, maximum: 5 }],
      [Schema.NullOr(Schema.NullOr(Schema.Finite)), { type: ["number", "null"] }],
      [
        Schema.Array(Schema.NullOr(Schema.Boolean)),
        { type: "array", items: { type: ["boolean", "null"], enum: [true, false, null] } }
      ],
      [
        Schema.Record(Schema.String, Schema.NullOr(Schema.String)),
        { type: "object", additionalProperties: { type: ["string", "null"] } }
      ]
    ]
    for (const [field, expected] of cases) assert.deepStrictEqual(printed(field), expected)
  })

  it("2.4 stays anyOf if one schema cannot describe the members", () => {
    const nothing = { type: "null" }
    const range = { type: "integer", minimum: 1, maximum: 5 }
    const text = { type: "string", minLength: 2, maxLength: 3 }
    const cases: ReadonlyArray<readonly [Schema.Top, unknown]> = [
      [Schema.Union([Text, Range]), { anyOf: [text, range] }],
      [Schema.Union([Schema.Literal("a"), Text]), { anyOf: [{ type: "string", enum: ["a"] }, text] }],
      [Schema.Union([Range, Schema.Finite]), { anyOf: [range, { type: "number" }] }],
      [
        Schema.NullOr(Text.annotate({ description: "A code." })).annotate(described),
        { anyOf: [{ ...text, description: "A code." }, nothing], ...described }
      ],
      [
        Schema.Union([Schema.Literal("a").annotate({ description: "One." }), Schema.Literal("b").annotate(described)]),
        {
          anyOf: [
            { type: "string", enum: ["a"], description: "One." },
            { type: "string", enum: ["b"], ...described }
          ]
        }
      ],
      [
        Schema.NullOr(Schema.NullOr(Schema.Array(Range)).annotate(described)).annotate(described),
        { anyOf: [{ type: "array", items: range }, nothing], ...described }
      ]
    ]
    for (const [field, expected] of cases) assert.deepStrictEqual(printed(field), expected)
  })

  it("2.4 a union with another keyword, a reference or an unknown keyword is not changed", () => {
    const schemas: ReadonlyArray<JsonSchema> = [
      { anyOf: [{ type: "string" }, { type: "null" }], minLength: 3 },
      { anyOf: [{ $ref: "#/$defs/A" }, { type: "null" }] },
      { anyOf: [{ type: "string", "x-unit": "days" }, { type: "null" }] },
      { anyOf: [{ type: "string", allOf: [{ pattern: "a" }] }, { type: "null" }] },
      { anyOf: [true, { type: "null" }] },
      { enum: [{ anyOf: [{ type: "string" }, { type: "null" }] }] },
      { anyOf: [{ type: "object" }, { type: "null" }] },
      { anyOf: [{ type: ["string", "array"] }, { type: "null" }] },
      { anyOf: [{ type: "string", enum: "a" }, { type: "null" }] }
    ]
    for (const schema of schemas) assert.deepStrictEqual(compact(schema), schema)
  })

  it("2.4 annotations stay on the member that they describe", () => {
    const schemas: ReadonlyArray<JsonSchema> = [
      { anyOf: [{ type: "array", title: "A" }, { type: "null" }] },
      { anyOf: [{ type: "array", title: "A" }], title: "B" },
      { anyOf: [{ anyOf: [{ type: "string" }, { type: "array" }], title: "A" }, { type: "integer" }] }
    ]
    for (const schema of schemas) assert.deepStrictEqual(compact(schema), schema)
    assert.deepStrictEqual(compact({ anyOf: [{ type: "array", title: "A" }], description: "B" }), {
      type: "array",
      title: "A",
      description: "B"
    })
  })

  it("2.4 a member of several types is split, each type with its values and its keywords", () => {
    const array = { type: "array" }
    const cases: ReadonlyArray<readonly [JsonSchema, JsonSchema]> = [
      [
        { anyOf: [{ type: ["string", "null"], minLength: 2 }, { type: "boolean" }] },
        { type: ["string", "null", "boolean"], minLength: 2 }
      ],
      [
        { anyOf: [{ type: ["string", "integer", "null"], enum: ["a", 1, null] }, { type: "boolean" }] },
        { type: ["string", "number", "null", "boolean"], enum: ["a", 1, null, true, false] }
      ],
      [
        { anyOf: [{ type: ["string", "integer", "null"], enum: ["a", 1, null] }, array] },
        { anyOf: [{ type: "string", enum: ["a"] }, { type: "integer", enum: [1] }, { type: "null" }, array] }
      ],
      [
        { anyOf: [{ type: ["string", "integer"], minLength: 2, minimum: 1 }, array] },
        { anyOf: [{ type: "string", minLength: 2 }, { type: "integer", minimum: 1 }, array] }
      ]
    ]
    for (const [schema, expected] of cases) assert.deepStrictEqual(compact(schema), expected)
  })

  it("2.4 a list of values is joined only with other lists, and only without bounds", () => {
    const nothing = { type: "null" }
    const kept: ReadonlyArray<JsonSchema> = [
      { anyOf: [{ type: "string", enum: ["a"] }, { type: "integer" }] },
      { anyOf: [{ type: "integer" }, { type: "string", enum: ["a"] }] },
      { anyOf: [{ type: "string", enum: ["aa", "b"], minLength: 2 }, nothing] }
    ]
    for (const schema of kept) assert.deepStrictEqual(compact(schema), schema)
    // the member accepts no 1, because its type is string
    assert.deepStrictEqual(compact({ anyOf: [{ type: "string", enum: ["a", 1] }, nothing] }), {
      type: ["string", "null"],
      enum: ["a", null]
    })
  })

  it.effect("2.4 ajv in both dialects accepts exactly what decoding accepts, for random unions", () =>
    Effect.gen(function* () {
      // an instance compiles the meta-schema of its dialect once
      const [ajv, ajv2020] = [new Ajv(options), new Ajv2020(options)]
      let compacted = 0
      const found = yield* Arbitrary.checkEffect(
        Arbitrary.schema(Recipe),
        (recipe) => {
          const contract = contractOf(build(recipe))
          const validators = [
            ajv.compile(contract.jsonSchema),
            ajv2020.compile(contract.jsonSchema),
            ajv2020.compile(contract.jsonSchema2020)
          ]
          if (!JSON.stringify(contract.jsonSchema).includes("anyOf")) compacted++
          const next = random(recipe.seed)
          for (let i = 0; i < 40; i++) {
            let value = generate(contract.jsonSchema, contract.jsonSchema, next)
            if (next() < 0.4) value = damage(value, next)
            const verdict = Result.isSuccess(contract.decode(value))
            for (const accepts of validators) {
              assert.strictEqual(accepts(value), verdict, `${JSON.stringify([value, contract.jsonSchema])}`)
            }
          }
          return true
        },
        { seed: 24, runs: 150 }
      )
      assert.strictEqual(found._tag, "Passed", Arbitrary.formatCheckFailure(found))
      assert.isAbove(compacted, 30)
    })
  )
})

const members: ReadonlyArray<Schema.Top> = [
  Schema.String,
  Text,
  Schema.String.check(Schema.isPattern(/^[a-z]+$/u)),
  Window,
  Schema.Literals(["w", 1, true]),
  Schema.NullOr(Schema.Literals(["a", 1.5])),
  Schema.Literal(0),
  Schema.Finite,
  Schema.Int,
  Range,
  Schema.Int.check(Schema.isMultipleOf(5)),
  Schema.Boolean,
  Schema.Null
]

/** A random union of scalars: its members, whether unions are nested, and what is around it. */
const Recipe = Schema.Struct({
  seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })),
  members: Schema.Array(
    Schema.Struct({
      member: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: members.length - 1 })),
      wrap: Schema.Literals(["none", "null", "described"])
    })
  ).check(Schema.isMinLength(1), Schema.isMaxLength(3)),
  around: Schema.Literals(["none", "null", "described", "default", "optional", "array"])
})

const build = (recipe: typeof Recipe.Type): Schema.Top => {
  const all = recipe.members.map(({ member, wrap }, index) => {
    const field = members[member]!
    if (wrap === "null") return Schema.NullOr(field)
    return wrap === "described" ? field.annotate({ description: `Member ${index}.` }) : field
  })
  const union = Schema.Union(all)
  switch (recipe.around) {
    case "none":
      return union
    case "null":
      return Schema.NullOr(union)
    case "described":
      return Schema.NullOr(union).annotate(described)
    case "default":
      return Schema.NullOr(union).pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(null)))
    case "optional":
      return Schema.optional(union)
    case "array":
      return Schema.Array(union).check(Schema.isMaxLength(3))
  }
}

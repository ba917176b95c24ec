import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result, Schema } from "effect"
import * as Contract from "#domain/schema/Contract"
import { compilers } from "../../support/ajv.ts"
import * as fields from "../../support/fieldSchemas.ts"
import { damage, generate, random } from "../../support/JsonSchemaValues.ts"

type Field = Schema.Codec<unknown, unknown>
type Parameters = Schema.Codec<unknown, unknown>

const compile = compilers({ strict: true, allowUnionTypes: true, validateFormats: false, allErrors: false })
const leaves = Object.values({
  ...fields.texts,
  ...fields.numbers,
  ...fields.choices,
  ...fields.containers
}) as unknown as ReadonlyArray<Field> // no field needs services
const all = Object.entries({
  ...fields.texts,
  ...fields.numbers,
  ...fields.choices,
  ...fields.containers,
  ...fields.keys
})

/**
 * Asserts that ajv in both dialects and the contract agree on random values. Returns the numbers of accepted and refused
 * values.
 */
const judge = (parameters: Parameters, seed: number, runs: number): readonly [accepted: number, refused: number] => {
  const contract = Contract.makeUnsafe("tool", parameters)
  const draft07 = compile.draft07(contract.jsonSchema)
  const draft07As2020 = compile.draft2020(contract.jsonSchema)
  const draft2020 = compile.draft2020(contract.jsonSchema2020)
  const next = random(seed)
  let accepted = 0
  for (let i = 0; i < runs; i++) {
    let value = generate(contract.jsonSchema, contract.jsonSchema, next)
    for (let damages = next(); damages < 0.5; damages += 0.3) value = damage(value, next)
    const verdict = Result.isSuccess(contract.decode(value))
    const shown = () => `${JSON.stringify(value)} for ${JSON.stringify(contract.jsonSchema)}`
    assert.strictEqual(draft07(value), verdict, shown())
    assert.strictEqual(draft07As2020(value), verdict, shown())
    assert.strictEqual(draft2020(value), verdict, shown())
    if (verdict) accepted++
  }
  return [accepted, runs - accepted]
}

/** A random plan for combining leaf schemas into parameters. */
const Recipe = Schema.Struct({
  seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })),
  fields: Schema.Array(
    Schema.Struct({
      leaf: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: leaves.length - 1 })),
      other: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: leaves.length - 1 })),
      wrap: Schema.Literals([
        "none",
        "optional",
        "null",
        "array",
        "struct",
        "record",
        "union",
        "tagged",
        "default",
        "twice"
      ])
    })
  ).check(Schema.isMinLength(1), Schema.isMaxLength(4))
})

const build = (recipe: typeof Recipe.Type): Parameters => {
  const wrapped = recipe.fields.map(({ leaf, other, wrap }) => {
    const [a, b] = [leaves[leaf]!, leaves[other]!]
    switch (wrap) {
      case "none":
        return a
      case "optional":
        return Schema.optionalKey(a)
      case "null":
        return Schema.NullOr(a)
      case "array":
        return Schema.Array(a).check(Schema.isMaxLength(3))
      case "struct":
        return Schema.Struct({ x: a, y: Schema.optionalKey(b) })
      case "record":
        return Schema.Record(Schema.String, a)
      case "union":
        return Schema.Union([a, b])
      case "tagged":
        return Schema.Union([
          Schema.Struct({ tag: Schema.tag("a"), x: a }),
          Schema.Struct({ tag: Schema.tag("b"), x: b, y: Schema.optional(a) })
        ])
      case "default":
        return Schema.NullOr(a).pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(null)))
      case "twice":
        return Schema.Array(Schema.Struct({ inside: Schema.Array(a), beside: Schema.NullOr(b) }))
    }
  })
  return Schema.Struct(Object.fromEntries(wrapped.map((field, i) => [`f${i}`, field]))) as unknown as Parameters // no field needs services
}

describe("the advertised schema and decoding", () => {
  it.each(all)("2.4 agree for %s according to ajv in both dialects", (_, field) => {
    const [accepted, refused] = judge(Schema.Struct({ v: field as Field }), 24, 250)
    assert.isAbove(accepted, 0)
    assert.isAbove(refused, 0)
  })

  it.effect("2.4 agree for random parameters", () =>
    Effect.gen(function* () {
      const found = yield* Arbitrary.checkEffect(
        Arbitrary.schema(Recipe),
        (recipe) => {
          judge(build(recipe), recipe.seed, 60)
          return true
        },
        { seed: 7, runs: 120 }
      )
      assert.strictEqual(found._tag, "Passed", Arbitrary.formatCheckFailure(found))
    })
  )

  it("2.4 agree for tools without parameters", () => {
    const contract = Contract.makeUnsafe("tool", Schema.Struct({}))
    const accepts = compile.draft07(contract.jsonSchema)
    for (const value of [{}, { a: 1 }, null, [], [1], "", "x", 0, true]) {
      assert.strictEqual(Result.isSuccess(contract.decode(value)), accepts(value), JSON.stringify(value))
    }
    assert.deepStrictEqual(contract.decode({}), Result.succeed({}))
  })

  it("2.4 agree at the limits of Unicode and of doubles", () => {
    const contract = Contract.makeUnsafe(
      "tool",
      Schema.Struct({
        s: Schema.optionalKey(Schema.String.check(Schema.isBetweenCodePoints(2, 3))),
        i: Schema.optionalKey(Schema.Int),
        n: Schema.optionalKey(Schema.Finite)
      })
    )
    const accepts = compile.draft07(contract.jsonSchema)
    const verdicts: ReadonlyArray<readonly [text: string, accepted: boolean]> = [
      [`{"s":"😀"}`, false],
      [`{"s":"😀😀😀"}`, true],
      [`{"s":"😀😀😀😀"}`, false],
      [`{"s":"\\ud83da"}`, true],
      [`{"s":"e\u0301"}`, true],
      [`{"s":null}`, false],
      [`{"i":-0}`, true],
      [`{"i":1.0}`, true],
      [`{"i":1e2}`, true],
      [`{"i":1.5}`, false],
      [`{"i":9007199254740991}`, true],
      [`{"i":9007199254740992}`, false],
      [`{"i":9007199254740993}`, false],
      [`{"i":1e400}`, false],
      [`{"n":1e400}`, false],
      [`{"n":1e308}`, true],
      [`{"n":"1"}`, false],
      [`{"constructor":1}`, false]
    ]
    for (const [text, accepted] of verdicts) {
      const value: unknown = JSON.parse(text)
      assert.strictEqual(accepts(value), accepted, text)
      assert.strictEqual(Result.isSuccess(contract.decode(value)), accepted, text)
    }
  })
})

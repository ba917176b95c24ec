/** Tests how each kind of schema is advertised, and where the advertised schema may differ from decoding. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result, Schema, SchemaGetter, SchemaTransformation } from "effect"
import { advertise } from "#domain/schema/AdvertisedSchema"
import * as Contract from "#domain/schema/Contract"
import * as ContractPrint from "#domain/schema/ContractPrint"

/** Returns the JSON Schema of a field, and the problems of advertising it, without the name of the field. */
const advertised = (field: Schema.Top) => {
  // no field of these tests needs services
  const { contract, problems } = Contract.lenient(Schema.Struct({ v: field }) as unknown as Schema.Codec<unknown>)
  const properties = contract.jsonSchema["properties"] as Record<string, unknown>
  return [properties["v"], problems.map(({ path, problem }) => `${path.slice(1)} ${problem}`.trim())] as const
}

const schemaOf = (field: Schema.Top) => {
  const [schema, problems] = advertised(field)
  assert.deepStrictEqual(problems, [])
  return schema
}

const problemsOf = (field: Schema.Top) => advertised(field)[1]

const int = { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 }
const text = { type: "string" }
const min = Schema.isMinCodePoints(1)
const Text = Schema.String.check(min)

const tuples = "every dialect writes tuples differently"
const anything = "any value is allowed, which tells the model nothing"
const keys = ".* the keys of a record are not plain strings"
const transformed = "a check runs on values that were already transformed"
const fractions = "every validator rounds multiples of fractions differently"
const noFilter = "a filter without toJsonSchema is not part of the JSON Schema"
const mayRefuse = "decoding may refuse a value that the JSON Schema allows"
const hidden = "a check follows a transformation, so the JSON Schema cannot express it"
const different = "two different schemas follow each other"

interface Tree {
  readonly inner?: Tree
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  inner: Schema.optionalKey(Schema.suspend((): Schema.Codec<Tree> => Tree))
})
type Rows = ReadonlyArray<Rows>
const Rows: Schema.Codec<Rows> = Schema.Array(Schema.suspend((): Schema.Codec<Rows> => Rows))

class Row extends Schema.Class<Row>("Row")({ id: Schema.String }) {}

describe("a node of an advertised schema", () => {
  const cases: ReadonlyArray<readonly [Schema.Top, schema: unknown, ...problems: ReadonlyArray<string>]> = [
    [Schema.BigInt, { type: "string", pattern: "^-?\\d+$" }],
    [
      Schema.Enum({ A: "a", B: "b" } as const).annotate({ description: "D" }),
      { ...text, enum: ["a", "b"], description: "D" }
    ],
    [Schema.ObjectKeyword, {}, anything],
    [Schema.UniqueSymbol(Symbol.for("a")), { ...text, enum: ["Symbol(a)"] }, "JSON has no symbols"],
    [Schema.Boolean.check(Schema.makeFilter((value) => value)), { type: "boolean" }, noFilter],
    // arrays
    [Schema.NonEmptyArray(Schema.Int), { type: "array", minItems: 1, items: int }],
    [
      Schema.NonEmptyArray(Schema.Int).check(Schema.isMaxLength(3)),
      { type: "array", minItems: 1, maxItems: 3, items: int }
    ],
    [Schema.TupleWithRest(Schema.Tuple([Schema.Int]), [Schema.Int]), { type: "array", minItems: 1, items: int }],
    [
      Schema.Array(Schema.Int.annotate({ description: "One." }).check(Schema.isLessThan(3))),
      { type: "array", items: { type: "integer", minimum: int.minimum, exclusiveMaximum: 3, description: "One." } }
    ],
    [Schema.Tuple([]), { type: "array", maxItems: 0, items: { not: {} } }, tuples],
    [
      Schema.Tuple([Schema.Boolean, Schema.optionalKey(Schema.String)]),
      { type: "array", minItems: 1, maxItems: 2, items: { type: ["boolean", "string"] } },
      tuples
    ],
    [
      Schema.TupleWithRest(Schema.Tuple([Schema.Boolean]), [Schema.String]),
      { type: "array", minItems: 1, items: { type: ["boolean", "string"] } },
      tuples
    ],
    [
      Schema.TupleWithRest(Schema.Tuple([Schema.Boolean]), [Schema.String, Schema.Null]),
      { type: "array", minItems: 2, items: { type: ["boolean", "string", "null"] } },
      tuples
    ],
    [Schema.Array(Schema.Int).check(Schema.isMinLength(1)), { type: "array", minItems: 1, items: int }],
    // records
    [
      Schema.Record(Schema.TemplateLiteral(["a-", Schema.String]), Schema.Int),
      { type: "object", additionalProperties: int },
      keys
    ],
    [Schema.Record(Schema.Trim, Schema.Int), { type: "object", additionalProperties: int }, keys],
    [
      Schema.Record(Schema.String.check(Schema.isMinCodePoints(2)), Schema.Int),
      { type: "object", propertyNames: { ...text, minLength: 2 }, additionalProperties: int }
    ],
    [
      Schema.Record(Schema.String.check(Schema.isPattern(/^x/u)), Schema.Int),
      { type: "object", patternProperties: { "^x": int }, additionalProperties: false }
    ],
    [
      Schema.Record(Schema.String.check(Schema.isMinLength(2)), Schema.Int),
      { type: "object", propertyNames: { ...text, minLength: 1 }, additionalProperties: int },
      ".* Schema.isMinLength counts UTF-16 units, JSON Schema counts characters"
    ],
    // rules
    [Schema.Int.check(Schema.isMultipleOf(5)), { ...int, multipleOf: 5 }],
    [Schema.Int.check(Schema.isMultipleOf(0.5)), { ...int, multipleOf: 0.5 }, fractions],
    [Schema.Finite.check(Schema.isMultipleOf(5)), { type: "number", multipleOf: 5 }, fractions],
    [
      Schema.String.check(Schema.makeFilterGroup([Schema.isMinLength(2), Schema.isMinCodePoints(3)])),
      { ...text, allOf: [{ minLength: 1 }, { minLength: 3 }] },
      "Schema.isMinLength counts UTF-16 units, JSON Schema counts characters"
    ],
    [
      Schema.Number.check(Schema.isInt32()),
      {
        type: "integer",
        allOf: [
          { minimum: int.minimum, maximum: int.maximum },
          { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }
        ]
      }
    ],
    [
      Schema.String.check(
        Schema.makeFilterGroup([Schema.makeFilter<string>(() => true)], { toJsonSchema: () => ({ minLength: 2 }) })
      ),
      { ...text, allOf: [{ minLength: 2 }] }
    ],
    [
      Schema.Record(Schema.String, Schema.Int).check(Schema.isPropertyNames(Text)),
      { type: "object", additionalProperties: int, propertyNames: { ...text, minLength: 1 } }
    ],
    // rules on values that were transformed: only the length of an array is still the same
    [Schema.Array(Schema.Trim).check(Schema.isMinLength(1)), { type: "array", minItems: 1, items: text }],
    [
      Schema.Array(Schema.Trim).check(Schema.isUnique()),
      { type: "array", uniqueItems: true, items: text },
      transformed
    ],
    [
      Schema.Struct({ a: Schema.Trim }).check(Schema.makeFilter(() => true, { toJsonSchema: () => ({}) })),
      { type: "object", properties: { a: text }, required: ["a"], additionalProperties: false },
      transformed
    ],
    // optional fields
    [Schema.optional(Schema.String), { type: ["string", "null"] }],
    [Schema.optionalKey(Schema.String), text]
  ]
  for (const [field, schema, ...problems] of cases)
    it(`2.4 is printed as ${JSON.stringify(schema)}${problems.length === 0 ? "" : `, with the problem: ${problems.join()}`}`, () =>
      assert.deepStrictEqual(advertised(field), [schema, problems]))

  it("2.4 rules on the encoded side are a problem, unless the field is marked", () => {
    const flipped = Schema.flip(Schema.Array(Schema.String).check(Schema.isMinLength(1)))
    assert.deepStrictEqual(problemsOf(flipped), ["checks on the encoded side are not printed"])
    assert.deepStrictEqual(problemsOf(flipped.pipe(Contract.serverOnly("not empty"))), [])
  })

  it("2.4 a recursive schema without a name is called after the last field that leads to it", () => {
    const tree = (name: string) => ({
      type: "object",
      properties: { inner: { $ref: `#/$defs/${name}` } },
      additionalProperties: false
    })
    const rows = (name: string) => ({ type: "array", items: { $ref: `#/$defs/${name}` } })
    const printed = (schema: Schema.Top) => Contract.resultSchema(schema).jsonSchema2020
    assert.deepStrictEqual(printed(Tree), { ...tree("inner"), $defs: { inner: tree("inner") } })
    assert.deepStrictEqual(printed(Rows), { ...rows("Value"), $defs: { Value: rows("Value") } })
    assert.deepStrictEqual(printed(Schema.Struct({ v: Rows }))["$defs"], { v: rows("v") })
    assert.deepStrictEqual(printed(Rows.annotate({ identifier: "Rows" }))["$defs"], { Value: rows("Value") })
    const named: Schema.Codec<Rows> = Schema.Array(Schema.suspend((): Schema.Codec<Rows> => named)).annotate({
      identifier: "Rows"
    })
    assert.deepStrictEqual(printed(Schema.Struct({ v: named }))["$defs"], { Rows: rows("Rows") })
  })
})

describe("a tuple whose items are kept", () => {
  const printed = (schema: Schema.Top) =>
    ContractPrint.print(advertise(schema, { keepsTuples: true }).ast).jsonSchema2020

  it("2.3 has the schema of each item, and of the items after them", () => {
    const schema = Schema.TupleWithRest(Schema.Tuple([Schema.Boolean, Schema.Date]), [Schema.String])
    assert.deepStrictEqual(printed(schema), {
      type: "array",
      prefixItems: [{ type: "boolean" }, text],
      minItems: 2,
      items: text
    })
    assert.deepStrictEqual(printed(Schema.Tuple([])), { type: "array", maxItems: 0, items: { not: {} } })
    assert.deepStrictEqual(
      advertise(Schema.Tuple([Schema.Boolean, Schema.Date]), { keepsTuples: true }).problems.map(({ path }) => path),
      ["", "[]"]
    )
  })
})

describe("the annotations of a field", () => {
  it("2.4 are collected from the key, the rules and the type, and the outermost counts unless it is a description", () => {
    const field = Schema.String.annotate({ title: "Inner", examples: ["a"], description: "Of the type" })
      .check(Schema.isMinCodePoints(1, { description: "Of the first rule.", title: "Rule" }))
      .check(Schema.isMaxCodePoints(9, { description: "Of the second rule:" }))
      .annotateKey({ description: "Of the key", examples: ["k"] })
    assert.deepStrictEqual(schemaOf(field), {
      type: "string",
      minLength: 1,
      maxLength: 9,
      title: "Rule",
      examples: ["k"],
      description: "Of the key. Of the second rule: Of the first rule. Of the type."
    })
  })

  it("2.4 a description that is repeated or blank is left out, and a single one stays as it is", () => {
    const described = (description: string) => Schema.String.annotate({ description })
    assert.deepStrictEqual(schemaOf(described("A").annotateKey({ description: "A" })), { ...text, description: "A" })
    assert.deepStrictEqual(schemaOf(described("A").annotateKey({ description: " " })), { ...text, description: "A" })
    assert.deepStrictEqual(schemaOf(described("A?").annotateKey({ description: "B!" })), {
      ...text,
      description: "B! A?"
    })
    assert.deepStrictEqual(schemaOf(described("  ")), text)
    const marked = described("A…").pipe(Contract.serverOnly("r")).annotateKey(Contract.serverOnly("s"))
    assert.deepStrictEqual(schemaOf(marked), {
      ...text,
      description: "A… Checked by the server: r. Checked by the server: s."
    })
  })

  it("2.4 an example that is not JSON is left out", () => {
    const date = Schema.Date.annotate({ examples: [new Date(0)] }).pipe(Contract.serverOnly("a date"))
    assert.deepStrictEqual(schemaOf(date), { ...text, description: "Checked by the server: a date" })
  })

  it("2.4 a mark in a group of rules, and a blank mark", () => {
    const rule = (reason: string) => Schema.makeFilter<string>(() => true, Contract.serverOnly(reason))
    const group = Schema.makeFilterGroup([rule(" first "), rule("second"), min])
    assert.deepStrictEqual(schemaOf(Schema.String.check(group)), {
      ...text,
      allOf: [{ minLength: 1 }],
      description: "Checked by the server: first. Checked by the server: second."
    })
    assert.deepStrictEqual(problemsOf(Schema.String.check(rule(" "))), [noFilter])
  })
})

describe("the default of a field", () => {
  const defaulted = <S extends Schema.Top>(schema: S, value: unknown) =>
    // the values of these tests need not have the type of the schema
    Schema.withDecodingDefaultKey(Effect.succeed(value) as never)(schema as never) as Schema.Top

  it("2.4 is encoded, and includes the defaults inside it", () => {
    const inner = Schema.Struct({ a: defaulted(Schema.Int, 1) })
    assert.deepStrictEqual(schemaOf(defaulted(inner, {})), {
      type: "object",
      properties: { a: { ...int, default: 1 } },
      additionalProperties: false,
      default: { a: 1 }
    })
    assert.deepStrictEqual(schemaOf(Schema.String.pipe(Schema.withDecodingDefaultType(Effect.succeed("x")))), {
      type: ["string", "null"],
      default: "x"
    })
  })

  it("2.4 may be declared too, if decoding yields the same or changes from call to call", () => {
    let calls = 0
    assert.deepStrictEqual(schemaOf(defaulted(Schema.Int.annotate({ default: 3 }), 3)), { ...int, default: 3 })
    const changing = Schema.withDecodingDefaultKey(Effect.sync(() => ++calls))(Schema.Int.annotate({ default: 3 }))
    assert.deepStrictEqual(schemaOf(changing), { ...int, default: 3 })
    const long = Schema.String.annotate({ default: "y".repeat(50) })
    assert.deepStrictEqual(advertised(defaulted(long, "x")), [
      { ...text, default: "x" },
      [`the annotation declares the default "${"y".repeat(38)}…, but decoding yields another`]
    ])
  })

  it("2.4 that the schema refuses is a problem", () => {
    assert.deepStrictEqual(problemsOf(defaulted(Text, "")), ["its own schema refuses the default"])
  })

  it("2.4 for null too is kept if another schema follows", () => {
    const optional = Schema.String.pipe(Schema.withDecodingDefault(Effect.succeed("x")))
    for (const schema of [optional, optional.pipe(Schema.decodeTo(Schema.String.check(Schema.isMaxCodePoints(4))))]) {
      const contract = Contract.makeUnsafe("tool", Schema.Struct({ v: schema }))
      assert.deepStrictEqual(contract.decode({ v: null }), Result.succeed({ v: "x" }))
      assert.deepInclude((contract.jsonSchema["properties"] as { v: object }).v, { type: ["string", "null"] })
    }
  })
})

/** A transformation whose decoding is a function, without a type. */
const by = (decode: (value: never) => unknown) =>
  ({ decode: SchemaGetter.transform(decode), encode: SchemaGetter.passthrough() }) as never

/** A transformation of a field that may be absent. */
const byOptional = (decode: (value: Option.Option<string>) => Option.Option<string>) =>
  ({ decode: SchemaGetter.transformOptional(decode), encode: SchemaGetter.passthrough() }) as never

/** Returns the schema `to`, to which texts are decoded by a function. */
const made = (to: Schema.Top, decode: (value: string) => unknown = (value) => value): Schema.Top =>
  Schema.String.pipe(Schema.decodeTo(to, by(decode)))

const absent = (decode: (value: Option.Option<string>) => Option.Option<string>, to: Schema.Top = Schema.String) =>
  Schema.optionalKey(Schema.String).pipe(Schema.decodeTo(to, byOptional(decode)))

describe("a transformation", () => {
  const lower = Schema.String.check(Schema.isLowercased())
  const exact: ReadonlyArray<readonly [what: string, Schema.Top, schema: unknown]> = [
    [
      "a default, with a rule before and after it",
      Text.pipe(Schema.withDecodingDefaultKey(Effect.succeed("x"))).check(Schema.isMaxCodePoints(5)),
      { ...text, minLength: 1, maxLength: 5, default: "x" }
    ],
    [
      "a default for null too, with a rule before it",
      Text.pipe(Schema.withDecodingDefault(Effect.succeed("x"))),
      {
        type: ["string", "null"],
        minLength: 1,
        default: "x"
      }
    ],
    [
      "a default of a text that is trimmed",
      Schema.Trim.pipe(Schema.withDecodingDefaultKey(Effect.succeed("x"))),
      {
        ...text,
        default: "x"
      }
    ],
    ["a wider schema", Text.pipe(Schema.decodeTo(Schema.String)), { ...text, minLength: 1 }],
    ["a narrower schema", Schema.String.pipe(Schema.decodeTo(Text)), { ...text, minLength: 1 }],
    ["a schema without rules after trimming", Schema.Trim.pipe(Schema.decodeTo(Schema.String)), text],
    ["trimming", made(Schema.String.check(Schema.isTrimmed()), (value) => value.trim()), text],
    ["lower case", Schema.String.pipe(Schema.decodeTo(lower, SchemaTransformation.toLowerCase())), text],
    ["upper case", made(Schema.String.check(Schema.isUppercased()), (value) => value.toUpperCase()), text],
    [
      "a capital letter",
      Schema.String.pipe(
        Schema.decodeTo(Schema.String.check(Schema.isCapitalized()), SchemaTransformation.capitalize())
      ),
      text
    ],
    [
      "a small letter",
      Schema.String.pipe(
        Schema.decodeTo(Schema.String.check(Schema.isUncapitalized()), SchemaTransformation.uncapitalize())
      ),
      text
    ],
    [
      "trimming and lower case",
      made(Schema.String.check(Schema.isTrimmed(), Schema.isLowercased()), (value) => value.trim().toLowerCase()),
      text
    ],
    ["a function to an object without rules", made(Schema.Struct({ a: Schema.String })), text],
    ["a function to a list without rules", made(Schema.Array(Schema.String)), text],
    ["a function to a record without rules", made(Schema.Record(Schema.String, Schema.String)), text],
    ["a function to a union without rules", made(Schema.NullOr(Schema.String)), text],
    ["a function to an object with a class", made(Schema.Struct({ row: Schema.toType(Row) })), text],
    [
      "a class",
      Row,
      {
        type: "object",
        properties: { id: text },
        required: ["id"],
        additionalProperties: false
      }
    ]
  ]
  it.each(exact)("2.4 that is %s is advertised without a problem", (_, field, schema) =>
    assert.deepStrictEqual(schemaOf(field), schema)
  )

  const a = (schema: Schema.Top) => Schema.Struct({ a: schema })
  const inexact: ReadonlyArray<readonly [what: string, Schema.Top, problem: string]> = [
    ["another schema", Schema.String.pipe(Schema.decodeTo(Schema.Literals(["a"]) as never)), different],
    ["a rule on a trimmed text", Schema.Trim.pipe(Schema.decodeTo(Text)), different],
    ["a rule on a converted text", made(Text), hidden],
    ["a rule that the function does not satisfy", made(lower, (value) => value.trim()), hidden],
    [
      "a second rule that the function does not satisfy",
      made(lower.check(min), (value) => value.toLowerCase()),
      hidden
    ],
    ["a rule on a class", Row.check(Schema.makeFilter(() => true)), hidden],
    [
      "a rule on a text that was made from a number",
      Schema.Finite.pipe(Schema.decodeTo(Schema.String.check(Schema.isTrimmed()), by(String))),
      mayRefuse
    ],
    ["a rule in an object", made(a(Text)), mayRefuse],
    ["a rule on an object", made(a(Schema.String).check(Schema.makeFilter(() => true))), mayRefuse],
    ["a rule in a list", made(Schema.Array(Text)), mayRefuse],
    ["a rule in a tuple", made(Schema.Tuple([Schema.String, Text])), mayRefuse],
    ["a rule in a record", made(Schema.Record(Schema.String, Text)), mayRefuse],
    ["a rule in a union", made(Schema.NullOr(Text)), mayRefuse],
    ["a recursive schema", made(Schema.suspend(() => Tree)), mayRefuse],
    ["a built-in type", made(a(Schema.Date)), mayRefuse],
    [
      "an effect",
      Schema.String.pipe(
        Schema.decode({
          decode: SchemaGetter.transformEffect((value: string) => Effect.succeed(value)),
          encode: SchemaGetter.passthrough()
        })
      ),
      mayRefuse
    ],
    ["a middleware", Schema.String.pipe(Schema.catchDecoding(() => Effect.succeedSome("x"))), mayRefuse],
    ["a conversion inside an object", a(Text).pipe(Schema.decodeTo(a(Schema.FiniteFromString) as never)), mayRefuse],
    ["a default that replaces values", absent(() => Option.some("x")), mayRefuse],
    ["a default that throws", absent(() => JSON.parse("{")), mayRefuse],
    ["no default", absent((value) => value), mayRefuse],
    ["no default of an optional field", absent((value) => value, Schema.optionalKey(Schema.String)), mayRefuse],
    [
      "a default of a field that must be there",
      Schema.String.pipe(Schema.decodeTo(Schema.String, byOptional(Option.orElse(() => Option.some("x"))))),
      mayRefuse
    ]
  ]
  it.each(inexact)("2.4 that is %s is a problem", (_, field, problem) =>
    assert.deepStrictEqual(problemsOf(field), [problem])
  )

  it("2.4 a default that changes nothing else is the default, whoever wrote it", () => {
    assert.deepStrictEqual(schemaOf(absent(Option.orElse(() => Option.some("x")))), { ...text, default: "x" })
  })
})

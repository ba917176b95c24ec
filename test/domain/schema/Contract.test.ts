import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import * as ArgumentIssues from "#domain/schema/ArgumentIssues"
import * as Contract from "#domain/schema/Contract"
import { publishedJson } from "../../support/data.ts"
import { Category } from "../../support/fieldSchemas.ts"

type Parameters = Schema.Codec<unknown, unknown>

// the cast is safe because no field of these tests needs services
const contractOf = (fields: Schema.Struct.Fields): Contract.Contract =>
  Contract.makeUnsafe("tool", Schema.Struct(fields) as unknown as Parameters)
const printed = (field: Schema.Struct.Fields[string]): unknown => contractOf({ v: field }).jsonSchema["properties"]
const problems = (parameters: unknown): ReadonlyArray<Contract.Problem> => {
  const result = Contract.make("tool", parameters as Parameters)
  return Result.isFailure(result) ? result.failure.problems : []
}
const refused = (field: unknown): string =>
  problems(Schema.Struct({ v: field as Schema.String }))
    .map(({ path, problem, remedy }) => `${path}: ${problem}; ${remedy}`)
    .join("\n")

const safeInt = { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 }

describe("Contract.make, the advertised schema", () => {
  it("2.4 prints closed objects with required, enums, bounds, defaults and descriptions", () => {
    const contract = contractOf({
      customer_id: Schema.String.check(Schema.isPattern(/^C-\d+$/u)).annotate({ description: "Whose orders." }),
      status: Schema.optionalKey(Schema.Literals(["placed", "shipped"])),
      page: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).pipe(
        Schema.withDecodingDefaultKey(Effect.succeed(1))
      ),
      range: Schema.Struct({ from: Schema.String.annotateKey({ description: "First day." }) }).annotate({
        description: "Days."
      })
    })
    assert.deepStrictEqual(contract.jsonSchema, {
      type: "object",
      properties: {
        customer_id: { type: "string", pattern: "^C-\\d+$", description: "Whose orders." },
        status: { type: "string", enum: ["placed", "shipped"] },
        page: { type: "integer", minimum: 1, maximum: 100, default: 1 },
        range: {
          type: "object",
          properties: { from: { type: "string", description: "First day." } },
          required: ["from"],
          additionalProperties: false,
          description: "Days."
        }
      },
      required: ["customer_id", "range"],
      additionalProperties: false
    })
    assert.deepStrictEqual(contract.jsonSchema2020, contract.jsonSchema)
  })

  it("2.4 finds descriptions and defaults before and after withDecodingDefaultKey, on keys, checks and classes", () => {
    const three = Schema.withDecodingDefaultKey(Effect.succeed(3))
    const expected = { v: { ...safeInt, description: "How many.", default: 3 } }
    assert.deepStrictEqual(printed(Schema.Int.annotate({ description: "How many." }).pipe(three)), expected)
    assert.deepStrictEqual(printed(Schema.Int.pipe(three).annotate({ description: "How many.", default: 3 })), expected)
    assert.deepStrictEqual(printed(Schema.Int.pipe(three).annotateKey({ description: "How many." })), expected)
    assert.deepStrictEqual(
      printed(
        Schema.String.annotate({ description: "A" }).check(Schema.isMinCodePoints(2)).annotate({ description: "B." })
      ),
      { v: { type: "string", minLength: 2, description: "B. A." } }
    )
    class Range extends Schema.Class<Range>("Range")({ from: Schema.String }, { description: "Days." }) {}
    assert.deepStrictEqual(printed(Range), {
      v: {
        type: "object",
        properties: { from: { type: "string" } },
        required: ["from"],
        additionalProperties: false,
        description: "Days."
      }
    })
  })

  it("2.4 takes the default from decoding, in encoded form, and omits a default that changes between calls", () => {
    assert.deepStrictEqual(printed(Schema.String.pipe(Schema.withDecodingDefault(Effect.succeed("x")))), {
      v: { type: ["string", "null"], default: "x" }
    })
    let calls = 0
    assert.deepStrictEqual(printed(Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.sync(() => (calls += 1))))), {
      v: safeInt
    })
  })

  it("2.4 uses definitions only for recursion, without dangling references, in both dialects", () => {
    const contract = contractOf({ root: Category, name: Schema.String.annotate({ identifier: "Name" }) })
    const category = (definitions: string) => ({
      type: "object",
      properties: {
        name: { type: "string" },
        children: { type: "array", items: { $ref: `#/${definitions}/Category` } }
      },
      required: ["name", "children"],
      additionalProperties: false
    })
    assert.deepStrictEqual(contract.jsonSchema["properties"], {
      root: category("definitions"),
      name: { type: "string" }
    })
    assert.deepStrictEqual(contract.jsonSchema["definitions"], { Category: category("definitions") })
    assert.deepStrictEqual(contract.jsonSchema2020["$defs"], { Category: category("$defs") })
    assert.strictEqual(Contract.makeUnsafe("tool", Category).jsonSchema["type"], "object")
  })

  it("2.4 prints a tool without parameters as an empty closed object", () => {
    const empty = { type: "object", properties: {}, required: [], additionalProperties: false }
    assert.deepStrictEqual(contractOf({}).jsonSchema, empty)
    assert.deepStrictEqual(contractOf({}).jsonSchema2020, empty)
  })

  it("8.1 adds the guard's optional properties, and refuses parameters of the same name", () => {
    const key = { type: "string", minLength: 16 }
    const options = { optional: { idempotency_key: key } }
    const contract = Contract.makeUnsafe("tool", Schema.Struct({ a: Schema.Boolean }), options)
    assert.deepStrictEqual(contract.jsonSchema["properties"], { a: { type: "boolean" }, idempotency_key: key })
    assert.deepStrictEqual(contract.jsonSchema["required"], ["a"])
    assert.isTrue(Result.isFailure(contract.decode({ a: true, idempotency_key: "0123456789abcdef" })))
    const clash = Contract.make("tool", Schema.Struct({ idempotency_key: Schema.String }), options)
    assert.deepStrictEqual(Result.isFailure(clash) && clash.failure.problems, [
      { path: "idempotency_key", problem: "the guard reserves this field name", remedy: "rename the field" }
    ])
  })

  it("2.4 is valid according to the meta-schemas of both dialects", () => {
    const contract = contractOf({
      a: Category,
      b: Schema.Array(Schema.Int),
      c: Schema.NullOr(Schema.Literals([1, "x"]))
    })
    const draft07 = new Ajv({ meta: false, strict: false, validateFormats: false })
    assert.isTrue(draft07.validate(publishedJson("json-schema/draft-07/schema.json"), contract.jsonSchema))
    const draft2020 = new Ajv2020({ strict: false, validateFormats: false })
    assert.isTrue(draft2020.validateSchema(contract.jsonSchema))
    assert.isTrue(draft2020.validateSchema(contract.jsonSchema2020))
  })
})

describe("Contract.make, problems", () => {
  it("2.4 names a remedy for checks that JSON Schema drops or weakens", () => {
    const units = "counts UTF-16 units, JSON Schema counts characters"
    const mark = `mark it with Contract.serverOnly("the rule in words")`
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [Schema.String.check(Schema.isMinLength(2)), `Schema.isMinLength ${units}; use Schema.isMinCodePoints(2)`],
      [Schema.String.check(Schema.isMaxLength(9)), `Schema.isMaxLength ${units}; use Schema.isMaxCodePoints(9)`],
      [Schema.Char, `Schema.isBetweenLength ${units}; use Schema.isBetweenCodePoints(1, 1)`],
      [
        Schema.String.check(Schema.isPattern(/^[a-z]+$/)),
        "JSON Schema expresses only patterns with the flag u and no other flag; use Schema.isPattern(/^[a-z]+$/u)"
      ],
      [
        Schema.String.check(Schema.isPattern(/x/iu)),
        "JSON Schema expresses only patterns with the flag u and no other flag; use Schema.isPattern(/x/u)"
      ],
      [
        Schema.String.check(Schema.makeFilter((text) => text !== "x")),
        `a filter without toJsonSchema is not part of the JSON Schema; give it a toJsonSchema, or ${mark}`
      ],
      [Schema.String.check(Schema.isLowercased()), `Schema.isLowercased is not part of the JSON Schema; ${mark}`],
      [
        Schema.Finite.check(Schema.isMultipleOf(0.1)),
        "every validator rounds multiples of fractions differently; use Schema.Int"
      ],
      [
        Schema.Trim.check(Schema.isMinCodePoints(1)),
        `a check follows a transformation, so the JSON Schema cannot express it; move the check before the transformation, or ${mark}`
      ],
      [
        Schema.Record(Schema.String, Schema.Trim).check(Schema.isMinProperties(1)),
        `a check runs on values that were already transformed; ${mark}`
      ],
      [
        Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 2n })),
        "checks on a bigint are not printed; use Schema.Int, or a string with a pattern"
      ]
    ]
    for (const [field, expected] of cases) {
      assert.include(refused(field), `v: ${expected}`)
    }
  })

  it("2.4 refuses fields that JSON Schema cannot represent", () => {
    const mark = `mark it with Contract.serverOnly("the rule in words")`
    const convert = `use a string with a pattern, a number or a struct and convert it in the handler, or ${mark}`
    const anything = `any value is allowed, which tells the model nothing; declare its fields, or ${mark}`
    const own = SchemaGetter.transformEffect((text: string) =>
      text === "x" ? Effect.fail(new SchemaIssue.InvalidValue()) : Effect.succeed(text)
    )
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [Schema.Unknown, anything],
      [Schema.Json, anything],
      [Schema.instanceOf(Map), anything],
      [Schema.Record(Schema.String, Schema.Unknown), anything],
      [Schema.Number, `Schema.Number also allows the texts "NaN" and "Infinity"; use Schema.Finite or Schema.Int`],
      [
        Schema.Tuple([Schema.Int]),
        "every dialect writes tuples differently; use Schema.Array, or Schema.Struct with names"
      ],
      [Schema.Date, `decoding to a valid Date may refuse a value that the JSON Schema allows; ${convert}`],
      [Schema.DateFromString, `decoding to a valid Date may refuse a value that the JSON Schema allows; ${convert}`],
      [Schema.FiniteFromString, `decoding may refuse a value that the JSON Schema allows; ${convert}`],
      [
        Schema.fromJsonString(Schema.Struct({ a: Schema.Int })),
        `decoding may refuse a value that the JSON Schema allows; ${convert}`
      ],
      [
        Schema.String.pipe(Schema.decode({ decode: own, encode: SchemaGetter.passthrough() })),
        `decoding may refuse a value that the JSON Schema allows; ${convert}`
      ],
      [
        Schema.TemplateLiteral(["a-", Schema.Int]),
        "a template literal is not printed exactly; use Schema.String with Schema.isPattern(/^…$/u)"
      ],
      [Schema.Struct({}), "an empty struct accepts any value; remove the field"],
      [Schema.Symbol, "JSON has no symbols; use a string or an enum"],
      [
        Schema.Int.annotate({ default: 4 }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(3))),
        "the annotation declares the default 4, but decoding yields another; remove the annotation: the default is taken from decoding"
      ],
      [
        Schema.Int.check(Schema.isLessThan(3)).pipe(Schema.withDecodingDefaultKey(Effect.succeed(3))),
        "its own schema refuses the default; use a default that the schema allows"
      ]
    ]
    for (const [field, expected] of cases) assert.include(refused(field).replace("v.*", "v"), `v: ${expected}`)
  })

  it("2.4 reports the path of a problem through arrays, records, unions, defaults and recursion", () => {
    interface Tree {
      readonly size: number
      readonly next?: Tree
    }
    const Tree: Schema.Codec<Tree> = Schema.Struct({
      size: Schema.Number,
      next: Schema.optionalKey(Schema.suspend((): Schema.Codec<Tree> => Tree))
    })
    const parameters = Schema.Struct({
      orders: Schema.Array(Schema.Struct({ when: Schema.NullOr(Schema.Date) })),
      sizes: Schema.Record(Schema.String, Schema.Number),
      tree: Tree,
      kept: Schema.optional(Schema.Array(Schema.Unknown)),
      toString: Schema.String
    })
    assert.deepStrictEqual(
      problems(parameters).map(({ path }) => path),
      ["orders[].when", "sizes.*", "tree.size", "tree.next.size", "kept[]", "toString"]
    )
  })

  it("2.4 lists all problems in the error of a definition", () => {
    const parameters = Schema.Struct({ name: Schema.String.check(Schema.isMinLength(3)), size: Schema.Number })
    assert.throws(
      () => Contract.makeUnsafe("search_orders", parameters),
      Contract.ContractError,
      `The parameters of search_orders cannot be advertised exactly as they decode:
  name: Schema.isMinLength counts UTF-16 units, JSON Schema counts characters; use Schema.isMinCodePoints(3)
  size: Schema.Number also allows the texts "NaN" and "Infinity"; use Schema.Finite or Schema.Int`
    )
  })

  it("2.4 requires an object at the root", () => {
    for (const schema of [Schema.String, Schema.Array(Schema.Int), Schema.NullOr(Schema.Struct({ a: Schema.Int }))]) {
      assert.deepStrictEqual(problems(schema), [
        { path: "", problem: "parameters must be an object with declared fields", remedy: "use Schema.Struct" }
      ])
    }
  })
})

describe("Contract.serverOnly", () => {
  it("2.4 permits a rule and adds it to the field's description", () => {
    const text = (reason: string) => `Checked by the server: ${reason}`
    assert.deepStrictEqual(printed(Schema.Date.pipe(Contract.serverOnly("an ISO 8601 date"))), {
      v: { type: "string", description: text("an ISO 8601 date") }
    })
    assert.deepStrictEqual(printed(Schema.Unknown.annotate(Contract.serverOnly("any JSON"))), {
      v: { description: text("any JSON") }
    })
    assert.deepStrictEqual(
      printed(
        Schema.String.annotate({ description: "Whose." }).check(
          Schema.makeFilter((id) => id !== "C-0", Contract.serverOnly("an active customer"))
        )
      ),
      { v: { type: "string", description: `Whose. ${text("an active customer")}.` } }
    )
    assert.deepStrictEqual(
      printed(Schema.Tuple([Schema.Boolean, Schema.String]).pipe(Contract.serverOnly("whether, and why"))),
      {
        v: {
          type: "array",
          minItems: 2,
          maxItems: 2,
          items: { type: ["boolean", "string"] },
          description: text("whether, and why")
        }
      }
    )
  })

  it("2.4 still decodes by the rule, and permits nothing else", () => {
    const active = Schema.makeFilter((id: string) => id !== "C-0", Contract.serverOnly("an active customer"))
    const contract = contractOf({ v: Schema.String.check(active) })
    assert.isTrue(Result.isFailure(contract.decode({ v: "C-0" })))
    assert.isTrue(Result.isSuccess(contract.decode({ v: "C-1" })))
    assert.include(refused(Schema.String.check(Schema.isPattern(/x/), active)), "flag u")
    assert.include(
      refused(Schema.Struct({ a: Schema.Number }).annotate(Contract.serverOnly("a size"))),
      "v.a: Schema.Number"
    )
  })

  it("2.4 adds a rule on the arguments as a whole to the tool's description", () => {
    const contract = Contract.makeUnsafe(
      "tool",
      Schema.Struct({ from: Schema.Int, to: Schema.Int })
        .check(Schema.makeFilter(({ from, to }) => from <= to))
        .pipe(Contract.serverOnly("from is not after to"))
    )
    assert.strictEqual(contract.describe("Reads."), "Reads. Checked by the server: from is not after to.")
    assert.strictEqual(contract.jsonSchema["description"], "Checked by the server: from is not after to")
    assert.strictEqual(contractOf({}).describe("Reads."), "Reads.")
  })
})

describe("Contract.decode and encode", () => {
  it("4.4 collects every issue and refuses excess properties", () => {
    const contract = contractOf({ a: Schema.Int, b: Schema.Struct({ c: Schema.String }) })
    const decoded = contract.decode({ a: "1", b: { c: 1, d: 2 }, e: 3 })
    assert.isTrue(Result.isFailure(decoded))
    assert.deepStrictEqual(
      ArgumentIssues.fromIssue(Result.getOrThrow(Result.flip(decoded))).map(({ code, path }) => [code, ...path]),
      [
        ["type", "a"],
        ["type", "b", "c"],
        ["unexpected", "b", "d"],
        ["unexpected", "e"]
      ]
    )
  })

  it("4.7 encodes decoded arguments, with their defaults, back to JSON", () => {
    const contract = contractOf({
      when: Schema.Date.pipe(Contract.serverOnly("a date")),
      page: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)))
    })
    const decoded = Result.getOrThrow(contract.decode({ when: "2026-01-31T00:00:00.000Z" }))
    assert.deepStrictEqual(decoded, { when: new Date("2026-01-31T00:00:00.000Z"), page: 1 })
    assert.deepStrictEqual(contract.encode(decoded), { when: "2026-01-31T00:00:00.000Z", page: 1 })
  })

  it("4.4 a check that throws becomes an issue, and a value that cannot be encoded stays unchanged", () => {
    const broken = Schema.makeFilter((): boolean => JSON.parse("{"), Contract.serverOnly("nothing"))
    const decoded = contractOf({ v: Schema.String.check(broken) }).decode({ v: "x" })
    assert.isTrue(Result.isFailure(decoded))
    assert.include(
      ArgumentIssues.instruction(ArgumentIssues.fromIssue(Result.getOrThrow(Result.flip(decoded)))).text,
      "could not be checked"
    )
    const refusing = Schema.String.pipe(
      Schema.decode({
        decode: SchemaGetter.passthrough<string>(),
        encode: SchemaGetter.transform((): string => JSON.parse("{"))
      })
    )
    assert.deepStrictEqual(contractOf({ v: refusing }).encode({ v: "x" }), { v: "x" })
    const dates = contractOf({ v: Schema.Date.pipe(Contract.serverOnly("a date")) })
    assert.deepStrictEqual(dates.encode({ v: 12 }), { v: 12 })
  })
})

describe("Contract.lenient", () => {
  it("2.3 advertises parameters as closely as possible, as an object, and lists each problem once", () => {
    const twice = Schema.Union([Schema.Struct({ a: Schema.Date }), Schema.Struct({ a: Schema.Date, b: Schema.Null })])
    const { contract, problems } = Contract.lenient(twice)
    assert.deepStrictEqual(
      problems.map(({ path }) => path),
      ["a"]
    )
    const { anyOf, ...rest } = contract.jsonSchema
    assert.deepStrictEqual([rest, (anyOf as ReadonlyArray<unknown>).length], [{ type: "object" }, 2])
    assert.deepStrictEqual(Contract.lenient(Schema.String).contract.jsonSchema2020, { type: "object" })
    assert.deepInclude(Contract.lenient(Schema.Struct({ a: Schema.Boolean })).contract.jsonSchema2020, {
      properties: { a: { type: "boolean" } },
      required: ["a"]
    })
  })

  it("2.4 adds each rule that only the server checks once to the description, which may be empty", () => {
    const rule = Contract.serverOnly("from is not after to")
    const { contract } = Contract.lenient(
      Schema.Struct({ from: Schema.Int }).check(
        Schema.makeFilter(() => true, rule),
        Schema.makeFilter(() => true, rule)
      )
    )
    assert.strictEqual(contract.describe("Reads."), "Reads. Checked by the server: from is not after to.")
    assert.strictEqual(contract.describe(""), "Checked by the server: from is not after to.")
  })

  it("2.3 parameters that Effect cannot decode from JSON are listed, and refuse every value", () => {
    const { contract, problems } = Contract.lenient(Schema.Struct({ [Symbol.for("id")]: Schema.Boolean }))
    assert.deepStrictEqual(problems, [
      { path: "Symbol(id)", problem: "a field name is not a string", remedy: "use a string" }
    ])
    for (const value of [{}, { id: true }, [], null, true, 1, "x"])
      assert.isTrue(Result.isFailure(contract.decode(value)), JSON.stringify(value))
    const decoded = contract.decode({})
    assert.include(String(Result.isFailure(decoded) && ArgumentIssues.fromIssue(decoded.failure)[0]?.message), "failed")
    assert.deepStrictEqual(contract.encode({ a: 1 }), { a: 1 })
    const nested = Contract.lenient(
      Schema.Struct({ a: Schema.Option(Schema.Struct({ [Symbol.for("id")]: Schema.Int })) })
    )
    assert.isTrue(Result.isFailure(nested.contract.decode({ a: [] })))
    assert.strictEqual(nested.problems.length, 1)
  })
})

describe("a schema that throws when it is read", () => {
  const broken = Schema.Struct({ a: Schema.suspend((): Schema.String => JSON.parse("{")) })

  it("2.3 is advertised as an object, with a problem", () => {
    const { contract, problems } = Contract.lenient(broken)
    assert.deepStrictEqual(problems, [
      { path: "", problem: "its schema cannot be printed", remedy: "use Schema.Struct" }
    ])
    assert.deepStrictEqual([contract.jsonSchema, contract.jsonSchema2020], [{ type: "object" }, { type: "object" }])
    assert.strictEqual(contract.describe("Reads."), "Reads.")
    assert.isTrue(Result.isFailure(contract.decode({ a: "x" })))
  })

  it("2.3 is printed as a schema that accepts any value", () => {
    assert.deepStrictEqual(Contract.resultSchema(broken), { jsonSchema: {}, jsonSchema2020: {} })
  })
})

describe("Contract.resultSchema", () => {
  it("2.3 prints the encoded form of a result, and unknown values as `{}`", () => {
    assert.deepStrictEqual(Contract.resultSchema(Schema.Struct({ at: Schema.Date, raw: Schema.Unknown })).jsonSchema, {
      type: "object",
      properties: { at: { type: "string" }, raw: {} },
      required: ["at", "raw"],
      additionalProperties: false
    })
    assert.deepStrictEqual(Contract.resultSchema(Schema.String).jsonSchema2020, { type: "string" })
    assert.deepStrictEqual(Contract.resultSchema(Schema.Array(Schema.Json)).jsonSchema, { type: "array" })
  })
})

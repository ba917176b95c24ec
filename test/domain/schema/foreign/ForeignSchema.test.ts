/** Tests what a compiled JSON Schema is printed as, which schemas share one compilation, and what cannot be compiled. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as ContractPrint from "#domain/schema/ContractPrint"
import * as ForeignSchema from "#domain/schema/foreign/ForeignSchema"
import { notationOf } from "#domain/schema/SchemaNotation"

const printed = (source: unknown): unknown =>
  ContractPrint.print(ForeignSchema.compile(source).schema.ast).jsonSchema2020

const accepts = (source: unknown, value: unknown): boolean =>
  Result.isSuccess(Schema.decodeUnknownResult(ForeignSchema.compile(source).schema)(value))

const closed = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false }
const patterned = { type: "object", patternProperties: { "^x": { type: "string" } } }

/** An object whose rules for names are in a definition. */
const merged = { ...closed, additionalProperties: true, $ref: "#/$defs/P" }

/** Alternatives of objects. Effect cannot import two of them for one value. */
const either = (...names: ReadonlyArray<string>) => ({
  anyOf: names.map((name) => ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] }))
})

describe("ForeignSchema", () => {
  it.each([
    ["distinct items", { type: "array", items: { type: "string" }, uniqueItems: true }],
    ["a pattern", { type: "string", pattern: "^[a-z]+$" }],
    ["a pattern with a bound", { type: "string", maxLength: 5, pattern: "[0-9]{2}" }],
    [
      "a pattern of a field",
      {
        type: "object",
        properties: { code: { type: "string", pattern: "^[A-Z]{3}$" } },
        required: ["code"]
      }
    ]
  ])("4.4 %s is printed as it was written, so that a model reads the author's rule", (_, schema) => {
    assert.deepInclude(printed(schema), schema)
  })

  it("4.4 a schema is remembered as JSON Schema, so that changes to it are proposed in this notation", () => {
    assert.strictEqual(notationOf(ForeignSchema.compile({ type: "object" }).schema.ast), "json-schema")
    assert.strictEqual(notationOf(ForeignSchema.compile({ type: "array", items: {} }).schema.ast), "json-schema")
  })

  it("equal schemas are compiled once, and the 33rd other schema displaces the longest unused one", () => {
    const numbered = (n: number) => ({ type: "object", properties: { [`field_${n}`]: { type: "string" } } })
    const first = ForeignSchema.compile(numbered(0))
    const second = ForeignSchema.compile(numbered(1))
    for (let n = 2; n < 32; n++) ForeignSchema.compile(numbered(n))
    assert.strictEqual(ForeignSchema.compile(numbered(0)), first)
    ForeignSchema.compile(numbered(32))
    assert.strictEqual(ForeignSchema.compile(numbered(0)), first)
    assert.notStrictEqual(ForeignSchema.compile(numbered(1)), second)
  })

  it("a schema of more than 100,000 characters is compiled each time", () => {
    const described = (length: number) => ({ type: "string", description: "x".repeat(length) })
    const empty = JSON.stringify(described(0)).length
    const longest = described(100_000 - empty)
    assert.strictEqual(ForeignSchema.compile(longest), ForeignSchema.compile(longest))
    const longer = described(100_001 - empty)
    assert.notStrictEqual(ForeignSchema.compile(longer), ForeignSchema.compile(longer))
  })

  it("values that JSON writes as null are not confused with null", () => {
    const atMost = (maximum: unknown) => ({ type: "number", maximum })
    assert.isFalse(accepts({ type: "number", maximum: 5 }, 6))
    assert.isTrue(accepts(atMost(Number.NaN), 6))
    assert.isTrue(accepts({ const: null }, null))
    assert.isFalse(accepts({ const: null }, 5))
  })

  it.each([
    ["undefined", undefined],
    ["a function", () => 1],
    ["a text", "object"],
    [
      "a cycle",
      (() => {
        const cycle: Record<string, unknown> = { type: "object" }
        cycle["properties"] = { self: cycle }
        return cycle
      })()
    ],
    ["a bigint", { type: "integer", maximum: 5n }]
  ])("%s ends with a schema and never throws", (_, source) => {
    assert.isArray(ForeignSchema.compile(source).unchecked)
  })

  it.each([
    ["more than 50,000 parts", { enum: Array.from({ length: 60_000 }, (_, n) => n) }, "has more than 50000 parts"],
    ["a circle of aliases", { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } }, ""],
    [
      "an allOf that doubles at every step",
      {
        ...closed,
        $ref: "#/$defs/d0",
        $defs: Object.fromEntries(
          Array.from({ length: 60 }, (_, n) => {
            const next = { $ref: `#/$defs/d${n + 1}` }
            return [`d${n}`, n === 59 ? {} : { allOf: [next, next] }]
          })
        )
      },
      "its allOf multiplies definitions"
    ],
    ["a root whose parts are in two places", { ...merged, $defs: { P: patterned } }, "cannot be compiled"]
  ])("a schema with %s accepts any value, says so, and closes nothing", (_, source, reason) => {
    const { isClosing, schema, unchecked } = ForeignSchema.compile(source)
    assert.isFalse(isClosing)
    assert.isTrue(unchecked.some((each) => each.reason.includes(reason)))
    assert.isTrue(Result.isSuccess(Schema.decodeUnknownResult(schema)({ any: ["value"] })))
  })

  const missing = { $ref: "#/$defs/none" }
  const both = { allOf: [either("a", "b"), either("c", "d")] }
  it.each([
    ["a keyword", { properties: { a: { not: { type: "null" } } } }, ["/properties/a/not"]],
    [
      "a keyword of the 13th alternative",
      { anyOf: [...Array(12).keys()].map((n): object => ({ const: n })).concat(missing) },
      ["/anyOf/12/$ref"]
    ],
    [
      "a keyword of a property called like a keyword",
      { properties: { properties: { not: { type: "null" } } } },
      ["/properties/properties/not"]
    ],
    [
      "a keyword of a definition called enum",
      { $ref: "#/$defs/enum", $defs: { enum: { ...missing, type: "string" } } },
      ["/$defs/enum/$ref"]
    ],
    ["a keyword of a property that JSON quotes", { properties: { 'a"b\\c': missing } }, ['/properties/a"b\\c/$ref']],
    ["an enum of objects", { enum: [{ a: 1 }] }, ["/enum"]],
    [
      "an enum of a property called properties",
      { properties: { properties: { enum: ["a", {}] } } },
      ["/properties/properties/enum"]
    ],
    [
      "a rule on additional fields beside other fields",
      { ...closed, additionalProperties: { type: "number" } },
      ["/additionalProperties"]
    ],
    ["rules on patterns of names", patterned, ["/patternProperties"]],
    ["a member of an allOf", { properties: { v: both } }, ["/properties/v/allOf/1"]],
    [
      "a property whose parts are in two places",
      { properties: { v: merged, w: {} }, $defs: { P: patterned } },
      ["/properties/v"]
    ],
    [
      "a definition whose parts are in two places",
      { $ref: "#/$defs/v", $defs: { v: merged, P: patterned } },
      ["/$defs/v"]
    ],
    ["items whose parts are in two places", { items: merged, $defs: { P: patterned } }, ["/items"]]
  ])("13.1 of a schema with %s that cannot be compiled, the smallest part is left out", (_, schema, pointers) => {
    const { unchecked } = ForeignSchema.compile({ ...schema, title: "T" })
    assert.deepStrictEqual(
      unchecked.map(({ pointer }) => pointer),
      pointers
    )
    // the other parts are checked
    const whole = { type: "object", properties: { part: schema, text: { type: "string" } }, required: ["text"] }
    const { $defs = {} } = schema as { readonly $defs?: object }
    assert.isFalse(accepts({ ...whole, $defs }, { text: 5 }))
    assert.isTrue(accepts({ ...whole, $defs }, { text: "a" }))
  })

  it("13.1 of a chain of 5,000 definitions, which Effect cannot read, any value is accepted", () => {
    const chain = Array.from({ length: 5_000 }, (_, n) => [
      `d${n}`,
      { type: "object", properties: { next: { $ref: `#/$defs/d${n + 1}` } } }
    ])
    const $defs = { ...Object.fromEntries(chain), d5000: {} }
    const { schema, unchecked } = ForeignSchema.compile({ $ref: "#/$defs/d0", $defs })
    assert.isTrue(unchecked.some(({ reason }) => reason === "cannot be compiled: any value is accepted"))
    assert.isTrue(Result.isSuccess(Schema.decodeUnknownResult(schema)({ next: { next: 5 } })))
  })

  it("only the field whose definition is circular accepts any value", () => {
    const { schema, unchecked } = ForeignSchema.compile({
      type: "object",
      properties: { a: { $ref: "#/$defs/Circle" }, b: { type: "string" } },
      required: ["a", "b"],
      $defs: { Circle: { $ref: "#/$defs/Circle" } }
    })
    assert.isAbove(unchecked.length, 0)
    const decode = Schema.decodeUnknownResult(schema)
    assert.isTrue(Result.isSuccess(decode({ a: 5, b: "text" })))
    assert.isTrue(Result.isFailure(decode({ a: 5, b: 5 })))
  })
})

/** Tests contracts that are made from JSON Schemas of other projects. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as ArgumentIssues from "#domain/schema/ArgumentIssues"
import * as ForeignContract from "#domain/schema/foreign/ForeignContract"

type Json = Readonly<Record<string, unknown>>

const accepts = (schema: Json, value: unknown) => Result.isSuccess(ForeignContract.make(schema).decode(value))

describe("a contract from a foreign JSON Schema", () => {
  it("4.4 accepts any value if the type is unknown, even if it is the name of an Object method", () => {
    const { decode, unchecked } = ForeignContract.make({ properties: { a: { type: "constructor" } } })
    assert.deepStrictEqual(unchecked, [
      { pointer: "/properties/a/type", reason: '"constructor" is not a JSON type: read as anything' }
    ])
    for (const a of [1, "x", true, null, [], { b: 1 }])
      assert.isTrue(Result.isSuccess(decode({ a })), JSON.stringify(a))
  })

  it("4.4 refuses unknown fields of a closed object, in a large value too, where only the first issue is reported", () => {
    const { decode } = ForeignContract.make({
      type: "object",
      properties: { rows: { type: "array", items: { type: "number" } }, more: { type: "string" } },
      additionalProperties: false
    })
    const rows = (length: number) => Array.from({ length }, (_, n) => n)
    const issues = (value: unknown) =>
      Result.match(decode(value), { onSuccess: () => [], onFailure: (issue) => ArgumentIssues.fromIssue(issue) })
    assert.deepStrictEqual(issues({ rows: rows(100_000) }), [])
    for (const length of [1, 100_000])
      assert.strictEqual(issues({ rows: rows(length), other: 1 })[0]?.code, "unexpected")
    assert.strictEqual(issues({ rows: [], other: 1, more: 2 }).length, 2)
    assert.strictEqual(issues({ rows: rows(100_000), other: 1, more: 2 }).length, 1)
  })

  it("4.4 reads the type names of other languages, and reports them", () => {
    const contract = ForeignContract.make({
      type: "dict",
      properties: { n: { type: "float" }, any: { type: "any" }, s: { type: "String", required: true } },
      required: ["n"]
    })
    assert.isTrue(Result.isSuccess(contract.decode({ n: 1.5, any: [1], s: "x" })))
    assert.isTrue(Result.isFailure(contract.decode({ n: "1.5" })))
    assert.isTrue(Result.isFailure(contract.decode([])))
    assert.deepStrictEqual(
      contract.unchecked.map(({ pointer, reason }) => `${pointer}: ${reason}`),
      [
        '/type: "dict" is not a JSON type: read as "object"',
        '/properties/n/type: "float" is not a JSON type: read as "number"',
        '/properties/any/type: "any" is not a JSON type: read as anything',
        "/properties/s/required: is not a valid value of required",
        '/properties/s/type: "String" is not a JSON type: read as "string"'
      ]
    )
  })

  it("4.4 leaves out and lists the parts that cannot be compiled, and checks the others", () => {
    const contract = ForeignContract.make({
      type: "object",
      properties: {
        a: { not: { type: "string" }, minimum: 1 },
        b: { if: { type: "string" }, else: { minLength: 3 } },
        c: { enum: [{ x: 1 }, "y"] },
        d: { type: "string", pattern: "(?=a)" },
        e: { type: "string", pattern: "[" },
        f: { $ref: "https://elsewhere.example/schema.json" },
        g: { $ref: "#/$defs/missing" },
        h: 7
      },
      required: ["a"],
      dependentRequired: { a: ["b"] }
    })
    assert.isTrue(Result.isFailure(contract.decode({ a: 0 })))
    assert.isTrue(Result.isSuccess(contract.decode({ a: 1, b: "x", c: 1, d: "b", e: "[", f: 1, g: 2, h: 3 })))
    assert.deepStrictEqual(contract.unchecked.map(({ pointer }) => pointer).toSorted(), [
      "/dependentRequired",
      "/properties/a/not",
      "/properties/b/if",
      "/properties/c/enum",
      "/properties/d/pattern",
      "/properties/e/pattern",
      "/properties/f/$ref",
      "/properties/g/$ref",
      "/properties/h"
    ])
  })

  it("4.4 follows references to properties and to the whole schema, including circular ones", () => {
    const tree = {
      type: "object",
      properties: {
        name: { type: "string" },
        again: { $ref: "#/properties/name" },
        children: { type: "array", items: { $ref: "#" } }
      },
      required: ["name"],
      additionalProperties: false
    }
    assert.deepStrictEqual(ForeignContract.make(tree).unchecked, [])
    assert.isTrue(accepts(tree, { name: "a", again: "b", children: [{ name: "c", children: [] }] }))
    assert.isFalse(accepts(tree, { name: "a", children: [{ name: 1 }] }))
    assert.isFalse(accepts(tree, { name: "a", again: 2 }))
  })

  it("4.4 reads the older forms of draft-04, draft-07 and OpenAPI 3.0", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      $id: "https://example.com/a",
      type: "object",
      definitions: { Id: { type: "string", minLength: 2 } },
      properties: {
        id: { $ref: "#/definitions/Id" },
        pair: { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false },
        above: { type: "number", minimum: 3, exclusiveMinimum: true },
        maybe: { type: "string", nullable: true }
      }
    }
    assert.isTrue(accepts(schema, { id: "ab", pair: ["a", 1], above: 4, maybe: null }))
    for (const wrong of [{ id: "a" }, { pair: ["a", "b"] }, { pair: ["a", 1, 2] }, { above: 3 }, { maybe: 1 }]) {
      assert.isFalse(accepts(schema, wrong), JSON.stringify(wrong))
    }
  })

  it("4.4 compiles odd values in place of a schema without throwing", () => {
    const odd: ReadonlyArray<unknown> = [
      null,
      7,
      "schema",
      [],
      true,
      false,
      {},
      { type: [] },
      { type: 7 },
      { properties: [] },
      { properties: { __proto__: { type: "string" }, constructor: { type: "string" } } },
      { required: "all" },
      { anyOf: [] },
      { allOf: [{ anyOf: [{ type: "string" }] }, { oneOf: [{ type: "number" }, { type: "string" }] }] },
      { $ref: "#" },
      { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }
    ]
    for (const schema of odd) {
      const contract = ForeignContract.make(schema as never) // the schema is invalid on purpose
      assert.isString(Result.isSuccess(contract.decode({ a: 1 })) ? "success" : "failure")
    }
    let deep: Json = { type: "string" }
    for (let i = 0; i < 5_000; i++) deep = { type: "object", properties: { a: deep } }
    assert.isTrue(accepts(deep, { a: {} }))
  })

  it("4.4 decodes and encodes valid arguments unchanged, and keeps the tool's description and schema", () => {
    const schema = { type: "object", properties: { a: { type: "integer", default: 3 } } }
    const contract = ForeignContract.make(schema)
    const given = { b: [1], a: 1 }
    assert.strictEqual(Result.getOrThrow(contract.decode(given)), given)
    assert.strictEqual(contract.encode(given), given)
    assert.strictEqual(contract.describe("Reads."), "Reads.")
    assert.strictEqual(contract.jsonSchema, schema)
    assert.strictEqual(contract.jsonSchema2020, schema)
    assert.deepStrictEqual(ForeignContract.make().jsonSchema, { type: "object" })
    assert.isTrue(Result.isFailure(ForeignContract.make().decode([])))
  })

  it("4.4 reports all issues of small arguments, and the first of large ones", () => {
    const { decode } = ForeignContract.make({ type: "array", items: { type: "integer" } })
    const issues = (value: unknown) =>
      Result.match(decode(value), {
        onSuccess: () => 0,
        onFailure: (issue) => ArgumentIssues.fromIssue(issue).length
      })
    assert.strictEqual(issues(["a", 1, "b", "c"]), 3)
    assert.strictEqual(issues(["a", "b", ...Array.from({ length: 10_000 }, (_, index) => index)]), 1)
  })

  it("4.4 refuses arguments that are nested more deeply than the stack allows", () => {
    const { decode } = ForeignContract.make({ type: "array", items: { $ref: "#" } })
    let deep: unknown = []
    for (let level = 0; level < 200_000; level++) deep = [deep]
    const issue = Result.match(decode(deep), { onSuccess: () => undefined, onFailure: (found) => found })
    assert.deepStrictEqual(issue && ArgumentIssues.fromIssue(issue).map(({ message }) => message), [
      "could not be checked: the tool's schema failed on it"
    ])
  })

  it("4.4 undeclared fields are refused only by keywords that limit them", () => {
    const properties = { a: { type: "object", properties: { b: { type: "null" } } } }
    for (const [schema, refused] of [
      [{ type: "object", properties }, []],
      [{ type: "object", properties, additionalProperties: true }, []],
      [{ type: "object", properties, additionalProperties: false }, [{ c: 1 }, { long: 1 }]],
      [{ type: "object", additionalProperties: { type: "object" } }, [{ c: 1 }, { long: 1 }]],
      [{ type: "object", properties, propertyNames: { maxLength: 1 } }, [{ long: 1 }]],
      [{ type: "object", patternProperties: { "^[al]": true }, additionalProperties: false }, [{ c: 1 }]],
      [{ type: "object", properties: { a: { ...properties.a, additionalProperties: false } } }, [{ a: { c: 1 } }]]
    ] as const)
      assert.deepStrictEqual(
        [{ c: 1 }, { long: 1 }, { a: { c: 1 } }].filter((value) => !accepts(schema, value)),
        [...refused],
        JSON.stringify(schema)
      )
  })

  it("4.4 names the place of each part that cannot be compiled, also inside lists and under names of keywords", () => {
    const other = { $ref: "https://elsewhere.example/a" }
    for (const [schema, pointers] of [
      [{ properties: { enum: { enum: [{}] }, const: { type: "null" } } }, ["/properties/enum/enum"]],
      [{ properties: { enum: other, properties: other } }, ["/properties/enum/$ref", "/properties/properties/$ref"]],
      [{ anyOf: [{ type: "string" }, { not: { type: "null" } }] }, ["/anyOf/1/not"]],
      [{ $defs: { a: { enum: [1, { b: 1 }] } }, properties: { a: { $ref: "#/$defs/a" } } }, ["/$defs/a/enum"]],
      [{ properties: { a: { enum: [1, [2]] }, b: { const: [1] } } }, ["/properties/a/enum", "/properties/b/const"]]
    ] as const) {
      const { decode, unchecked } = ForeignContract.make({ type: "object", ...schema })
      assert.deepStrictEqual(unchecked.map(({ pointer }) => pointer).toSorted(), [...pointers])
      assert.isTrue(Result.isSuccess(decode({ a: 1, b: 2, enum: 3, properties: 4 })))
      assert.isTrue(Result.isFailure(decode([])))
    }
  })

  it("4.4 leaves out and names keywords that Effect cannot combine with others, and checks the other rules", () => {
    const object = { type: "object", properties: { a: { type: "string" } }, required: ["a"] }
    const named = { "^x": { type: "string" } }
    for (const [more, pointers] of [
      [{ additionalProperties: { type: "number" } }, ["/additionalProperties"]],
      [{ patternProperties: named }, ["/patternProperties"]],
      [{ patternProperties: named, additionalProperties: false }, ["/additionalProperties", "/patternProperties"]],
      [{ anyOf: [{ required: ["b"] }, { required: ["a"] }], oneOf: [{ required: ["c"] }, true] }, ["/oneOf"]],
      [{ allOf: [{ ...object, additionalProperties: { type: "number" } }] }, ["/allOf/0/additionalProperties"]]
    ] as const)
      for (const [schema, place, wrap] of [
        [{ ...object, ...more }, "", (value: unknown) => value],
        [
          { type: "object", properties: { properties: { ...object, ...more } } },
          "/properties/properties",
          (properties: unknown) => ({ properties })
        ],
        [
          { type: "object", properties: { o: { $ref: "#/$defs/o" } }, $defs: { o: { ...object, ...more } } },
          "/$defs/o",
          (o: unknown) => ({ o })
        ]
      ] as const) {
        const { decode, unchecked } = ForeignContract.make(schema)
        assert.deepStrictEqual(
          [...new Set(unchecked.map(({ pointer }) => pointer))],
          pointers.map((pointer) => `${place}${pointer}`)
        )
        assert.deepStrictEqual(
          [{ a: "x", y: true }, { a: 1 }, { y: true }, []].map((value) => Result.isSuccess(decode(wrap(value)))),
          [true, false, false, false]
        )
      }
  })

  it("13.1 leaves out parts that cannot be compiled, and accepts any value if there are more than 200", () => {
    const manyOf = (length: number) => ({
      type: "object",
      properties: Object.fromEntries(Array.from({ length }, (_, index) => [`p${index}`, { not: { type: "null" } }]))
    })
    const some = ForeignContract.make(manyOf(30))
    assert.deepStrictEqual([some.unchecked.length, Result.isFailure(some.decode([]))], [30, true])
    const many = ForeignContract.make(manyOf(201))
    assert.deepStrictEqual(many.unchecked.at(-1), { pointer: "", reason: "cannot be compiled: any value is accepted" })
    assert.deepStrictEqual([many.unchecked.length, Result.isSuccess(many.decode([]))], [201, true])
  })
})

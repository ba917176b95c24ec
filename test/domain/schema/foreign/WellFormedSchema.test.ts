/** Tests how JSON Schemas of any origin are rewritten as well-formed 2020-12, and what is reported. */
import { assert, describe, it } from "@effect/vitest"
import { wellFormed } from "#domain/schema/foreign/WellFormedSchema"

const rewritten = (schema: unknown) => {
  const reports: Array<string> = []
  const result = wellFormed(schema, ({ pointer, reason }) => reports.push(`${pointer} ${reason}`))
  return [result, reports]
}

const nested = (levels: number, wrap: (inner: unknown) => unknown, seed: unknown): unknown =>
  Array.from({ length: levels }).reduce((inner) => wrap(inner), seed)

const invalid = (keyword: string) => `/${keyword} is not a valid value of ${keyword}`

/** Schemas that are rewritten without a report. */
const silent: ReadonlyArray<readonly [schema: unknown, result: unknown]> = [
  [true, {}],
  [false, { not: {} }],
  [{}, {}],
  // the names of draft-07
  [{ $schema: "http://json-schema.org/draft-07/schema#", $id: "a", id: "b", type: "object" }, { type: "object" }],
  [
    { definitions: { a: { $ref: "#/definitions/b" }, b: true }, $defs: { b: false } },
    { $defs: { a: { $ref: "#/$defs/b" }, b: false } }
  ],
  [{ $ref: "#/properties/definitions/a" }, { $ref: "#/properties/definitions/a" }],
  [
    { items: [{ type: "null" }], additionalItems: false },
    { prefixItems: [{ type: "null" }], items: false }
  ],
  [{ items: [{ definitions: {} }] }, { prefixItems: [{ $defs: {} }] }],
  [{ items: { type: "null" }, additionalItems: false }, { items: { type: "null" } }],
  // bounds of draft-04
  [{ minimum: 3, exclusiveMinimum: true }, { exclusiveMinimum: 3 }],
  [{ maximum: 3, exclusiveMaximum: false }, { maximum: 3 }],
  [{ exclusiveMinimum: "3", exclusiveMaximum: 4 }, { exclusiveMaximum: 4 }],
  [{ exclusiveMinimum: 3, exclusiveMaximum: "4" }, { exclusiveMinimum: 3 }],
  // `nullable` of OpenAPI 3.0
  [
    { type: "string", enum: ["a"], nullable: true },
    { type: ["string", "null"], enum: ["a", null], nullable: true }
  ],
  [
    { type: "string", nullable: false },
    { type: "string", nullable: false }
  ],
  [
    { type: "string", nullable: "true" },
    { type: "string", nullable: "true" }
  ],
  // types
  [{ type: ["string", "null"] }, { type: ["string", "null"] }],
  [{ type: ["string", "string"] }, { type: "string" }],
  [{ type: [] }, {}],
  [{ properties: { type: { type: "string" } } }, { properties: { type: { type: "string" } } }],
  // names and values may repeat
  [
    { required: ["a", "a"], enum: [1, 1] },
    { required: ["a", "a"], enum: [1, 1] }
  ],
  // names without a meaning
  [JSON.parse('{"__proto__":{"type":"string"},"type":"object"}'), { type: "object" }],
  [{ type: "object", minimum: undefined }, { type: "object" }],
  [
    { constructor: 7, "x-a": [7] },
    { constructor: 7, "x-a": [7] }
  ],
  // schemas in each keyword
  ...[
    { additionalProperties: { type: [] } },
    { propertyNames: { type: [] } },
    { items: { type: [] } },
    { contains: { type: [] } },
    { not: { type: [] } }
  ].map((schema) => [schema, Object.fromEntries(Object.keys(schema).map((name) => [name, {}]))] as const),
  ...["anyOf", "oneOf", "allOf", "prefixItems"].map(
    (name) => [{ [name]: [{ type: [] }, true] }, { [name]: [{}, true] }] as const
  ),
  ...["properties", "patternProperties", "$defs"].map(
    (name) => [{ [name]: { a: { type: [] }, b: false } }, { [name]: { a: {}, b: false } }] as const
  ),
  // keywords that are not compiled stay as they are
  [
    { if: { type: [] }, dependentSchemas: { a: { type: [] } } },
    { if: { type: [] }, dependentSchemas: { a: { type: [] } } }
  ]
]

/** Schemas with a part that is left out or replaced. */
const reported: ReadonlyArray<readonly [schema: unknown, result: unknown, reports: ReadonlyArray<string>]> = [
  [null, {}, [" is not a schema"]],
  [[{ type: "string" }], {}, [" is not a schema"]],
  [{ properties: { "a/b~c": 7 } }, { properties: { "a/b~c": {} } }, ["/properties/a~1b~0c is not a schema"]],
  [{ anyOf: [true, "no"] }, { anyOf: [true, {}] }, ["/anyOf/1 is not a schema"]],
  ...Object.entries({
    $ref: 7,
    $defs: [],
    definitions: [],
    additionalItems: 7,
    additionalProperties: "no",
    allOf: {},
    anyOf: [],
    contains: 7,
    items: "string",
    not: 7,
    oneOf: true,
    patternProperties: [],
    prefixItems: {},
    properties: [],
    propertyNames: "a",
    required: "all",
    enum: [],
    pattern: "[",
    maxItems: -1,
    maxLength: 1.5,
    maxProperties: "1",
    maximum: "1",
    minItems: null,
    minLength: -2,
    minProperties: [],
    minimum: true,
    multipleOf: 0,
    uniqueItems: "yes"
  }).map(([keyword, value]) => [{ type: "object", [keyword]: value }, { type: "object" }, [invalid(keyword)]] as const),
  [{ required: ["a", 1], enum: "a" }, {}, [invalid("required"), invalid("enum")]],
  [{ pattern: 7 }, {}, [invalid("pattern")]],
  [{ type: "Str" }, { type: "string" }, ['/type "Str" is not a JSON type: read as "string"']],
  [{ type: ["dict", "object"] }, { type: "object" }, ['/type "dict" is not a JSON type: read as "object"']],
  [{ type: ["string", "any"] }, {}, ['/type "any" is not a JSON type: read as anything']],
  [{ items: { type: 7 } }, { items: {} }, ["/items/type 7 is not a JSON type: read as anything"]]
]

describe("wellFormed", () => {
  it("13.1 reads the keywords of older drafts and of OpenAPI as those of 2020-12, in every schema", () => {
    for (const [schema, result] of silent)
      assert.deepStrictEqual(rewritten(schema), [result, []], JSON.stringify(schema))
  })

  it("13.1 leaves out and reports each value that its keyword does not allow, and keeps the others", () => {
    for (const [schema, result, reports] of reported)
      assert.deepStrictEqual(rewritten(schema), [result, reports], JSON.stringify(schema))
  })

  it("13.1 reads 64 levels of schemas and of values, and reports what is deeper", () => {
    const not = (inner: unknown) => ({ not: inner })
    assert.deepStrictEqual(rewritten(nested(64, not, { type: "null" })), [nested(64, not, { type: "null" }), []])
    assert.deepStrictEqual(rewritten(nested(65, not, { type: "null" })), [
      nested(65, not, {}),
      [`${"/not".repeat(65)} is nested too deeply`]
    ])
    const list = (inner: unknown) => [inner]
    assert.deepStrictEqual(rewritten({ const: nested(64, list, 1) }), [{ const: nested(64, list, 1) }, []])
    assert.deepStrictEqual(rewritten({ const: nested(65, list, 1), type: "array" }), [
      { type: "array" },
      ["/const is nested too deeply"]
    ])
  })

  it("13.1 changes nothing in the given schema", () => {
    const schema = { definitions: { a: { type: "Str" } }, items: [{ nullable: true, type: "string" }] }
    const before = structuredClone(schema)
    rewritten(schema)
    assert.deepStrictEqual(schema, before)
  })
})

/** Tests the gaps between two JSON Schemas, which another validator confirms. */
import { assert, describe, it } from "@effect/vitest"
import type { ValidateFunction } from "ajv"
import { gaps } from "#kit/containment/Contains"
import type { Gap, Reason } from "#kit/containment/Gap"
import { opener } from "#kit/schema/Term"
import { valid } from "#kit/schema/Judge"
import { compilers } from "../../support/ajv.ts"
import { damage, generate, random } from "../../support/JsonSchemaValues.ts"
import { mutated, whole } from "./schemas.ts"

const { draft2020 } = compilers({ strict: false, validateFormats: false, logger: false })

/** Compiles a schema with the other validator; returns `undefined` if that validator refuses the schema. */
const validatorOf = (schema: unknown): ValidateFunction | undefined => {
  try {
    return draft2020(schema as object)
  } catch {
    return undefined
  }
}

/** True if no number is so large or so small that validators round its multiples differently. */
const isPlain = (value: unknown): boolean =>
  typeof value === "number"
    ? value === 0 || (Math.abs(value) > 1e-6 && Math.abs(value) < 1e15)
    : typeof value !== "object" || value === null || Object.values(value).every(isPlain)

/** Generates JSON values near the limits of a schema. */
const valuesFor = (schema: object, count: number, next: () => number): ReadonlyArray<unknown> =>
  Array.from({ length: count }, () => {
    // random schemas have no static type
    const made = generate(schema as never, schema as never, next)
    const value = JSON.stringify(next() < 0.3 ? damage(made, next) : made)
    return value === undefined ? undefined : JSON.parse(value)
  }).filter((value) => value !== undefined && isPlain(value))

/** Returns a schema and a changed copy of it, or sometimes two unrelated schemas. */
const pair = (seed: number): readonly [object, object] => {
  const next = random(seed * 7 + 1)
  const one = whole(seed)
  if (seed % 5 === 4) return [one, whole(seed + 100_000)]
  let other: unknown = one
  for (let changes = 1 + Math.floor(next() * 3); changes > 0; changes--) other = mutated(other, next)
  return [one, other as object]
}

const seeds = Array.from({ length: 300 }, (_, seed) => seed)

describe("random pairs of schemas", () => {
  it("13.4 have no gaps only if no value disproves containment, and another validator confirms every witness", () => {
    const found = { contained: 0, shown: 0, unproven: 0 }
    for (const seed of seeds) {
      const [one, other] = pair(seed)
      const [accepts, takes] = [validatorOf(one), validatorOf(other)]
      if (accepts === undefined || takes === undefined) continue
      const all = gaps(one, other)
      for (const { witness } of all) {
        if (witness !== undefined) {
          assert.deepStrictEqual([accepts(witness.value), takes(witness.value)], [true, false], `seed ${seed}`)
        }
      }
      if (all.length === 0) {
        found.contained += 1
        const contradiction = valuesFor(one, 60, random(seed)).find((value) => accepts(value) && !takes(value))
        assert.isUndefined(contradiction, `seed ${seed}: ${JSON.stringify([one, other])}`)
      } else if (all.some(({ witness }) => witness !== undefined)) found.shown += 1
      else found.unproven += 1
    }
    assert.isAbove(found.contained, 100)
    assert.isAbove(found.shown, 80)
    assert.isBelow(found.unproven, 0.06 * (found.contained + found.shown))
  })

  it("13.4 accept the same values in the judge as in another validator", () => {
    for (const seed of seeds) {
      const [, schema] = pair(seed)
      const accepts = validatorOf(schema)
      if (accepts === undefined) continue
      const term = opener()(schema)
      for (const value of valuesFor(schema, 20, random(seed + 1))) {
        assert.strictEqual(valid(term, value), accepts(value), `seed ${seed}: ${JSON.stringify([schema, value])}`)
      }
    }
  })

  it("13.4 a schema has no gap with a witness to the same schema in another notation", () => {
    for (const seed of seeds) {
      const schema = whole(seed)
      assert.deepStrictEqual(
        gaps(schema, {
          allOf: [{ $ref: "#/$defs/it" }],
          $defs: { it: { title: "x", ...schema }, ...(schema["$defs"] as object) }
        }).filter(({ witness }) => witness !== undefined),
        []
      )
    }
  })
})

const object = (properties: object, rest: object = {}) => ({ type: "object", properties, ...rest })
const closed = (properties: object, rest: object = {}) => object(properties, { additionalProperties: false, ...rest })
const only = (reason: Reason, witness: unknown, path: Gap["path"] = []): ReadonlyArray<Gap> => [
  { path, reason, witness: { value: witness } }
]

const tree = (value: object) => ({
  $ref: "#/definitions/Tree",
  definitions: { Tree: closed({ value, children: { type: "array", items: { $ref: "#/definitions/Tree" } } }) }
})

const kinds = (...all: ReadonlyArray<string>) => ({
  anyOf: all.map((kind) => object({ kind: { const: kind } }, { required: ["kind"] }))
})

const contained: ReadonlyArray<readonly [difference: string, one: unknown, other: unknown]> = [
  ["a type among several", { type: "string" }, { type: ["string", "null"] }],
  ["an integer among numbers", { type: "integer" }, { type: "number" }],
  ["fewer values of an enum", { enum: ["a"] }, { enum: ["b", "a"] }],
  ["a value that fits a type", { const: 7 }, { type: "integer", minimum: 7 }],
  ["tighter bounds", { type: "number", minimum: 1, exclusiveMaximum: 9 }, { type: "number", maximum: 9 }],
  ["bounds of whole numbers, open or not", { type: "integer", exclusiveMinimum: 0 }, { type: "integer", minimum: 1 }],
  ["multiples of a multiple", { type: "integer", multipleOf: 6 }, { type: "number", multipleOf: 3 }],
  ["a length that follows from a pattern", { type: "string", pattern: "^[A-Z]{3}$" }, { type: "string", maxLength: 3 }],
  ["an equal pattern with another bound", { type: "string", pattern: "^a", maxLength: 3 }, { pattern: "^a" }],
  [
    "intervals that cover together",
    { type: "number" },
    {
      anyOf: [
        { type: "number", maximum: 5 },
        { type: "number", minimum: 5 }
      ]
    }
  ],
  [
    "whole numbers that are covered together",
    { type: "integer" },
    {
      anyOf: [
        { type: "integer", maximum: 5 },
        { minimum: 6, type: "integer" }
      ]
    }
  ],
  ["a required field that was optional", closed({ a: {} }, { required: ["a"] }), closed({ a: {} })],
  ["a closed object with fewer fields", closed({ a: { type: "string" } }), closed({ a: { type: "string" }, b: {} })],
  [
    "values of a record",
    { type: "object", additionalProperties: { const: 1 } },
    { type: "object", additionalProperties: { type: "number" } }
  ],
  [
    "fields that match a pattern",
    closed({ x1: { const: 1 } }),
    { type: "object", patternProperties: { "^x": { type: "number" } }, additionalProperties: false }
  ],
  [
    "a tuple among lists",
    { type: "array", prefixItems: [{ const: 1 }], items: false },
    { type: "array", items: { type: "integer" }, maxItems: 1 }
  ],
  [
    "a tuple of draft-07",
    { type: "array", items: [{ const: 1 }], additionalItems: false },
    { type: "array", maxItems: 1 }
  ],
  [
    "conjunctions",
    { allOf: [{ type: "number", minimum: 3 }, { maximum: 5 }] },
    { type: "number", minimum: 0, maximum: 9 }
  ],
  [
    "a union with a discriminator",
    object({ kind: { enum: ["a", "b"] } }, { required: ["kind"] }),
    kinds("a", "b", "c")
  ],
  ["alternatives that exclude each other", kinds("a"), { oneOf: kinds("a", "b").anyOf }],
  ["recursion through other definitions", tree({ type: "integer" }), tree({ type: "number" })],
  ["nothing", { type: "object", properties: { a: false }, required: ["a"] }, { type: "string" }],
  [
    "equal constraints that are compared by their text",
    { type: "string", not: { const: "x" } },
    { not: { const: "x" } }
  ]
]

const different: ReadonlyArray<readonly [difference: string, one: unknown, other: unknown, gaps: ReadonlyArray<Gap>]> =
  [
    ["a type", { type: ["string", "null"] }, { type: "string" }, only({ _tag: "Values", values: [null] }, null)],
    ["a value", { enum: ["a", "b", "c"] }, { enum: ["b"] }, only({ _tag: "Values", values: ["a", "c"] }, "a")],
    [
      "a bound",
      { type: "integer", maximum: 100 },
      { type: "integer", maximum: 50 },
      only({ _tag: "Bound", keyword: "maximum", from: 100, to: 50 }, 100)
    ],
    ["decimals", { type: "number" }, { type: "integer" }, only({ _tag: "Integer" }, 0.5)],
    [
      "a length",
      { type: "string" },
      { type: "string", maxLength: 2 },
      only({ _tag: "Bound", keyword: "maxLength", from: undefined, to: 2 }, "aaa")
    ],
    [
      "a required field",
      closed({ a: { type: "string" } }),
      closed({ a: { type: "string" } }, { required: ["a"] }),
      only({ _tag: "Required", name: "a" }, {})
    ],
    ["a field", closed({ a: { const: 1 }, b: {} }), closed({ b: {} }), only({ _tag: "Removed", name: "a" }, { a: 1 })],
    [
      "undeclared fields",
      { type: "object" },
      { type: "object", additionalProperties: false },
      only({ _tag: "Closed" }, { extra: null })
    ],
    [
      "a field that was not validated",
      object({}),
      object({ a: { const: 1 } }),
      only({ _tag: "Listed", name: "a" }, { a: null })
    ],
    [
      "a nested field",
      closed({ a: { type: "array", items: closed({ b: { enum: ["x", "y"] } }) } }),
      closed({ a: { type: "array", items: closed({ b: { enum: ["x"] } }) } }),
      only({ _tag: "Values", values: ["y"] }, { a: [{ b: "y" }] }, ["a", "[]", "b"])
    ],
    [
      "a field of a recursive object",
      tree({ type: "string" }),
      tree({ type: "string", maxLength: 1 }),
      only({ _tag: "Bound", keyword: "maxLength", from: undefined, to: 1 }, { value: "aa" }, ["value"])
    ],
    ["an alternative", kinds("a", "b"), kinds("b"), only({ _tag: "Values", values: ["a"] }, { kind: "a" }, ["kind"])],
    [
      "a pattern",
      { type: "string", pattern: "^C-\\d{4}$" },
      { type: "string", pattern: "^C-\\d{5}$" },
      only({ _tag: "Pattern", pattern: "^C-\\d{5}$" }, "C-0000")
    ]
  ]

describe("gaps", () => {
  for (const [difference, one, other] of contained) {
    it(`13.4 do not exist: ${difference}`, () => assert.deepStrictEqual(gaps(one, other), []))
  }

  for (const [difference, one, other, expected] of different) {
    it(`13.4 have a reason and a witness: ${difference}`, () => assert.deepStrictEqual(gaps(one, other), expected))
  }

  it("13.4 are found behind references to places other than `$defs`", () => {
    const referring = (type: string) => ({ $ref: "#/components/It", components: { It: { type } } })
    assert.deepStrictEqual(gaps(referring("string"), referring("string")), [])
    assert.deepStrictEqual(gaps(referring("string"), referring("boolean")), only({ _tag: "Type", type: "string" }, ""))
  })

  it("13.4 do not exist if only annotations differ, even in constraints that are compared by their text", () => {
    const one = { oneOf: [{ type: "string", not: { const: "x", title: "a" } }, { minLength: 3 }], description: "One." }
    const other = { oneOf: [{ type: "string", not: { const: "x" } }, { minLength: 3 }], "x-note": 7, enum: undefined }
    assert.deepStrictEqual(gaps(one, other), [])
  })

  it("13.4 have a reason but no witness if they are not proven", () => {
    assert.deepStrictEqual(gaps({ type: "string", pattern: "^a+$" }, { type: "string", pattern: "^a*$" }), [
      { path: [], reason: { _tag: "Pattern", pattern: "^a*$" } }
    ])
    assert.deepStrictEqual(gaps({ $ref: "#/$defs/none" }, { type: "string" }), [
      { path: [], reason: { _tag: "Unknown", because: "it refers to #/$defs/none, which does not exist" } }
    ])
    assert.deepStrictEqual(gaps({ $ref: "#" }, { type: "string" }), [
      { path: [], reason: { _tag: "Unknown", because: "it refers only to itself" } }
    ])
    const [gap] = gaps({ type: "object" }, { type: "object", unevaluatedProperties: false })
    assert.deepStrictEqual(gap?.reason._tag, "Constraint")
  })

  it("13.4 are found in irregular schemas, and the search ends for hostile schemas", () => {
    assert.deepStrictEqual(
      gaps(
        { type: "dict", properties: { a: { type: "str" } } },
        { type: "object", properties: { a: { type: "string" } } }
      ),
      []
    )
    assert.deepStrictEqual(gaps(undefined, {}), [])
    assert.deepStrictEqual(gaps(false, { type: "string" }), [])
    assert.strictEqual(gaps({ patternProperties: { "(": { type: "string" } } }, { type: "object" }).length > 0, true)
    const wide = {
      anyOf: Array.from({ length: 20 }, (_, n) => ({ type: "object", properties: { [`a${n}`]: { const: n } } }))
    }
    const product = { allOf: [wide, wide, wide] }
    assert.deepStrictEqual(
      gaps(product, { type: "string" }).map(({ reason }) => reason),
      [{ _tag: "Unknown", because: "it has more than 200 alternatives" }]
    )
    let deep: object = { type: "string" }
    for (let n = 0; n < 60; n++) deep = { type: "object", properties: { deep }, required: ["deep"] }
    assert.isAbove(gaps(deep, { ...deep, additionalProperties: false }).length, 0)
  })
})

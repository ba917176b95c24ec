/** Tests that local references become references to definitions, and that the work of merging an `allOf` is estimated. */
import { assert, describe, it } from "@effect/vitest"
import { isTooCostly } from "#domain/schema/foreign/MergeCost"
import { definitionOf, toDefinitions } from "#domain/schema/foreign/References"

const rewritten = (schema: Record<string, unknown>) => {
  const root = structuredClone(schema)
  toDefinitions(root)
  return root
}

const text = { type: "string" }

describe("definitionOf", () => {
  it("13.1 follows a reference to a definition, with the characters that a pointer or a URI escapes", () => {
    const definitions = { a: text, "b/~c": true, ü: false }
    for (const [reference, found] of [
      ["#/$defs/a", ["a", text]],
      ["#/$defs/b~1~0c", ["b/~c", true]],
      ["#/$defs/%C3%BC", ["ü", false]],
      ["#/$defs/missing", undefined],
      ["#/$defs/constructor", undefined],
      ["#/$defs/a/type", undefined],
      ["#/$defs", undefined],
      ["#/properties/a", undefined],
      ["#", undefined],
      ["https://a.example/#/$defs/a", undefined],
      ["", undefined],
      [undefined, undefined],
      [7, undefined]
    ] as const)
      assert.deepStrictEqual(definitionOf(reference, definitions), found)
  })
})

describe("toDefinitions", () => {
  it("13.1 a reference to any place in the schema becomes a reference to a definition", () => {
    const properties = (a: unknown, b: unknown) => ({ properties: { a, b } })
    for (const [schema, result] of [
      [
        properties(text, { $ref: "#/properties/a" }),
        { ...properties(text, { $ref: "#/$defs/properties_a" }), $defs: { properties_a: text } }
      ],
      // a name that a definition already has gets a number
      [
        {
          ...properties(text, { $ref: "#/properties/a" }),
          $defs: { properties_a: true, properties_a_2: true },
          items: { $ref: "#/properties/a" }
        },
        {
          ...properties(text, { $ref: "#/$defs/properties_a_3" }),
          $defs: { properties_a: true, properties_a_2: true, properties_a_3: text },
          items: { $ref: "#/$defs/properties_a_3" }
        }
      ],
      // the schema itself, without its definitions
      [
        { items: { $ref: "#" }, $defs: { a: text } },
        { items: { $ref: "#/$defs/Whole" }, $defs: { a: text, Whole: { items: { $ref: "#/$defs/Whole" } } } }
      ],
      [
        { items: { $ref: "#/$defs/a/items" }, $defs: { a: { items: text } } },
        { items: { $ref: "#/$defs/defs_a_items" }, $defs: { a: { items: text }, defs_a_items: text } }
      ],
      [
        { properties: { "ü/~": text }, items: { $ref: "#/properties/%C3%BC~1~0" } },
        {
          properties: { "ü/~": text },
          items: { $ref: "#/$defs/properties_C3_BC_1_0" },
          $defs: { properties_C3_BC_1_0: text }
        }
      ]
    ] as const)
      assert.deepStrictEqual(rewritten(schema), result, JSON.stringify(schema))
  })

  it("13.1 references to definitions, to other documents, to values and to nothing stay", () => {
    for (const $ref of [
      "#/$defs/a",
      "#/$defs/missing",
      "https://a.example/#/properties/a",
      "#/properties/missing",
      "#/type",
      "#/enum/0",
      "#anchor",
      7
    ]) {
      const schema = { type: "object", enum: [null], properties: { a: { $ref } }, $defs: { a: text } }
      assert.deepStrictEqual(rewritten(schema), schema)
    }
    assert.deepStrictEqual(rewritten({ type: "object" }), { type: "object" })
  })
})

describe("MergeCost", () => {
  const times = (length: number, value: unknown) => Array.from({ length }, () => value)
  const a = { $ref: "#/$defs/a" }

  it("13.1 a merge may visit 100,000 schemas: an allOf of 315, or the same through references", () => {
    // An allOf of n parts takes n² + n visits, and one for the schema that has it.
    for (const [fits, exceeds] of [
      [{ allOf: times(315, {}) }, { allOf: times(316, {}) }],
      [{ properties: { b: { allOf: times(315, {}) } } }, { properties: { b: { allOf: times(316, {}) } } }],
      [{ allOf: times(315, true) }, { allOf: times(317, true) }],
      [{ anyOf: times(99_998, {}) }, { anyOf: times(99_999, {}) }],
      [
        { allOf: times(30, a), $defs: { a: { allOf: times(56, {}) } } },
        { allOf: times(31, a), $defs: { a: { allOf: times(56, {}) } } }
      ],
      // a reference in an allOf or alongside other keywords is followed each time
      [
        { items: times(99, a), $defs: { a: { allOf: times(45, {}) } } },
        { items: times(99, { ...a, title: 1 }), $defs: { a: { allOf: times(45, {}) } } }
      ],
      // a reference to nothing is one schema
      [
        { allOf: times(300, { $ref: "#/$defs/missing" }), $defs: {} },
        { allOf: times(316, { $ref: "#/$defs/missing" }), $defs: {} }
      ],
      [
        { allOf: times(300, { $ref: "https://a.example/a" }), $defs: { a: { allOf: times(60, {}) } } },
        { allOf: times(316, { $ref: "https://a.example/a" }), $defs: { a: { allOf: times(60, {}) } } }
      ],
      [{ allOf: times(300, a) }, { allOf: times(316, a) }]
    ] as const) {
      assert.isFalse(isTooCostly(fits))
      assert.isTrue(isTooCostly(exceeds))
    }
  })

  it("13.1 a definition that contains itself is expanded once, and a schema deeper than the stack is endless", () => {
    const recursive = { allOf: [...times(10, a), ...times(50, {})] }
    assert.isFalse(isTooCostly({ allOf: [a], $defs: { a: recursive } }))
    let deep: Record<string, unknown> = {}
    for (let level = 0; level < 100_000; level++) deep = { not: deep }
    assert.isTrue(isTooCostly(deep))
  })
})

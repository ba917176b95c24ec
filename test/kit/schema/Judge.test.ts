/** Tests the validation of values: accepted, refused, or undecided because of an unsupported keyword. */
import { valid } from "#kit/schema/Judge"
import { opener } from "#kit/schema/Term"
import { assert, describe, it } from "@effect/vitest"

const judged = (schema: unknown, value: unknown) => valid(opener()(schema), value)

/** A schema with an unsupported keyword. */
const undecided = { $dynamicRef: "#node" }

describe("Judge", () => {
  it("13.4 accepts and refuses values by the keywords of one schema", () => {
    const rows: ReadonlyArray<readonly [schema: unknown, accepted: unknown, refused: unknown]> = [
      [{ type: "integer" }, 3, 3.5],
      [{ type: ["string", "null"] }, null, 1],
      [{ const: { a: 1, b: [2] } }, { b: [2], a: 1 }, { a: 1 }],
      [{ enum: ["a", 1] }, 1, "1"],
      [{ exclusiveMinimum: 0, maximum: 2 }, 2, 0],
      [{ multipleOf: 0.5 }, 1.5, 1.2],
      [{ minLength: 2, maxLength: 2 }, "😀😀", "😀"],
      [{ pattern: "^a" }, "ab", "ba"],
      [{ if: { pattern: "(" }, else: false }, 1, "a pattern that does not compile matches nothing"],
      [{ uniqueItems: true, maxItems: 2 }, [1, "1"], [1, 1]],
      [{ required: ["toString"] }, { toString: 1 }, {}],
      [{ dependentRequired: { a: ["b"] } }, { b: 1 }, { a: 1 }]
    ]
    for (const [schema, accepted, refused] of rows) {
      assert.deepStrictEqual([judged(schema, accepted), judged(schema, refused)], [true, false], JSON.stringify(schema))
    }
  })

  it("13.4 ignores a bound that is not a number, and a bound that applies to values of another type", () => {
    assert.isTrue(judged({ minimum: 5, minLength: 5 }, [1]))
    assert.isTrue(judged({ if: { minLength: "5" }, else: false }, "a"))
  })

  it("13.4 follows references inside a schema, even recursive ones, and is undecided for references to other documents", () => {
    const tree = { type: "object", properties: { left: { $ref: "#" } }, required: ["v"] }
    assert.isTrue(judged(tree, { v: 1, left: { v: 2, left: { v: 3 } } }))
    assert.isFalse(judged(tree, { v: 1, left: { v: 2, left: {} } }))
    assert.isUndefined(judged({ $ref: "other.json" }, 1))
  })

  it("13.4 is undecided only if the undecided part could change the decision", () => {
    assert.isUndefined(judged(undecided, 1))
    assert.isUndefined(judged({ not: undecided }, 1))
    assert.isTrue(judged({ anyOf: [undecided, true] }, 1))
    assert.isFalse(judged({ allOf: [undecided, false] }, 1))
    assert.isFalse(judged({ oneOf: [undecided, true, true] }, 1))
    assert.isUndefined(judged({ oneOf: [undecided, true] }, 1))
    assert.isTrue(judged({ if: undecided, else: true }, 1))
    assert.isUndefined(judged({ if: undecided, else: false }, 1))
  })
})

/** Tests the limit on the nesting of values, and how deeper values are cut. */
import * as ValueDepth from "#domain/json/ValueDepth"
import { assert, describe, it } from "@effect/vitest"

describe("ValueDepth", () => {
  it("4.2 a scalar has no level, and each array or object has one more than its deepest child", () => {
    for (const [value, levels] of [
      ["x", 0],
      [null, 0],
      [undefined, 0],
      [[], 1],
      [{}, 1],
      [[1, { a: 2 }], 2],
      [{ a: 1, b: [[]] }, 3],
      [[[1], [[{}]]], 4]
    ] as const) {
      assert.isFalse(ValueDepth.isDeeper(value, levels), JSON.stringify(value))
      if (levels > 0) assert.isTrue(ValueDepth.isDeeper(value, levels - 1), JSON.stringify(value))
    }
  })

  it("4.2 a value nested below the limit is replaced by null, and the rest is kept", () => {
    const value = { a: [1, { b: 2 }, [3]], c: "x", d: null }
    assert.strictEqual(ValueDepth.cut(value, 3), value)
    assert.deepStrictEqual<unknown>(ValueDepth.cut(value, 2), { a: [1, null, null], c: "x", d: null })
    assert.deepStrictEqual<unknown>(ValueDepth.cut(value, 1), { a: null, c: "x", d: null })
    assert.isNull(ValueDepth.cut(value, 0))
    assert.deepStrictEqual(value, { a: [1, { b: 2 }, [3]], c: "x", d: null })
  })
})

/** Tests the numbers, lengths and sizes of values. */
import { assert, describe, it } from "@effect/vitest"
import * as ValueRange from "#domain/faults/ValueRange"

describe("ValueRange", () => {
  it("15.1 a number is its own range, and a text, a list or an object has a size", () => {
    for (const [value, range] of [
      [-2.5, { least: -2.5, most: -2.5 }],
      ["", { least: 0, most: 0 }],
      ["abc", { least: 3, most: 3 }],
      // characters and UTF-16 units
      ["a🙂", { least: 2, most: 3 }],
      ["x".repeat(100_001), { least: 100_000, most: 100_001 }],
      [[1, 2], { least: 2, most: 2 }],
      [{ a: 1 }, { least: 1, most: 1 }],
      [null, undefined],
      [true, undefined],
      [undefined, undefined]
    ] as const)
      assert.deepStrictEqual(ValueRange.of(value), range)
  })

  it("15.1 joined ranges contain the smallest and the largest value", () => {
    const range = { least: 2, most: 5 }
    assert.deepStrictEqual(ValueRange.join(undefined, range), range)
    assert.deepStrictEqual(ValueRange.join(range, { least: 3, most: 4 }), range)
    assert.deepStrictEqual(ValueRange.join({ least: 3, most: 4 }, range), range)
    assert.deepStrictEqual(ValueRange.join(range, { least: 1, most: 6 }), { least: 1, most: 6 })
  })
})

import { estimate } from "#domain/json/JsonWeight"
import { assert, describe, it } from "@effect/vitest"

describe("JsonWeight", () => {
  const row = { id: "O-1", note: "ring twice", cents: 1_200, lines: [{ sku: "a", gift: false }] }

  it("15.1 the estimate is close to the length as JSON if rows are alike", () => {
    for (const value of [
      "text",
      [],
      {},
      [1, 2],
      row,
      Array.from({ length: 100 }, () => row),
      { a: { b: [row, row] } }
    ]) {
      const { length } = JSON.stringify(value)
      const found = estimate(value, 1_000_000)
      assert.isAtLeast(found, length * 0.7 - 8)
      assert.isAtMost(found, length * 1.6 + 12)
    }
  })

  it("15.1 the estimate exceeds the limit for a long text, many fields, bytes, a cycle and a nested long text", () => {
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`field${n}`, n]))
    for (const value of ["x".repeat(20_000), fields, new Uint8Array(20_000), cycle, [[[["x".repeat(20_000)]]]]]) {
      assert.isAbove(estimate(value, 16_384), 16_384)
    }
  })
})

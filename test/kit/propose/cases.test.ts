/**
 * Tests invented faults: each is listed once, and each relaxed schema accepts the values of its group and no others.
 */
import { assert, describe, it } from "@effect/vitest"
import { kinds, runInvented } from "../../bench/proposeCases.ts"

describe("the report and the proposals on invented faults", () => {
  it("13.1 each fault of 15 kinds is listed once at its path, and the suggested change accepts only the values of its group", () => {
    const outcomes = runInvented(kinds.length, 7)
    assert.lengthOf(outcomes, 15)
    assert.strictEqual(new Set(outcomes.map(({ kind }) => kind)).size, 15)
    for (const { isListed, isRelaxed, kind, path, wrong } of outcomes) {
      assert.deepStrictEqual([kind, path, isListed, isRelaxed, wrong], [kind, path, true, true, []])
    }
    assert.isAbove(
      outcomes.reduce((sum, { refused }) => sum + refused, 0),
      200
    )
  })
})

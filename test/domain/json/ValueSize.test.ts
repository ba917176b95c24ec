import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ArgumentIssues from "#domain/schema/ArgumentIssues"
import * as Contract from "#domain/schema/Contract"
import { hasAtMost, isSmall, maxParts } from "#domain/json/ValueSize"

describe("isSmall", () => {
  it("4.4 is false once the value has more objects, arrays and scalars than the limit", () => {
    const flat = (count: number) => Array.from({ length: count }, () => 0)
    assert.isTrue(isSmall(flat(maxParts - 1)))
    assert.isFalse(isSmall(flat(maxParts)))
    assert.isFalse(isSmall(Array.from({ length: maxParts / 2 }, () => ({ a: 1 }))))
    assert.isFalse(isSmall(Object.fromEntries(flat(maxParts).map((_, i) => [`k${i}`, i]))))
    assert.isTrue(isSmall("x".repeat(1_000_000)))
  })

  it("4.4 terminates with false for a cycle", () => {
    const cycle: Record<string, unknown> = {}
    cycle["self"] = [cycle, cycle]
    assert.isFalse(isSmall(cycle))
  })
})

describe("hasAtMost", () => {
  it("4.4 counts objects, arrays and scalars, and at most 1,000 levels", () => {
    for (const [value, parts] of [
      ["x", 1],
      [null, 1],
      [[], 1],
      [[1, 2], 3],
      [{ a: 1, b: [null, {}] }, 5]
    ] as const)
      assert.deepStrictEqual([hasAtMost(value, parts), hasAtMost(value, parts - 1)], [true, false])
    const nested = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels)) as unknown
    assert.deepStrictEqual([hasAtMost(nested(1_000), 9_999), hasAtMost(nested(1_001), 9_999)], [true, false])
  })
})

describe("the issues of arguments", () => {
  const parameters = Schema.Struct({ rows: Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String })) })
  const contract = Contract.makeUnsafe("list", parameters)
  const faults = (count: number) => {
    const decoded = contract.decode({ rows: Array.from({ length: count }, () => ({})) })
    return decoded._tag === "Success" ? [] : ArgumentIssues.fromIssue(decoded.failure)
  }

  it("4.4 are all collected if the arguments are small", () => {
    assert.strictEqual(faults(1_000).length, 2_000)
  })

  it("4.4 are reduced to the first if the arguments are large", () => {
    assert.deepStrictEqual(
      faults(180_000).map(({ path }) => path),
      [["rows", 0, "id"]]
    )
  })
})

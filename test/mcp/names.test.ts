/** Tests which tools a pattern of names selects, and which rules apply to a tool. */
import { assert, describe, it } from "@effect/vitest"
import * as Names from "#src/mcp/remote/Names"

describe("a pattern of names", () => {
  it("13.7 matches literally, except that * matches any characters and ? matches one", () => {
    const matched = ["read_*", "*", "r?ad_file", "a.b", "*_file"].map((pattern) =>
      ["read_file", "read_", "road_file", "a.b", "axb"].filter((name) => Names.matches(pattern, name))
    )
    assert.deepStrictEqual(matched, [
      ["read_file", "read_"],
      ["read_file", "read_", "road_file", "a.b", "axb"],
      ["read_file", "road_file"],
      ["a.b"],
      ["read_file", "road_file"]
    ])
  })

  it("13.7 allows or denies names, and deny wins over allow", () => {
    assert.isTrue(Names.isSelected({}, "a"))
    assert.isFalse(Names.isSelected({ allow: [] }, "a"))
    assert.isTrue(Names.isSelected({ allow: ["a*"], deny: ["ab"] }, "ac"))
    assert.isFalse(Names.isSelected({ allow: ["a*"], deny: ["ab"] }, "ab"))
  })

  it("13.7 adds its fields to the rule of a tool, and a more specific pattern wins, in any order", () => {
    const rules = {
      read_file: { a: 1 },
      "*": { a: 4, b: 4, c: 4, d: 4 },
      "read_*": { a: 2, b: 2 },
      "re*": { b: 3, c: 3 }
    }
    const entries = Object.entries<Record<string, number>>(rules)
    for (const at of entries.keys()) {
      const rotated = [...entries.slice(at), ...entries.slice(0, at)]
      for (const order of [rotated, rotated.toReversed()].map((each) => Object.fromEntries(each))) {
        assert.deepStrictEqual(Names.merged(order, "read_file"), { a: 1, b: 2, c: 3, d: 4 })
        assert.deepStrictEqual(Names.merged(order, "write"), { a: 4, b: 4, c: 4, d: 4 })
      }
    }
    assert.isUndefined(Names.merged({ read: {} }, "write"))
  })
})

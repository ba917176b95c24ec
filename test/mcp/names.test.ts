/** Names and patterns of tools: which are let through, and what is decided for them. */
import { assert, describe, it } from "@effect/vitest"
import * as Names from "#src/mcp/remote/Names"

describe("a pattern of names", () => {
  it("13.7 means what it spells, with * for any characters and ? for one", () => {
    const meant = ["read_*", "*", "r?ad_file", "a.b", "*_file"].map((pattern) =>
      ["read_file", "read_", "road_file", "a.b", "axb"].filter((name) => Names.matches(pattern, name))
    )
    assert.deepStrictEqual(meant, [
      ["read_file", "read_"],
      ["read_file", "read_", "road_file", "a.b", "axb"],
      ["read_file", "road_file"],
      ["a.b"],
      ["read_file", "road_file"]
    ])
  })

  it("13.7 allows, and denies what is allowed", () => {
    assert.isTrue(Names.isSelected({}, "a"))
    assert.isFalse(Names.isSelected({ allow: [] }, "a"))
    assert.isTrue(Names.isSelected({ allow: ["a*"], deny: ["ab"] }, "ac"))
    assert.isFalse(Names.isSelected({ allow: ["a*"], deny: ["ab"] }, "ab"))
  })

  it("13.7 decides field by field: what says more of a name counts first, wherever it stands", () => {
    const rules = {
      read_file: { a: 1 },
      "*": { a: 4, b: 4, c: 4, d: 4 },
      "read_*": { a: 2, b: 2 },
      "re*": { b: 3, c: 3 }
    }
    assert.deepStrictEqual(Names.settled<Record<string, number>>(rules, "read_file"), { a: 1, b: 2, c: 3, d: 4 })
    assert.deepStrictEqual(Names.settled<Record<string, number>>(rules, "write"), { a: 4, b: 4, c: 4, d: 4 })
    assert.isUndefined(Names.settled({ read: {} }, "write"))
  })
})

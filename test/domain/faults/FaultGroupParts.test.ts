/** Tests the values, the range and the order of groups, and the limits on what a collection keeps. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Fault } from "#domain/faults/Fault"
import * as FaultGroups from "#domain/faults/FaultGroups"
import { faultsOf, groupsOf } from "./faults.ts"

const same = (text: string) => text

const faultAt = (path: string, more: Partial<Fault> = {}): Fault => ({
  kind: "null",
  path,
  place: [{ _tag: "Field", name: path }],
  problem: "expected string, got null",
  value: null,
  ...more
})

describe("the parts of a group", () => {
  it("13.1 a group has its fault, its evidence, its values and what its change would let pass", () => {
    const Order = Schema.Struct({ name: Schema.String })
    assert.deepStrictEqual(groupsOf(Order, [{ name: null }, { name: "A" }, { name: null }]), [
      {
        tool: "get",
        fault: {
          kind: "null",
          path: "name",
          place: [{ _tag: "Field", name: "name" }],
          problem: "expected string, got null",
          value: null,
          expected: "string"
        },
        count: 2,
        worked: 2,
        examples: [{ sent: "null", at: 0 }],
        suggestion: { _tag: "nullable" },
        reason: "2 of 3 different answers have it.",
        values: ["null"],
        passes: { alone: 2, together: 2 },
        isRest: false
      }
    ])
    const missing = groupsOf(Order, [{}])[0]
    assert.deepStrictEqual([missing?.examples, missing?.values], [[{ sent: "(nothing)", at: 0 }], ["(nothing)"]])
  })

  it("13.1 the range contains all values that have one", () => {
    const Mixed = Schema.Literals(["ab", 5, true])
    const of = (...values: ReadonlyArray<unknown>) => groupsOf(Mixed, values).map(({ range }) => range)
    assert.deepStrictEqual(of("a", "abcd", "abc"), [{ least: 1, most: 4 }])
    assert.deepStrictEqual(of(7, false, 2), [{ least: 2, most: 7 }])
    assert.deepStrictEqual(of(false), [undefined])
    // the JSON of a converted value says nothing about the rule
    const few = Schema.isLessThan(2)
    const ranges = (schema: Schema.Top, value: unknown) => groupsOf(schema, [value]).map((group) => "range" in group)
    assert.deepStrictEqual(ranges(Schema.FiniteFromString.check(few), "333"), [false])
    assert.deepStrictEqual(ranges(Schema.Finite.check(few), 333), [true])
  })

  it("13.1 the values of a group are listed if there are fewer than 20, each shorter than 1,000 characters of JSON", () => {
    const valuesOf = (values: ReadonlyArray<string>) =>
      groupsOf(Schema.Literal("on"), values).map((group) => group.values)
    const many = Array.from({ length: 20 }, (_, index) => `v${index}`)
    const few = many.slice(0, 19)
    assert.deepStrictEqual(valuesOf([...few, ...few]), [few.map((value) => `"${value}"`)])
    assert.deepStrictEqual(valuesOf(many), [undefined])
    assert.deepStrictEqual(valuesOf(["x".repeat(997)]), [[`"${"x".repeat(997)}"`]])
    assert.deepStrictEqual(valuesOf(["x".repeat(998)]), [undefined])
    assert.deepStrictEqual(valuesOf(["a", "x".repeat(998)]), [undefined])
  })

  it("13.1 long values with the same first 1,000 characters are one example", () => {
    const [group] = groupsOf(
      Schema.Literal("on"),
      ["a", "b"].map((end) => "x".repeat(1_000) + end)
    )
    assert.deepStrictEqual(group?.examples, [{ sent: `"${"x".repeat(78)}…`, at: 0 }])
  })

  it("13.1 groups of equal size are ordered by tool, path and problem, and then by their first call", () => {
    const groups = FaultGroups.make<number>(same)
    const faults = [
      faultAt("b"),
      faultAt("a", { problem: "z" }),
      faultAt("a", { kind: "type", problem: "z" }),
      faultAt("a", { problem: "y" }),
      faultAt("c"),
      faultAt("c", { kind: "missing" })
    ]
    groups.add({ tool: "two", faults, at: 0 })
    groups.add({ tool: "one", faults: [faultAt("z"), faultAt("d"), faultAt("d")], at: 1 })
    groups.add({ tool: "two", faults: [faultAt("c")], at: 2 })
    assert.deepStrictEqual(
      groups.groups().map(({ count, fault, tool }) => [count, tool, fault.path, fault.problem, fault.kind].join(" ")),
      [
        "2 one d expected string, got null null",
        "2 two c expected string, got null null",
        "1 one z expected string, got null null",
        "1 two a y null",
        "1 two a z null",
        "1 two a z type",
        "1 two b expected string, got null null",
        "1 two c expected string, got null missing"
      ]
    )
  })

  it("13.1 a fault of a result without a place keeps the schema, and one of arguments does not", () => {
    const { place: _, ...fault } = faultAt("text.n")
    const of = (answer?: string) => {
      const groups = FaultGroups.make<number>(same)
      groups.add({ tool: "a", faults: [fault], at: 0, worked: true, answer })
      return groups.groups().map(({ reason, suggestion }) => [suggestion, reason])
    }
    assert.deepStrictEqual(of("0"), [[{ _tag: "keep" }, "The schema has no single place to relax."]])
    assert.deepStrictEqual(of(), [[{ _tag: "nullable" }, "The tool accepted 1 of 1 calls with it."]])
  })

  it("13.1 a change that cannot be written is left to a person, and lets no call pass", () => {
    const asked: Array<FaultGroups.Change> = []
    const groups = FaultGroups.make<number>(same, (change) => {
      asked.push(change)
      return change.fault.path !== "n"
    })
    const Row = Schema.Struct({ n: Schema.Finite.check(Schema.isLessThan(5)), name: Schema.String })
    for (const [at, value] of [
      { n: 7, name: "A" },
      { n: 1, name: null }
    ].entries())
      groups.add({ tool: "get", faults: faultsOf(Row, value), at, worked: true, answer: String(at) })
    assert.deepStrictEqual(groups.rejected("get"), { calls: 2, passes: 1 })
    assert.deepStrictEqual(asked[0], {
      tool: "get",
      fault: faultsOf(Row, { n: 7, name: "A" })[0]!,
      suggestion: { _tag: "wider bound", expected: "a value less than 5" },
      range: { least: 7, most: 7 },
      values: ["7"]
    })
    assert.deepStrictEqual(
      groups.groups().map(({ fault, passes, reason, suggestion }) => [fault.path, suggestion, reason, passes]),
      [
        [
          "n",
          { _tag: "by hand" },
          "1 of 2 different answers has it. No change of one place would accept only these values.",
          { alone: 0, together: 0 }
        ],
        ["name", { _tag: "nullable" }, "1 of 2 different answers has it.", { alone: 1, together: 1 }]
      ]
    )
  })
})

describe("the limits of a collection", () => {
  it("13.1 faults past 5,000 groups are one group, whose schema is kept", () => {
    const groups = FaultGroups.make<number>(same)
    for (let at = 0; at < 5_003; at++) groups.add({ tool: "a", faults: [faultAt(`f${at}`)], at, worked: true })
    groups.add({ tool: "a", faults: [faultAt("f0")], at: 6_000, worked: true })
    const all = groups.groups()
    assert.lengthOf(all, 5_001)
    assert.deepStrictEqual(
      all.filter(({ count }) => count > 1).map(({ fault: { path }, count }) => [path, count]),
      [
        ["(others)", 3],
        ["f0", 2]
      ]
    )
    const [rest] = all
    assert.deepStrictEqual(
      [rest?.tool, rest?.isRest, rest?.suggestion, rest?.reason, rest?.passes],
      ["(others)", true, { _tag: "keep" }, "The log has too many kinds of faults.", { alone: 0, together: 0 }]
    )
    // 1,000 combinations of faults are kept for each tool
    assert.deepStrictEqual(groups.rejected("a"), { calls: 5_004, passes: 1_001 })
  })

  it("13.1 the calls of a tool past 5,000 tools are not counted", () => {
    const groups = FaultGroups.make<number>(same)
    for (let at = 0; at < 5_000; at++) groups.add({ tool: `tool ${at}`, faults: [], at })
    groups.add({ tool: "one more", faults: [faultAt("name")], at: 0, worked: true, answer: "a" })
    groups.add({ tool: "tool 7", faults: [faultAt("name")], at: 0, worked: true, answer: "a" })
    assert.deepStrictEqual(groups.rejected("one more"), { calls: 0, passes: 0 })
    assert.deepStrictEqual(groups.rejected("tool 7"), { calls: 1, passes: 1 })
    assert.deepStrictEqual(
      groups.groups().map(({ count, passes, tool }) => [tool, count, passes.alone]),
      [
        ["one more", 1, 0],
        ["tool 7", 1, 1]
      ]
    )
  })

  it("13.1 100,000 different answers of a tool are counted", () => {
    const groups = FaultGroups.make<number>(same)
    const faults = [faultAt("name")]
    for (let at = 0; at < 100_002; at++) groups.add({ tool: "a", faults, at, worked: true, answer: String(at) })
    assert.deepStrictEqual(
      groups.groups().map(({ count, reason }) => [count, reason]),
      [[100_002, "100000 of 100000 different answers have it."]]
    )
  })
})

/** Tests when answers that violate the schema of their tool are reported. */
import { assert, describe, it } from "@effect/vitest"
import * as ContractWatch from "#domain/faults/ContractWatch"
import type { Fault } from "#domain/faults/Fault"
import { Schema } from "effect"
import { faultsOf } from "./faults.ts"

const nullAt = (path: string): Fault => ({
  kind: "null",
  path,
  place: [{ _tag: "Field", name: path }],
  problem: "expected string, got null",
  value: null
})

interface WatchResult {
  readonly watch: ContractWatch.ContractWatch
  /** The number of the call and the finding of each report. */
  readonly reports: ReadonlyArray<readonly [number, ContractWatch.Finding]>
}

/** Watches calls, each given by the path of its fault or by `undefined`, and reports each new finding. */
const watched = (paths: ReadonlyArray<string | undefined>): WatchResult =>
  paths.reduce<WatchResult>(
    ({ reports, watch }, path, index) => {
      const faults = path === undefined ? [] : [nullAt(path)]
      const next = ContractWatch.step(watch, faults, () => `answer ${index}`)
      const finding = ContractWatch.newFinding(next, (text) => text)
      return finding === undefined
        ? { reports, watch: next }
        : { reports: [...reports, [index + 1, finding]], watch: ContractWatch.reported(next, finding) }
    },
    { watch: ContractWatch.empty, reports: [] }
  )

const well = (count: number): ReadonlyArray<undefined> => Array.from({ length: count }, () => undefined)
const broken = (count: number, path = "name"): ReadonlyArray<string> => Array.from({ length: count }, () => path)

/** Returns calls of which one in `every` is broken. */
const share = (count: number, every: number): ReadonlyArray<string | undefined> =>
  Array.from({ length: count }, (_, index) => (index % every === 0 ? "name" : undefined))

const numbersOf = ({ reports }: WatchResult): ReadonlyArray<number> => reports.map(([at]) => at)

describe("ContractWatch", () => {
  it("15.1 12 broken answers of 60 are reported once, with the share, the path and the proposed line", () => {
    const { reports } = watched(share(60, 5))
    assert.deepStrictEqual(reports, [
      [
        11,
        {
          calls: 11,
          broken: 3,
          path: "name",
          problem: "expected string, got null",
          line: "name: Schema.NullOr(…)",
          reason: "3 of 11 different answers have it.",
          identity: '["name","null","nullable"]'
        }
      ]
    ])
  })

  it("15.1 reports nothing before 10 calls and 3 broken answers, and at exactly 10 %", () => {
    assert.deepStrictEqual(numbersOf(watched(broken(9))), [])
    assert.deepStrictEqual(numbersOf(watched(broken(10))), [10])
    assert.deepStrictEqual(numbersOf(watched([...well(10), ...broken(2)])), [])
    assert.deepStrictEqual(numbersOf(watched([...well(45), ...broken(5)])), [])
    assert.deepStrictEqual(numbersOf(watched([...well(44), ...broken(6)])), [49])
    assert.deepStrictEqual(numbersOf(watched(share(1_000, 10))), [21])
  })

  it("15.1 a tool that was healthy in between is reported again, after at least 50 calls", () => {
    assert.deepStrictEqual(numbersOf(watched([...broken(10), ...well(100), ...broken(6)])), [10, 116])
    assert.deepStrictEqual(numbersOf(watched([...broken(10), ...broken(200)])), [10])
  })

  it("15.1 another path is reported once it is the most frequent, after at least 50 calls", () => {
    const { reports } = watched([...broken(10), ...broken(100, "email")])
    assert.deepStrictEqual(
      reports.map(([at, { path }]) => [at, path]),
      [
        [10, "name"],
        [60, "email"]
      ]
    )
  })

  it("15.1 a hostile tool that breaks another field with every call causes 6 reports in 2,000 calls", () => {
    const { reports, watch } = watched(Array.from({ length: 2_000 }, (_, index) => `field${index}`))
    assert.deepStrictEqual(
      reports.map(([at]) => at),
      [10, 60, 160, 360, 760, 1_560]
    )
    assert.isAtMost(watch.broken.length, 50)
  })

  it("15.1 equal answers to identical calls are one answer, so the schema is kept", () => {
    let watch = ContractWatch.empty
    for (let call = 0; call < 10; call++) watch = ContractWatch.step(watch, [nullAt("name")], () => "the same")
    for (let call = 0; call < 30; call++) watch = ContractWatch.step(watch, [], () => "")
    const finding = ContractWatch.newFinding(watch, (text) => text)
    assert.deepStrictEqual([finding?.line, finding?.broken], [undefined, 10])
    assert.include(finding?.reason, "too few to blame the schema")
  })

  it("15.1 a bound moves to the longest value of the window, although the state holds only its beginning", () => {
    const note = Schema.String.check(Schema.isMaxLength(100))
    const rows = Schema.Array(Schema.String).check(Schema.isMaxLength(2))
    const schema = Schema.Struct({ note, rows }).ast
    const brokenRule = (path: string, expected: string, value: unknown): Fault => ({
      kind: "rule",
      path,
      place: [{ _tag: "Field", name: path }],
      problem: `expected ${expected}`,
      expected,
      value
    })
    const lineOf = (faultOf: (call: number) => Fault) => {
      let watch = ContractWatch.empty
      for (let call = 0; call < 10; call++) watch = ContractWatch.step(watch, [faultOf(call)], () => `answer ${call}`)
      return ContractWatch.newFinding(watch, (text) => text, schema)?.line
    }
    assert.strictEqual(
      lineOf((call) => brokenRule("note", "at most 100 characters", "x".repeat(300 + call))),
      "note: Schema.String.check(Schema.isMaxLength(309))"
    )
    assert.strictEqual(
      lineOf((call) =>
        brokenRule(
          "rows",
          "at most 2 items",
          Array.from({ length: 3 + call }, () => "row")
        )
      ),
      "rows: Schema.Array(Schema.String).check(Schema.isMaxLength(12))"
    )
  })

  it("15.1 the values that a line needs are kept, and large values are kept without their content", () => {
    const Row = Schema.Struct({
      code: Schema.Literals([1, 2]),
      flag: Schema.Literal(true),
      state: Schema.Literal("on"),
      total: Schema.Finite.check(Schema.isLessThan(5))
    })
    const lineOf = (change: object) => {
      const faults = faultsOf(Row, { code: 1, flag: true, state: "on", total: 1, ...change })
      let watch = ContractWatch.empty
      for (let call = 0; call < 10; call++) watch = ContractWatch.step(watch, faults, () => `answer ${call}`)
      return ContractWatch.newFinding(watch, (text) => text, Row.ast)?.line
    }
    assert.strictEqual(lineOf({ code: 3 }), "code: Schema.Literals([1, 2, 3])")
    assert.strictEqual(lineOf({ flag: false }), "flag: Schema.Literals([true, false])")
    assert.strictEqual(lineOf({ state: "off" }), 'state: Schema.Literals(["on", "off"])')
    assert.strictEqual(lineOf({ total: 7 }), "total: Schema.Finite.check(Schema.isLessThanOrEqualTo(7))")
    const keptOf = (value: unknown) => {
      const { broken } = ContractWatch.step(ContractWatch.empty, [{ ...nullAt("name"), value }], () => "a")
      return broken[0]?.faults.map(({ range, value }) => [value, range])
    }
    assert.deepStrictEqual(keptOf([1, 2]), [[[], { least: 2, most: 2 }]])
    assert.deepStrictEqual(keptOf({ a: 1 }), [[{}, { least: 1, most: 1 }]])
    assert.deepStrictEqual(keptOf("x".repeat(300)), [[`${"x".repeat(199)}…`, { least: 300, most: 300 }]])
    assert.deepStrictEqual(keptOf(7), [[7, undefined]])
    assert.deepStrictEqual(keptOf(null), [[null, undefined]])
  })

  it("15.1 the state of a tool holds no large values", () => {
    const large: Fault = { ...nullAt("name"), kind: "type", value: { rows: "x".repeat(1_000_000) } }
    const text: Fault = { ...nullAt("name"), kind: "type", value: "x".repeat(1_000_000) }
    let watch = ContractWatch.empty
    for (let call = 0; call < 100; call++) {
      watch = ContractWatch.step(watch, [large, text, ...Array.from({ length: 50 }, () => nullAt("a"))], () => "a")
    }
    assert.isBelow(JSON.stringify(watch).length, 100_000)
  })
})

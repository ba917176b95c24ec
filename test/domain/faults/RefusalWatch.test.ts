/** Tests when the schema of a tool's arguments is reported as stricter than the tool. */
import { assert, describe, it } from "@effect/vitest"
import type { Fault } from "#domain/faults/Fault"
import * as RefusalWatch from "#domain/faults/RefusalWatch"

const faultAt = (path: string, kind: Fault["kind"] = "null", more: Partial<Fault> = {}): Fault => ({
  kind,
  path,
  place: [{ _tag: "Field", name: path }],
  problem: kind,
  value: null,
  ...more
})

/** A call by the paths of its faults and its end; undefined for a call whose arguments conform. */
type Sent =
  | { readonly faults: ReadonlyArray<Fault>; readonly end?: RefusalWatch.CallEnd; readonly source?: string }
  | undefined

interface WatchResult {
  readonly watch: RefusalWatch.RefusalWatch
  /** The number of the call and the finding of each report. */
  readonly reports: ReadonlyArray<readonly [number, RefusalWatch.Finding]>
}

/** Watches calls, and reports each new finding. */
const watched = (calls: ReadonlyArray<Sent>): WatchResult =>
  calls.reduce<WatchResult>(
    ({ reports, watch }, call, index) => {
      const next = RefusalWatch.step(
        watch,
        call && { faults: call.faults, end: call.end ?? "refused", source: call.source ?? `call ${index}` }
      )
      const finding = call && RefusalWatch.newFinding(next, (text) => text.replaceAll("secret", "[redacted]"))
      return finding === undefined
        ? { reports, watch: next }
        : { reports: [...reports, [index + 1, finding]], watch: RefusalWatch.reported(next, finding) }
    },
    { watch: RefusalWatch.empty, reports: [] }
  )

const well = (count: number): ReadonlyArray<Sent> => Array.from({ length: count }, () => undefined)

const sent = (count: number, end: RefusalWatch.CallEnd = "refused", path = "labels"): ReadonlyArray<Sent> =>
  Array.from({ length: count }, () => ({ faults: [faultAt(path)], end }))

const numbersOf = ({ reports }: WatchResult): ReadonlyArray<number> => reports.map(([at]) => at)

describe("RefusalWatch", () => {
  it("15.1 ten refusals for one path and rule are reported once, with the proposed line", () => {
    const { reports } = watched([...well(3), ...sent(30)])
    assert.deepStrictEqual(
      reports.map(([at, { key: _, ...finding }]) => [at, finding]),
      [
        [
          13,
          {
            calls: 13,
            refused: 10,
            worked: 0,
            isLowerBound: false,
            path: "labels",
            problem: "null",
            line: "labels: Schema.NullOr(…)",
            reason: "All 10 calls with it were refused, so the tool may accept it."
          }
        ]
      ]
    )
    assert.deepStrictEqual(numbersOf(watched(sent(9))), [])
  })

  it("15.1 refusals of different paths or rules are not added up", () => {
    const fifths = Array.from({ length: 45 }, (_, index): Sent => ({ faults: [faultAt(`field${index % 5}`)] }))
    assert.deepStrictEqual(numbersOf(watched(fifths)), [])
    const kinds = Array.from({ length: 18 }, (_, index): Sent => ({
      faults: [faultAt("labels", index % 2 === 0 ? "null" : "missing")]
    }))
    assert.deepStrictEqual(numbersOf(watched(kinds)), [])
  })

  it("15.1 contradictions count where the call ran: calls that worked count like refusals, calls that failed do not", () => {
    assert.deepStrictEqual(numbersOf(watched(sent(10, "worked"))), [10])
    assert.deepStrictEqual(numbersOf(watched(sent(30, "failed"))), [])
    const [report] = watched([...sent(7), ...sent(3, "worked")]).reports
    assert.deepStrictEqual([report?.[0], report?.[1].refused, report?.[1].worked], [10, 7, 3])
    assert.strictEqual(report?.[1].reason, "The tool accepted 3 of 3 calls with it.")
  })

  it("15.1 nothing is reported if more of the calls that ran failed than worked", () => {
    assert.deepStrictEqual(numbersOf(watched([...sent(2, "failed"), ...sent(1, "worked"), ...sent(15)])), [])
    assert.deepStrictEqual(numbersOf(watched([...sent(1, "failed"), ...sent(1, "worked"), ...sent(9)])), [11])
  })

  it("15.1 equal arguments of one turn count once, and again if the call then ran", () => {
    const same = (count: number, end: RefusalWatch.CallEnd): ReadonlyArray<Sent> =>
      Array.from({ length: count }, () => ({ faults: [faultAt("labels")], end, source: "same" }))
    assert.deepStrictEqual(numbersOf(watched([...same(50, "refused"), ...sent(8)])), [])
    assert.deepStrictEqual(numbersOf(watched([...same(50, "refused"), ...sent(9)])), [59])
    assert.deepStrictEqual(numbersOf(watched([...same(50, "refused"), ...same(50, "worked"), ...sent(8)])), [108])
  })

  it("15.1 only the last 500 calls count", () => {
    assert.deepStrictEqual(numbersOf(watched([...sent(9), ...well(490), ...sent(1)])), [500])
    assert.deepStrictEqual(numbersOf(watched([...sent(9), ...well(491), ...sent(1)])), [])
  })

  it("15.1 a fault is reported again if fewer than ten calls had it in between, after 50 calls, then after 100", () => {
    assert.deepStrictEqual(numbersOf(watched(sent(400))), [10])
    const { reports } = watched([...sent(10), ...well(500), ...sent(10), ...well(500), ...sent(10)])
    assert.deepStrictEqual(
      reports.map(([at]) => at),
      [10, 520, 1_030]
    )
    const both = (count: number): ReadonlyArray<Sent> =>
      Array.from({ length: count }, () => ({ faults: [faultAt("a"), faultAt("b"), faultAt("c")] }))
    assert.deepStrictEqual(
      watched(both(300)).reports.map(([at, { path }]) => [at, path]),
      [
        [10, "a"],
        [60, "b"],
        [160, "c"]
      ]
    )
  })

  it("15.1 a fault is reported again if only a part of its calls is no longer watched in between", () => {
    const { reports } = watched([...sent(5), ...well(200), ...sent(5), ...well(300), ...sent(5)])
    assert.deepStrictEqual(
      reports.map(([at]) => at),
      [210, 515]
    )
  })

  it("15.1 a finding that had to wait is reported by a call with its fault, not by another call", () => {
    const both: ReadonlyArray<Sent> = Array.from({ length: 10 }, () => ({ faults: [faultAt("a"), faultAt("b")] }))
    const { reports } = watched([...both, ...well(60), ...sent(1, "refused", "c"), ...sent(1, "refused", "b")])
    assert.deepStrictEqual(
      reports.map(([at, { path }]) => [at, path]),
      [
        [10, "a"],
        [72, "b"]
      ]
    )
  })

  it("15.1 a missing field beside an unknown one is misnamed, and neither counts", () => {
    const named = (missing: string, excess: string): ReadonlyArray<Sent> =>
      Array.from({ length: 20 }, () => ({ faults: [faultAt(missing, "missing"), faultAt(excess, "excess")] }))
    assert.deepStrictEqual(numbersOf(watched(named("q", "query"))), [])
    assert.deepStrictEqual(numbersOf(watched(named("items[].sku", "items[].id"))), [])
    assert.deepStrictEqual(numbersOf(watched(named('["a.b"].q', '["a.b"]["the query"]'))), [])
    assert.deepStrictEqual(numbersOf(watched(named("q", "filter.query"))), [10])
    assert.deepStrictEqual(numbersOf(watched(named("items[].sku", "orders[].id"))), [10])
  })

  it("15.1 nothing is reported if no change of the schema would accept the values", () => {
    const shapes = Array.from({ length: 20 }, (): Sent => ({ faults: [faultAt("", "shape")] }))
    const variants = Array.from({ length: 20 }, (): Sent => ({ faults: [faultAt("card", "variant")] }))
    assert.deepStrictEqual(numbersOf(watched([...shapes, ...variants])), [])
  })

  it("15.1 the texts are redacted, and the proposal has the values that were sent", () => {
    const values = ["late", "secret"]
    const enums = Array.from({ length: 10 }, (_, index): Sent => ({
      faults: [faultAt("status", "enum", { problem: "not one of secret", value: values[index % 2] })]
    }))
    const [[, finding] = []] = watched(enums).reports
    assert.strictEqual(finding?.problem, "not one of [redacted]")
    assert.include(finding?.line, "status: ")
    assert.notInclude(JSON.stringify([finding?.line, finding?.problem, finding?.reason]), "secret")
  })

  it("15.1 the state is bounded: 20 faults with 20 calls each, without large values", () => {
    const many = Array.from({ length: 400 }, (_, index): Sent => ({
      faults: Array.from({ length: 9 }, (_, n) =>
        faultAt(`field ${(index + n) % 300}`, "null", { value: "x".repeat(10_000) })
      )
    }))
    const { watch } = watched(many)
    assert.isAtMost(watch.faults.length, 20)
    assert.isAtMost(Math.max(...watch.faults.map(({ calls }) => calls.length)), 20)
    assert.isAtMost(JSON.stringify(watch).length, 400 * 600)
    const { watch: one } = watched(sent(1_000))
    assert.lengthOf(one.faults[0]?.calls ?? [], 20)
  })
})

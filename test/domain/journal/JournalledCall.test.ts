/** Tests the completed calls in the journal of a run, and the chain of its rows. */
import { assert, describe, it } from "@effect/vitest"
import { hash } from "node:crypto"
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import * as JournalledCall from "#domain/journal/JournalledCall"
import * as JournalRows from "#domain/journal/JournalRows"
import type { LoopEvent } from "#domain/loop/LoopDetector"

const loop = { _tag: "Proceed" } as const
const failure = new Failure.Transient({
  tool: "t",
  code: "c",
  detail: "d",
  hint: "h",
  sideEffect: "none",
  traceId: "tr"
})

describe("JournalledCall", () => {
  it("12.1 only the notes of an outcome about its call are written", () => {
    const both: ReadonlyArray<Parameters<typeof JournalledCall.marked>[1]> = [
      { idempotent: true, unchanged: true, notExecuted: "It was done before.", loop },
      { level: "confirm", loop, recalled: true, remaining: 0 },
      {}
    ]
    for (const marks of both) {
      const bare: ReadonlyArray<Outcome> = [
        { ...success(1), digest: "x", bytes: 3 },
        { ...failed(failure), isAnswered: true }
      ]
      for (const outcome of bare) {
        const noted = { ...outcome, ...marks } as Outcome // successes and failures get the notes of both
        assert.deepStrictEqual(JournalledCall.marksOf(noted), marks)
        assert.deepStrictEqual(JournalledCall.marked(outcome, marks), noted)
      }
    }
  })

  it("12.1 the digest of an event is computed before the event is written", () => {
    const event = (digest: LoopDigest): LoopEvent => ({
      tool: "t",
      key: "t {}",
      access: "read",
      outcome: { _tag: "Success", digest }
    })
    assert.deepStrictEqual(JournalledCall.settledEvent(event(() => "x")), event("x"))
    assert.deepStrictEqual(JournalledCall.settledEvent(event("x")), event("x"))
  })
})

type LoopDigest = Extract<LoopEvent["outcome"], { readonly _tag: "Success" }>["digest"]

describe("JournalRows", () => {
  const sha256 = (text: string) => hash("sha256", text, "hex")
  const rows: Array<JournalRows.Row> = []
  for (const body of ["a", "b", "c"]) rows.push(JournalRows.next(sha256, rows.at(-1), body))
  const fault = (of: ReadonlyArray<JournalRows.Row>, count = 3, sum = rows[2]!.sum) =>
    JournalRows.fault(sha256, of, { count, sum })

  it("12.2 the first fault of damaged rows is named with its position", () => {
    const [a, b, c] = rows as [JournalRows.Row, JournalRows.Row, JournalRows.Row]
    assert.deepStrictEqual(
      rows.map(({ seq }) => seq),
      [1, 2, 3]
    )
    assert.isUndefined(fault(rows))
    assert.strictEqual(fault([b, c]), "Row 1 of 3 is missing.")
    assert.strictEqual(fault([a, c]), "Row 2 of 3 is missing.")
    assert.strictEqual(fault([a, { ...b, body: "x" }, c]), "Row 2 was changed.")
    assert.strictEqual(fault([a, { ...b, seq: 3 }, c]), "Row 2 of 3 is missing.")
    assert.strictEqual(fault([a, b]), "It has 2 rows, but 3 were written.")
    assert.strictEqual(fault(rows, 3, "other"), "Its last row is not the last row that was written.")
  })
})

/** Tests how a person settles a call whose side effect is unknown. */
import { settle, type NewSettlement, type UnknownOutcome } from "#domain/approval/UnknownOutcome"
import { assert, describe, it } from "@effect/vitest"

const outcome: UnknownOutcome = {
  id: "id",
  binding: "binding",
  isAnswered: false,
  tool: "refund_order",
  code: "timeout",
  sentence: "It is not known whether refund_order was done.",
  idempotencyKey: "",
  traceId: "trace",
  at: 1
}
const done: NewSettlement = { finding: "done", result: { id: 7 }, by: "ana", reason: " found it " }

describe("UnknownOutcome", () => {
  it("10.5 a settlement has its author, time and trimmed reason, and the result only if the call was done", () => {
    const settlement = { finding: "done", result: { id: 7 }, by: "ana", reason: "found it", at: 5 } as const
    assert.deepStrictEqual(settle(outcome, done, 5), { _tag: "Taken", outcome: { ...outcome, settlement } })
    assert.deepStrictEqual(settle(outcome, { ...done, finding: "not_done" }, 5).outcome.settlement, {
      finding: "not_done",
      by: "ana",
      reason: "found it",
      at: 5
    })
    assert.deepStrictEqual(settle(outcome, { finding: "done", by: "ana", reason: "x".repeat(3_000) }, 5).outcome, {
      ...outcome,
      settlement: { finding: "done", by: "ana", reason: "x".repeat(2_000), at: 5 }
    })
    assert.isNull(settle(outcome, { ...done, result: null }, 5).outcome.settlement?.result)
  })

  it("10.5 the first settlement counts, and a settlement counts only for the call that the person saw", () => {
    const settled = settle(outcome, { ...done, binding: "binding" }, 5).outcome
    assert.deepStrictEqual(settle(settled, { ...done, finding: "not_done" }, 6), {
      _tag: "Refused",
      refusal: "settled",
      outcome: settled
    })
    assert.deepStrictEqual(settle(outcome, { ...done, binding: "other" }, 5), {
      _tag: "Refused",
      refusal: "other_binding",
      outcome
    })
  })

  it("10.5 a settlement that could not be decoded later is refused with the field and what it must be", () => {
    for (const [wrong, message] of [
      [{ finding: "maybe" }, '`finding` must be "done" or "not_done".'],
      [{ finding: undefined }, '`finding` must be "done" or "not_done".'],
      [{ by: "" }, "`by` must be the name of the person who settles the outcome."],
      [{ by: " \n" }, "`by` must be the name of the person who settles the outcome."],
      [{ by: 7 }, "`by` must be the name of the person who settles the outcome."],
      [{ reason: undefined }, "`reason` must be a string, which may be empty."],
      [{ result: () => 1 }, "`result` must be JSON: the encoded result of the tool."],
      [{ result: { at: 7n } }, "`result` must be JSON: the encoded result of the tool."]
    ] as const) {
      const untyped = { ...done, ...wrong } as NewSettlement // an untyped program may pass these values
      assert.throws(() => settle(outcome, untyped, 5), new RangeError(`A settlement is not valid: ${message}`).message)
    }
  })
})

/** Tests which writes of a turn have an unknown effect. */
import { assert, describe, it } from "@effect/vitest"
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import * as DoubtfulWrites from "#domain/turn/DoubtfulWrites"

const failure = (sideEffect: Failure.SideEffect, more: object = {}): Outcome => ({
  ...failed(
    new Failure.Permanent({ tool: "pay", code: "refused", detail: "No.", hint: "Stop.", sideEffect, traceId: "t" })
  ),
  ...more
})
const ended = (before: DoubtfulWrites.DoubtfulWrites, outcome: Outcome, over: Partial<DoubtfulWrites.Ended> = {}) =>
  DoubtfulWrites.ended(before, { key: "pay", isFresh: true, ...over }, outcome)
const doubt = (self: DoubtfulWrites.DoubtfulWrites) => DoubtfulWrites.get(self, "pay")

describe("DoubtfulWrites", () => {
  const one = ended(DoubtfulWrites.empty, failure("unknown", { isAnswered: true }))

  it("3.3 a failure with an unknown effect → a doubt, which is answered as long as each failure was", () => {
    assert.deepStrictEqual(doubt(one), { isAnswered: true, isRunning: false })
    const two = ended(one, failure("unknown"), { isRunning: true })
    assert.deepStrictEqual(doubt(two), { isAnswered: false, isRunning: true })
    assert.deepStrictEqual(doubt(ended(two, failure("unknown", { isAnswered: true }))), doubt(two))
  })

  it("3.3 a recalled failure → the same doubt", () => {
    assert.strictEqual(ended(one, failure("unknown"), { isFresh: false }), one)
    assert.isDefined(doubt(ended(DoubtfulWrites.empty, failure("unknown"), { isFresh: false })))
  })

  it("3.3 a success, or a failure of a call in doubt that proves that nothing was done → no doubt", () => {
    assert.isUndefined(doubt(ended(one, success(1))))
    assert.isUndefined(doubt(ended(one, failure("none"))))
  })

  it("3.3 a call that was not made, or began without doubt beside another, or changed something → the doubt stays", () => {
    for (const [outcome, over] of [
      [success(1), { isFresh: false }],
      [failure("none"), { isFresh: false }],
      [failure("none"), { wasInDoubt: false }],
      [failure("committed"), {}],
      [success(1), { key: "other" }]
    ] as const)
      assert.strictEqual(ended(one, outcome, over), one)
  })
})

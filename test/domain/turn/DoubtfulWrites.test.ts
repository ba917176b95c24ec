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
const ended = (before: DoubtfulWrites.DoubtfulWrites, outcome: Outcome, over: Partial<DoubtfulWrites.EndedCall> = {}) =>
  DoubtfulWrites.ended(before, { key: "pay", isFresh: true, ...over }, outcome)
const doubt = (self: DoubtfulWrites.DoubtfulWrites) => DoubtfulWrites.get(self, "pay")
/** Returns the doubt with its present state. */
const seen = (self: DoubtfulWrites.DoubtfulWrites) => {
  const found = doubt(self)
  return found && { ...found, isRunning: found.isRunning() }
}

describe("DoubtfulWrites", () => {
  const one = ended(DoubtfulWrites.empty, failure("unknown", { isAnswered: true }))

  it("3.3 a failure with an unknown effect leaves a doubt, which counts as answered if every failure was answered", () => {
    assert.deepStrictEqual(seen(one), { isAnswered: true, isRunning: false })
    const two = ended(one, failure("unknown"))
    assert.deepStrictEqual(seen(two), { isAnswered: false, isRunning: false })
    assert.deepStrictEqual(seen(ended(two, failure("unknown", { isAnswered: true }))), seen(two))
  })

  it("3.3 a doubt is running until the last handler that outlives its call has ended", () => {
    const running = [true, true]
    const two = running.reduce(
      (before, _, n) => ended(before, failure("unknown"), { isRunning: () => running[n] === true }),
      one
    )
    const seenAfter = [0, 1].map((n) => {
      running[n] = false
      return seen(two)?.isRunning
    })
    assert.deepStrictEqual(seenAfter, [true, false])
  })

  it("3.3 a write that was interrupted leaves a doubt, which was not answered", () => {
    const after = DoubtfulWrites.interrupted(one, "pay", () => true)
    assert.deepStrictEqual(seen(after), { isAnswered: false, isRunning: true })
  })

  it("3.3 a recalled failure leaves an existing doubt unchanged, and otherwise creates a doubt", () => {
    assert.strictEqual(ended(one, failure("unknown"), { isFresh: false }), one)
    assert.isDefined(doubt(ended(DoubtfulWrites.empty, failure("unknown"), { isFresh: false })))
  })

  it("3.3 no doubt remains if a call in doubt succeeds, or its failure proves that nothing was done", () => {
    assert.isUndefined(doubt(ended(one, success(1))))
    assert.isUndefined(doubt(ended(one, failure("none"))))
  })

  it("3.3 the doubt remains if a call was not made, had no doubt when it started, or changed something", () => {
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

/** Tests what the loop detector tells about a call before it runs. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as LoopDetector from "#domain/loop/LoopDetector"
import * as LoopThresholds from "#domain/tool/LoopThresholds"

const success = (key: string, digest: string, rest: Partial<LoopDetector.LoopEvent> = {}): LoopDetector.LoopEvent => ({
  tool: "search",
  key,
  access: "read",
  outcome: { _tag: "Success", digest },
  ...rest
})

const after = (...events: ReadonlyArray<LoopDetector.LoopEvent>) => LoopDetector.fold(events).state

const throughJson = (state: LoopDetector.LoopState): LoopDetector.LoopState =>
  LoopDetector.restore(
    Schema.decodeUnknownSync(LoopDetector.LoopSnapshot)(JSON.parse(JSON.stringify(LoopDetector.snapshot(state))))
  )

describe("a question to the loop detector", () => {
  it("4.6 a model has read when to call again only after a Transient failure of the identical call that states a time", () => {
    const outcome = { _tag: "Failure", class: "Transient", code: "timeout" } as const
    const failed = success("search 1", "", { outcome, readyAt: 5_000 })
    const question = { tool: "search", key: "search 1" }
    assert.isTrue(LoopDetector.isTold(after(failed), question))
    assert.isTrue(LoopDetector.isTold(throughJson(after(failed)), question))
    assert.isFalse(LoopDetector.isTold(after(failed), { ...question, key: "search 2" }))
    assert.isFalse(LoopDetector.isTold(after(failed), { ...question, turn: "t2" }))
    assert.isFalse(LoopDetector.isTold(after(success("search 1", "", { outcome })), question))
    assert.isFalse(LoopDetector.isTold(LoopDetector.initial, question))
  })

  it("7.2 the wait for a status is known after its reading", () => {
    const running = success("search 1", "x", { isUnfinished: true, at: 0 })
    const question = { tool: "search", key: "search 1" }
    assert.isUndefined(LoopDetector.statedMillis(LoopDetector.initial, question))
    assert.isUndefined(LoopDetector.statedMillis(after(success("search 1", "x")), question))
    assert.strictEqual(LoopDetector.statedMillis(after(running), question), 1_000)
    const again = after(running, { ...running, at: 1_000 })
    assert.strictEqual(LoopDetector.statedMillis(throughJson(again), question), 2_000)
    const ask = LoopDetector.ask(again, question)
    assert.deepStrictEqual(ask, { _tag: "Unfinished", status: { toldMillis: 2_000, endedAt: 1_000, askedAt: 1_000 } })
    assert.deepStrictEqual(LoopDetector.ask(again, { ...question, at: 2_500 }), { _tag: "Early", waitMillis: 500 })
    assert.deepStrictEqual(LoopDetector.ask(again, { ...question, at: 3_000 }), { _tag: "Proceed" })
  })

  it("7.2 the thresholds of a tool decide when identical calls stop", () => {
    const thresholds = { ...LoopThresholds.defaults, identical: 4 }
    const same = success("search 1", "x", { thresholds })
    const verdicts = LoopDetector.fold(Array(5).fill(same)).verdicts.map(({ _tag }) => _tag)
    assert.deepStrictEqual(verdicts, ["Proceed", "Proceed", "Proceed", "Tell", "Stop"])
    assert.strictEqual(LoopDetector.remaining(after(same), same), 3)
  })
})

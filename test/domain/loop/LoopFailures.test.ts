/** Tests how the loop detector counts failures. */
import { assert, describe, it } from "@effect/vitest"
import * as LoopDetector from "#domain/loop/LoopDetector"
import type { LoopEvent } from "#domain/loop/LoopDetector"
import { after, failed, last, shown, success, transient, verdicts } from "./LoopEvents.ts"

const question = { tool: "search", key: "search 1" }

describe("equal failures", () => {
  it("7.1 are counted for each tool", () => {
    const mixed = [1, 2, 3].flatMap((n) => [failed(`a ${n}`), failed(`b ${n}`)])
    assert.deepStrictEqual(new Set(verdicts(...mixed)), new Set(["Proceed"]))
    assert.deepStrictEqual(verdicts(...mixed, failed("a 4"), failed("b 4"), failed("a 5")).slice(-3), [
      "Tell same_failure 4",
      "Tell same_failure 4",
      "Stop same_failure 5"
    ])
  })

  it("7.1 of identical calls count once", () => {
    assert.strictEqual(last(...[1, 1, 2, 3].map((n) => failed(`a ${n}`))), "Proceed")
    assert.strictEqual(last(...[1, 2, 2, 3].map((n) => failed(`a ${n}`))), "Proceed")
    assert.strictEqual(last(...[1, 1, 2, 2, 3, 4].map((n) => failed(`a ${n}`))), "Tell same_failure 4")
  })

  it("7.1 of a call that was made before four others count again", () => {
    const seen = verdicts(...[1, 2, 3, 4, 5, 6].map((n) => failed(`a ${n}`, { turn: `t${n}` })), failed("a 1"))
    assert.strictEqual(seen.at(-1), "Stop same_failure 7")
  })

  it("7.1 count from one after a success of the tool, and after a write of any tool", () => {
    const three = [1, 2, 3].map((n) => failed(`a ${n}`))
    assert.strictEqual(last(...three, success("b 1", "x"), failed("a 4")), "Tell same_failure 4")
    assert.strictEqual(last(...three, success("a 9", "x"), failed("a 4")), "Proceed")
    assert.strictEqual(last(...three, success("b 1", "x", { access: "write" }), failed("a 4")), "Proceed")
  })

  it("7.1 of unknown tools count together, and from one after any success", () => {
    const unknown = (n: number) => failed(`tool${n} 1`, {}, { class: "ToolArgError", code: "unknown_tool" })
    const three = [1, 2, 3].map(unknown)
    assert.strictEqual(last(...three, unknown(4)), "Tell same_failure 4")
    assert.strictEqual(last(...three, success("search 1", "x"), unknown(4)), "Proceed")
  })

  it("7.3 are remembered for 16 kinds of failure, the latest", () => {
    const kinds = Array.from({ length: 20 }, (_, n) => failed(`a ${n}`, {}, { code: `code ${n}` }))
    const { failures } = LoopDetector.snapshot(after(...kinds))
    assert.deepStrictEqual(
      failures.map(({ signature }) => signature),
      Array.from({ length: 16 }, (_, n) => `Permanent code ${n + 4} `)
    )
    assert.deepStrictEqual(failures[0]?.keys, ["a 4"])
  })
})

describe("data with PartialData", () => {
  const page = (digest?: string | (() => string)) =>
    failed("search 1", {}, { class: "PartialData", code: "more", digest })

  it("7.3 decides whether two calls gave the same result", () => {
    assert.strictEqual(last(page("x"), page("x")), "Tell identical 2")
    assert.strictEqual(last(page("x"), page("y")), "Proceed")
    assert.strictEqual(last(page("x"), page()), "Proceed")
    assert.strictEqual(last(page(), page()), "Tell identical 2")
    assert.strictEqual(
      last(
        page(() => "x"),
        page("x")
      ),
      "Tell identical 2"
    )
    assert.strictEqual(
      last(
        page(() => "x"),
        page(() => "y")
      ),
      "Proceed"
    )
  })
})

describe("Transient failures", () => {
  it("7.3 count regardless of their code if the model read when to call again, and called sooner", () => {
    const first = transient("search 1", { readyAt: 5_000 })
    const again = transient("search 1", { now: 1_000, readyAt: 6_000 }, "reset")
    assert.strictEqual(last(first, again), "Tell identical 2")
    assert.strictEqual(last(first, transient("search 1", { now: 1_000 }, "reset")), "Proceed")
    assert.strictEqual(last(transient("search 1"), again), "Proceed")
    assert.strictEqual(last(first, { ...again, now: 5_000 }), "Proceed")
    assert.strictEqual(last(first, success("search 1", "x", { now: 1_000 })), "Proceed")
    const asked = (now?: number) => shown(LoopDetector.ask(after(first, again), { ...question, now }))
    assert.deepStrictEqual([asked(5_999), asked(6_000), asked()], ["Stop identical 3", "Proceed", "Stop identical 3"])
  })

  it("4.6 a refusal without an attempt keeps the earlier time at which to call again, and another failure replaces it", () => {
    const first = transient("search 1", { readyAt: 5_000 })
    const refused = (rest: Partial<LoopEvent>) =>
      after(first, failed("search 1", rest, { class: "Permanent", code: "retry_budget_exceeded" }))
    assert.isTrue(LoopDetector.isTold(refused({ isUnmade: true }), question))
    assert.isFalse(LoopDetector.isTold(refused({}), question))
    const open = after(first, transient("search 1", { isUnmade: true }, "circuit_open"))
    assert.isFalse(LoopDetector.isTold(open, question))
    assert.strictEqual(last(failed("search 1", { isUnmade: true }, { code: "retry_budget_exceeded" })), "Proceed")
  })
})

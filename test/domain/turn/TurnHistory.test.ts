import { assert, describe, it } from "@effect/vitest"
import * as Failure from "#domain/failure/Failure"
import { type FailedOutcome, failed, success } from "#domain/call/Outcome"
import * as HeldResults from "#domain/turn/HeldResults"
import * as TurnHistory from "#domain/turn/TurnHistory"

const fields = { tool: "t", code: "c", detail: "d", hint: "h", sideEffect: "none", traceId: "tr" } as const
const permanent = (code = "c") => failed(new Failure.Permanent({ ...fields, code }))

const salvaged = (bytes: number, over: object = {}): FailedOutcome => ({
  ...failed(new Failure.PartialData({ ...fields, code: "salvaged", data: [1], next: { page: 2 }, ...over })),
  bytes
})

const after = (...steps: ReadonlyArray<readonly [string, FailedOutcome]>) =>
  steps.reduce((history, [key, outcome]) => TurnHistory.failed(history, key, outcome), TurnHistory.empty)

describe("TurnHistory: recall", () => {
  const rows: ReadonlyArray<readonly [what: string, outcome: FailedOutcome, isRecalled: boolean]> = [
    ["ToolArgError", failed(new Failure.ToolArgError(fields)), true],
    ["SchemaMismatch", failed(new Failure.SchemaMismatch(fields)), true],
    ["SemanticGarbage", failed(new Failure.SemanticGarbage(fields)), true],
    ["Permanent", permanent(), true],
    ["Permanent unauthorized", permanent("unauthorized"), false],
    ["Transient", failed(new Failure.Transient(fields)), false],
    ["Resource", failed(new Failure.Resource(fields)), false],
    ["HumanReview", failed(new Failure.HumanReview(fields)), false],
    [
      "a page that is followed by others",
      failed(new Failure.PartialData({ ...fields, data: [1], next: { page: 2 } })),
      false
    ],
    ["a text that is followed by others", salvaged(100, { code: "next_page" }), false],
    [
      "another failure with a text",
      { ...failed(new Failure.Transient({ ...fields, code: "salvaged" })), bytes: 100 },
      false
    ],
    ["a salvaged answer", salvaged(100), true],
    ["a salvaged answer of 256 KiB", salvaged(TurnHistory.salvagedBytes), true],
    ["a salvaged answer without a text", salvaged(0), false],
    ["a salvaged answer of more than 256 KiB", salvaged(TurnHistory.salvagedBytes + 1), false]
  ]
  for (const [what, outcome, isRecalled] of rows) {
    it(`4.6 ${isRecalled ? "recalls" : "does not recall"} ${what}`, () => {
      const history = after(["k", outcome])
      assert.strictEqual(TurnHistory.recall(history, "k"), isRecalled ? outcome.failure : undefined)
      assert.isUndefined(TurnHistory.recall(history, "other"))
    })
  }

  it("4.6 a call whose failure is recalled is not made", () => {
    const history = after(["k", permanent("a")])
    const { failure } = permanent("a")
    assert.deepStrictEqual(TurnHistory.begin(history, "k", undefined), [{ _tag: "Failed", failure }, history])
    assert.deepStrictEqual(TurnHistory.begin(history, "other", undefined), [undefined, history])
  })

  it("4.6 recalls the latest failure of a call", () => {
    assert.strictEqual(TurnHistory.recall(after(["k", permanent("a")], ["k", permanent("b")]), "k")?.code, "b")
  })

  it("4.6 a write clears all failures except those with a committed side effect", () => {
    const committed = failed(
      new Failure.SchemaMismatch({ ...fields, code: "done_unreadable", sideEffect: "committed" })
    )
    const history = TurnHistory.wrote(after(["done", committed], ["read", permanent()]))
    assert.strictEqual(TurnHistory.recall(history, "done"), committed.failure)
    assert.isUndefined(TurnHistory.recall(history, "read"))
  })

  it("4.6 a failure with a committed side effect counts as a write and clears earlier failures", () => {
    const committed = failed(new Failure.Transient({ ...fields, sideEffect: "committed" }))
    const history = after(["read", permanent()], ["done", committed])
    assert.isUndefined(TurnHistory.recall(history, "read"))
    assert.strictEqual(TurnHistory.recall(history, "done"), committed.failure)
  })

  it("4.6 a committed action with data is recalled without the data", () => {
    const recalled = TurnHistory.recall(after(["done", salvaged(100, { sideEffect: "committed" })]), "done")
    assert.deepStrictEqual(
      [
        recalled?._tag,
        recalled?.code,
        recalled?.sideEffect,
        recalled?.hint,
        recalled !== undefined && "data" in recalled
      ],
      ["Transient", "retry_budget_exceeded", "committed", "The action was done. Do not call again.", false]
    )
  })

  it("4.6 holds salvaged answers of at most 256 KiB per turn", () => {
    const half = TurnHistory.salvagedBytes / 2
    const history = after(["a", salvaged(half)], ["b", salvaged(half)], ["c", salvaged(1)])
    assert.deepStrictEqual(
      ["a", "b", "c"].map((key) => TurnHistory.recall(history, key) !== undefined),
      [true, true, false]
    )
  })

  it("4.6 a write frees the room for salvaged answers", () => {
    const history = TurnHistory.wrote(after(["a", salvaged(TurnHistory.salvagedBytes)]))
    assert.isDefined(TurnHistory.recall(TurnHistory.failed(history, "b", salvaged(100)), "b"))
  })

  it("4.6 does not change an earlier history", () => {
    const before = after(["k", permanent()])
    TurnHistory.wrote(before)
    TurnHistory.failed(before, "other", permanent())
    assert.deepStrictEqual(
      [TurnHistory.recall(before, "k") !== undefined, TurnHistory.recall(before, "other")],
      [true, undefined]
    )
  })
})

describe("TurnHistory: results, denials, polls", () => {
  it("4.10 holds the ten latest results of each tool, oldest first", () => {
    const numbers = Array.from({ length: TurnHistory.heldResults + 2 }, (_, i) => i)
    const history = TurnHistory.answered(
      numbers.reduce((held, n) => TurnHistory.answered(held, "a", n), TurnHistory.empty),
      "b",
      "x"
    )
    assert.deepStrictEqual(TurnHistory.previous(history, "a"), numbers.slice(2))
    assert.deepStrictEqual(TurnHistory.previous(history, "b"), ["x"])
    assert.deepStrictEqual(TurnHistory.previous(history, "c"), [])
  })

  it("10.4 a denial applies to its binding, even after a write", () => {
    const { failure } = failed(new Failure.HumanReview({ ...fields, code: "approval_denied" }))
    const history = TurnHistory.wrote(TurnHistory.denied(TurnHistory.empty, "binding", failure))
    assert.strictEqual(TurnHistory.denial(history, "binding"), failure)
    assert.isUndefined(TurnHistory.denial(history, "other"))
    assert.isUndefined(TurnHistory.recall(history, "binding"))
  })

  it("7.2 holds the times at which a call was polled", () => {
    const polled = { startedAt: 0, lastAt: 1_000, isOver: false }
    const history = TurnHistory.wrote(TurnHistory.polls(TurnHistory.empty, "k", polled))
    assert.deepStrictEqual(TurnHistory.polled(history, "k"), polled)
    assert.isUndefined(TurnHistory.polled(history, "other"))
  })

  it("7.2 holds the last status of unfinished work for a call that comes too soon", () => {
    const status = (state: string) => ({ ...success({ state }), readAgainMillis: 1_000 })
    const history = ["queued", "running"].reduce(
      (held, state) => TurnHistory.holdStatus(held, "k", status(state)),
      TurnHistory.failed(TurnHistory.empty, "other", permanent())
    )
    assert.deepStrictEqual(HeldResults.get(history.statuses, "k"), success({ state: "running" }))
    assert.isUndefined(HeldResults.get(history.statuses, "other"))
    assert.isDefined(TurnHistory.recall(history, "other"))
  })
})

/** Tests the live view of a run. */
import { assert, describe, it } from "@effect/vitest"
import { PartialData, Permanent } from "effect-toolguard"
import type { Outcome } from "effect-toolguard"
import * as LiveView from "#kit/cli/run/LiveView"
import type { Screen } from "#kit/cli/console/Screen"

const recording = (columns = 60) => {
  const lines: Array<string> = []
  const screen: Screen = {
    columns,
    styled: (style, text) => (style === "bold" || style === "dim" ? text : `<${style}>${text}</>`),
    line: (text) => lines.push(text)
  }
  return { lines, screen }
}

const started = (callId: string, tool: string, args: unknown) =>
  ({ _tag: "CallStarted", round: 2, callId, tool, arguments: args }) as const

const ended = (callId: string, tool: string, outcome: Outcome, text: string, attempts = 1) =>
  ({
    _tag: "CallEnded",
    round: 2,
    callId,
    tool,
    answer: { text, isFailure: false, outcome, traceId: "", attempts, decisions: [] }
  }) as const

const shared = { tool: "search", detail: "", hint: "", sideEffect: "none", traceId: "" } as const

describe("LiveView", () => {
  it("shows a guarded call with its attempts, its failure and what the model reads", () => {
    const { lines, screen } = recording()
    const show = LiveView.guarded(screen)
    show(started("a", "search", { id: "C-1" }))
    const error = { next_step: "continue", hint: "", next: { id: "C-1", cursor: "O-1" } }
    const partial = new PartialData({ ...shared, code: "salvaged", data: {}, next: {} })
    const text = JSON.stringify({ status: "partial", data: { orders: [1, 2] }, error })
    show(ended("a", "search", { _tag: "Failure", failure: partial }, text))
    assert.deepStrictEqual(lines, [
      `  2  search {"id":"C-1"}`,
      `     <yellow>1 attempt · PartialData salvaged</>  reads: 2 orders · co…`
    ])
  })

  it("11.2 says at which round a run resumes, how many calls are not made again, and what a person decided", () => {
    const { lines, screen } = recording(80)
    const show = LiveView.guarded(screen)
    show({ _tag: "Resumed", run: "job", round: 3, calls: 1 })
    show({ _tag: "Resumed", run: "job", round: 0, calls: 0 })
    LiveView.resumable(screen, "job\u202e")
    for (const decided of [{ isApproved: true }, { isApproved: false }, { isApproved: true, answer: "Use it." }])
      show({ _tag: "Escalated", round: 3, detail: "It is full.", ...decided })
    assert.deepStrictEqual(lines, [
      "     <yellow>Resumed from checkpoint at round 3: 1 finished call is not made again.</>",
      "     <yellow>Resumed from checkpoint at round 0: 0 finished calls are not made again.</>",
      "     The run is saved: resume it with --resume job[U+202E]",
      "     <yellow>approved</>  It is full.",
      "     <yellow>not approved</>  It is full.",
      "     <yellow>answered</>  It is full."
    ])
  })

  it("names the tool of an answer if its round has several calls", () => {
    const { lines, screen } = recording()
    const show = LiveView.guarded(screen)
    show(started("a", "search", {}))
    show(started("b", "read", "{broken"))
    show(ended("b", "read", { _tag: "Success", value: 1 }, `{"status":"success","data":1}`))
    const failure = new Permanent({ ...shared, code: "unauthorized" })
    show(ended("a", "search", { _tag: "Failure", failure }, `{"status":"error","error":{"next_step":"stop"}}`, 0))
    show({ _tag: "RoundStarted", round: 3 })
    show(started("c", "read", {}))
    show(ended("c", "read", { _tag: "Success", value: 2 }, `{"status":"success","data":2}`))
    assert.deepStrictEqual(lines, [
      "  2  search {}",
      "  2  read {broken",
      "     <green>1 attempt · success</>  read reads: 1",
      "     <red>0 attempts · Permanent unauthorized</>  search reads: stop",
      "  2  read {}",
      "     <green>1 attempt · success</>  reads: 2"
    ])
  })

  it("shows why and when an attempt is retried", () => {
    const { lines, screen } = recording()
    const show = LiveView.retries(screen)
    const call = { callId: "a", tool: "search" }
    show({ ...call, _tag: "AttemptStarted", attempt: 1 })
    show({ ...call, _tag: "AttemptEnded", attempt: 1, outcome: "Transient", code: "timeout", durationMillis: 5 })
    show({ ...call, _tag: "RetryScheduled", attempt: 2, delayMillis: 203.7 })
    show({ ...call, _tag: "AttemptEnded", attempt: 2, outcome: "Success", code: undefined, durationMillis: 5 })
    assert.deepStrictEqual(lines, ["     <yellow>Transient timeout</>  attempt 2 follows in 204 ms"])
  })

  it("shows a call of the bare loop with what the model reads", () => {
    const { lines, screen } = recording(90)
    const call = { round: 12, name: "search", arguments: { q: "\u001b[2J" }, attempts: 1 }
    LiveView.bare(screen, { ...call, text: "SyntaxError: bad", isError: true })
    LiveView.bare(screen, { ...call, text: "\u001b[31mred", isError: false })
    assert.deepStrictEqual(lines, [
      ` 12  search {"q":"\\u001b[2J"}`,
      "     <red>1 attempt · error</>  reads: SyntaxError: bad",
      ` 12  search {"q":"\\u001b[2J"}`,
      "     <green>1 attempt · ok</>  reads: [U+001B][31mred"
    ])
  })

  it("wraps the model's answer", () => {
    const { lines, screen } = recording(25)
    LiveView.answer(screen, "one two three\nfour five six", "green")
    assert.deepStrictEqual(lines, ["     <green>one two three four</>", "     <green>five six</>"])
  })
})

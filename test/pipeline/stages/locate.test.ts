/** Tests the stage `locate` alone: unknown names, refused tools, and calls that an earlier process may have made. */
import { failed, type FailedOutcome, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import { compiledOf } from "#pipeline/call/CompiledTool"
import type { Call } from "#pipeline/call/Call"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import * as Trace from "#pipeline/call/Trace"
import { locate } from "#pipeline/stages/locate"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { callOf, define } from "../support.ts"

const read = define("search")
const write = define("write_it", { access: "write" })

/** Runs the stage for a tool with these changes. Returns the outcome, the trace and the calls that were passed on. */
const made = (
  tool: typeof read,
  compiled: Partial<CompiledTool>,
  over: object = {},
  next: Outcome | ((call: Call) => Outcome) = success({ n: 1 })
) =>
  Effect.gen(function* () {
    const around = yield* locate.make
    const all = { ...compiledOf(tool), ...compiled }
    const trace = Trace.make(undefined)
    const passed: Array<Call> = []
    const call = yield* callOf(tool, { trace, tool: all, ...over })
    const outcome = yield* around(all, () => Effect.die("not expected"))((one) => {
      passed.push(one)
      return Effect.succeed(typeof next === "function" ? next(one) : next)
    })(call)
    const decisions = trace.decisions.map(({ decision, reason }): ReadonlyArray<string> => [decision, reason])
    return { outcome, passed, trace, decisions }
  })

const failureIn = (outcome: Outcome): FailedOutcome["failure"] => {
  assert(outcome._tag === "Failure")
  return outcome.failure
}

const failure = (sideEffect: Failure.SideEffect): FailedOutcome =>
  failed(Failure.make("Permanent", "odd", { detail: "It broke.", hint: "h", sideEffect, tool: "t", traceId: "i" }))

describe("locate: unknown names", () => {
  for (const [what, known, hint] of [
    ["the nearest names", ["search", "delete_all"], "Did you mean search?"],
    ["no name if there are no tools", [], "There are no tools. Answer without a tool."],
    ["all names if none is near", ["delete_all", "zip"], "Tools: delete_all, zip."],
    [
      "eight names and an ellipsis of more",
      ["aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh", "ii"],
      "Tools: aa, bb, cc, dd, ee, ff, gg, hh, …."
    ],
    ["eight names", ["aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh"], "Tools: aa, bb, cc, dd, ee, ff, gg, hh."]
  ] as const) {
    it.effect(`4.1 the hint has ${what}`, () =>
      Effect.gen(function* () {
        const { decisions, outcome, passed } = yield* made(read, { exists: false }, { name: "serch", known })
        const { code, detail, hint: read_ } = failureIn(outcome)
        assert.deepStrictEqual([code, detail, read_], ["unknown_tool", 'No tool is named "serch".', hint])
        assert.deepStrictEqual(decisions, [["refused", "no tool has this name"]])
        assert.lengthOf(passed, 0)
      })
    )
  }

  it.effect("4.1 a long name is cut", () =>
    Effect.gen(function* () {
      const { outcome } = yield* made(read, { exists: false }, { name: "x".repeat(900), known: [] })
      assert.strictEqual(failureIn(outcome).detail, `No tool is named "${"x".repeat(64)}".`)
    })
  )
})

describe("locate: a tool that the guard does not call", () => {
  const refusal = "Another class has the id search."

  for (const [tool, journal, code, sideEffect] of [
    [read, undefined, "misconfigured", "none"],
    [write, undefined, "misconfigured", "none"],
    [read, "resumed", "misconfigured", "none"],
    [write, "resumed", "outcome_unknown", "unknown"],
    [write, "new", "misconfigured", "none"],
    [write, "changed", "outcome_unknown", "unknown"]
  ] as const) {
    it.effect(`2.10 a ${tool.toolName} of a ${journal ?? "host without a"} journal ends as ${code}`, () =>
      Effect.gen(function* () {
        const { decisions, outcome, passed } = yield* made(tool, { refusal }, { journal })
        const failure = failureIn(outcome)
        assert.deepStrictEqual([failure.code, failure.sideEffect, passed.length], [code, sideEffect, 0])
        if (journal === "changed")
          assert.deepStrictEqual(decisions, [["unknown", "the call may have been started before its tool was changed"]])
        else {
          assert.include(failure.detail, refusal)
          assert.deepStrictEqual(decisions, [["refused", refusal]])
        }
      })
    )
  }
})

describe("locate: calls of an earlier process", () => {
  it.effect("8.4 a call is passed on, and only a resumed write may have run", () =>
    Effect.gen(function* () {
      for (const [tool, journal, mayHaveRun] of [
        [read, undefined, false],
        [write, undefined, false],
        [read, "resumed", false],
        [write, "new", false],
        [write, "resumed", true]
      ] as const) {
        const { passed, trace } = yield* made(tool, {}, { journal })
        assert.deepStrictEqual([passed.length, trace.mayHaveRun], [1, mayHaveRun])
      }
    })
  )

  for (const [what, outcome, isFound, code] of [
    ["a success", success({ n: 1 }), false, "success"],
    ["a failure after it was done", failure("committed"), false, "odd"],
    ["a refusal after it was found out what was done", failure("none"), true, "odd"],
    ["any other refusal", failure("none"), false, "outcome_unknown"]
  ] as const) {
    it.effect(`8.4 of a resumed write, ${what} ends the call as ${code}`, () =>
      Effect.gen(function* () {
        const end = yield* made(write, {}, { journal: "resumed" }, ({ trace }) => {
          if (isFound) trace.mayHaveRun = false
          return outcome
        })
        assert.strictEqual(end.outcome._tag === "Success" ? "success" : end.outcome.failure.code, code)
        assert.deepStrictEqual(
          end.decisions,
          code === "outcome_unknown"
            ? [["unknown", "the call was refused before it was known what an earlier process did"]]
            : []
        )
        if (code === "outcome_unknown") assert.include(failureIn(end.outcome).detail, "It broke.")
      })
    )
  }

  it.effect("8.4 a write of a changed or removed tool is unknown, and is not made", () =>
    Effect.gen(function* () {
      for (const compiled of [{}, { exists: false }]) {
        const { decisions, outcome, passed } = yield* made(write, compiled, { journal: "changed" })
        const { code, detail, sideEffect } = failureIn(outcome)
        assert.deepStrictEqual(
          [code, sideEffect, detail, passed.length],
          ["outcome_unknown", "unknown", "write_it may have been done before this tool was changed.", 0]
        )
        assert.deepStrictEqual(decisions, [["unknown", "the call may have been started before its tool was changed"]])
      }
    })
  )

  it.effect("10.5 a call of a changed tool that a person settled as not done is made", () =>
    Effect.gen(function* () {
      for (const settlement of [undefined, { finding: "not_done" }]) {
        const { passed } = yield* made(write, {}, { journal: "changed", settled: { traceId: "i", settlement } })
        assert.lengthOf(passed, 1)
      }
    })
  )
})

/** Tests the stage `fallback` alone: settled and resumed calls, and what a turn remembers of a fallback. */
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import * as Verdict from "#domain/tool/Verdict"
import * as TurnHistory from "#domain/turn/TurnHistory"
import type { Purpose } from "#pipeline/call/Call"
import type { Dispatch } from "#pipeline/call/Stage"
import * as Trace from "#pipeline/call/Trace"
import { fallback } from "#pipeline/stages/fallback"
import { TurnMemory } from "#services/TurnMemory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { alone, define, type Tool } from "../support.ts"

const failure = (code: string, more: object = {}) =>
  failed(Failure.make("Permanent", code, { detail: "d", hint: "h", tool: "t", traceId: "i", ...more }))

const same = ({ q }: { readonly q: string }) => ({ q })
const archive = define("archive_it", { access: "write" })
const lookup = define("look_up")
const inner = define("inner_it", { access: "write", fallbacks: [{ tool: archive, arguments: same }] })
const pay = define("pay_it", {
  access: "write",
  fallbacks: [
    { tool: lookup, arguments: same },
    { tool: inner, arguments: same },
    { tool: archive, arguments: same }
  ]
})

/** Runs the stage. `answers` has the outcome of each fallback by name. */
const made = (
  tool: Tool,
  over: object,
  answers: Readonly<Record<string, Outcome>> = {},
  first: Outcome = failure("own")
) => {
  const dispatched: Array<readonly [name: string, purpose: Purpose]> = []
  let modified = 0
  const dispatch: Dispatch = (reference, _args, _call, purpose) =>
    Effect.sync(() => {
      dispatched.push([reference.toolName, purpose])
      return answers[reference.toolName] ?? failure("other")
    })
  // only this member is called
  const memory = Layer.succeed(TurnMemory, {
    modifyTurn: (_turn: unknown, change: (history: TurnHistory.TurnHistory) => unknown) =>
      Effect.sync(() => {
        change(TurnHistory.empty)
        modified++
      })
  } as never)
  return Effect.gen(function* () {
    const trace = Object.assign(Trace.make(undefined), { mayHaveRun: true })
    const stage = yield* alone(fallback, tool, () => Effect.succeed(first), dispatch)
    const result = yield* stage.run({ trace, ...over })
    const decisions = trace.decisions.map(({ decision, reason }): ReadonlyArray<string> => [decision, reason])
    return { result, dispatched, modified, decisions, trace, passed: stage.passed }
  }).pipe(Effect.provide(memory))
}

const done = success({ n: 1 })

describe("fallback: a call that a person settled", () => {
  const settled = (tool: string) => ({ settled: { tool, traceId: "i" } })

  for (const [tool, name] of [
    ["inner_it", "inner_it"],
    // the inner tool has this fallback, and comes first
    ["archive_it", "inner_it"],
    ["look_up", "look_up"]
  ] as const) {
    it.effect(`10.5 the outcome of ${tool} continues the call by ${name}`, () =>
      Effect.gen(function* () {
        const { decisions, dispatched, result, trace } = yield* made(pay, settled(tool), { [name]: done })
        assert.deepStrictEqual(dispatched, [[name, "fallback"]])
        assert.deepStrictEqual(result, { ...done, usedFallback: name })
        assert.deepStrictEqual(decisions, [["settled", `a person settled the outcome of ${name}`]])
        assert.isFalse(trace.mayHaveRun)
      })
    )
  }

  it.effect("10.5 the outcome of the tool itself or of an unrelated tool is not for its fallbacks", () =>
    Effect.gen(function* () {
      for (const tool of ["pay_it", "unrelated"]) {
        const { dispatched, passed } = yield* made(pay, settled(tool), {}, done)
        assert.deepStrictEqual([dispatched, passed.length], [[], 1])
      }
    })
  )

  it.effect("10.5 if the arguments of the fallback cannot be mapped, the tool is called", () =>
    Effect.gen(function* () {
      const broken = () => {
        throw new Error("boom")
      }
      const tool = define("pay_it", { access: "write", fallbacks: [{ tool: archive, arguments: broken }] })
      const { dispatched, passed } = yield* made(tool, settled("archive_it"), {}, done)
      assert.deepStrictEqual([dispatched, passed.length], [[], 1])
    })
  )
})

describe("fallback: a resumed call", () => {
  const resumed = { journal: "resumed" }

  it.effect("12.2 the writes among the fallbacks are completed first, and only then the tool is called", () =>
    Effect.gen(function* () {
      const { dispatched, passed } = yield* made(pay, resumed, {}, done)
      assert.deepStrictEqual(dispatched, [
        ["inner_it", "completion"],
        ["archive_it", "completion"]
      ])
      assert.lengthOf(passed, 1)
    })
  )

  for (const [what, outcome, isFinal] of [
    ["a result", done, true],
    ["a certain effect", failure("x", { sideEffect: "committed" }), true],
    ["a decision of a person", failure("approval_denied"), true],
    ["a store that does not respond", failure("store_unavailable"), true],
    ["another failure", failure("x"), false]
  ] as const) {
    it.effect(`12.2 ${what} of a completed fallback ${isFinal ? "ends the call" : "leads to the next one"}`, () =>
      Effect.gen(function* () {
        const { decisions, dispatched, result } = yield* made(pay, resumed, { inner_it: outcome, archive_it: done })
        assert.strictEqual(dispatched.length, isFinal ? 1 : 2)
        assert.strictEqual("usedFallback" in result ? result.usedFallback : "", isFinal ? "inner_it" : "archive_it")
        assert.deepStrictEqual(decisions, [["resumed", isFinal ? "inner_it" : "archive_it"]])
      })
    )
  }

  it.effect("12.2 a call that only completes an action tries no fallback after its own failure", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* made(pay, { purpose: "completion" })).dispatched, [])
    })
  )
})

describe("fallback: other calls", () => {
  it.effect("4.12 a store that does not respond leads to the next fallback, and each try is recorded", () =>
    Effect.gen(function* () {
      const { decisions, dispatched, result } = yield* made(pay, {}, { look_up: failure("store_unavailable") })
      assert.deepStrictEqual(
        dispatched.map(([name]) => name),
        ["look_up", "inner_it", "archive_it"]
      )
      assert.deepStrictEqual(
        decisions,
        dispatched.map(([name]) => ["tried", name])
      )
      assert(result._tag === "Failure")
      assert.deepStrictEqual([result.failure.code, result.tried], ["own", ["look_up", "inner_it", "archive_it"]])
    })
  )

  it.effect("4.12 no fallback is tried after a side effect or a failure that needs a person, whatever its code", () =>
    Effect.gen(function* () {
      for (const own of [
        failure("own", { sideEffect: "unknown" }),
        failure("own", { sideEffect: "committed" }),
        failed(Failure.make("HumanReview", "own", { detail: "d", hint: "h", tool: "t", traceId: "i" }))
      ]) {
        const named = define("pay_it", {
          access: "write",
          checks: { own: () => Verdict.garbage({ code: "own", detail: "d" }) },
          fallbacks: [{ tool: archive, arguments: same, on: ["own"] }]
        })
        for (const tool of [pay, named]) {
          const { dispatched, result } = yield* made(tool, {}, {}, own)
          assert.deepStrictEqual([dispatched, result], [[], own])
        }
      }
    })
  )

  it.effect("4.12 a fallback whose mapping throws is skipped, and the record has the error", () =>
    Effect.gen(function* () {
      const broken = () => {
        throw new Error("boom")
      }
      const tool = define("read_it", {
        fallbacks: [
          { tool: lookup, arguments: broken },
          { tool: define("cache_it"), arguments: same }
        ]
      })
      const { decisions, result } = yield* made(tool, {}, { cache_it: done })
      assert.deepStrictEqual(result, { ...done, usedFallback: "cache_it" })
      assert.deepStrictEqual(decisions, [
        ["tried", "look_up"],
        ["crashed", "the mapping to look_up failed: Error: boom"],
        ["tried", "cache_it"]
      ])
    })
  )

  it.effect("3.5 after a declared refusal no fallback is tried", () =>
    Effect.gen(function* () {
      const refusal = failure("sold_out", { sideEffect: "none", refusal: { _tag: "SoldOut" } })
      assert.deepStrictEqual((yield* made(pay, {}, {}, refusal)).dispatched, [])
    })
  )

  for (const [what, tool, over, outcome, isRemembered] of [
    ["a write of a model is remembered", pay, {}, done, true],
    ["a write that was not made again is not", pay, {}, { ...done, notExecuted: "before" }, false],
    ["a recalled failure is not", pay, {}, { ...failure("x", { sideEffect: "unknown" }), recalled: true }, false],
    ["an unknown effect is", pay, {}, failure("x", { sideEffect: "unknown" }), true],
    ["a write of a program is not", pay, { requester: "program" }, done, false],
    ["a write outside a turn is not", pay, { turn: undefined }, done, false],
    ["a read is not", define("read_it", { fallbacks: [{ tool: lookup, arguments: same }] }), {}, done, false]
  ] as const) {
    it.effect(`4.6 of the outcomes of fallbacks, ${what}`, () =>
      Effect.gen(function* () {
        const { modified } = yield* made(tool, over, { look_up: outcome })
        assert.strictEqual(modified, isRemembered ? 1 : 0)
      })
    )
  }
})

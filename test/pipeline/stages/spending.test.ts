/** Tests what the stage `budget` tells its store, and how it ends a call for which the store has no unit. */
import * as Steps from "#domain/json/Steps"
import { failed, type FailedOutcome, type Outcome, success } from "#domain/call/Outcome"
import * as EffectHint from "#domain/failure/EffectHint"
import * as Failure from "#domain/failure/Failure"
import type { Settlement } from "#domain/turn/Account"
import * as Trace from "#pipeline/call/Trace"
import * as ResultText from "#pipeline/record/ResultText"
import { budget, isProgress, limitOf, settlementOf } from "#pipeline/stages/budget"
import { compiledOf } from "#pipeline/call/CompiledTool"
import { type BudgetLimit, Budgets, BudgetsUnavailable, type Spending } from "#services/Budgets"
import * as DigestMemory from "#layers/DigestMemory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { alone, define, start } from "../support.ts"

type Exhausted = Extract<Spending, { readonly _tag: "Exhausted" }>

const unavailable = Effect.fail(new BudgetsUnavailable({ cause: new Error("down") }))

/** Creates a store that gives one answer to `spend`, and lists everything that it is told. */
const store = (
  spending: Spending | "down",
  settled: Effect.Effect<boolean, BudgetsUnavailable> = Effect.succeed(false)
) => {
  const told: Array<readonly [event: string, key: string, detail?: unknown]> = []
  const limits: Array<BudgetLimit> = []
  const settlements: Array<Settlement> = []
  const layer = Layer.succeed(Budgets, {
    spend: (_turn, key, limit, { isFirst, isRepeat }) => {
      told.push(["spend", key, { isFirst, isRepeat }])
      limits.push(limit)
      return spending === "down" ? unavailable : Effect.succeed(spending)
    },
    settle: (_turn, key, settlement) => {
      told.push(["settle", key])
      settlements.push(settlement)
      return settled
    },
    refund: (_turn, key, isRepeat) => {
      told.push(["refund", key, isRepeat])
      return Effect.void
    },
    progress: (_turn, key) => {
      told.push(["progress", key])
      return Effect.void
    },
    end: () => Effect.void
  })
  return { layer: Layer.merge(layer, DigestMemory.layer), told, limits, settlements }
}

const spent = (remaining: number, returning = 0): Spending => ({ _tag: "Spent", remaining, returning })

const exhausted = (more: Partial<Exhausted> = {}): Exhausted => ({
  _tag: "Exhausted",
  last: undefined,
  isAnswered: false,
  ...more
})

const failure = (
  tag: Failure.CallFailure["_tag"],
  sideEffect: Failure.SideEffect = "none",
  code = "odd"
): Failure.CallFailure =>
  Failure.make(tag, code, { detail: "It broke.", hint: "h", sideEffect, tool: "t", traceId: "i" })

const read = define("search")
const write = define("write_it", { access: "write" })
const key = (tool: string) => `${tool} {"q":"a"}`

const decisions = (trace: Trace.Trace) => trace.decisions.map(({ decision, reason }) => [decision, reason])

/** Runs the stage for one call. Returns the outcome, the trace, and whether the rest of the pipeline was reached. */
const made = (
  tool: typeof read,
  { layer }: ReturnType<typeof store>,
  outcome: Outcome = success({ n: 1 }),
  over: object = {}
) =>
  Effect.gen(function* () {
    const trace = Trace.make(undefined)
    const stage = yield* alone(budget, tool, () => Effect.succeed(outcome))
    const result = yield* stage.run({ trace, ...over })
    return { result, trace, passed: stage.passed }
  }).pipe(Effect.provide(layer))

const failureIn = (outcome: Outcome): FailedOutcome => {
  assert(outcome._tag === "Failure")
  return outcome
}

describe("budget: calls that are not counted", () => {
  it.effect("4.7 the lookup of another call spends nothing", () => {
    const budgets = store(spent(3))
    return Effect.gen(function* () {
      yield* made(read, budgets, success({ n: 1 }), { purpose: "lookup" })
      assert.deepStrictEqual(budgets.told, [])
    })
  })

  it.effect("4.7 a program's read spends nothing, and its write is progress if it changed something", () => {
    const [reads, writes, failures] = [store(spent(3)), store(spent(3)), store(spent(3))]
    return Effect.gen(function* () {
      yield* made(read, reads, success({ n: 1 }), { requester: "program" })
      yield* made(write, writes, success({ n: 1 }), { requester: "program" })
      yield* made(write, failures, failed(failure("Transient")), { requester: "program" })
      assert.deepStrictEqual([reads.told, writes.told, failures.told], [[], [["progress", key("write_it")]], []])
    })
  })
})

describe("budget: the key of a call", () => {
  for (const [what, over, expected] of [
    ["is the call's key", {}, key("search")],
    ["contains the occasion of a repeated call", { occasion: "again" }, `${key("search")} again`],
    [
      "contains the idempotency key of a confirmed action",
      { confirm: "Twice?", idempotencyKey: "k2" },
      `${key("search")} k2`
    ],
    ["leaves out an idempotency key without a confirmation", { idempotencyKey: "k2" }, key("search")]
  ] as const) {
    it.effect(`4.7 ${what}`, () => {
      const budgets = store(spent(3))
      return Effect.gen(function* () {
        const { trace } = yield* made(read, budgets, success({ n: 1 }), over)
        assert.deepStrictEqual(
          budgets.told.map(([event, of]) => [event, of]),
          [
            ["spend", expected],
            ["settle", expected]
          ]
        )
        assert.deepStrictEqual(trace.spent, { key: expected, units: 1 })
      })
    })
  }
})

describe("budget: units", () => {
  it.effect(
    "4.7 the first attempt after a takeover refunds the attempt of the other process, and a retry does not",
    () => {
      const [first, retried, own] = [store(spent(0)), store(spent(0)), store(spent(0))]
      const taken = { occasion: "taken over 2", takenFrom: "" }
      return Effect.gen(function* () {
        yield* made(write, first, success({ n: 1 }), taken)
        yield* made(write, retried, success({ n: 1 }), { ...taken, lastFailure: failure("Transient") })
        yield* made(write, own, success({ n: 1 }))
        const refunds = [first, retried, own].map(({ told }) => told.filter(([event]) => event === "refund"))
        assert.deepStrictEqual(refunds, [[["refund", key("write_it"), undefined]], [], []])
      })
    }
  )

  it.effect(
    "4.7 a retry of a write after an attempt that did nothing is a repeat, and a retry of a read is not",
    () => {
      const budgets = [store(spent(1)), store(spent(1)), store(spent(1)), store(spent(1))] as const
      return Effect.gen(function* () {
        yield* made(write, budgets[0], success({ n: 1 }), { lastFailure: failure("Transient") })
        yield* made(write, budgets[1], success({ n: 1 }), { lastFailure: failure("Transient", "unknown") })
        yield* made(read, budgets[2], success({ n: 1 }), { lastFailure: failure("Transient") })
        yield* made(write, budgets[3])
        assert.deepStrictEqual(
          budgets.map(({ told }) => told[0]?.[2]),
          [
            { isFirst: false, isRepeat: true },
            { isFirst: false, isRepeat: false },
            { isFirst: false, isRepeat: false },
            { isFirst: true, isRepeat: false }
          ]
        )
      })
    }
  )

  it.effect("4.7 a write that is interrupted before its handler starts gets its unit back", () => {
    const budgets = store(spent(0))
    return Effect.gen(function* () {
      const trace = Trace.make(undefined)
      const stage = yield* alone(budget, write, () => Effect.never)
      const call = yield* start(stage.run({ trace }))
      yield* Fiber.interrupt(call)
      assert.deepStrictEqual(budgets.told.at(-1), ["refund", key("write_it"), false])
      assert.deepStrictEqual(trace.spent, { key: key("write_it"), units: 0 })
    }).pipe(Effect.provide(budgets.layer))
  })

  it.effect("4.7 a write that is interrupted in its handler is settled as unknown, as the last attempt", () => {
    const budgets = store(spent(2))
    return Effect.gen(function* () {
      const trace = Object.assign(Trace.make(undefined), { isStarted: true })
      const stage = yield* alone(budget, write, () => Effect.never)
      const call = yield* start(stage.run({ trace }))
      yield* Fiber.interrupt(call)
      const [settlement] = budgets.settlements
      assert(settlement !== undefined)
      assert.isTrue(settlement.isLast)
      assert.strictEqual(failureIn(settlement.outcome).failure.sideEffect, "unknown")
      assert.deepStrictEqual(trace.spent, { key: key("write_it"), units: 1 })
    }).pipe(Effect.provide(budgets.layer))
  })

  it.effect("4.7 an outcome that used no unit returns it unchanged, and any other outcome is settled", () => {
    const [refunded, kept] = [store(spent(2)), store(spent(2))]
    const outcome: FailedOutcome = { ...failed(failure("Permanent")), isRefund: true }
    return Effect.gen(function* () {
      const { result } = yield* made(read, refunded, outcome)
      assert.deepStrictEqual(result, outcome)
      yield* made(read, kept, failed(failure("Permanent")))
      assert.deepStrictEqual([refunded.told[1]?.[0], kept.told[1]?.[0]], ["refund", "settle"])
    })
  })

  for (const [what, tool, remaining, isLast] of [
    ["with units left is not the last", read, 2, false],
    ["without units left is the last", read, 0, true],
    [
      "of a write that only transient failures repeat is the last",
      define("keyed", { access: "write", idempotency: "derived" }),
      2,
      true
    ]
  ] as const) {
    it.effect(`4.7 an attempt ${what}`, () => {
      const budgets = store(spent(remaining))
      return Effect.gen(function* () {
        yield* made(tool, budgets)
        assert.strictEqual(budgets.settlements[0]?.isLast, isLast)
      })
    })
  }
})

describe("budget: what the model reads after an attempt", () => {
  const down = failed(failure("Transient"))
  for (const [what, tool, spending, outcome, remaining] of [
    ["a lasting failure leaves the units of the account", read, spent(2, 1), failed(failure("Permanent")), 2],
    ["a transient failure without an effect also leaves the units that return", read, spent(2, 1), down, 4],
    [
      "a transient failure with an unknown effect does not",
      read,
      spent(2, 1),
      failed(failure("Transient", "unknown")),
      2
    ],
    ["a write has all its attempts with one unit", write, spent(0), down, 4],
    ["a write without a unit has no attempt", write, spent(0), failed(failure("Permanent")), 0],
    ["a read has one attempt with one unit", read, spent(0), down, 1]
  ] as const) {
    it.effect(`4.7 ${what}`, () =>
      Effect.gen(function* () {
        const { result, trace } = yield* made(tool, store(spending), outcome)
        assert.strictEqual(failureIn(result).remaining, remaining)
        assert.strictEqual(trace.readyAt !== undefined, outcome === down)
      })
    )
  }

  it.effect("4.7 only an unchanged result of a read is marked, and none if the store does not respond", () => {
    const same = Effect.succeed(true)
    return Effect.gen(function* () {
      const marks = []
      for (const [tool, settled] of [
        [read, same],
        [write, same],
        [read, Effect.succeed(false)],
        [read, unavailable]
      ] as const) {
        const { result } = yield* made(tool, store(spent(2), settled))
        marks.push(result._tag === "Success" && "unchanged" in result ? result.unchanged : "no mark")
      }
      assert.deepStrictEqual(marks, [true, "no mark", "no mark", "no mark"])
    })
  })

  it.effect("4.7 a write that changed something is progress, and a read or a failure without an effect is not", () => {
    const budgets = [store(spent(2)), store(spent(2)), store(spent(2)), store(spent(2)), store(spent(2))] as const
    return Effect.gen(function* () {
      yield* made(write, budgets[0])
      yield* made(write, budgets[1], failed(failure("Permanent", "committed")))
      yield* made(write, budgets[2], failed(failure("Permanent", "unknown")))
      yield* made(read, budgets[3])
      yield* made(read, budgets[4], failed(failure("Permanent", "committed")))
      assert.deepStrictEqual(
        budgets.map(({ told }) => told.some(([event]) => event === "progress")),
        [true, true, false, false, false]
      )
    })
  })

  it.effect("11.1 the record says that a store of budgets did not respond, and what followed", () =>
    Effect.gen(function* () {
      const [reads, writes] = [yield* made(read, store("down")), yield* made(write, store("down"))]
      const reason = "the store of budgets does not respond"
      assert.deepStrictEqual(decisions(reads.trace), [["allowed uncounted", reason]])
      assert.deepStrictEqual(decisions(writes.trace), [["refused", reason]])
      assert.deepStrictEqual([reads.passed.length, writes.passed.length], [1, 0])
    })
  )
})

describe("budget: a call without a unit", () => {
  it.effect("4.7 a read returns its last result again, marked as unchanged", () =>
    Effect.gen(function* () {
      const { passed, result, trace } = yield* made(read, store(exhausted({ last: success({ n: 7 }) })))
      assert.deepStrictEqual(result, { _tag: "Success", value: { n: 7 }, unchanged: true })
      assert.strictEqual(passed.length, 0)
      assert.deepStrictEqual(decisions(trace), [["answered again", "the same call returned the same result before"]])
    })
  )

  it.effect("4.6 a write returns its first result again, and says that it was not made", () =>
    Effect.gen(function* () {
      const { result } = yield* made(write, store(exhausted({ last: success({ n: 7 }) })))
      assert(result._tag === "Success")
      assert.deepStrictEqual([result.value, result.unchanged], [{ n: 7 }, undefined])
      assert.include(result.notExecuted, "write_it")
    })
  )

  it.effect("4.7 a call that was retrying ends with the failure of its last attempt", () => {
    const lastFailure = failure("Transient", "none", "upstream_down")
    return Effect.gen(function* () {
      const { result } = yield* made(read, store(exhausted()), success({ n: 1 }), { lastFailure })
      assert.deepStrictEqual(result, { _tag: "Failure", failure: lastFailure, remaining: 0, isFinal: true })
    })
  })

  it.effect("4.7 without an earlier outcome, the same call is running", () =>
    Effect.gen(function* () {
      const { result, trace } = yield* made(read, store(exhausted()))
      const { failure: refused, isFinal, remaining } = failureIn(result)
      assert.deepStrictEqual([refused.code, remaining, isFinal], ["in_progress", 0, true])
      assert.deepStrictEqual(decisions(trace), [["refused", "the attempts for this call are used up in this turn"]])
    })
  )

  for (const [tool, answeredEffect, sideEffect, hint, isAnswered] of [
    [read, "committed", "none", undefined, undefined],
    [read, undefined, "none", undefined, undefined],
    [write, "committed", "committed", undefined, undefined],
    [write, "unknown", "unknown", EffectHint.unproven(), true],
    [write, undefined, "unknown", EffectHint.unproven(), true]
  ] as const) {
    const { toolName } = tool
    it.effect(`4.7 a ${toolName} whose result is no longer stored, with the effect ${answeredEffect}, is refused`, () =>
      Effect.gen(function* () {
        const effect = answeredEffect === undefined ? {} : { answeredEffect }
        const { result } = yield* made(tool, store(exhausted({ isAnswered: true, ...effect })))
        const outcome = failureIn(result)
        assert.deepStrictEqual(
          [outcome.failure.code, outcome.failure.sideEffect, outcome.isAnswered, outcome.isFinal],
          ["retry_budget_exceeded", sideEffect, isAnswered, true]
        )
        assert.strictEqual(outcome.failure.hint === EffectHint.unproven(), hint !== undefined)
      })
    )
  }

  for (const [tag, expected] of [
    ["Permanent", "Permanent"],
    ["Resource", "Resource"],
    ["SemanticGarbage", "Transient"],
    ["PartialData", "Transient"]
  ] as const) {
    it.effect(`4.7 after a ${tag}, the refusal is ${expected} and quotes the failure`, () =>
      Effect.gen(function* () {
        // the store may hold any failure, also one with data
        const last = failed(failure(tag as "Permanent"))
        const { failure: refused, isFinal, readyAt } = failureIn((yield* made(read, store(exhausted({ last })))).result)
        assert.deepStrictEqual([refused._tag, refused.code, isFinal], [expected, "retry_budget_exceeded", true])
        assert.strictEqual(refused.detail, "The attempts for this call are used up. It last failed with: It broke.")
        assert.isUndefined(readyAt)
      })
    )
  }

  for (const [sideEffect, isAnswered, isUncertain] of [
    ["unknown", true, true],
    ["unknown", undefined, false],
    ["none", true, false],
    ["none", undefined, false]
  ] as const) {
    it.effect(
      `3.3 after ${isAnswered ? "an answered" : "a"} failure with the effect ${sideEffect}, the hint ${isUncertain ? "forbids" : "does not forbid"} the repetition`,
      () =>
        Effect.gen(function* () {
          const last: FailedOutcome = {
            ...failed(failure("Permanent", sideEffect)),
            ...(isAnswered ? { isAnswered } : {})
          }
          const outcome = failureIn((yield* made(write, store(exhausted({ last })))).result)
          assert.strictEqual(outcome.failure.hint === EffectHint.uncertain(), isUncertain)
          assert.deepStrictEqual(
            [outcome.failure.sideEffect, "isAnswered" in outcome ? outcome.isAnswered : "absent"],
            [sideEffect, isAnswered ?? "absent"]
          )
          assert.isNotEmpty(outcome.failure.hint)
        })
    )
  }

  it.effect("4.7 a call that comes too early reads when it may be made, and the record says how long that is", () =>
    Effect.gen(function* () {
      const last = failed(failure("Transient"))
      yield* TestClock.adjust("1 second")
      const { result, trace } = yield* made(read, store(exhausted({ last, back: { at: 3_000, units: 2 } })))
      const { failure: refused, isFinal, readyAt, remaining } = failureIn(result)
      assert.deepStrictEqual([readyAt, remaining, isFinal, trace.readyAt], [3_000, 2, true, 3_000])
      assert.include(refused.detail, "comes too early")
      assert.include(refused.hint, "Wait until retry_after_ms is over")
      assert.deepStrictEqual(decisions(trace), [["too early", "the wait that the model has read ends in 2000 ms"]])
    })
  )
})

describe("budget: limits and settlements", () => {
  const definitionOf = (more: object) => compiledOf(define("some", more)).definition

  it("4.7 a write that may be repeated counts only failures, and no other tool does", () => {
    const of = (more: object) => limitOf(definitionOf(more)).countsFailures
    assert.deepStrictEqual(
      [of({}), of({ access: "write" }), of({ access: "write", repeats: "allowed" })],
      [undefined, undefined, true]
    )
  })

  it("4.7 a settlement says that only failures count if the limit says so", () => {
    const limit = { limit: 1, onlyAfterTransient: false }
    const outcome = success({ n: 1 })
    assert.deepStrictEqual(settlementOf(limit, outcome, false), { outcome, digest: "", isLast: false })
    assert.deepStrictEqual(settlementOf({ ...limit, countsFailures: true }, { ...outcome, digest: "d" }, true), {
      outcome: { ...outcome, digest: "d" },
      digest: "d",
      isLast: true,
      countsFailures: true
    })
  })

  it("4.7 only a write that succeeded or was done is progress", () => {
    const outcomes = [success(1), failed(failure("Permanent", "committed")), failed(failure("Permanent"))]
    const of = (access: string) => outcomes.map((outcome) => isProgress(definitionOf({ access }), outcome))
    assert.deepStrictEqual(
      [of("write"), of("read")],
      [
        [true, true, false],
        [false, false, false]
      ]
    )
  })

  it("4.7 the incomplete data of a failure is compared once, and other failures have no digest", () => {
    const tool = compiledOf(read)
    const sha256 = (text: string) => text
    const digestOf = (outcome: Outcome) => Steps.whole(ResultText.compared(tool, outcome, sha256, "unique")).digest
    const part: FailedOutcome = {
      _tag: "Failure",
      failure: Failure.make("PartialData", "partial", {
        data: { n: 1 },
        detail: "d",
        hint: "h",
        tool: "t",
        traceId: "i"
      })
    }
    assert.strictEqual(digestOf(part), digestOf(success({ n: 1 })))
    assert.notStrictEqual(digestOf(part), digestOf(success({ n: 2 })))
    assert.strictEqual(digestOf({ ...part, digest: "before" }), "before")
    assert.isUndefined(digestOf(failed(failure("Permanent"))))
  })
})

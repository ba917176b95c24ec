/** Tests when the stage `retry` makes another attempt or waits, and how it settles an effect that stays unknown. */
import { failed, type FailedOutcome, type Outcome, success } from "#domain/call/Outcome"
import type { Attempt } from "#domain/call/CallRecord"
import * as EffectHint from "#domain/failure/EffectHint"
import * as Failure from "#domain/failure/Failure"
import type * as Call from "#pipeline/call/Call"
import * as Trace from "#pipeline/call/Trace"
import { retry } from "#pipeline/stages/retry"
import * as TurnMemoryMemory from "#layers/TurnMemoryMemory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { alone, complete, define, start, type Tool } from "../support.ts"

type Tag = "Transient" | "Permanent" | "HumanReview" | "PartialData"

const failure = (tag: Tag, sideEffect: Failure.SideEffect = "none", code = "odd") =>
  Failure.make(tag as "Transient", code, {
    detail: "It broke.",
    hint: "h",
    sideEffect,
    tool: "t",
    traceId: "i",
    ...(tag === "PartialData" ? { data: { n: 1 } } : {})
  })

const transient = failed(failure("Transient"))
const permanent = failed(failure("Permanent"))
const unknown = failed(failure("Transient", "unknown"))
const answered = (outcome: FailedOutcome): FailedOutcome => ({ ...outcome, isAnswered: true })

const jitterless = { jitter: "none" } as const
const read = define("search", { retry: jitterless })
const write = define("write_it", { access: "write", retry: jitterless })
const honoured = define("write_it", {
  access: "write",
  retry: jitterless,
  idempotency: { mode: "derived", upstreamHonoursKey: true }
})

/** Starts the stage. The rest of the pipeline gives each outcome in turn, then repeats the last one. */
const started = (tool: Tool, outcomes: ReadonlyArray<Outcome>, over: object = {}, attempts = 0) =>
  Effect.gen(function* () {
    const trace = Trace.make(undefined)
    // the number of executions is all that the stage reads
    for (let made = 0; made < attempts; made++) trace.attempts.push({} as Attempt)
    const passed: Array<Call.Call> = []
    const stage = yield* alone(retry, tool, (call) =>
      Effect.sync(() => {
        passed.push(call)
        return outcomes[Math.min(passed.length, outcomes.length) - 1]!
      })
    )
    return { passed, trace, run: stage.run({ trace, ...over }) }
  }).pipe(Effect.provide(TurnMemoryMemory.layer))

const made = (tool: Tool, outcomes: ReadonlyArray<Outcome>, over: object = {}, attempts = 0) =>
  Effect.gen(function* () {
    const { passed, run, trace } = yield* started(tool, outcomes, over, attempts)
    const result = yield* complete(run)
    const decisions = trace.decisions.map(({ decision, reason }): ReadonlyArray<string> => [decision, reason])
    return { passed, result, decisions }
  })

const failureIn = (outcome: Outcome): FailedOutcome => {
  assert(outcome._tag === "Failure")
  return outcome
}

describe("retry: which outcome is followed by another attempt", () => {
  for (const [what, tool, outcome, attempts] of [
    ["a success", read, success({ n: 1 }), 1],
    ["a lasting failure", read, permanent, 1],
    ["a transient failure", read, transient, 4],
    ["a transient failure of a tool with one attempt", define("search", { retry: { attempts: 1 } }), transient, 1],
    ["a transient failure of a write that did nothing", write, transient, 4],
    ["a transient failure of a write that was done", write, failed(failure("Transient", "committed")), 1],
    ["an unknown effect of a write", write, unknown, 1],
    ["an unknown effect of a write whose upstream honours the key", honoured, unknown, 4],
    ["a write that was done, whose upstream honours the key", honoured, failed(failure("Transient", "committed")), 1],
    [
      "a lasting failure of a write whose upstream honours the key",
      honoured,
      failed(failure("Permanent", "unknown")),
      1
    ],
    ["a final failure", read, { ...transient, isFinal: true }, 1]
  ] as const) {
    it.effect(`4.11 ${what} ends the call after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}`, () =>
      Effect.gen(function* () {
        assert.lengthOf((yield* made(tool, [outcome])).passed, attempts)
      })
    )
  }

  it.effect("4.11 an action that another process has taken over is not retried", () =>
    Effect.gen(function* () {
      const trace = Object.assign(Trace.make(undefined), { isTakenOver: true })
      assert.lengthOf((yield* made(read, [transient], { trace })).passed, 1)
    })
  )

  it.effect("4.11 a retry that succeeds ends the call with its result", () =>
    Effect.gen(function* () {
      const { passed, result } = yield* made(read, [transient, success({ n: 2 }), transient])
      assert.deepStrictEqual([result, passed.length], [success({ n: 2 }), 2])
    })
  )

  it.effect("4.9 no retry starts if its deadline leaves no time", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      const now = 3_600_000
      assert.lengthOf((yield* made(read, [transient], { deadlineAt: now + 30_000 })).passed, 4)
      assert.lengthOf((yield* made(read, [transient], { deadlineAt: now + 1 })).passed, 1)
    })
  )
})

describe("retry: the number of attempts in a failure", () => {
  for (const [outcome, executions, attempts, detail] of [
    [transient, 1, undefined, "It broke."],
    [transient, 2, 2, "Failed after 2 attempts: It broke."],
    [permanent, 1, undefined, "It broke."],
    [permanent, 2, 2, "It broke."]
  ] as const) {
    it.effect(`4.11 ${outcome.failure._tag} after ${executions} executions`, () =>
      Effect.gen(function* () {
        const final = { ...outcome, isFinal: true as const }
        const { failure } = failureIn((yield* made(read, [final], {}, executions)).result)
        assert.deepStrictEqual([failure.attempts, failure.detail], [attempts, detail])
      })
    )
  }
})

describe("retry: the wait of a call that comes too early", () => {
  const early = (readyAt: number): FailedOutcome => ({ ...transient, readyAt, isFinal: true })

  for (const [what, readyAt, over, waits] of [
    ["waits for at most 10 seconds", 10_000, {}, true],
    ["does not wait for longer", 10_001, {}, false],
    ["does not wait if the time is over", 0, {}, false],
    ["waits if a full attempt fits before the deadline", 10_000, { deadlineAt: 15_000 }, true],
    ["does not wait if it does not fit", 10_000, { deadlineAt: 14_999 }, false],
    ["does not wait outside a turn", 10_000, { turn: undefined }, false],
    ["does not wait if the model has not read the time", 10_000, { isContinued: false }, false]
  ] as const) {
    it.effect(`4.11 ${what}`, () =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 second")
        const shift = 1_000
        const { passed, run, trace } = yield* started(read, [early(readyAt + shift), success({ n: 1 })], {
          isContinued: true,
          ...over,
          deadlineAt: ("deadlineAt" in over ? over.deadlineAt : 30_000) + shift
        })
        const call = yield* start(run)
        yield* TestClock.adjust(readyAt - 1)
        assert.lengthOf(passed, 1)
        assert.strictEqual(call.pollUnsafe() === undefined, waits)
        yield* TestClock.adjust("1 millis")
        const result = yield* Fiber.join(call)
        assert.strictEqual(result._tag, waits ? "Success" : "Failure")
        assert.lengthOf(passed, waits ? 2 : 1)
        if (!waits) return
        assert.deepStrictEqual([passed[1]?.waitedUntil, passed[1]?.name], [readyAt + shift, "search"])
        assert.deepStrictEqual(
          trace.decisions.map(({ decision, reason }) => [decision, reason]),
          [["waited", "10000 ms, the rest of the wait that the model has read"]]
        )
      })
    )
  }

  it.effect("4.11 an outcome without a time is not waited for, and neither is a success", () =>
    Effect.gen(function* () {
      const { passed } = yield* made(read, [{ ...transient, isFinal: true }], { isContinued: true })
      assert.lengthOf(passed, 1)
      assert.lengthOf((yield* made(read, [success({ n: 1 })], { isContinued: true })).passed, 1)
    })
  )
})

describe("retry: an effect that stays unknown", () => {
  it.effect("3.3 a read is returned as it is, whatever its failure says", () =>
    Effect.gen(function* () {
      const { result } = yield* made(read, [failed(failure("Permanent", "unknown"))])
      assert.strictEqual(failureIn(result).failure.code, "odd")
    })
  )

  for (const [what, outcome, code, hint, remaining, decision] of [
    [
      "an answered error keeps its code",
      answered(failed(failure("Permanent", "unknown"))),
      "odd",
      EffectHint.uncertain(),
      0,
      "answered"
    ],
    [
      "an answered question keeps its code",
      answered(failed(failure("HumanReview", "unknown", "review_requested"))),
      "review_requested",
      EffectHint.unproven(),
      0,
      "answered"
    ],
    [
      "an incomplete result keeps its hint",
      answered(failed(failure("PartialData", "unknown"))),
      "odd",
      "h",
      0,
      "answered"
    ],
    [
      "a refusal by the budget keeps its hint",
      answered(failed(failure("Permanent", "unknown", "retry_budget_exceeded"))),
      "retry_budget_exceeded",
      "h",
      0,
      "answered"
    ],
    [
      "another error becomes outcome_unknown",
      failed(failure("Permanent", "unknown")),
      "outcome_unknown",
      undefined,
      undefined,
      "outcome unknown"
    ],
    [
      "an unanswered question becomes outcome_unknown",
      failed(failure("HumanReview", "unknown", "review_requested")),
      "outcome_unknown",
      undefined,
      undefined,
      "outcome unknown"
    ],
    [
      "a question of the guard stays",
      failed(failure("HumanReview", "unknown", "outcome_unknown")),
      "outcome_unknown",
      "h",
      undefined,
      undefined
    ],
    [
      "an answered question of the guard stays",
      answered(failed(failure("HumanReview", "unknown", "guarded"))),
      "guarded",
      "h",
      undefined,
      undefined
    ]
  ] as const) {
    it.effect(`3.3 ${what}`, () =>
      Effect.gen(function* () {
        const { decisions, result } = yield* made(write, [outcome])
        const { failure, remaining: left } = failureIn(result)
        assert.deepStrictEqual([failure.code, failure.sideEffect, left], [code, "unknown", remaining])
        if (hint !== undefined) assert.strictEqual(failure.hint, hint)
        assert.strictEqual(decisions[0]?.[0], decision)
        if (decision === "answered")
          assert.strictEqual(decisions[0]?.[1], `${code}; it is not known whether anything was done`)
        if (decision === "outcome unknown") assert.strictEqual(decisions[0]?.[1], outcome.failure.code)
      })
    )
  }

  it.effect("3.3 an answered error of a destructive tool becomes outcome_unknown", () =>
    Effect.gen(function* () {
      const destroy = define("drop_it", { access: "destructive", approval: "auto" })
      const { result } = yield* made(destroy, [answered(failed(failure("Permanent", "unknown")))])
      assert.strictEqual(failureIn(result).failure.code, "outcome_unknown")
    })
  )

  const isRunning = () => false
  for (const [what, doubt, outcome, sideEffect, isAnswered] of [
    ["a refusal proves nothing", { isAnswered: false }, permanent, "unknown", undefined],
    [
      "an answered refusal after an answered error is answered",
      { isAnswered: true },
      answered(permanent),
      "unknown",
      true
    ],
    [
      "an answered refusal after a lost attempt is not answered",
      { isAnswered: false },
      answered(permanent),
      "unknown",
      undefined
    ],
    [
      "a refusal without an answer after an answered error is not answered",
      { isAnswered: true },
      permanent,
      "unknown",
      undefined
    ],
    [
      "an action that was done is proven",
      { isAnswered: false },
      failed(failure("Permanent", "committed")),
      "committed",
      undefined
    ],
    [
      "a lookup that found nothing is proof",
      { isAnswered: false },
      { ...permanent, isAbsent: true as const },
      "none",
      undefined
    ],
    ["without a doubt, a refusal did nothing", undefined, permanent, "none", undefined]
  ] as const) {
    it.effect(`3.3 after an attempt with an unknown effect: ${what}`, () =>
      Effect.gen(function* () {
        const over = doubt === undefined ? {} : { doubt: { ...doubt, isRunning } }
        const settled = failureIn((yield* made(write, [outcome], over)).result)
        assert.strictEqual(settled.failure.sideEffect, sideEffect)
        assert.strictEqual(settled.failure.code === "outcome_unknown", sideEffect === "unknown" && isAnswered !== true)
      })
    )
  }

  it.effect("3.3 a retry knows whether the attempt before it was answered, and whether its handler runs", () =>
    Effect.gen(function* () {
      const doubts = []
      for (const [outcome, over] of [
        [answered(unknown), {}],
        [unknown, {}],
        [unknown, { doubt: { isAnswered: true, isRunning } }],
        [transient, {}]
      ] as const) {
        const { passed } = yield* made(honoured, [outcome], { ...over, deadlineAt: 3_600_000 })
        const doubt = passed[1]?.doubt
        doubts.push(
          doubt === undefined ? undefined : [doubt.isAnswered, doubt.isRunning === isRunning, doubt.isRunning()]
        )
      }
      assert.deepStrictEqual(doubts, [[true, false, false], [false, false, false], [false, true, false], undefined])
    })
  )

  it.effect("3.3 an unknown effect of an attempt stays unknown after a retry that is refused", () =>
    Effect.gen(function* () {
      const { passed, result } = yield* made(honoured, [unknown, permanent])
      assert.strictEqual(failureIn(result).failure.sideEffect, "unknown")
      assert.lengthOf(passed, 2)
    })
  )
})

/** Tests the outcome of the stage `classify` for each kind of answer and verdict, and what it records. */
import type { Attempt } from "#domain/call/CallRecord"
import { failed, type FailedOutcome, type Outcome, success } from "#domain/call/Outcome"
import { QuotedError } from "#domain/classification/QuotedError"
import * as EffectHint from "#domain/failure/EffectHint"
import * as Failure from "#domain/failure/Failure"
import * as Verdict from "#domain/tool/Verdict"
import type { Answer } from "#pipeline/call/Answer"
import type * as Call from "#pipeline/call/Call"
import * as Trace from "#pipeline/call/Trace"
import { classify } from "#pipeline/stages/classify"
import type { CallEvent } from "#services/CallObserver"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Duration, Effect } from "effect"
import { alone, define, type Tool } from "../support.ts"

const read = define("search")
const write = define("write_it", { access: "write" })
const value: Answer = { _tag: "Value", value: { n: 1 } }
const accepted: Answer = { _tag: "Response", status: 202, headers: {}, text: "{}", bytes: 2, cut: false }

/** Runs the stage for an answer. Returns the outcome, the trace, the events and the decisions. */
const made = (tool: Tool, over: Partial<Call.Call>, attempts: ReadonlyArray<Partial<Attempt>> = []) =>
  Effect.gen(function* () {
    const events: Array<CallEvent> = []
    const trace = Trace.make((event) => events.push(event))
    for (const attempt of attempts) trace.attempts.push({ durationMillis: 5, ...attempt } as Attempt) // no other field is read
    const stage = yield* alone(classify, tool)
    yield* stage.run({ trace, ...over })
    const outcome = stage.passed[0]?.outcome
    assert(outcome !== undefined)
    const decisions = trace.decisions.map(({ decision, reason }): ReadonlyArray<string> => [decision, reason])
    return { outcome, trace, events, decisions }
  })

const failureIn = (outcome: Outcome): FailedOutcome => {
  assert(outcome._tag === "Failure")
  return outcome
}

const failedBy = (cause: Cause.Cause<unknown>): Answer => ({ _tag: "Failed", cause })

describe("classify: verdicts of checks", () => {
  it.effect("6.1 a result that makes no sense fails with the words of the check", () =>
    Effect.gen(function* () {
      const verdict = Verdict.garbage({ code: "other_unit", detail: "It is in cents." })
      const { outcome } = yield* made(write, { answer: value, verdict })
      const { failure, isAnswered } = failureIn(outcome)
      assert.deepStrictEqual(
        [failure._tag, failure.code, failure.detail, failure.sideEffect, failure.tool, failure.traceId, isAnswered],
        ["SemanticGarbage", "other_unit", "It is in cents.", "committed", "write_it", "trace", true]
      )
      assert.include(failure.hint, "Do not rely on this result.")
      const own = yield* made(read, { answer: value, verdict: { ...verdict, hint: "Divide by 100." } })
      assert.deepStrictEqual(
        [failureIn(own.outcome).failure.hint, failureIn(own.outcome).failure.sideEffect],
        ["Divide by 100.", "none"]
      )
    })
  )

  it.effect("3.3 a result that states a failure fails as if the handler had failed with it", () =>
    Effect.gen(function* () {
      const statedFailure = new QuotedError("Rate limit exceeded", { status: 429 })
      const verdict = Verdict.garbage({ code: "x", detail: "y", statedFailure })
      const { failure, isAnswered } = failureIn((yield* made(write, { answer: value, verdict })).outcome)
      assert.deepStrictEqual([failure._tag, failure.sideEffect, isAnswered], ["Transient", "unknown", true])
    })
  )

  it.effect("6.1 an incomplete result keeps its data, and says how to get the rest", () =>
    Effect.gen(function* () {
      const of = (tool: Tool, verdict: Verdict.Verdict, answer: Answer = value) =>
        Effect.map(made(tool, { answer, verdict, result: { n: 1 } }), ({ outcome }) => {
          const { failure, isAnswered } = failureIn(outcome)
          assert(failure._tag === "PartialData")
          assert.deepStrictEqual([failure.data, isAnswered], [{ n: 1 }, true])
          return failure
        })
      const next = yield* of(read, Verdict.partial({ next: { q: "b" } }))
      assert.deepStrictEqual([next.code, next.next], ["incomplete_result", { q: "b" }])
      assert.include(next.hint, "Call again with `next`")
      const narrow = yield* of(
        read,
        Verdict.partial({ narrow: "Ask for one day.", code: "too_many", detail: "3 of 47" })
      )
      assert.deepStrictEqual(
        [narrow.code, narrow.hint, narrow.next, narrow.detail],
        ["too_many", "Ask for one day.", undefined, "3 of 47"]
      )
      const done = yield* of(write, Verdict.partial({ narrow: "Ask for one day." }))
      assert.deepStrictEqual([done.hint, done.sideEffect], [EffectHint.done, "committed"])
      const later = yield* of(write, Verdict.partial({ narrow: "Ask for one day." }), accepted)
      assert.deepStrictEqual([later.hint, later.sideEffect], [EffectHint.unproven(), "unknown"])
    })
  )

  it.effect("6.1 an incomplete result has the parts that the handler returned, if there are any", () =>
    Effect.gen(function* () {
      const verdict = Verdict.partial({ narrow: "n" })
      const parts = [{ _tag: "Text", text: "more" }] as never
      assert.strictEqual(failureIn((yield* made(read, { answer: value, verdict, parts })).outcome).parts, parts)
      assert.notProperty((yield* made(read, { answer: value, verdict })).outcome, "parts")
    })
  )
})

describe("classify: answers", () => {
  it.effect("3.1 without an answer, the handler was not run", () =>
    Effect.gen(function* () {
      const { failure } = failureIn((yield* made(read, {})).outcome)
      assert.deepStrictEqual([failure.code, failure.detail], ["tool_failed", "The handler was not run."])
    })
  )

  it.effect("3.1 an outcome that an earlier stage decided is kept", () =>
    Effect.gen(function* () {
      const outcome = failed(Failure.make("Permanent", "odd", { detail: "d", hint: "h", tool: "t", traceId: "i" }))
      assert.strictEqual((yield* made(read, { answer: value, outcome })).outcome, outcome)
    })
  )

  for (const [tool, sideEffect] of [
    [read, "none"],
    [write, "unknown"]
  ] as const) {
    it.effect(`3.3 after a timeout or a large answer, the effect of ${tool.toolName} is ${sideEffect}`, () =>
      Effect.gen(function* () {
        const late = failureIn((yield* made(tool, { answer: { _tag: "TimedOut", millis: 5_000 } })).outcome)
        assert.deepStrictEqual([late.failure.code, late.failure.sideEffect], ["timeout", sideEffect])
        assert.isUndefined(late.isAnswered)
        const large = yield* made(tool, { answer: { _tag: "TooLarge", limit: 9, status: 200 } })
        const { failure, isAnswered } = failureIn(large.outcome)
        assert.deepStrictEqual([failure.code, failure.sideEffect, isAnswered], ["response_too_large", sideEffect, true])
        assert.include(failure.detail, "larger than 9 bytes")
      })
    )
  }

  it.effect("4.9 a timeout says whether the deadline shortened it", () =>
    Effect.gen(function* () {
      const tool = define("search", { timeout: "5 seconds", deadline: "30 seconds" })
      const of = (millis: number) =>
        Effect.map(
          made(tool, { answer: { _tag: "TimedOut", millis } }),
          ({ outcome }) => failureIn(outcome).failure.detail
        )
      assert.strictEqual(yield* of(5_000), "search did not answer within 5000 ms.")
      assert.strictEqual(
        yield* of(4_999),
        "search did not answer within 4999 ms, the rest of its deadline of 30000 ms."
      )
    })
  )

  it.effect("3.1 the headers of an answer that states a failure apply to it", () =>
    Effect.gen(function* () {
      const headers = { "retry-after": "7" }
      for (const error of [
        { code: "rate_limited" },
        new QuotedError("Rate limit exceeded", { code: "rate_limited" })
      ]) {
        const delays = []
        for (const more of [{ headers }, {}]) {
          const { outcome } = yield* made(read, { answer: { _tag: "Stated", error, answer: accepted, ...more } })
          const { failure } = failureIn(outcome)
          delays.push(failure._tag === "Transient" ? failure.retryAfter : failure._tag)
        }
        assert.deepStrictEqual(delays, [Duration.seconds(7), undefined])
      }
    })
  )

  it.effect("3.3 an answer that states a failure leaves the effect of a write unknown, and is answered", () =>
    Effect.gen(function* () {
      const error = new QuotedError("Not found", { code: "not_found" })
      const answer: Answer = { _tag: "Stated", error, answer: value }
      const { failure, isAnswered } = failureIn((yield* made(write, { answer })).outcome)
      assert.deepStrictEqual([failure.sideEffect, isAnswered], ["unknown", true])
      assert.strictEqual(failureIn((yield* made(read, { answer })).outcome).failure.sideEffect, "none")
    })
  )

  it.effect("3.3 the record names the side effect of a failed write and its ground, and none for a read", () =>
    Effect.gen(function* () {
      const answer = failedBy(Cause.fail(Object.assign(new Error("x"), { code: "ECONNREFUSED" })))
      const response: Answer = { ...accepted, status: 503 }
      for (const one of [answer, response]) {
        const { decisions } = yield* made(write, { answer: one })
        assert.match(decisions[0]?.[0] ?? "", /^side effect (?:none|unknown)$/u)
        assert.lengthOf(decisions, 1)
        assert.deepStrictEqual((yield* made(read, { answer: one })).decisions, [])
      }
    })
  )
})

describe("classify: crashes", () => {
  it.effect("3.1 a handler that dies has crashed, and the record keeps the defect", () =>
    Effect.gen(function* () {
      const cause = Cause.die(new Error("boom"))
      const { decisions, outcome, trace } = yield* made(read, { answer: failedBy(cause) })
      const { failure } = failureIn(outcome)
      assert.deepStrictEqual([failure.code, failure.detail], ["tool_crashed", "search crashed."])
      assert.strictEqual(trace.crash, cause)
      assert.deepStrictEqual(decisions, [["defect", "the handler died"]])
    })
  )

  it.effect("3.1 a handler that interrupts itself has no defect", () =>
    Effect.gen(function* () {
      const { decisions, outcome, trace } = yield* made(read, { answer: failedBy(Cause.interrupt(1)) })
      const { failure } = failureIn(outcome)
      assert.deepStrictEqual([failure.code, failure.detail], ["tool_crashed", "search interrupted itself."])
      assert.deepStrictEqual([trace.crash, decisions], [undefined, []])
    })
  )

  it.effect("3.1 a failure next to a defect counts as a crash", () =>
    Effect.gen(function* () {
      const cause = Cause.combine(Cause.fail(new Error("x")), Cause.die(new Error("boom")))
      const { outcome } = yield* made(read, { answer: failedBy(cause) })
      assert.strictEqual(failureIn(outcome).failure.code, "tool_crashed")
    })
  )

  it.effect("3.1 an error of the program in a rejected promise is kept as a defect, and another error is not", () =>
    Effect.gen(function* () {
      const cause = Cause.fail(new TypeError("Cannot read properties of undefined (reading 'id')"))
      const { outcome, trace } = yield* made(read, { answer: failedBy(cause) })
      assert.strictEqual(failureIn(outcome).failure.code, "tool_crashed")
      assert.strictEqual(trace.crash, cause)
      const other = yield* made(read, { answer: failedBy(Cause.fail(new Error("quota"))) })
      assert.isUndefined(other.trace.crash)
    })
  )
})

describe("classify: failures of the guard in a handler", () => {
  const own = (code: string, sideEffect: Failure.SideEffect, more: object = {}) =>
    Failure.make("Permanent", code, { detail: "d", hint: "h", sideEffect, tool: "inner", traceId: "i", ...more })

  it.effect("5.4 the failure of another call passes, with the tool and the trace of this call", () =>
    Effect.gen(function* () {
      const { outcome } = yield* made(read, { answer: failedBy(Cause.fail(own("wrong_state", "none"))) })
      const { failure, isRefund } = failureIn(outcome)
      assert.deepStrictEqual([failure.code, failure.tool, failure.traceId], ["wrong_state", "search", "trace"])
      assert.isUndefined(isRefund)
    })
  )

  it.effect("3.5 a refusal that another guard declared costs no attempt, unless another tool refused", () =>
    Effect.gen(function* () {
      const refunds = []
      for (const [tool, name] of [
        [read, "inner"],
        [write, "write_it"],
        [write, "inner"]
      ] as const) {
        const refusal = own("sold_out", "none", { refusal: { _tag: "SoldOut" }, tool: name })
        const { outcome } = yield* made(tool, { answer: failedBy(Cause.fail(refusal)) })
        refunds.push(failureIn(outcome).isRefund)
      }
      assert.deepStrictEqual(refunds, [true, true, undefined])
    })
  )

  it.effect("5.4 that another tool was done says nothing about this tool", () =>
    Effect.gen(function* () {
      for (const code of ["done_without_result", "done_unreadable"]) {
        const { outcome } = yield* made(write, { answer: failedBy(Cause.fail(own(code, "unknown"))) })
        const { failure } = failureIn(outcome)
        assert.deepStrictEqual(
          [failure._tag, failure.code, failure.sideEffect],
          ["Permanent", "tool_failed", "unknown"]
        )
      }
    })
  )
})

describe("classify: the end of an attempt", () => {
  const answer = failedBy(Cause.fail(Object.assign(new Error("x"), { code: "ECONNREFUSED" })))

  it.effect("11.2 a failure is written to the last attempt, and the observer is told", () =>
    Effect.gen(function* () {
      const { events, trace } = yield* made(read, { answer, attempt: 2 }, [{ code: "first" }, {}])
      assert.deepStrictEqual(
        trace.attempts.map(({ code, outcome }) => [outcome, code]),
        [
          [undefined, "first"],
          ["Transient", trace.attempts[1]?.code]
        ]
      )
      assert.deepStrictEqual(events, [
        {
          _tag: "AttemptEnded",
          callId: "call",
          tool: "search",
          attempt: 2,
          outcome: "Transient",
          code: trace.attempts[1]?.code,
          durationMillis: 5
        }
      ])
    })
  )

  it.effect("11.2 a success leaves the attempt as it is, and the observer is told", () =>
    Effect.gen(function* () {
      const { events, outcome, trace } = yield* made(read, { answer: value, result: { n: 1 } }, [{ code: "kept" }])
      assert.deepStrictEqual(outcome, success({ n: 1 }))
      assert.deepStrictEqual([trace.attempts[0]?.code, trace.attempts[0]?.outcome], ["kept", undefined])
      assert.deepInclude(events[0], { outcome: "Success", code: undefined, durationMillis: 5 })
    })
  )

  it.effect("11.2 nothing is told without an attempt, or if the handler got no slot", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* made(read, { answer })).events, [])
      const { events, outcome } = yield* made(read, { answer: { _tag: "Busy" } }, [{}])
      assert.deepStrictEqual([events, failureIn(outcome).failure.code], [[], "busy"])
    })
  )
})

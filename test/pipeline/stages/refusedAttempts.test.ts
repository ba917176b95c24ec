/** Tests the refusals of the stages `circuit` and `quota`, which make no attempt, and what the record says about them. */
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import type { Call } from "#pipeline/call/Call"
import * as Trace from "#pipeline/call/Trace"
import { circuit } from "#pipeline/stages/circuit"
import { quota } from "#pipeline/stages/quota"
import { Circuits } from "#services/Circuits"
import { RetryQuota } from "#services/RetryQuota"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { alone, define } from "../support.ts"

const search = define("search")

const recorded = ({ decisions }: Trace.Trace) => decisions.map(({ decision, reason }) => [decision, reason])

const refusalOf = (outcome: Outcome) => {
  assert(outcome._tag === "Failure")
  const { failure, isFinal, isRefund } = outcome
  return { code: failure.code, detail: failure.detail, isFinal, isRefund, retryAfter: failure }
}

describe("circuit: a rejected attempt", () => {
  const open = Layer.succeed(Circuits, {
    execute: (_tool, _policy, _attempt, onRejected) =>
      Effect.sync(() => onRejected({ retryAfter: Duration.seconds(2) } as Parameters<typeof onRejected>[0]))
  })

  for (const [deadlineAt, isFinal] of [
    [1_999, true],
    [2_000, false],
    [30_000, false]
  ] as const) {
    it.effect(`4.11 that may run in 2 seconds is ${isFinal ? "" : "not "}final at a deadline of ${deadlineAt} ms`, () =>
      Effect.gen(function* () {
        const trace = Trace.make(undefined)
        const stage = yield* alone(circuit, search)
        const { retryAfter, ...refusal } = refusalOf(yield* stage.run({ trace, deadlineAt }))
        assert.deepStrictEqual(refusal, {
          code: "circuit_open",
          detail: "search failed repeatedly and is not called for now.",
          isFinal,
          isRefund: true
        })
        assert.deepInclude(retryAfter, { _tag: "Transient", sideEffect: "none", retryAfter: Duration.seconds(2) })
        assert.deepStrictEqual(recorded(trace), [["rejected", "open for another 2s"]])
      }).pipe(Effect.provide(open))
    )
  }

  it.effect("4.11 a tool without a circuit is always called", () =>
    Effect.gen(function* () {
      const stage = yield* alone(circuit, define("search", { circuit: false }))
      assert.deepStrictEqual(yield* stage.run(), success("next"))
    }).pipe(Effect.provide(open))
  )
})

describe("quota: a retry without an allowance", () => {
  const called: Array<string> = []
  const exhausted = Layer.succeed(RetryQuota, {
    called: (tool) => void called.push(tool),
    take: () => Effect.succeed(false)
  })
  const lastFailure = Failure.make("Transient", "timeout", {
    detail: "Too late.",
    hint: "h",
    sideEffect: "none",
    tool: "search",
    traceId: "trace"
  })
  /** Runs the stage for a call in which the tool has run, or has not run yet. */
  const retried = (over: Partial<Call>, hasRun = true) =>
    Effect.gen(function* () {
      const trace = Trace.make(undefined)
      if (hasRun) trace.attempts.push({ startedAt: 0, durationMillis: 1, outcome: "timeout" })
      const stage = yield* alone(quota, search)
      const outcome = yield* stage.run({ trace, ...over })
      return { outcome, passed: stage.passed.length, decisions: recorded(trace) }
    }).pipe(Effect.provide(exhausted))

  it.effect("4.11 ends the call with its last failure, and costs nothing", () =>
    Effect.gen(function* () {
      const { decisions, outcome, passed } = yield* retried({ attempt: 2, lastFailure })
      assert.deepStrictEqual(outcome, { ...failed(lastFailure), isFinal: true, isRefund: true })
      assert.deepStrictEqual([passed, decisions], [0, [["no retry", "the tool's retries are used up for now"]]])
    })
  )

  it.effect("4.11 without a last failure the call is refused as unavailable", () =>
    Effect.gen(function* () {
      const { outcome } = yield* retried({ attempt: 2 })
      const { retryAfter: _, ...refusal } = refusalOf(outcome)
      assert.deepStrictEqual(refusal, {
        code: "unavailable",
        detail: "The tool's retries are used up for now.",
        isFinal: true,
        isRefund: true
      })
    })
  )

  it.effect("4.11 another attempt needs no allowance while the tool has not run, and is not counted again", () =>
    Effect.gen(function* () {
      called.length = 0
      assert.strictEqual((yield* retried({ attempt: 2, lastFailure }, false)).passed, 1)
      assert.isEmpty(called)
    })
  )

  it.effect("4.11 a first attempt is counted, and needs no allowance", () =>
    Effect.gen(function* () {
      called.length = 0
      assert.strictEqual((yield* retried({ attempt: 1 })).passed, 1)
      assert.lengthOf(called, 1)
    })
  )
})

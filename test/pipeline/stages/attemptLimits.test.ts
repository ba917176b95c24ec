/** Tests the stages that refuse an attempt: `deadline`, `timeout`, `circuit`, `quota` and `haltAttempt`. */
import type { FailedOutcome, Outcome } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import * as Trace from "#pipeline/call/Trace"
import type { Stage } from "#pipeline/call/Stage"
import { circuit } from "#pipeline/stages/circuit"
import { deadline } from "#pipeline/stages/deadline"
import { haltAttempt } from "#pipeline/stages/haltAttempt"
import { quota } from "#pipeline/stages/quota"
import { timeout } from "#pipeline/stages/timeout"
import { Circuits } from "#services/Circuits"
import { Halts, HaltsUnavailable } from "#services/Halts"
import { RetryQuota } from "#services/RetryQuota"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { alone, define, type Tool } from "../support.ts"

const read = define("search", { timeout: "5 seconds", deadline: "30 seconds" })
const write = define("write_it", { access: "write" })

/** Runs a stage, five seconds after the start of the clock. Returns the outcome, the passed calls and the decisions. */
const made = (
  stage: Stage<any>,
  tool: Tool,
  over: object = {},
  layer: Layer.Layer<any> = Guard.memory,
  attempts: Trace.Trace["attempts"] = []
) =>
  Effect.gen(function* () {
    yield* TestClock.adjust("5 seconds")
    const trace = { ...Trace.make(undefined), attempts }
    const run = yield* alone(stage as Stage<never>, tool)
    const outcome = yield* run.run({ trace, ...over })
    const decisions = trace.decisions.map(({ decision, reason }): ReadonlyArray<string> => [decision, reason])
    return { outcome, passed: run.passed[0], decisions }
  }).pipe(Effect.provide(layer)) as Effect.Effect<{
    readonly outcome: Outcome
    readonly passed:
      | { readonly startedAt: number; readonly deadlineAt: number; readonly limitMillis: number }
      | undefined
    readonly decisions: ReadonlyArray<ReadonlyArray<string>>
  }>

const failureIn = (outcome: Outcome): FailedOutcome => {
  assert(outcome._tag === "Failure")
  return outcome
}

describe("deadline", () => {
  for (const [what, claim, startedAt] of [
    ["now without a claim", undefined, 5_000],
    ["five seconds after the request of a claim, if the process was paused", { since: -2_000 }, 3_000],
    ["now after a claim that was quick", { since: 4_000 }, 5_000]
  ] as const) {
    it.effect(`4.9 the time of a call begins ${what}`, () =>
      Effect.gen(function* () {
        const { passed } = yield* made(deadline, read, { claim })
        assert.deepStrictEqual([passed?.startedAt, passed?.deadlineAt], [startedAt, startedAt + 30_000])
      })
    )
  }
})

describe("timeout", () => {
  for (const [deadlineAt, limitMillis] of [
    [30_000, 5_000],
    [9_000, 4_000],
    [5_000, 0],
    [4_999, undefined]
  ] as const) {
    it.effect(
      `4.9 an attempt ${deadlineAt - 5_000} ms before its deadline ${limitMillis === undefined ? "is not made" : `has ${limitMillis} ms`}`,
      () =>
        Effect.gen(function* () {
          const { outcome, passed } = yield* made(timeout, read, { deadlineAt })
          assert.strictEqual(passed?.limitMillis, limitMillis)
          if (limitMillis !== undefined) return
          const { failure, isFinal, isRefund } = failureIn(outcome)
          assert.deepStrictEqual([failure.code, isFinal, isRefund], ["timeout", true, true])
        })
    )
  }
})

describe("circuit", () => {
  const open = (retryAfter: Duration.Duration) =>
    // only this member is called
    Layer.succeed(Circuits, {
      execute: (_tool: unknown, _policy: unknown, _effect: unknown, rejected: (open: object) => Outcome) =>
        Effect.sync(() => rejected({ retryAfter }))
    } as never)

  for (const [deadlineAt, isFinal] of [
    [8_000, false],
    [7_999, true]
  ] as const) {
    it.effect(`4.11 an open circuit refuses an attempt, ${isFinal ? "finally" : "for now"}, and costs no budget`, () =>
      Effect.gen(function* () {
        const { decisions, outcome } = yield* made(circuit, read, { deadlineAt }, open(Duration.seconds(3)))
        const { failure, isFinal: final, isRefund } = failureIn(outcome)
        assert.deepStrictEqual(
          [failure.code, failure.detail, final, isRefund],
          ["circuit_open", "search failed repeatedly and is not called for now.", isFinal, true]
        )
        assert(failure._tag === "Transient")
        assert.deepStrictEqual(failure.retryAfter, Duration.seconds(3))
        assert.deepStrictEqual(decisions, [["rejected", "open for another 3s"]])
      })
    )
  }
})

describe("quota", () => {
  const empty = Layer.succeed(RetryQuota, { called: () => {}, take: () => Effect.succeed(false) })

  it.effect("4.11 without a retry left, the call ends with its last failure, and the attempt costs no budget", () =>
    Effect.gen(function* () {
      const lastFailure = Failure.make("Transient", "odd", { detail: "d", hint: "h", tool: "t", traceId: "i" })
      const ran = [{ startedAt: 0, durationMillis: 1, outcome: "odd" }]
      const { decisions, outcome, passed } = yield* made(quota, read, { attempt: 2, lastFailure }, empty, ran)
      const { failure, isFinal, isRefund } = failureIn(outcome)
      assert.deepStrictEqual([failure, isFinal, isRefund, passed], [lastFailure, true, true, undefined])
      assert.deepStrictEqual(decisions, [["no retry", "the tool's retries are used up for now"]])
      const { failure: none } = failureIn((yield* made(quota, read, { attempt: 2 }, empty, ran)).outcome)
      assert.deepStrictEqual([none.code, none.detail], ["unavailable", "The tool's retries are used up for now."])
    })
  )

  it.effect("4.11 the first attempt takes no retry", () =>
    Effect.gen(function* () {
      assert.isDefined((yield* made(quota, read, { attempt: 1 }, empty)).passed)
    })
  )
})

describe("halt", () => {
  const halts = (current: unknown, isEmpty?: () => boolean) =>
    // only these members are called
    Layer.succeed(Halts, { current, ...(isEmpty === undefined ? {} : { isEmpty }) } as never)
  const halted = (reason: string) => {
    const entry = { tool: "search", by: "ana", reason, at: 0 }
    return Effect.succeed(new Map([["search", entry]]))
  }

  for (const [reason, detail] of [
    ["", "search was halted by ana."],
    ["too slow", "search was halted by ana: too slow."],
    ["It is too slow.", "search was halted by ana: It is too slow."]
  ] as const) {
    it.effect(`10.7 the model reads "${detail}", and the refusal is final`, () =>
      Effect.gen(function* () {
        const { decisions, outcome } = yield* made(haltAttempt, read, {}, halts(halted(reason)))
        const { failure, isFinal } = failureIn(outcome)
        assert.deepStrictEqual([failure.code, failure.detail, isFinal], ["halted", detail, true])
        assert.strictEqual(decisions[0]?.[0], "halted")
      })
    )
  }

  it.effect("10.7 the record says that the store of halts does not respond", () =>
    Effect.gen(function* () {
      const down = halts(Effect.fail(new HaltsUnavailable({ cause: "down" })))
      const { decisions, passed } = yield* made(haltAttempt, write, {}, down)
      assert.isUndefined(passed)
      assert.deepStrictEqual(decisions, [["refused", "the store of halts does not respond"]])
    })
  )

  it.effect("10.7 a store that knows that nothing is halted is not read", () =>
    Effect.gen(function* () {
      const idle = halts(Effect.die("not expected"), () => true)
      assert.isDefined((yield* made(haltAttempt, read, {}, idle)).passed)
      const { passed } = yield* made(
        haltAttempt,
        read,
        {},
        halts(halted(""), () => false)
      )
      assert.isUndefined(passed)
    })
  )
})

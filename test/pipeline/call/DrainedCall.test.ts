/** Tests which calls a process that shuts down refuses, and how it recognizes a refused call. */
import { failed, type Outcome } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import type { Purpose } from "#pipeline/call/Call"
import * as DrainedCall from "#pipeline/call/DrainedCall"
import { Drain, IsWithinCall, type ProcessDrain } from "#services/Drain"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { callOf, define } from "../support.ts"

const search = define("search")

const drainOf = (isDraining: boolean): ProcessDrain => ({
  isDraining: () => isDraining,
  isGraceOver: () => false,
  onStart: () => () => {},
  track: (work) => work,
  drain: Effect.void
})

/** Creates a call in a process that shuts down or not, and inside of another call or not. */
const callIn = ({ draining = true, purpose = "request" as Purpose, within = false }) =>
  callOf(search, { purpose }).pipe(
    Effect.provideService(Drain, drainOf(draining)),
    Effect.provideService(IsWithinCall, within)
  )

describe("a call in a process that shuts down", () => {
  for (const [what, input, isDraining, isNew] of [
    ["of a program or a model is refused", {}, true, true],
    ["of a process that does not shut down is not refused", { draining: false }, false, false],
    ["of a running handler is not refused", { within: true }, false, false],
    ["of a fallback does not wait, but is not new", { purpose: "fallback" }, true, false],
    ["of a completion does not wait, but is not new", { purpose: "completion" }, true, false]
  ] as const) {
    it.effect(`12.7 ${what}`, () =>
      Effect.gen(function* () {
        const call = yield* callIn(input)
        assert.deepStrictEqual(
          [DrainedCall.isDraining(call), DrainedCall.isNewWhileDraining(call)],
          [isDraining, isNew]
        )
      })
    )
  }

  it.effect("12.7 has no drain to wait for if the process has none", () =>
    Effect.gen(function* () {
      const call = yield* callOf(search)
      assert.deepStrictEqual([DrainedCall.drainOf(call), DrainedCall.isDraining(call)], [undefined, false])
    })
  )
})

describe("a refused call", () => {
  const failure = (code: string, sideEffect: "none" | "unknown" = "none"): Outcome =>
    failed(Failure.make("Transient", code, { tool: "search", detail: "down", sideEffect }))

  it.effect("12.7 is recognized by its code only if it did nothing and the process shuts down", () =>
    Effect.gen(function* () {
      const [call, other] = [yield* callIn({}), yield* callIn({ draining: false })]
      const outcomes = [
        failure("shutting_down"),
        failure("shutting_down", "unknown"),
        failure("timeout"),
        { _tag: "Success", value: { n: 1 } } as const
      ]
      assert.deepStrictEqual(
        outcomes.map((outcome) => [DrainedCall.isDrained(call, outcome), DrainedCall.isDrained(other, outcome)]),
        [
          [true, false],
          [false, false],
          [false, false],
          [false, false]
        ]
      )
    })
  )

  for (const [what, answer, code, detail, decisions] of [
    ["before its deadline", {}, "busy", "Too many calls of search are running.", []],
    [
      "before the process began to shut down",
      { isDraining: true },
      "shutting_down",
      "search had not started when the process began to shut down.",
      [{ stage: "run", decision: "refused", reason: "the process is shutting down" }]
    ]
  ] as const) {
    it.effect(`4.9, 12.7 whose handler got no slot ${what} is final, and costs no budget`, () =>
      Effect.gen(function* () {
        const call = yield* callIn({})
        const { failure, isFinal, isRefund } = DrainedCall.withoutSlot(call, answer)
        assert.deepStrictEqual(
          [failure.code, failure.detail, failure.sideEffect, isFinal, isRefund, call.trace.decisions],
          [code, detail, "none", true, true, decisions]
        )
      })
    )
  }
})

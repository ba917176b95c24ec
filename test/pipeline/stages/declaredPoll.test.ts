/** Tests how long a tool that declares `poll` is polled, and what the trace of a call says about the poll. */
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import * as Trace from "#pipeline/call/Trace"
import { loop } from "#pipeline/stages/loop"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { alone, define, start } from "../support.ts"

const polled = (until: (result: { n: number }) => boolean = ({ n }) => n === 2) =>
  define("get_job", { poll: { interval: "10 seconds", deadline: "1 minute", until } })

const waiting = success({ n: 1 })
const arrived = success({ n: 2 })

/** Polls a tool. Each call of `next` takes a call's outcome. */
const world = (tool = polled()) => {
  const outcomes: Array<Outcome> = []
  return Effect.map(
    alone(loop, tool, () => Effect.sync(() => outcomes.shift() ?? waiting)),
    (stage) =>
      (outcome: Outcome = waiting) =>
        Effect.gen(function* () {
          const trace = Trace.make(undefined)
          outcomes.push(outcome)
          const fiber = yield* start(stage.run({ trace }))
          return { trace, fiber }
        })
  )
}

/** Returns the trace of a poll that does not wait. */
const immediate = ({ fiber, trace }: { readonly fiber: Fiber.Fiber<Outcome>; readonly trace: Trace.Trace }) =>
  Effect.sync(() => {
    assert.isDefined(fiber.pollUnsafe())
    return trace
  })

describe("a declared poll", () => {
  it.effect("7.2 the trace has the times of the first and of the last poll, after its wait", () =>
    Effect.gen(function* () {
      const called = yield* world()
      yield* TestClock.adjust("3 seconds")
      const first = yield* Effect.flatMap(called(), immediate)
      assert.deepStrictEqual(first.polled, { startedAt: 3_000, lastAt: 3_000, isOver: false })
      yield* TestClock.adjust("4 seconds")
      const second = yield* called()
      assert.deepStrictEqual(second.trace.polled, { startedAt: 3_000, lastAt: 13_000, isOver: false })
      assert.isTrue(second.trace.isPolling)
      yield* TestClock.adjust("5999 millis")
      assert.isUndefined(second.fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(second.fiber), waiting)
    }).pipe(Effect.provide(Guard.memory))
  )

  it.effect("7.2 ends when the result arrives: later calls neither wait nor count as polls", () =>
    Effect.gen(function* () {
      const called = yield* world()
      const first = yield* Effect.flatMap(called(arrived), immediate)
      assert.deepStrictEqual(first.polled, { startedAt: 0, lastAt: 0, isOver: true })
      yield* TestClock.adjust("1 second")
      const second = yield* Effect.flatMap(called(), immediate)
      assert.isFalse(second.isPolling)
      assert.deepStrictEqual(second.polled, { startedAt: 0, lastAt: 1_000, isOver: true })
    }).pipe(Effect.provide(Guard.memory))
  )

  it.effect("7.2 continues until its deadline, and no longer", () =>
    Effect.gen(function* () {
      const called = yield* world()
      yield* TestClock.adjust("3 seconds")
      yield* called()
      yield* TestClock.adjust("60 seconds")
      assert.isTrue((yield* Effect.flatMap(called(), immediate)).isPolling)
      yield* TestClock.adjust("1 millis")
      const late = yield* Effect.flatMap(called(), immediate)
      assert.deepStrictEqual([late.isPolling, late.polled?.isOver], [false, false])
    }).pipe(Effect.provide(Guard.memory))
  )

  it.effect("7.2 continues after a failure", () =>
    Effect.gen(function* () {
      const called = yield* world()
      const failure = Failure.make("Transient", "unavailable", {
        detail: "Busy.",
        hint: "h",
        sideEffect: "none",
        tool: "get_job",
        traceId: "trace"
      })
      assert.isFalse((yield* called(failed(failure))).trace.polled?.isOver)
      yield* TestClock.adjust("10 seconds")
      assert.isTrue((yield* Effect.flatMap(called(), immediate)).isPolling)
    }).pipe(Effect.provide(Guard.memory))
  )

  it.effect("7.2 ends if `until` throws, which is recorded unless the result violates the contract", () =>
    Effect.gen(function* () {
      const broken = polled(() => {
        throw new Error("boom")
      })
      for (const [outcome, decisions] of [
        [waiting, 1],
        [{ ...waiting, isRaw: true }, 0]
      ] as const) {
        const called = yield* world(broken)
        const { decisions: made, polled } = yield* Effect.flatMap(called(outcome), immediate)
        assert.strictEqual(polled?.isOver, true)
        assert.lengthOf(made, decisions)
      }
    }).pipe(Effect.provide(Guard.memory))
  )
})

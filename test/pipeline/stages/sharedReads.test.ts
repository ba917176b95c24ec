/** Tests when identical reads that arrive at the same time share one execution. */
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import * as LoopDetector from "#domain/loop/LoopDetector"
import type { Call } from "#pipeline/call/Call"
import * as Trace from "#pipeline/call/Trace"
import { loop } from "#pipeline/stages/loop"
import { TurnMemory } from "#services/TurnMemory"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { alone, define, poll, start, type Tool, turn } from "../support.ts"

const read = define("read_it")

/** Runs the stage `loop` for calls that end when the test ends them. */
const world = Effect.fnUntraced(function* (tool: Tool = read) {
  const ends: Array<Deferred.Deferred<Outcome>> = []
  const stage = yield* alone(loop, tool, () =>
    Effect.suspend(() => {
      const end = Deferred.makeUnsafe<Outcome>()
      ends.push(end)
      return Deferred.await(end)
    })
  )
  /** Starts a read. Returns its fiber and its trace. */
  const started = (over: Partial<Call> = {}) =>
    Effect.gen(function* () {
      const trace = Trace.make(undefined)
      return { trace, fiber: yield* start(stage.run({ trace, ...over })) }
    })
  const end = (index: number, outcome: Outcome = success({ n: index })) => Deferred.succeed(ends[index]!, outcome)
  /** Replaces the loop state of the conversation, as the end of another call does. */
  const anotherCallEnds = Effect.flatMap(TurnMemory, ({ modifyLoop }) =>
    modifyLoop(turn, (state) => [undefined, LoopDetector.wrote(state)])
  )
  return { anotherCallEnds, end, runs: () => ends.length, started }
})

describe("identical reads at the same time", () => {
  it.effect("9.3 are made once; the second is recorded as joined, and both have the outcome", () =>
    Effect.gen(function* () {
      const { end, runs, started } = yield* world()
      const first = yield* started()
      const second = yield* started()
      assert.strictEqual(runs(), 1)
      assert.deepStrictEqual([poll(first.fiber), poll(second.fiber)], [undefined, undefined])
      yield* end(0)
      assert.deepStrictEqual(yield* Fiber.join(first.fiber), success({ n: 0 }))
      assert.deepStrictEqual(yield* Fiber.join(second.fiber), success({ n: 0 }))
      assert.deepStrictEqual([first.trace.isShared, second.trace.isShared], [false, true])
      assert.deepStrictEqual(first.trace.decisions, [])
      assert.deepStrictEqual(second.trace.decisions, [
        { stage: "loop", decision: "joined", reason: "the identical read is running" }
      ])
    }).pipe(Effect.provide(Guard.memory))
  )

  it.effect("9.3 share a failure too", () =>
    Effect.gen(function* () {
      const { end, started } = yield* world()
      const first = yield* started()
      const second = yield* started()
      const failure = Failure.make("Permanent", "not_found", {
        detail: "Missing.",
        hint: "h",
        sideEffect: "none",
        tool: "read_it",
        traceId: "trace"
      })
      yield* end(0, failed(failure))
      assert.deepStrictEqual(yield* Fiber.join(first.fiber), failed(failure))
      assert.deepStrictEqual(yield* Fiber.join(second.fiber), failed(failure))
    }).pipe(Effect.provide(Guard.memory))
  )

  it.effect("9.3 are made again once the first has ended", () =>
    Effect.gen(function* () {
      const { end, runs, started } = yield* world()
      const first = yield* started()
      yield* end(0)
      yield* Fiber.join(first.fiber)
      const second = yield* started()
      assert.strictEqual(runs(), 2)
      yield* end(1)
      assert.deepStrictEqual(yield* Fiber.join(second.fiber), success({ n: 1 }))
    }).pipe(Effect.provide(Guard.memory))
  )

  it.effect("9.3 if the first is interrupted, one of the others is made, and answers the rest", () =>
    Effect.gen(function* () {
      const { end, runs, started } = yield* world()
      const first = yield* started()
      const second = yield* started()
      const third = yield* started()
      yield* Fiber.interrupt(first.fiber)
      assert.strictEqual(runs(), 2)
      yield* end(1)
      assert.deepStrictEqual(yield* Fiber.join(second.fiber), success({ n: 1 }))
      assert.deepStrictEqual(yield* Fiber.join(third.fiber), success({ n: 1 }))
      assert.deepStrictEqual([second.trace.isShared, third.trace.isShared].toSorted(), [false, true])
    }).pipe(Effect.provide(Guard.memory))
  )

  it.effect("9.3 a read is made if another call has ended since the identical read started", () =>
    Effect.gen(function* () {
      const { anotherCallEnds, end, runs, started } = yield* world()
      const first = yield* started()
      yield* anotherCallEnds
      const second = yield* started()
      assert.strictEqual(runs(), 2)
      // the end of the first read does not end the second for the reads that wait for it
      yield* end(0)
      assert.deepStrictEqual(yield* Fiber.join(first.fiber), success({ n: 0 }))
      const third = yield* started()
      assert.strictEqual(runs(), 2)
      yield* end(1)
      assert.deepStrictEqual(yield* Fiber.join(second.fiber), success({ n: 1 }))
      assert.deepStrictEqual(yield* Fiber.join(third.fiber), success({ n: 1 }))
    }).pipe(Effect.provide(Guard.memory))
  )

  for (const [what, over] of [
    ["has other arguments", { key: () => 'read_it {"q":"b"}' }],
    ["belongs to another tenant", { turn: { ...turn, tenant: "other" } }],
    ["belongs to another turn", { turn: { ...turn, turn: "other" } }],
    ["requires a result that conforms to the contract", { acceptsAnyShape: false }]
  ] as const) {
    it.effect(`9.3 a read that ${what} is made separately`, () =>
      Effect.gen(function* () {
        const { end, runs, started } = yield* world()
        yield* started()
        const second = yield* started(over)
        assert.strictEqual(runs(), 2)
        yield* end(1)
        assert.deepStrictEqual(yield* Fiber.join(second.fiber), success({ n: 1 }))
      }).pipe(Effect.provide(Guard.memory))
    )
  }

  it.effect("9.3 identical writes are not shared", () =>
    Effect.gen(function* () {
      const { runs, started } = yield* world(define("write_it", { access: "write" }))
      yield* started()
      yield* started()
      assert.strictEqual(runs(), 2)
    }).pipe(Effect.provide(Guard.memory))
  )

  for (const [what, over] of [
    ["of a program", { requester: "program" }],
    ["outside a turn", { turn: undefined }],
    ["of the guard", { purpose: "lookup" }]
  ] as const) {
    it.effect(`9.3 identical reads ${what} are not shared`, () =>
      Effect.gen(function* () {
        const { runs, started } = yield* world()
        yield* started(over)
        yield* started(over)
        assert.strictEqual(runs(), 2)
      }).pipe(Effect.provide(Guard.memory))
    )
  }
})

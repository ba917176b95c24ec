/** Tests the stage `recall` alone: what it remembers of a call, how it answers from memory, and what it records. */
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import * as Verdict from "#domain/tool/Verdict"
import type { Call } from "#pipeline/call/Call"
import * as Trace from "#pipeline/call/Trace"
import { isFresh, recall, recordDone } from "#pipeline/stages/recall"
import * as TurnMemoryMemory from "#layers/TurnMemoryMemory"
import { TurnMemory } from "#services/TurnMemory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { alone, callOf, define, start, type Tool } from "../support.ts"

const failure = (
  sideEffect: Failure.SideEffect,
  tag: "Permanent" | "Transient" | "HumanReview" = "Permanent",
  code = "odd"
) => failed(Failure.make(tag, code, { detail: "d", hint: "h", sideEffect, tool: "t", traceId: "trace" }))
const unknown = failure("unknown", "HumanReview", "outcome_unknown")
const done = success({ n: 1 })

const read = define("read_it")
const checked = define("read_it", { checks: { fine: () => Verdict.ok } })
const write = define("write_it", { access: "write" })
const repeatable = define("write_it", { access: "write", idempotency: "none", repeats: "allowed" })

/** A memory that counts how often a turn is modified. */
const counted = () => {
  let modified = 0
  const layer = Layer.effect(
    TurnMemory,
    Effect.map(TurnMemory, (memory) => ({
      ...memory,
      modifyTurn: ((...args: Parameters<typeof memory.modifyTurn>) => {
        modified++
        return memory.modifyTurn(...args)
      }) as typeof memory.modifyTurn
    }))
  ).pipe(Layer.provide(TurnMemoryMemory.layer))
  return { layer, modified: () => modified }
}

/** Runs the stage for several tools of one turn. `attempted` says that the handler runs. */
const world = Effect.gen(function* () {
  const memory = yield* TurnMemory
  const called = (tool: Tool, outcome: Outcome | "endless", over: Partial<Call> = {}, attempted = true) =>
    Effect.gen(function* () {
      const trace = Trace.make(undefined)
      const stage = yield* alone(recall, tool, ({ trace }) =>
        Effect.suspend(() => {
          trace.isStarted = attempted
          if (attempted) trace.attempts.push({ startedAt: 0, durationMillis: 0, outcome: "Success" })
          return outcome === "endless" ? Effect.never : Effect.succeed(outcome)
        })
      )
      const result = yield* stage.run({ ...over, trace })
      return { result, passed: stage.passed[0], reasons: trace.decisions.map(({ decision }) => decision) }
    }).pipe(Effect.provideService(TurnMemory, memory))
  return called
})

describe("recall: what a turn remembers", () => {
  for (const [what, tool, outcome, requester, times] of [
    ["a model's successful read", read, done, "model", 1],
    ["a model's failed read", read, failure("none"), "model", 2],
    ["a model's successful read that has checks", checked, done, "model", 2],
    ["a program's failed read", checked, failure("none"), "program", 0],
    ["a program's successful read that has checks", checked, done, "program", 1],
    ["a program's successful read", read, done, "program", 0],
    ["a program's write", write, done, "program", 1],
    ["a model's write", write, done, "model", 2]
  ] as const) {
    it.effect(`4.6 ${what} uses the memory ${times} times`, () => {
      const memory = counted()
      return Effect.gen(function* () {
        const called = yield* world
        yield* called(tool, outcome, { requester })
        assert.strictEqual(memory.modified(), times)
      }).pipe(Effect.provide(memory.layer))
    })
  }

  it.effect("4.6 a call outside a turn and a lookup use no memory", () => {
    const memory = counted()
    return Effect.gen(function* () {
      const called = yield* world
      yield* called(write, failure("committed"), { turn: undefined })
      yield* called(write, failure("committed"), { purpose: "lookup" })
      assert.strictEqual(memory.modified(), 0)
    }).pipe(Effect.provide(memory.layer))
  })
})

describe("recall: answers from memory", () => {
  it.effect("4.6 a failure is recalled with the mark, and no attempt remains", () =>
    Effect.gen(function* () {
      const called = yield* world
      yield* called(read, failure("none"))
      const { passed, reasons, result } = yield* called(read, done)
      assert.deepStrictEqual(result, { ...failure("none"), recalled: true, remaining: 0 })
      assert.deepStrictEqual([passed, reasons], [undefined, ["recalled"]])
    }).pipe(Effect.provide(TurnMemoryMemory.layer))
  )

  it.effect("4.6 the identical write is refused while it runs, and a completion of it is not", () =>
    Effect.gen(function* () {
      const called = yield* world
      yield* start(called(write, "endless"))
      const { reasons, result } = yield* called(write, done)
      assert(result._tag === "Failure")
      assert.deepStrictEqual([result.failure.code, result.remaining, reasons], ["in_progress", 0, ["refused"]])
      assert.deepStrictEqual((yield* called(write, done, { purpose: "completion" })).result, done)
    }).pipe(Effect.provide(TurnMemoryMemory.layer))
  )

  it.effect("4.6 a write that succeeded is not made again, and its resumed call is", () =>
    Effect.gen(function* () {
      const called = yield* world
      yield* called(write, done, { callId: "c1" })
      const { passed, reasons, result } = yield* called(write, success({ n: 2 }), { callId: "c2", journal: "resumed" })
      assert.deepInclude(result, { value: { n: 1 } })
      assert.deepStrictEqual([passed, reasons], [undefined, ["not made again"]])
      const resumed = yield* called(write, success({ n: 2 }), { callId: "c1", journal: "resumed" })
      assert.deepStrictEqual(resumed.result, success({ n: 2 }))
    }).pipe(Effect.provide(TurnMemoryMemory.layer))
  )

  it.effect(
    "3.3 a write whose effect is unknown is made again once after a successful read, if repeats are allowed",
    () =>
      Effect.gen(function* () {
        const called = yield* world
        const answered = { ...failure("unknown"), isAnswered: true } as const
        yield* called(repeatable, answered)
        assert.isUndefined((yield* called(repeatable, done)).passed)
        yield* called(read, done)
        const { passed, reasons } = yield* called(repeatable, failure("none", "Transient"))
        assert.deepStrictEqual([passed?.isLookedAt, passed?.occasion, reasons], [true, " after a look", ["made again"]])
        // one more call for each look
        const second = yield* called(repeatable, done)
        assert.deepStrictEqual([second.passed, second.reasons], [undefined, ["recalled"]])
      }).pipe(Effect.provide(TurnMemoryMemory.layer))
  )
})

describe("recall: a write whose effect an earlier call left unknown", () => {
  for (const [what, outcome, code, sideEffect, decisions] of [
    ["a refusal of the guard", failure("none"), "outcome_unknown", "unknown", ["outcome unknown"]],
    ["a failure with a side effect", failure("committed"), "odd", "committed", []],
    ["a failure that needs a person", failure("none", "HumanReview"), "odd", "none", []]
  ] as const) {
    it.effect(`3.3 ${what} of a later call is reported as ${code} with the side effect ${sideEffect}`, () =>
      Effect.gen(function* () {
        const called = yield* world
        yield* called(write, unknown)
        const { reasons, result } = yield* called(write, outcome, {}, false)
        assert(result._tag === "Failure")
        assert.deepStrictEqual([result.failure.code, result.failure.sideEffect], [code, sideEffect])
        assert.deepStrictEqual(reasons, [...decisions])
      }).pipe(Effect.provide(TurnMemoryMemory.layer))
    )
  }

  it.effect("8.2 a replayed success answers a later call", () =>
    Effect.gen(function* () {
      const called = yield* world
      yield* called(write, unknown)
      const replayed = { ...done, idempotent: true } as const
      assert.deepStrictEqual((yield* called(write, replayed, {}, false)).result, replayed)
    }).pipe(Effect.provide(TurnMemoryMemory.layer))
  )

  it.effect("10.5 the doubt ends with an attempt that did nothing, after a person found that it was not done", () =>
    Effect.gen(function* () {
      const called = yield* world
      yield* called(write, unknown)
      const settled = { id: "settled" } as Call["settled"]
      yield* called(write, failure("none", "Transient"), { settled })
      assert.isUndefined((yield* called(write, done)).passed?.doubt)
    }).pipe(Effect.provide(TurnMemoryMemory.layer))
  )

  it.effect("8.1 an interrupted write is in doubt only if its handler was started", () =>
    Effect.gen(function* () {
      for (const isStarted of [true, false]) {
        const called = yield* world
        const key = () => `write_it ${isStarted}`
        yield* Fiber.interrupt(yield* start(called(write, "endless", { key }, isStarted)))
        const { passed } = yield* called(write, done, { key })
        assert.strictEqual(passed?.doubt !== undefined, isStarted)
      }
    }).pipe(Effect.provide(TurnMemoryMemory.layer))
  )
})

describe("recall: the finding of a person that a write was done", () => {
  const recorded = (tool: Tool, over: Partial<Call>) =>
    Effect.gen(function* () {
      const call = yield* callOf(tool, { ...over, trace: Trace.make(undefined) })
      yield* recordDone(yield* TurnMemory, call, done)
      assert.isTrue(call.trace.wasDoneBefore)
    })

  it.effect("10.5 the identical write of a model is not made again in the turn", () =>
    Effect.gen(function* () {
      const called = yield* world
      yield* recorded(write, {})
      const { passed, result } = yield* called(write, success({ n: 2 }))
      assert.deepStrictEqual([passed, result._tag === "Success" && result.value], [undefined, { n: 1 }])
    }).pipe(Effect.provide(TurnMemoryMemory.layer))
  )

  it.effect("4.7 the write of a program does not keep a model from the identical write", () =>
    Effect.gen(function* () {
      const called = yield* world
      yield* recorded(write, { requester: "program" })
      assert.isDefined((yield* called(write, success({ n: 2 }))).passed)
    }).pipe(Effect.provide(TurnMemoryMemory.layer))
  )

  it.effect("10.5 outside a turn, and for a poll, nothing is remembered", () => {
    const memory = counted()
    const poll = { interval: "1 second", deadline: "1 minute", until: () => true }
    return Effect.gen(function* () {
      yield* recorded(write, { turn: undefined })
      yield* recorded(define("read_it", { poll }), {})
      assert.strictEqual(memory.modified(), 0)
    }).pipe(Effect.provide(memory.layer))
  })
})

describe("recall: whether the tool ran for a call", () => {
  const attempt = { startedAt: 0, durationMillis: 0, outcome: "Success" } as const
  for (const [what, trace, outcome, expected] of [
    ["an attempt that succeeded", { attempts: [attempt] }, done, true],
    ["an attempt that failed", { attempts: [attempt] }, failure("none"), true],
    ["no attempt", {}, done, false],
    ["an attempt before a replayed result", { attempts: [attempt] }, { ...done, idempotent: true }, false],
    ["no attempt, but an earlier process that did it", { wasDoneBefore: true }, done, true]
  ] as const) {
    it.effect(`4.6 ${what} ${expected ? "counts" : "does not count"} as a run`, () =>
      Effect.gen(function* () {
        const call = yield* callOf(write, { trace: Object.assign(Trace.make(undefined), trace) })
        assert.strictEqual(isFresh(call, outcome as Outcome), expected)
      })
    )
  }
})

/** Tests the event of a call for the loop detector, and which calls change the counts of their conversation. */
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import type { Call } from "#pipeline/call/Call"
import { compiledOf } from "#pipeline/call/CompiledTool"
import * as Trace from "#pipeline/call/Trace"
import { record } from "#pipeline/stages/record"
import { CallLog } from "#services/CallLog"
import { TurnMemory } from "#services/TurnMemory"
import * as CallLogMemory from "#layers/CallLogMemory"
import * as TurnMemoryMemory from "#layers/TurnMemoryMemory"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { alone, define, start, type Tool } from "../support.ts"

const read = define("read_it")
const write = define("write_it", { access: "write" })
const status = define("get_job", { success: Schema.Struct({ status: Schema.String }) })

const failure = (tag: "Permanent" | "Transient" = "Permanent", more: object = {}) =>
  failed(Failure.make(tag, "odd", { detail: "d", hint: "h", sideEffect: "none", tool: "t", traceId: "trace", ...more }))
const done = success({ n: 1 })
const attempt = { startedAt: 0, durationMillis: 0, outcome: "Success" } as const

/** A memory that counts how often the loops of a conversation are modified. */
const counted = () => {
  let modified = 0
  const memory = Layer.effect(
    TurnMemory,
    Effect.map(TurnMemory, (all) => ({
      ...all,
      modifyLoop: ((...args: Parameters<typeof all.modifyLoop>) => {
        modified++
        return all.modifyLoop(...args)
      }) as typeof all.modifyLoop
    }))
  ).pipe(Layer.provide(TurnMemoryMemory.layer))
  return { layer: Layer.mergeAll(Guard.memory, CallLogMemory.layer, memory), modified: () => modified }
}

/** Runs the stage for one call that makes `attempts` attempts. */
const made = (tool: Tool, next: Outcome | Effect.Effect<Outcome>, over: Partial<Call> = {}, changes: object = {}) =>
  Effect.gen(function* () {
    const trace = Object.assign(Trace.make(undefined), { key: () => "the key", attempts: [attempt] }, changes)
    const stage = yield* alone(record, tool, () => (Effect.isEffect(next) ? next : Effect.succeed(next)))
    const result = yield* stage.run({ ...over, trace })
    const records = yield* (yield* CallLog).records
    return { result, trace, event: trace.event, records }
  })

const provided = Effect.provide(counted().layer)

describe("record: the event of a call", () => {
  const event = {
    tool: compiledOf(read).scope,
    access: "read",
    key: "the key",
    poll: false,
    recalled: false,
    turn: "turn",
    round: 1,
    thresholds: compiledOf(read).definition.loop
  } as const

  it.effect("7.1 has the tool, the key, the place of the call and its result", () =>
    Effect.gen(function* () {
      const first = yield* made(read, done)
      const { outcome, ...rest } = first.event!
      assert.deepStrictEqual(rest, event as object)
      assert(outcome._tag === "Success")
      assert.strictEqual(outcome.digest, '{"n":1}')
      const same = yield* made(read, done)
      const other = yield* made(read, success({ n: 2 }))
      assert.deepStrictEqual(same.event?.outcome, outcome)
      assert.notDeepEqual(other.event?.outcome, outcome)
      assert.deepStrictEqual((yield* made(read, { ...done, digest: "known" })).event?.outcome, {
        _tag: "Success",
        digest: "known"
      })
    }).pipe(Effect.provide(counted().layer))
  )

  it.effect("7.1 without decoded arguments, the key is the received input", () =>
    Effect.gen(function* () {
      const keys = yield* Effect.forEach([{ q: 1 }, { q: 1 }, { q: 2 }], (input) =>
        Effect.map(made(read, failure(), { input }, { key: undefined }), ({ event }) => event?.key)
      )
      assert.match(keys[0] ?? "", /^read_it [0-9a-f]{64}$/u)
      assert.deepStrictEqual([keys[1] === keys[0], keys[2] === keys[0]], [true, false])
    }).pipe(Effect.provide(counted().layer))
  )

  for (const [what, tool, outcome, over, changes, expected] of [
    ["outside rounds", read, done, { round: 0 }, {}, { round: undefined }],
    ["after a lapse of its counts", read, done, {}, { countedIn: "later" }, { turn: "later" }],
    ["without an attempt", read, done, {}, { attempts: [] }, { recalled: true }],
    ["by a fallback", read, { ...done, usedFallback: "cache" }, {}, { attempts: [] }, { recalled: false }],
    ["not made again", read, { ...done, notExecuted: "It was made before." }, {}, {}, { recalled: true }],
    ["that failed without an attempt", read, failure(), {}, { attempts: [] }, { recalled: false }],
    ["with a recalled failure", read, { ...failure(), recalled: true }, {}, {}, { recalled: true }],
    ["that polls", define("read_it", poll(true)), done, {}, { isPolling: true }, { poll: true }],
    ["of a poll that is over", define("read_it", poll(true)), done, {}, { isPolling: false }, { poll: false }],
    ["of unfinished work without a declared poll", read, done, {}, { isPolling: true }, { poll: false }],
    ["of a write", write, done, {}, {}, { access: "write" }],
    [
      "of a write whose repeats are allowed",
      define("write_it", { access: "write", idempotency: "none", repeats: "allowed" }),
      done,
      {},
      {},
      { access: "write", isRepeatable: true }
    ]
  ] as const) {
    it.effect(`7.1 of a call ${what} says ${JSON.stringify(expected)}`, () =>
      Effect.gen(function* () {
        const { outcome: _, ...rest } = (yield* made(tool, outcome as Outcome, over, changes)).event!
        const { loop: thresholds } = compiledOf(tool).definition
        assert.deepStrictEqual(rest, { ...event, tool: compiledOf(tool).scope, thresholds, ...expected } as object)
      }).pipe(Effect.provide(counted().layer))
    )
  }

  it.effect("7.1 of a failure has its class, its code and its first field", () =>
    Effect.gen(function* () {
      const { event: plain } = yield* made(read, failure())
      const expected = { _tag: "Failure", class: "Permanent", code: "odd", path: undefined, digest: undefined } as const
      assert.deepStrictEqual(plain?.outcome, expected)
      const { event: named } = yield* made(read, failure("Permanent", { fields: ["a", "b"] }))
      assert.deepStrictEqual(named?.outcome, { ...expected, path: "a" })
    }).pipe(provided)
  )

  it.effect("3.5, 7.1 of a declared refusal differs by the fields of the refusal", () =>
    Effect.gen(function* () {
      const paths = yield* Effect.forEach([1, 1, 2], (left) =>
        Effect.map(made(read, failure("Permanent", { refusal: { _tag: "SoldOut", left } })), ({ event }) =>
          event?.outcome._tag === "Failure" ? event.outcome.path : ""
        )
      )
      assert.match(paths[0] ?? "", /^[0-9a-f]{64}$/u)
      assert.deepStrictEqual([paths[1] === paths[0], paths[2] === paths[0]], [true, false])
    }).pipe(provided)
  )

  it.effect("7.1 of a Transient failure says when the call may be made again, and whether it was made", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("5 seconds")
      const timesOf = (outcome: Outcome, changes: object) =>
        Effect.map(made(read, outcome, {}, changes), ({ event }) => [event?.now, event?.readyAt, event?.isUnmade])
      const readyAt = 9_000
      assert.deepStrictEqual(yield* timesOf(failure("Transient"), { readyAt }), [5_000, 9_000, undefined])
      assert.deepStrictEqual(yield* timesOf(failure("Transient"), { readyAt, attempts: [] }), [5_000, 9_000, true])
      const inner = { readyAt, attempts: [], innerAttempts: 1 }
      assert.deepStrictEqual(yield* timesOf(failure("Transient"), inner), [5_000, 9_000, undefined])
      assert.deepStrictEqual(yield* timesOf(failure("Transient"), {}), [undefined, undefined, undefined])
      assert.deepStrictEqual(yield* timesOf(failure(), { readyAt }), [undefined, undefined, undefined])
      assert.deepStrictEqual(yield* timesOf(done, { readyAt }), [undefined, undefined, undefined])
    }).pipe(provided)
  )

  for (const [what, tool, value, over, changes, expected] of [
    ["unfinished work", status, { status: "running" }, {}, {}, [5_000, true, undefined]],
    ["work that is pending", status, { status: "pending" }, {}, {}, [5_000, undefined, true]],
    ["work that is pending, without times", status, { status: "pending" }, { isUntimed: true }, {}, []],
    ["finished work", status, { status: "done" }, {}, {}, []],
    ["finished work after a wait", status, { status: "done" }, {}, { statusAt: 3_000 }, [3_000, undefined, undefined]],
    ["unfinished work after a wait", status, { status: "running" }, {}, { statusAt: 3_000 }, [3_000, true, undefined]],
    ["a status that was not read", status, { status: "running" }, {}, { attempts: [] }, []],
    [
      "a write",
      define("start_job", { access: "write", success: Schema.Struct({ status: Schema.String }) }),
      { status: "running" },
      {},
      {},
      []
    ],
    [
      "a tool that is no poll",
      define("get_job", { success: Schema.Struct({ status: Schema.String }), poll: false }),
      { status: "running" },
      {},
      {},
      []
    ]
  ] as const) {
    it.effect(`7.2 of ${what} has ${expected.length === 0 ? "no times" : "its times"}`, () =>
      Effect.gen(function* () {
        yield* TestClock.adjust("5 seconds")
        const { event } = yield* made(tool, success(value), over, changes)
        const [at, isUnfinished, isPending] = expected
        assert.deepStrictEqual(
          [event?.at, event?.endedAt, event?.isUnfinished, event?.isPending],
          [at, at === undefined ? undefined : 5_000, isUnfinished, isPending]
        )
      }).pipe(provided)
    )
  }

  it.effect("7.2 the model reads when to read unfinished work again, and nothing for other results", () =>
    Effect.gen(function* () {
      const again = (value: unknown, over: object = {}) =>
        Effect.map(made(status, { ...success(value), ...over }), ({ result }) =>
          result._tag === "Success" ? result.readAgainMillis : 0
        )
      assert.strictEqual(yield* again({ status: "running" }), 1_000)
      assert.isUndefined(yield* again({ status: "pending" }))
      assert.isUndefined(yield* again({ status: "done" }))
      assert.isUndefined(yield* again({ status: "running" }, { usedFallback: "cache" }))
    }).pipe(Effect.provide(counted().layer))
  )
})

function poll(isOver: boolean) {
  return { poll: { interval: "1 second", deadline: "1 minute", until: () => isOver } }
}

describe("record: the calls that change the counts of a conversation", () => {
  for (const [what, tool, outcome, over, changes, times] of [
    ["a model's call", read, done, {}, {}, 1],
    ["a program's write", write, done, { requester: "program" }, {}, 1],
    ["a program's read", read, done, { requester: "program" }, {}, 0],
    ["a program's write that failed", write, failure(), { requester: "program" }, {}, 0],
    ["a program's replayed write", write, { ...done, idempotent: true }, { requester: "program" }, {}, 0],
    ["a read that was shared", read, done, {}, { isShared: true }, 0],
    ["a lookup", read, done, { purpose: "lookup" }, {}, 0],
    ["a call outside a turn", read, done, { turn: undefined }, {}, 0]
  ] as const) {
    it.effect(`7.1 ${what} changes them ${times === 1 ? "once" : "not at all"}, and is recorded`, () => {
      const memory = counted()
      return Effect.gen(function* () {
        const { event, records, result } = yield* made(tool, outcome as Outcome, over, changes)
        assert.deepStrictEqual([memory.modified(), records.length, result], [times, 1, outcome])
        assert.strictEqual(event !== undefined, times === 1 && !("requester" in over))
      }).pipe(Effect.provide(memory.layer))
    })
  }

  it.effect("7.3 an identical failure that is stopped has no attempts left", () =>
    Effect.gen(function* () {
      const results = yield* Effect.forEach([1, 2, 3], (round) => made(read, failure(), { round }))
      assert.deepStrictEqual(
        results.map(({ result }) => [result.loop?._tag, result._tag === "Failure" && result.remaining]),
        [
          [undefined, undefined],
          ["Tell", 0],
          ["Stop", 0]
        ]
      )
    }).pipe(Effect.provide(counted().layer))
  )

  it.effect("7.3 a success, and a failure with other arguments, keep the attempts that are left", () =>
    Effect.gen(function* () {
      const other = { ...failure(), remaining: 3 } as const
      const failures = yield* Effect.forEach([1, 2, 3, 4], (round) =>
        made(read, other, { round }, { key: () => `key ${round}` })
      )
      const { result } = failures.at(-1)!
      assert.deepStrictEqual([result.loop?._tag, result._tag === "Failure" && result.remaining], ["Tell", 3])
      yield* made(read, done, { round: 5 })
      const again = yield* made(read, done, { round: 6 })
      assert.strictEqual(again.result.loop?._tag, "Tell")
      assert.notProperty(again.result, "remaining")
    }).pipe(Effect.provide(counted().layer))
  )

  it.effect("7.1 a program's write restarts the counts of the model's calls", () =>
    Effect.gen(function* () {
      yield* made(read, done, { round: 1 })
      yield* made(write, done, { requester: "program" })
      assert.isUndefined((yield* made(read, done, { round: 2 })).result.loop)
      assert.strictEqual((yield* made(read, done, { round: 3 })).result.loop?._tag, "Tell")
    }).pipe(Effect.provide(counted().layer))
  )
})

describe("record: calls without an outcome", () => {
  for (const [what, tool, isStarted, sideEffect, place] of [
    ["a write after its handler started", write, true, "unknown", "after"],
    ["a write before its handler started", write, false, "none", "before"],
    ["a read", read, true, "none", "after"]
  ] as const) {
    it.effect(`2.5 a defect of a stage around ${what} has the side effect ${sideEffect}`, () =>
      Effect.gen(function* () {
        const { records, result, trace } = yield* made(tool, Effect.die(new Error("boom")), {}, { isStarted })
        assert(result._tag === "Failure")
        const name = compiledOf(tool).definition.name
        assert.deepStrictEqual(
          [result.failure.code, result.failure.sideEffect, result.failure.detail],
          ["tool_crashed", sideEffect, `The guard around ${name} crashed ${place} the tool ran.`]
        )
        assert.isDefined(trace.crash)
        assert.lengthOf(records, 1)
      }).pipe(Effect.provide(counted().layer))
    )
  }

  it.effect("2.5 a stage that throws before any effect starts is recorded like a defect", () =>
    Effect.gen(function* () {
      const stage = yield* alone(record, read, () => {
        throw new Error("boom")
      })
      const result = yield* stage.run({ trace: Trace.make(undefined) })
      assert.strictEqual(result._tag === "Failure" && result.failure.code, "tool_crashed")
      assert.lengthOf(yield* (yield* CallLog).records, 1)
    }).pipe(Effect.provide(counted().layer))
  )

  it.effect("4.17 an interrupted call is recorded once", () =>
    Effect.gen(function* () {
      const stage = yield* alone(record, read, () => Effect.never)
      yield* Fiber.interrupt(yield* start(stage.run({ trace: Trace.make(undefined) })))
      const records = yield* (yield* CallLog).records
      assert.deepStrictEqual(
        records.map(({ outcome }) => outcome._tag === "Failure" && outcome.failure.code),
        ["interrupted"]
      )
    }).pipe(Effect.provide(counted().layer))
  )

  it.effect("2.12 a shadow records the end of the call for its caller", () =>
    Effect.gen(function* () {
      const unguarded = { outcome: success({ n: 9 }), attempts: [attempt, attempt], startedAt: 0 }
      yield* TestClock.adjust("5 seconds")
      const { records, result } = yield* made(read, failure(), {}, { unguarded })
      assert.deepStrictEqual(
        records.map(({ attempts, outcome }) => [outcome._tag, attempts.length]),
        [["Success", 2]]
      )
      assert.strictEqual(result._tag, "Failure")
    }).pipe(Effect.provide(counted().layer))
  )
})

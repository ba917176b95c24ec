/** Tests when a write with an unknown effect is looked up and made again, in the same turn or in a later one. */
import { failed, type Outcome, success as succeeded } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import { noneRunning } from "#domain/turn/DoubtfulWrites"
import * as TurnMemoryMemory from "#layers/TurnMemoryMemory"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import { refuse } from "#pipeline/call/Refusal"
import type { Call } from "#pipeline/call/Call"
import * as Trace from "#pipeline/call/Trace"
import { recall } from "#pipeline/stages/recall"
import { lookUpFirst, lookupOf } from "#pipeline/stages/WriteLookup"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import { Guard } from "#src/guard/Guard"
import { compiledOf } from "#pipeline/call/CompiledTool"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Schema } from "effect"
import { TestClock } from "effect/testing"
import { alone, ask, brief, callOf, complete, response, start, tool, turn, within } from "../support.ts"

const down = Effect.fail(new Error("down"))
const success = Schema.Struct({ found: Schema.Array(Schema.Int) })

/** Creates a write with a lookup, and a function that calls the write. */
const world = (looked: ReadonlyArray<unknown>, ...answers: ReadonlyArray<unknown>) => worldWith({}, looked, ...answers)

/** Like `world`, for a write with further policies. */
const worldWith = (policy: object, looked: ReadonlyArray<unknown>, ...answers: ReadonlyArray<unknown>) => {
  const lookup = tool("find_it", { success, retry: { attempts: 1 } }, ...looked)
  const reconcile = {
    tool: lookup.tool,
    arguments: () => ({ q: "a" }),
    found: ({ found }: typeof success.Type) => Option.map(Option.fromUndefinedOr(found[0]), (n) => ({ n }))
  }
  const write = tool("write_it", { access: "write", reconcile, ...policy }, ...answers)
  const called = (callId: string, seconds = 6) =>
    Effect.gen(function* () {
      const call = yield* start(ask([write.tool], "write_it", '{"q":"a"}', { callId }))
      yield* TestClock.adjust(`${seconds} seconds`)
      return (yield* Fiber.join(call)).envelope
    })
  return { called, layers: [write.layer, lookup.layer], lookup, write }
}

describe("a write that has a lookup, and whose effect is unknown", () => {
  const ending = (seconds: number) => Effect.onInterrupt(Effect.never, () => Effect.sleep(`${seconds} seconds`))

  it.effect("3.3 if the lookup finds nothing and the handler has ended, the identical call is made", () => {
    const { called, layers, write } = world([down, { found: [] }], ending(1), { n: 2 })
    return Effect.gen(function* () {
      assert.strictEqual((yield* called("c1")).error.code, "outcome_unknown")
      assert.deepStrictEqual((yield* called("c2")).data, { n: 2 })
      assert.strictEqual(write.runs(), 2)
    }).pipe(within(layers))
  })

  it.effect("3.3 if the lookup finds nothing but the handler has not ended, the identical call is not made", () => {
    const { called, layers, write } = world([down, { found: [] }], ending(600), { n: 2 })
    return Effect.gen(function* () {
      yield* called("c1")
      const { error } = yield* called("c2")
      assert.deepInclude(error, { code: "outcome_unknown", side_effect: "unknown" })
      assert.include(error.message, "the handler of an earlier call has not ended")
      assert.strictEqual(write.runs(), 1)
    }).pipe(within(layers))
  })

  for (const [host, more] of [
    ["a turn", {}],
    ["a session", { isSession: true }]
  ] as const) {
    it.effect(`8.1 if it was interrupted in ${host}, and the lookup finds nothing, the identical call is made`, () => {
      const { called, layers, lookup, write } = world([{ found: [] }], Effect.never, { n: 2 })
      return Effect.gen(function* () {
        yield* Fiber.interrupt(yield* start(ask([write.tool], "write_it", '{"q":"a"}')))
        assert.deepStrictEqual((yield* called("c2")).data, { n: 2 })
        assert.deepStrictEqual([write.runs(), lookup.runs()], [2, 1])
      }).pipe(within(layers, undefined, { ...turn, ...more }))
    })

    it.effect(`8.1 if it was interrupted in ${host}, and the lookup finds the effect, it is not made again`, () => {
      const { called, layers, write } = world([{ found: [7] }], Effect.never, { n: 2 })
      return Effect.gen(function* () {
        yield* Fiber.interrupt(yield* start(ask([write.tool], "write_it", '{"q":"a"}')))
        assert.deepStrictEqual((yield* called("c2")).data, { n: 7 })
        assert.strictEqual(write.runs(), 1)
      }).pipe(within(layers, undefined, { ...turn, ...more }))
    })
  }

  it.effect(
    "8.1, 7.1 if the lookup fails in a session after its counts have lapsed, the write is not made again",
    () => {
      const refused = Effect.fail(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }))
      const { called, layers, lookup, write } = world([down], refused, refused, refused, refused, response(500), {
        n: 2
      })
      return Effect.gen(function* () {
        // three waits of random length
        yield* called("c1", 30)
        yield* TestClock.adjust("61 seconds")
        for (const callId of ["c2", "c3"]) {
          const { error } = yield* called(callId)
          assert.deepInclude(error, { code: "outcome_unknown", side_effect: "unknown" })
        }
        assert.deepStrictEqual([write.runs(), lookup.runs()], [5, 2])
      }).pipe(within(layers, undefined, { ...turn, isSession: true }))
    }
  )

  it.effect("3.3, 7.1 if the lookup fails in a session, the write is not made again after 60 seconds", () => {
    const { called, layers, lookup, write } = world([down], Effect.never, { n: 2 })
    return Effect.gen(function* () {
      for (const callId of ["c1", "c2", "c3"]) {
        assert.strictEqual((yield* called(callId)).error.code, "outcome_unknown")
        yield* TestClock.adjust("61 seconds")
      }
      assert.deepStrictEqual([write.runs(), lookup.runs()], [1, 3])
    }).pipe(within(layers, undefined, { ...turn, isSession: true }))
  })
})

describe("a write whose effect an earlier call left unknown", () => {
  const absent = { found: [] }
  const unknown = "HumanReview outcome_unknown unknown"

  /** Makes a model's call. Returns `brief` of its failure, or its status. */
  const made = ({ tool }: ReturnType<typeof world>["write"]) =>
    Effect.map(complete(ask([tool], tool.toolName, '{"q":"a"}')), ({ envelope, outcome }) =>
      outcome._tag === "Failure" ? brief(outcome.failure).join(" ") : (envelope.status as string)
    )

  for (const [what, second, looked, expected] of [
    ["a lookup finds nothing", response(404, ""), absent, "Permanent not_found none"],
    ["a lookup finds the effect", response(404, ""), { found: [3] }, "success"],
    ["the lookup fails", response(404, ""), down, unknown],
    ["the write succeeds", { n: 2 }, absent, "success"]
  ] as const) {
    it.effect(`3.3 if the write is called again and ${what}, the outcome is ${expected}`, () => {
      const { layers, write } = world([down, looked], response(500, "oops"), second)
      return Effect.gen(function* () {
        assert.deepStrictEqual([yield* made(write), yield* made(write)], [unknown, expected])
      }).pipe(within(layers))
    })
  }

  it.effect("3.3 once a lookup has found nothing, later failures keep their own effects", () => {
    const once = { retry: { attempts: 1 } }
    const busy = response(503, "", { "retry-after": "1" })
    const { layers, lookup, write } = worldWith(once, [down, absent], response(500, "oops"), busy)
    return Effect.gen(function* () {
      const answers = [yield* made(write), yield* made(write), yield* made(write)]
      assert.deepStrictEqual(answers, [unknown, ...Array(2).fill("Transient unavailable none")])
      assert.deepStrictEqual([write.runs(), lookup.runs()], [3, 2])
    }).pipe(within(layers))
  })

  it.effect(
    "3.3 the effect is unknown if a lookup finds nothing while the handler of the earlier call still runs",
    () => {
      const policy = { retry: { attempts: 1 }, timeout: "1 second" }
      const endless = Effect.uninterruptible(Effect.as(Effect.sleep("1 day"), { n: 1 }))
      const { layers, write } = worldWith(policy, [absent], endless, response(404, ""))
      return Effect.gen(function* () {
        assert.deepStrictEqual([yield* made(write), yield* made(write)], [unknown, unknown])
        assert.strictEqual(write.runs(), 1)
      }).pipe(within(layers))
    }
  )

  it.effect("3.3 the effect is none if a retry did nothing and a lookup then finds nothing", () => {
    const policy = { idempotency: { mode: "derived", upstreamHonoursKey: true } }
    const { layers, write } = worldWith(policy, [down, absent], response(500, "oops"), response(404, ""))
    return Effect.gen(function* () {
      assert.strictEqual(yield* made(write), "Permanent not_found none")
      assert.strictEqual(write.runs(), 2)
    }).pipe(within(layers))
  })

  it.effect("3.3, 4.12 if the write is called again and its lookup fails, no fallback is tried", () => {
    const other = tool("other", { access: "write" }, { n: 9 })
    const fallbacks = [{ tool: other.tool, arguments: (args: unknown) => args }]
    const { layers, write } = worldWith({ fallbacks }, [down], response(500, "oops"), response(404, ""))
    return Effect.gen(function* () {
      assert.deepStrictEqual([yield* made(write), yield* made(write)], [unknown, unknown])
      assert.deepStrictEqual([write.runs(), other.runs()], [1, 0])
    }).pipe(within([...layers, other.layer]))
  })

  it.effect(
    "3.3, 10.5 after a person found that it was not done, the failure of the next attempt keeps its own effect",
    () => {
      const write = tool("write_it", { access: "write" }, response(500, "oops"), response(404, ""))
      return Effect.gen(function* () {
        assert.strictEqual(yield* made(write), unknown)
        const outcomes = yield* UnknownOutcomes
        const [open] = yield* outcomes.open({ limit: 1 })
        yield* outcomes.settle(open!.id, { finding: "not_done", by: "ana", reason: "" })
        assert.deepStrictEqual(
          [yield* made(write), yield* made(write)],
          ["Permanent not_found none", "Permanent not_found none"]
        )
      }).pipe(within([write.layer], Guard.layerMemoryWith(Layer.fresh(UnknownOutcomesMemory.layer))))
    }
  )

  for (const [code, expected] of [
    ["key_conflict", unknown],
    ["in_progress", "Transient in_progress none"],
    ["approval_denied", "HumanReview approval_denied none"]
  ] as const) {
    it.effect(`3.3 a later call that is refused with ${code} before any attempt reports ${expected}`, () => {
      const { tool: write } = tool("write_it", { access: "write" })
      const named = { name: "write_it", traceId: "trace" }
      const outcomes = [refuse(named, "outcome_unknown", { detail: "", sideEffect: "unknown" })]
      return Effect.gen(function* () {
        const { run } = yield* alone(recall, write, () =>
          Effect.sync(() => outcomes.pop() ?? refuse(named, code, { detail: "" }))
        )
        yield* run()
        const outcome = yield* run()
        assert.strictEqual(outcome._tag === "Failure" ? brief(outcome.failure).join(" ") : "", expected)
      }).pipe(Effect.provide(TurnMemoryMemory.layer))
    })
  }
})

describe("the lookup of a write before its first attempt", () => {
  const { write } = world([])
  const honoured = worldWith({ idempotency: { mode: "derived", upstreamHonoursKey: true } }, []).write
  const keyed = worldWith({ idempotency: "derived" }, []).write
  const doubt = { isAnswered: false, isRunning: noneRunning }
  const running = { isAnswered: false, isRunning: () => true }
  const failure = (sideEffect: Failure.SideEffect) =>
    Failure.make("Permanent", "odd", { detail: "d", hint: "h", sideEffect, tool: "write_it", traceId: "trace" })

  for (const [what, { tool: one }, over, isUnknown, isNeeded] of [
    ["whose effect the budget does not know", write, {}, true, true],
    ["that is in doubt", write, { doubt }, false, true],
    ["with a key that the upstream ignores", keyed, {}, true, true],
    ["whose effects are known", write, {}, false, false],
    ["that has failed in this call already", write, { lastFailure: failure("none") }, true, false],
    ["that a person confirms under another key", write, { confirm: "another key" }, true, false],
    ["whose upstream honours the key", honoured, { doubt }, true, false]
  ] as const) {
    it.effect(`3.3 is ${isNeeded ? "made" : "not made"} for a write ${what}`, () =>
      Effect.gen(function* () {
        const { definition } = compiledOf(one)
        const lookup = lookupOf(definition, yield* callOf(one, over), isUnknown)
        assert.strictEqual(lookup, isNeeded ? definition.reconcile : undefined)
      })
    )
  }

  /** Runs the lookup with its answer, then the write with its outcome if it is made. */
  const lookedUp = (answer: Outcome, over: Partial<Call> = {}, outcome: Outcome = succeeded({ n: 2 })) =>
    Effect.gen(function* () {
      const trace = Trace.make(undefined)
      const call = yield* callOf(write.tool, { ...over, trace })
      const made: Array<Call> = []
      const result = yield* lookUpFirst(
        call,
        compiledOf(write.tool).definition.reconcile!,
        () => Effect.succeed(answer),
        (one) =>
          Effect.sync(() => {
            made.push(one)
            return outcome
          })
      )
      const [decision, ...others] = trace.decisions
      assert.deepStrictEqual([decision?.stage, others], ["budget", []])
      return { made, result, trace, decision: [decision?.decision, decision?.reason] }
    })

  it.effect("3.3 that finds the effect returns it, and the write counts as done before", () =>
    Effect.gen(function* () {
      const { decision, made, result, trace } = yield* lookedUp(succeeded({ found: [7] }))
      assert.deepStrictEqual([result, made.length, trace.wasDoneBefore], [succeeded({ n: 7 }), 0, true])
      assert.deepStrictEqual(decision, ["committed", "find_it found the effect of an earlier identical call"])
    })
  )

  it.effect("3.3 that finds nothing ends the doubt, and a write that then does nothing has done nothing at all", () =>
    Effect.gen(function* () {
      for (const [outcome, isAbsent] of [
        [succeeded({ n: 2 }), undefined],
        [failed(failure("none")), true],
        [failed(failure("unknown")), undefined]
      ] as const) {
        const { decision, made, result, trace } = yield* lookedUp(succeeded({ found: [] }), { doubt }, outcome)
        assert.deepStrictEqual(result, isAbsent ? { ...outcome, isAbsent } : outcome)
        assert.deepStrictEqual(
          made.map(({ doubt }) => doubt),
          [undefined]
        )
        assert.isFalse(trace.wasDoneBefore)
        assert.deepStrictEqual(decision, ["absent", "find_it found no effect of the earlier identical calls"])
      }
    })
  )

  for (const [what, answer, earlier, reason] of [
    ["fails", failed(failure("none")), doubt, "find_it failed: odd"],
    [
      "finds nothing while a handler still runs",
      succeeded({ found: [] }),
      running,
      "the handler of an earlier call has not ended"
    ]
  ] as const) {
    it.effect(`3.3 that ${what} leaves the effect unknown, and the unit of the refused write is refunded`, () =>
      Effect.gen(function* () {
        const { decision, made, result } = yield* lookedUp(answer, { doubt: earlier })
        assert(result._tag === "Failure")
        assert.deepStrictEqual(brief(result.failure), ["HumanReview", "outcome_unknown", "unknown"])
        assert.strictEqual(
          result.failure.detail,
          `It is not known whether an earlier identical call of write_it took effect: ${reason}. The tool was not called again.`
        )
        assert.deepStrictEqual([result.isRefund, made.length], [true, 0])
        assert.deepStrictEqual(decision, ["unknown", reason])
      })
    )

    it.effect(`3.3 that ${what} does not stop a write that the model has checked, or that a person settled`, () =>
      Effect.gen(function* () {
        const settled = { id: "settled" } as Call["settled"]
        for (const over of [{ isLookedAt: true }, { settled }]) {
          const { made, result } = yield* lookedUp(answer, { doubt: earlier, ...over })
          assert.deepStrictEqual(result, succeeded({ n: 2 }))
          assert.deepStrictEqual(
            made.map(({ doubt }) => doubt),
            [earlier]
          )
        }
      })
    )
  }
})

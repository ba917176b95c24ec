import * as GracefulShutdown from "#layers/GracefulShutdown"
import * as CallLogMemory from "#layers/CallLogMemory"
import { CallLog } from "#services/CallLog"
import type { Call } from "#pipeline/call/Call"
import type { Stage } from "#pipeline/call/Stage"
import * as Pipeline from "#pipeline/Pipeline"
import { Drain, type ProcessDrain, IsWithinCall } from "#services/Drain"
import { Escalation } from "#services/Escalation"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Option, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ask, asked, brief, failureOf, poll, response, settled, start, tool, within } from "../support.ts"

const shuttingDown = ["Transient", "shutting_down", "none"]
const write = { access: "write", description: "Refunds. Writes." }

/** Runs a test with a guard that has a drain with a grace time of 30 seconds. */
const draining = (
  layers: ReadonlyArray<Layer.Layer<any>>,
  test: (drain: ProcessDrain) => Effect.Effect<unknown, unknown, any>,
  services: Layer.Layer<any> = CallLogMemory.layer
) =>
  Effect.flatMap(GracefulShutdown.make(), (drain) =>
    test(drain).pipe(within(layers, Guard.layerMemoryWith(Layer.provideMerge(services, Layer.succeed(Drain, drain)))))
  )

/** As `draining`, with a stage that holds some calls between their acceptance and their slot until it is opened. */
const heldBeforeSlot = (
  layers: ReadonlyArray<Layer.Layer<any>>,
  isHeld: (call: Call) => boolean,
  test: (held: {
    readonly drain: ProcessDrain
    readonly open: Effect.Effect<unknown>
    readonly reached: Effect.Effect<unknown>
  }) => Effect.Effect<unknown, unknown, any>
) =>
  Effect.gen(function* () {
    const drain = yield* GracefulShutdown.make()
    const [reached, opened] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const gate: Stage = {
      name: "gate",
      make: Effect.succeed(() => (next) => (call) => {
        if (!isHeld(call)) return next(call)
        return Effect.andThen(
          Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(opened)),
          Effect.suspend(() => next(call))
        )
      })
    }
    const guard = Guard.layerOf(Pipeline.insertBefore("concurrency", gate)(Pipeline.stages)).pipe(
      Layer.provideMerge(Guard.memory),
      Layer.provideMerge(Layer.succeed(Drain, drain))
    )
    const held = { drain, open: Deferred.succeed(opened, undefined), reached: Deferred.await(reached) }
    return yield* test(held).pipe(within(layers, guard))
  })

describe("drain", () => {
  it.effect("12.7 a new call is refused without an attempt, and recorded", () => {
    const refund = tool("refund", write, { n: 1 })
    return draining([refund.layer], (drain) =>
      Effect.gen(function* () {
        yield* drain.drain
        const { attempts, envelope } = yield* ask([refund.tool], "refund", '{"q":"a"}')
        const { code, error_class, message, next_step, retryable, side_effect } = envelope.error
        assert.deepStrictEqual(
          [error_class, code, side_effect, retryable, next_step, attempts],
          ["transient", "shutting_down", "none", true, "wait", 0]
        )
        assert.strictEqual(message, "The process is shutting down; the call was not made.")
        assert.deepStrictEqual(yield* settled(refund.tool.call({ q: "b" })), shuttingDown)
        assert.strictEqual(refund.runs(), 0)
        const records = yield* (yield* CallLog).records
        assert.deepStrictEqual(
          records.map(({ decisions }) => decisions.map(({ stage }) => stage)),
          [["drain"], ["drain"]]
        )
      })
    )
  })

  it.effect("4.7, 12.7 a call that waits because it came too early is not made, and draining does not wait", () => {
    const refused = Effect.fail(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }))
    const refund = tool("refund", { ...write, retry: { attempts: 1 } }, refused)
    return draining([refund.layer], (drain) =>
      Effect.gen(function* () {
        const call = ask([refund.tool], "refund", '{"q":"a"}')
        assert.strictEqual((yield* call).envelope.error.retryable, true)
        const waiting = yield* start(call)
        yield* drain.drain
        const { envelope } = yield* Fiber.join(waiting)
        assert.deepStrictEqual([envelope.error.code, refund.runs()], ["shutting_down", 1])
      })
    )
  })

  it.effect("12.7 a running call ends as usual within the grace time, and draining ends with it", () => {
    const slow = tool("refund", { ...write, timeout: "1 minute" }, Effect.as(Effect.sleep("20 seconds"), { n: 1 }))
    return draining([slow.layer], (drain) =>
      Effect.gen(function* () {
        const call = yield* start(settled(slow.tool.call({ q: "a" })))
        const drained = yield* start(drain.drain)
        yield* TestClock.adjust("19 seconds")
        assert.isUndefined(drained.pollUnsafe())
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* Fiber.join(call), { n: 1 })
        yield* Fiber.join(drained)
      })
    )
  })

  it.effect("12.7 a write that exceeds the grace time is interrupted, and its effect is recorded as unknown", () => {
    let isInterrupted = false
    const hung = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (isInterrupted = true)))
    const refund = tool("refund", { ...write, timeout: "5 minutes" }, hung)
    return draining([refund.layer], (drain) =>
      Effect.gen(function* () {
        const call = yield* start(refund.tool.call({ q: "a" }) as Effect.Effect<unknown>)
        const drained = yield* start(drain.drain)
        yield* TestClock.adjust("30 seconds")
        yield* Fiber.join(drained)
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(call)))
        assert.isTrue(isInterrupted)
        const [record] = yield* (yield* CallLog).records
        assert.deepStrictEqual([record?.outcome._tag, record?.sideEffect], ["Failure", "unknown"])
      })
    )
  })

  it.effect("12.7 a call of a running handler is not refused", () => {
    const inner = tool("inner", {}, { n: 2 })
    const begun = Deferred.makeUnsafe<void>()
    const outer = tool(
      "outer",
      write,
      Effect.andThen(
        Deferred.await(begun),
        Effect.suspend(() => inner.tool.call({ q: "b" }) as Effect.Effect<unknown>)
      )
    )
    return draining([inner.layer, outer.layer], (drain) =>
      Effect.gen(function* () {
        const call = yield* start(settled(outer.tool.call({ q: "a" })))
        const drained = yield* start(drain.drain)
        yield* Deferred.succeed(begun, undefined)
        assert.deepStrictEqual(yield* Fiber.join(call), { n: 2 })
        yield* Fiber.join(drained)
      })
    )
  })

  it.effect("12.7 a call that waits for a retry ends immediately with its last failure", () => {
    const search = tool("search", {}, response(503), { n: 1 })
    return draining([search.layer], (drain) =>
      Effect.gen(function* () {
        const call = yield* start(failureOf(search.tool.call({ q: "a" })))
        assert.isUndefined(poll(call))
        yield* drain.drain
        assert.deepStrictEqual(brief(yield* Fiber.join(call)), ["Transient", "unavailable", "none"])
        assert.strictEqual(search.runs(), 1)
      })
    )
  })

  it.effect("12.7 a call whose attempt fails while the process shuts down is not retried", () => {
    const search = tool("search", {}, Effect.as(Effect.sleep("1 second"), response(503)), { n: 1 })
    return draining([search.layer], (drain) =>
      Effect.gen(function* () {
        const call = yield* start(failureOf(search.tool.call({ q: "a" })))
        const drained = yield* start(drain.drain)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(brief(yield* Fiber.join(call)), ["Transient", "unavailable", "none"])
        yield* Fiber.join(drained)
        assert.strictEqual(search.runs(), 1)
      })
    )
  })

  it.effect(
    "12.7 a write whose effect is unknown under a key that the upstream honours is retried, and so settled",
    () => {
      const pay = tool("pay", { ...write, idempotency: { mode: "derived", upstreamHonoursKey: true } }, response(500), {
        n: 1
      })
      return draining([pay.layer], (drain) =>
        Effect.gen(function* () {
          const call = yield* start(settled(pay.tool.call({ q: "a" })))
          const drained = yield* start(drain.drain)
          yield* TestClock.adjust("25 seconds")
          assert.deepStrictEqual(yield* Fiber.join(call), { n: 1 })
          yield* Fiber.join(drained)
          assert.strictEqual(pay.runs(), 2)
        })
      )
    }
  )

  it.effect("12.7 a call that waits for a slot is refused immediately, and the running call ends as usual", () => {
    const search = tool("search", { concurrency: 1 }, Effect.as(Effect.sleep("3 seconds"), { n: 1 }))
    return draining([search.layer], (drain) =>
      Effect.gen(function* () {
        const first = yield* start(settled(search.tool.call({ q: "a" })))
        const second = yield* start(settled(search.tool.call({ q: "b" })))
        const drained = yield* start(drain.drain)
        yield* Effect.yieldNow
        assert.deepStrictEqual(poll(second), shuttingDown)
        assert.isUndefined(poll(first))
        yield* TestClock.adjust("3 seconds")
        assert.deepStrictEqual(yield* Fiber.join(first), { n: 1 })
        yield* Fiber.join(drained)
        assert.strictEqual(search.runs(), 1)
      })
    )
  })

  it.effect(
    "12.7 a call of a running handler waits for a slot, and for its retry, while the process shuts down",
    () => {
      const inner = tool("inner", { concurrency: 1 }, Effect.as(Effect.sleep("3 seconds"), { n: 1 }), response(503), {
        n: 2
      })
      const outer = tool("outer", write, () => inner.tool.call({ q: "b" }))
      return draining([inner.layer, outer.layer], (drain) =>
        Effect.gen(function* () {
          const first = yield* start(settled(inner.tool.call({ q: "a" })))
          const call = yield* start(settled(outer.tool.call({ q: "a" })))
          const drained = yield* start(drain.drain)
          yield* TestClock.adjust("3 seconds")
          assert.deepStrictEqual(poll(first), { n: 1 })
          assert.isUndefined(poll(call))
          yield* TestClock.adjust("20 seconds")
          assert.deepStrictEqual(yield* Fiber.join(call), { n: 2 })
          yield* Fiber.join(drained)
          assert.strictEqual(inner.runs(), 3)
        })
      )
    }
  )

  it.effect("12.7 a call of a running handler that has no slot within the grace time ends with the handler", () => {
    const inner = tool("inner", { concurrency: 1, timeout: "5 minutes" }, Effect.never)
    const outer = tool("outer", { ...write, timeout: "5 minutes", deadline: "5 minutes" }, () =>
      inner.tool.call({ q: "b" })
    )
    return draining([inner.layer, outer.layer], (drain) =>
      Effect.gen(function* () {
        yield* start(settled(inner.tool.call({ q: "a" })))
        const call = yield* start(settled(outer.tool.call({ q: "a" })))
        const drained = yield* start(drain.drain)
        yield* TestClock.adjust("30 seconds")
        yield* Fiber.join(drained)
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(call)))
        assert.strictEqual(inner.runs(), 1)
      })
    )
  })

  it.effect("4.12, 12.7 no fallback runs for a call that is refused because the process is shutting down", () => {
    const other = tool("other", {}, { n: 2 })
    const search = tool(
      "search",
      { concurrency: 1, fallbacks: [{ tool: other.tool, arguments: (args: unknown) => args }] },
      Effect.as(Effect.sleep("3 seconds"), { n: 1 })
    )
    return draining([search.layer, other.layer], (drain) =>
      Effect.gen(function* () {
        yield* start(settled(search.tool.call({ q: "a" })))
        const call = yield* start(settled(search.tool.call({ q: "b" })))
        const drained = yield* start(drain.drain)
        yield* TestClock.adjust("3 seconds")
        yield* Fiber.join(drained)
        assert.deepStrictEqual(yield* Fiber.join(call), shuttingDown)
        assert.deepStrictEqual([search.runs(), other.runs()], [1, 0])
      })
    )
  })

  it.effect("12.7 the lookup of a write waits for a slot, and for its retry, while the process shuts down", () => {
    const busy = Effect.as(Effect.sleep("3 seconds"), { n: 1 })
    const look = tool("look", { concurrency: 1 }, busy, response(503), { n: 7 })
    const pay = tool(
      "pay",
      {
        ...write,
        idempotency: "derived",
        reconcile: { tool: look.tool, arguments: ({ q }: { q: string }) => ({ q }), found: Option.some }
      },
      Effect.andThen(Effect.sleep("1 second"), Effect.fail(Object.assign(new Error("reset"), { code: "ECONNRESET" })))
    )
    return draining([look.layer, pay.layer], (drain) =>
      Effect.gen(function* () {
        yield* start(settled(look.tool.call({ q: "b" })))
        const call = yield* start(settled(pay.tool.call({ q: "a" })))
        const drained = yield* start(drain.drain)
        yield* TestClock.adjust("25 seconds")
        assert.deepStrictEqual(yield* Fiber.join(call), { n: 7 })
        yield* Fiber.join(drained)
        assert.deepStrictEqual([pay.runs(), look.runs()], [1, 3])
      })
    )
  })

  it.effect("12.7 a call that was accepted but has not started is refused, and holds no slot afterwards", () => {
    const search = tool("search", { concurrency: 1 }, { n: 1 })
    return heldBeforeSlot(
      [search.layer],
      () => true,
      ({ drain, open, reached }) =>
        Effect.gen(function* () {
          const call = yield* start(settled(search.tool.call({ q: "a" })))
          yield* reached
          const drained = yield* start(drain.drain)
          yield* open
          assert.deepStrictEqual(yield* Fiber.join(call), shuttingDown)
          yield* Fiber.join(drained)
          assert.strictEqual(search.runs(), 0)
          // a call of a handler still gets the slot
          const inner = settled(search.tool.call({ q: "b" }))
          assert.deepStrictEqual(yield* Effect.provideService(inner, IsWithinCall, true), { n: 1 })
        })
    )
  })

  it.effect("12.7 the lookup of a write is made although the process began to shut down before it", () => {
    const look = tool("look", {}, { n: 7 })
    const pay = tool(
      "pay",
      {
        ...write,
        idempotency: "derived",
        reconcile: { tool: look.tool, arguments: ({ q }: { q: string }) => ({ q }), found: Option.some }
      },
      Effect.fail(Object.assign(new Error("reset"), { code: "ECONNRESET" }))
    )
    return heldBeforeSlot(
      [look.layer, pay.layer],
      ({ purpose }) => purpose !== "request",
      ({ drain, open, reached }) =>
        Effect.gen(function* () {
          const call = yield* start(settled(pay.tool.call({ q: "a" })))
          yield* reached
          const drained = yield* start(drain.drain)
          yield* open
          assert.deepStrictEqual(yield* Fiber.join(call), { n: 7 })
          yield* Fiber.join(drained)
          assert.deepStrictEqual([pay.runs(), look.runs()], [1, 1])
        })
    )
  })

  it.effect("12.7 a call that waits for a person is refused immediately, and nothing was done", () => {
    const refund = tool("refund", { access: "destructive", description: "Refunds. Writes." }, { n: 1 })
    const waiting = Layer.succeed(Escalation, { ask: () => Effect.never, inform: () => Effect.void })
    return draining(
      [refund.layer],
      (drain) =>
        Effect.gen(function* () {
          const call = yield* start(asked(refund.tool, { q: "a" }))
          yield* drain.drain
          assert.deepStrictEqual(yield* Fiber.join(call), shuttingDown)
          assert.strictEqual(refund.runs(), 0)
        }),
      waiting
    )
  })

  it.effect("12.7, 7.3 a repetition that waits for a person is refused immediately", () => {
    const search = tool("search", {}, { n: 1 })
    const waiting = Layer.succeed(Escalation, { ask: () => Effect.never, inform: () => Effect.void })
    return draining(
      [search.layer],
      (drain) =>
        Effect.gen(function* () {
          for (const callId of ["c1", "c2"]) yield* ask([search.tool], "search", '{"q":"a"}', { callId })
          const call = yield* start(asked(search.tool, { q: "a" }))
          yield* drain.drain
          assert.deepStrictEqual(yield* Fiber.join(call), shuttingDown)
          assert.strictEqual(search.runs(), 2)
        }),
      waiting
    )
  })

  it.effect("12.7, 7.2 a status that waits for its time is answered with the last status", () => {
    const success = Schema.Struct({ status: Schema.String })
    const job = tool("get_job", { success }, { status: "running" })
    return draining([job.layer], (drain) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* asked(job.tool, { q: "a" }), { status: "running" })
        const again = yield* start(asked(job.tool, { q: "a" }))
        yield* drain.drain
        assert.deepStrictEqual(yield* Fiber.join(again), { status: "running" })
        assert.strictEqual(job.runs(), 1)
      })
    )
  })

  it.effect("12.7 a declared poll that waits for its interval is refused immediately", () => {
    const status = tool(
      "status",
      { poll: { interval: "10 seconds", deadline: "1 minute", until: ({ n }: { n: number }) => n === 2 } },
      { n: 1 }
    )
    return draining([status.layer], (drain) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* asked(status.tool, { q: "a" }), { n: 1 })
        const again = yield* start(asked(status.tool, { q: "a" }))
        yield* drain.drain
        assert.deepStrictEqual(yield* Fiber.join(again), shuttingDown)
        assert.strictEqual(status.runs(), 1)
      })
    )
  })
})

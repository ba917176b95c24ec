/** Tests of runs whose process shuts down: they end after their current step, and another process resumes them immediately. */
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as EscalationHttp from "#layers/EscalationHttp"
import * as GracefulShutdown from "#layers/GracefulShutdown"
import { Approvals } from "#services/Approvals"
import { Drain, type ProcessDrain } from "#services/Drain"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { start, tool } from "../pipeline/support.ts"
import { begin, byPlace, onStores, type ProcessResult, resume, stores } from "./processes.ts"
import { call, codes, envelopes, play, type PlayedRun } from "./support.ts"

const write = { access: "write", description: "Sends. Writes.", timeout: "10 minutes" }

/** A handler that ends when its gate opens. */
const gated = () => {
  const gate = Deferred.makeUnsafe<void>()
  return { handler: Effect.as(Deferred.await(gate), { n: 1 }), open: Deferred.succeed(gate, undefined) }
}

const twoCalls = [call("send", { q: "a" }, "c1"), call("send", { q: "b" }, "c2")]

/** Provides an effect with the drain of its process. */
const inProcess =
  (drain: ProcessDrain) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Drain, drain)

describe("a run without a journal", () => {
  it.effect("12.7 a run that starts while the process shuts down is interrupted, and the model is not asked", () =>
    Effect.gen(function* () {
      const drain = yield* GracefulShutdown.make()
      yield* drain.drain
      const { end, prompts } = yield* play({ script: ["Hi."] }).pipe(inProcess(drain))
      assert.deepStrictEqual([end._tag, prompts.length], ["Interrupted", 0])
    })
  )

  it.effect("12.7 the running call of a round ends, the next call is refused, and the model is not asked", () => {
    const { handler, open } = gated()
    const send = tool("send", write, handler)
    return Effect.gen(function* () {
      const drain = yield* GracefulShutdown.make()
      const setup = { script: [twoCalls, "Done."], tools: [send], options: { parallelCalls: 1 } }
      const running = yield* start(play(setup).pipe(inProcess(drain)))
      const drained = yield* start(drain.drain)
      yield* open
      const { end, prompts }: PlayedRun = yield* Fiber.join(running)
      yield* Fiber.join(drained)
      assert.deepStrictEqual([end._tag, prompts.length, send.runs()], ["Interrupted", 1, 1])
      assert.deepStrictEqual(codes(end.transcript), ["success", "shutting_down"])
      assert.strictEqual(envelopes(end.transcript)[1].error.side_effect, "none")
    })
  })

  it.effect("12.7 an answer of the model during the shutdown ends the run, and draining waits for it", () => {
    const gate = Deferred.makeUnsafe<void>()
    return Effect.gen(function* () {
      const drain = yield* GracefulShutdown.make()
      const asked = Effect.as(Deferred.await(gate), "Hi.")
      const running = yield* start(play({ script: () => asked }).pipe(inProcess(drain)))
      const drained = yield* start(drain.drain)
      yield* Effect.yieldNow
      assert.isUndefined(drained.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(drained)
      assert.strictEqual((yield* Fiber.join(running)).end._tag, "Answered")
    })
  })
})

describe("a run with a journal", () => {
  it.effect("12.7 another process resumes a round immediately after its first call, and each call is made once", () => {
    const { handler, open } = gated()
    const send = tool("send", write, handler, { n: 2 })
    const world = { tools: [send], model: byPlace([twoCalls, "Done."]) }
    return Effect.gen(function* () {
      const drain = yield* GracefulShutdown.make()
      const running = yield* start(begin(world, { parallelCalls: 1 }).pipe(inProcess(drain)))
      const drained = yield* start(drain.drain)
      yield* open
      const first: ProcessResult = yield* Fiber.join(running)
      yield* Fiber.join(drained)
      assert.deepStrictEqual([first.end._tag, send.runs()], ["Interrupted", 1])
      // no time has passed, and `takeOver` is not set: the lease was released
      const { asked, end } = yield* resume(world)
      assert.deepStrictEqual([end._tag, asked, codes(end.transcript)], ["Answered", 1, ["success", "success"]])
      assert.deepStrictEqual(
        send.calls.map(({ args }) => args.q),
        ["a", "b"]
      )
    }).pipe(onStores())
  })

  it.effect("12.7 a call that exceeds the grace time is interrupted, and another process settles it by its key", () => {
    const pay = tool("pay", { ...write, idempotency: { mode: "derived", upstreamHonoursKey: true } }, Effect.never, {
      n: 1
    })
    const world = { tools: [pay], model: byPlace([call("pay", { q: "a" }, "c1"), "Done."]) }
    return Effect.gen(function* () {
      const drain = yield* GracefulShutdown.make()
      const running = yield* start(begin(world).pipe(inProcess(drain)))
      const drained = yield* start(drain.drain)
      yield* TestClock.adjust("30 seconds")
      yield* Fiber.join(drained)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(running)))
      const { end } = yield* resume(world)
      assert.deepStrictEqual([end._tag, codes(end.transcript)], ["Answered", ["success"]])
      const [one, two] = pay.calls.map(({ context }) => context.idempotencyKey)
      assert.deepStrictEqual([pay.runs(), one], [2, two])
    }).pipe(onStores())
  })

  it.effect(
    "12.7 the request of a call that waits for a person stays open, and the resumed run receives the decision",
    () => {
      const refund = tool("refund", { access: "destructive", description: "Refunds. Writes." }, { n: 1 })
      const asking = EscalationHttp.layer({ publicUrl: "https://agents.example.com", wait: "1 hour" })
      const person = asking as unknown as Layer.Layer<any>
      const world = { tools: [refund], person, model: byPlace([call("refund", { q: "a" }, "c1"), "Done."]) }
      return Effect.gen(function* () {
        const approvals = yield* Approvals
        const drain = yield* GracefulShutdown.make()
        const running = yield* start(begin(world).pipe(inProcess(drain)))
        yield* TestClock.adjust("1 second")
        const before = yield* approvals.pending({ limit: 10 })
        yield* drain.drain
        assert.strictEqual((yield* Fiber.join(running)).end._tag, "Interrupted")
        const left = yield* approvals.pending({ limit: 10 })
        assert.deepStrictEqual(
          left.requests.map(({ id }) => id),
          before.requests.map(({ id }) => id)
        )
        assert.strictEqual(left.total, 1)
        const [request] = left.requests
        yield* approvals.decide(request?.id ?? "", { verdict: "approve", by: "ana", reason: "" })
        const { end } = yield* resume(world)
        assert.deepStrictEqual([end._tag, codes(end.transcript), refund.runs()], ["Answered", ["success"], 1])
      }).pipe(onStores(Layer.merge(stores, ApprovalsMemory.layer)))
    }
  )

  it.effect(
    "12.7 a run that starts while the process shuts down does nothing, and another process resumes it immediately",
    () => {
      const send = tool("send", write, { n: 1 })
      const world = { tools: [send], model: byPlace([call("send", { q: "a" }, "c1"), "Done."]) }
      return Effect.gen(function* () {
        const drain = yield* GracefulShutdown.make()
        yield* drain.drain
        const first = yield* begin(world).pipe(inProcess(drain))
        assert.deepStrictEqual([first.end._tag, first.asked, send.runs()], ["Interrupted", 0, 0])
        const { end } = yield* begin(world)
        assert.deepStrictEqual([end._tag, send.runs()], ["Answered", 1])
      }).pipe(onStores())
    }
  )
})

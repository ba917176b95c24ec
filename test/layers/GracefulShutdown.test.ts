import * as GracefulShutdown from "#layers/GracefulShutdown"
import { Drain } from "#services/Drain"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Logger, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import { settled, start, tool } from "../pipeline/support.ts"

const write = { access: "write", description: "Refunds. Writes.", timeout: "10 minutes" }
const shuttingDown = ["Transient", "shutting_down", "none"]

/** Collects what happens, in order. */
const eventList = () => {
  const lines: Array<string> = []
  return { lines, note: (line: string) => Effect.sync(() => void lines.push(line)) }
}

/** A handler that ends when the gate opens, and notes its end. */
const gated = ({ note }: ReturnType<typeof eventList>) => {
  const gate = Deferred.makeUnsafe<void>()
  const handler = Deferred.await(gate).pipe(
    Effect.andThen(note("the handler ends")),
    Effect.onInterrupt(() => note("the handler is interrupted")),
    Effect.as({ n: 1 })
  )
  return { handler, open: Deferred.succeed(gate, undefined) }
}

describe("GracefulShutdown.run", () => {
  it.effect("12.7 a program that is interrupted while no call runs ends immediately", () =>
    Effect.gen(function* () {
      const { lines, note } = eventList()
      const program = Effect.onInterrupt(Effect.never, () => note("interrupted"))
      const fiber = yield* start(program.pipe(GracefulShutdown.run()))
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(lines, ["interrupted"])
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
    })
  )

  it.effect("12.7 a program that ends without an interruption returns its value or its failure", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Effect.succeed(1).pipe(GracefulShutdown.run()), 1)
      assert.strictEqual(yield* Effect.flip(Effect.fail("no").pipe(GracefulShutdown.run())), "no")
    })
  )

  for (const place of ["outside", "inside"]) {
    it.effect(`12.7 a call that runs during the interruption ends first (guard built ${place} of the drain)`, () => {
      const events = eventList()
      const { handler, open } = gated(events)
      const refund = tool("refund", write, handler)
      const serving = Effect.gen(function* () {
        yield* start(Effect.tap(settled(refund.tool.call({ q: "a" })), (value) => events.note(JSON.stringify(value))))
        return yield* Effect.onInterrupt(Effect.never, () => events.note("the program is interrupted"))
      })
      const layers = Layer.mergeAll(Guard.layerMemory, refund.layer)
      const program =
        place === "inside"
          ? serving.pipe(Effect.provide(layers), GracefulShutdown.run())
          : serving.pipe(GracefulShutdown.run(), Effect.provide(layers))
      return Effect.gen(function* () {
        const fiber = yield* start(program)
        const stopping = yield* start(Fiber.interrupt(fiber))
        yield* Effect.yieldNow
        assert.deepStrictEqual(events.lines, [])
        yield* open
        yield* Fiber.join(stopping)
        assert.deepStrictEqual(events.lines, ["the handler ends", '{"n":1}', "the program is interrupted"])
      }) as Effect.Effect<void>
    })
  }

  it.effect("12.7 a handler that never ends is interrupted after the grace time, with a warning", () => {
    const events = eventList()
    const { handler } = gated(events)
    const refund = tool("refund", write, handler)
    const logger = Logger.make(({ logLevel, message }) => void events.lines.push(`${logLevel}: ${String(message)}`))
    const program = refund.tool
      .call({ q: "a" })
      .pipe(
        Effect.provide(Layer.mergeAll(Guard.layerMemory, refund.layer)),
        GracefulShutdown.run({ grace: "5 seconds" }),
        Effect.provide(Logger.layer([logger]))
      ) as Effect.Effect<unknown>
    return Effect.gen(function* () {
      const fiber = yield* start(program)
      const stopping = yield* start(Fiber.interrupt(fiber))
      yield* TestClock.adjust("4999 millis")
      assert.isUndefined(stopping.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(stopping)
      assert.deepStrictEqual(events.lines, [
        "Info: Shutting down: 1 call or run in progress may finish within 5s. New calls are refused.",
        "Warn: Shutting down: 1 call or run exceeded the grace time of 5s and is interrupted.",
        "the handler is interrupted"
      ])
    })
  })

  it.effect("12.7 work that ignores its interruption is abandoned and named in a warning, and the program ends", () => {
    const warnings: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void warnings.push(`${logLevel}: ${String(message)}`))
    const program = GracefulShutdown.track(Effect.uninterruptible(Effect.never), "a request").pipe(
      GracefulShutdown.run({ grace: "10 seconds" }),
      Effect.provide(Logger.layer([logger]))
    )
    return Effect.gen(function* () {
      const fiber = yield* start(program)
      const stopping = yield* start(Fiber.interrupt(fiber))
      yield* TestClock.adjust("19999 millis")
      assert.isUndefined(stopping.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(stopping)
      assert.deepStrictEqual(warnings.slice(2), [
        "Warn: Shutting down: 1 call or run did not end within 5s after the interruption and is abandoned: a request. The effect of a write among them is unknown.",
        "Warn: Shutting down: the program is abandoned too. Its resources may not be released."
      ])
    })
  })

  it.effect(
    "12.7 if the first caller of drain is interrupted, the drain continues, and a later caller waits for it",
    () =>
      Effect.gen(function* () {
        const draining = yield* GracefulShutdown.make()
        const work = Deferred.makeUnsafe<void>()
        yield* start(draining.track(Deferred.await(work)))
        yield* Fiber.interrupt(yield* start(draining.drain))
        const later = yield* start(draining.drain)
        yield* Effect.yieldNow
        assert.isUndefined(later.pollUnsafe())
        yield* Deferred.succeed(work, undefined)
        yield* Fiber.join(later)
        // work is interrupted after the grace time, even if the first caller of `drain` was interrupted
        const second = yield* GracefulShutdown.make({ grace: "10 seconds" })
        const endless = yield* start(second.track(Effect.never))
        yield* Fiber.interrupt(yield* start(second.drain))
        yield* TestClock.adjust("10 seconds")
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(endless)))
      })
  )

  it.effect("12.7 tracked work ends before the program is interrupted", () =>
    Effect.gen(function* () {
      const { lines, note } = eventList()
      const response = Deferred.makeUnsafe<void>()
      const request = Effect.andThen(Deferred.await(response), note("the response is sent"))
      const program = Effect.gen(function* () {
        yield* start(GracefulShutdown.track(request))
        return yield* Effect.onInterrupt(Effect.never, () => note("interrupted"))
      })
      const fiber = yield* start(program.pipe(GracefulShutdown.run()))
      const stopping = yield* start(Fiber.interrupt(fiber))
      yield* Effect.yieldNow
      yield* Deferred.succeed(response, undefined)
      yield* Fiber.join(stopping)
      assert.deepStrictEqual(lines, ["the response is sent", "interrupted"])
    })
  )
})

class Database extends Context.Service<Database, object>()("test/Database") {}

/** An application whose database notes when it is closed. */
const application = (events: ReturnType<typeof eventList>, refund: ReturnType<typeof tool>) => {
  const database = Layer.effect(
    Database,
    Effect.acquireRelease(Effect.succeed({}), () => events.note("the database is closed"))
  )
  return Layer.mergeAll(Guard.layerMemory, refund.layer).pipe(Layer.provideMerge(database)) as Layer.Layer<any>
}

describe("GracefulShutdown.layer", () => {
  it.effect("12.7 if the scope of the layer closes during a call, the call ends before its services are closed", () => {
    const events = eventList()
    const { handler, open } = gated(events)
    const refund = tool("refund", write, handler)
    return Effect.gen(function* () {
      const ready = Deferred.makeUnsafe<Context.Context<any>>()
      const app = GracefulShutdown.layer()(application(events, refund))
      const launched = yield* start(
        Layer.launch(
          Layer.effectDiscard(Effect.flatMap(Effect.context<any>(), (it) => Deferred.succeed(ready, it))).pipe(
            Layer.provide(app)
          )
        )
      )
      const services = yield* Deferred.await(ready)
      const call = yield* start(settled(refund.tool.call({ q: "a" })).pipe(Effect.provideContext(services)))
      const stopping = yield* start(Fiber.interrupt(launched))
      yield* Effect.yieldNow
      yield* open
      yield* Fiber.join(stopping)
      assert.deepStrictEqual(yield* Fiber.join(call), { n: 1 })
      assert.deepStrictEqual(events.lines, ["the handler ends", "the database is closed"])
    }) as Effect.Effect<void>
  })

  it("12.7 in a ManagedRuntime that drains before it is disposed, the call ends, and later calls are refused", async () => {
    const events = eventList()
    const { handler, open } = gated(events)
    const refund = tool("refund", write, handler)
    const runtime = ManagedRuntime.make(GracefulShutdown.layer()(application(events, refund)))
    const call = runtime.runPromise(settled(refund.tool.call({ q: "a" })))
    await runtime.runPromise(Effect.yieldNow)
    const drained = runtime.runPromise(GracefulShutdown.drain)
    assert.isTrue((await runtime.runPromise(Drain))?.isDraining())
    assert.deepStrictEqual(await runtime.runPromise(settled(refund.tool.call({ q: "b" }))), shuttingDown)
    await runtime.runPromise(open)
    await drained
    await runtime.dispose()
    assert.deepStrictEqual(await call, { n: 1 })
    assert.deepStrictEqual(events.lines, ["the handler ends", "the database is closed"])
    assert.strictEqual(refund.runs(), 1)
  })
})

/** Tests layers that are built on the tool's first call, with failures, timeouts, interruption and release. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import { brief, define, failureOf, outside, poll, settled, start } from "../pipeline/support.ts"

const tool = define("search_it")
/** The tool with only one attempt. */
const single = GuardedTool.retry({ attempts: 1 })(tool)

class Database extends Context.Service<Database, { readonly rows: number }>()("Database") {}

/** Creates a layer that records when it is built and released. The casts are needed because the tool is untyped. */
const building = (build: (count: number) => Effect.Effect<number, unknown> = () => Effect.succeed(1)) => {
  const events: Array<string> = []
  let count = 0
  const layer = tool.layer(
    Effect.gen(function* () {
      count += 1
      const n = count
      events.push(`build ${n}`)
      yield* Effect.addFinalizer(() => Effect.sync(() => void events.push(`release ${n}`)))
      const value = yield* build(n)
      return () => Effect.succeed({ n: value })
    }) as never
  )
  return { events, layer: tool.layerLazy(layer as never) as Layer.Layer<any> }
}

const call = settled(tool.call({ q: "a" }))
const callOnce = Effect.flatMap(Guard, (guard) => guard.call(single, { q: "a" }))

describe("a lazy layer", () => {
  it.effect("2.6 is built once, on the tool's first call, and released with the program", () => {
    const { events, layer } = building()
    return Effect.gen(function* () {
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(events, [])
        assert.deepStrictEqual(yield* call, { n: 1 })
        assert.deepStrictEqual(yield* call, { n: 1 })
        assert.deepStrictEqual(events, ["build 1"])
      }).pipe(outside([layer]))
      assert.deepStrictEqual(events, ["build 1", "release 1"])
    })
  })

  it.effect("2.6 is not built if the tool is not called", () => {
    const { events, layer } = building()
    return Effect.gen(function* () {
      yield* Effect.void.pipe(outside([layer]))
      assert.deepStrictEqual(events, [])
    })
  })

  it.effect("2.6 is built once for fifty concurrent first calls", () => {
    const { events, layer } = building(() => Effect.as(Effect.sleep("1 second"), 1))
    return Effect.gen(function* () {
      const fiber = yield* start(
        Effect.all(
          Array.from({ length: 50 }, () => call),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(
        yield* Fiber.join(fiber),
        Array.from({ length: 50 }, () => ({ n: 1 }))
      )
      assert.deepStrictEqual(events, ["build 1"])
    }).pipe(outside([layer]))
  })

  const failures: ReadonlyArray<readonly [string, Effect.Effect<number, unknown>, ReadonlyArray<string>]> = [
    [
      "fails",
      Effect.fail(Object.assign(new Error("connect ECONNREFUSED 10.0.0.7:5432"), { code: "ECONNREFUSED" })),
      ["Transient", "connection_failed", "none"]
    ],
    ["dies", Effect.die(new TypeError("x is not a function")), ["Permanent", "tool_crashed", "none"]]
  ]
  for (const [what, failing, expected] of failures) {
    it.effect(`2.6 if a build ${what}, the call fails, the build is released, and the next call builds again`, () => {
      const { events, layer } = building((count) => (count === 1 ? failing : Effect.succeed(count)))
      return Effect.gen(function* () {
        const failure = yield* failureOf(callOnce)
        assert.deepStrictEqual(brief(failure), expected)
        assert.deepStrictEqual(events, ["build 1", "release 1"])
        assert.deepStrictEqual(yield* call, { n: 2 })
        assert.deepStrictEqual(events, ["build 1", "release 1", "build 2"])
      }).pipe(outside([layer]))
    })
  }

  it.effect("2.6 all calls that wait for a build fail if the build fails", () => {
    const { events, layer } = building((count) =>
      Effect.andThen(Effect.sleep("1 second"), count === 1 ? Effect.die(new Error("broken")) : Effect.succeed(count))
    )
    return Effect.gen(function* () {
      const fiber = yield* start(Effect.all([call, call, call], { concurrency: "unbounded" }))
      yield* TestClock.adjust("1 second")
      const crashed = ["Permanent", "tool_crashed", "none"]
      assert.deepStrictEqual(yield* Fiber.join(fiber), [crashed, crashed, crashed])
      assert.deepStrictEqual(events, ["build 1", "release 1"])
    }).pipe(outside([layer]))
  })

  it.effect("2.6 a call that times out does not stop the build, so that the retry can use it", () => {
    const { events, layer } = building(() => Effect.as(Effect.sleep("7 seconds"), 1))
    return Effect.gen(function* () {
      const fiber = yield* start(call)
      yield* TestClock.adjust("6500 millis")
      assert.isUndefined(poll(fiber))
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { n: 1 })
      assert.deepStrictEqual(events, ["build 1"])
    }).pipe(outside([layer]))
  })

  it.effect("2.6 interrupting one caller does not affect another", () => {
    const { events, layer } = building(() => Effect.as(Effect.sleep("1 second"), 1))
    return Effect.gen(function* () {
      const first = yield* start(call)
      const second = yield* start(call)
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(second), { n: 1 })
      assert.deepStrictEqual(events, ["build 1"])
    }).pipe(outside([layer]))
  })

  it.effect("2.6 a build in progress is interrupted when the program ends", () => {
    const events: Array<string> = []
    const { layer } = building(() =>
      Effect.as(
        Effect.onInterrupt(Effect.never, () => Effect.sync(() => void events.push("stopped"))),
        1
      )
    )
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(Layer.merge(layer, Guard.layerMemory), scope)
      // the cast is needed because the type of the tool is unknown here
      const fiber = yield* start(Effect.provideContext(call, context as never))
      yield* TestClock.adjust("1 second")
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(events, ["stopped"])
      yield* Fiber.interrupt(fiber)
    })
  })

  it.effect("2.6 the services of the layer are required when the program starts", () => {
    // the casts are needed because the tool is untyped, as in `building`
    const layer = tool.layerLazy(
      tool.layer(
        Effect.map(
          Database,
          ({ rows }) =>
            () =>
              Effect.succeed({ n: rows })
        ) as never
      ) as never
    ) as Layer.Layer<never, never, Database>
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* call, { n: 7 })
    }).pipe(outside([Layer.provide(layer, Layer.succeed(Database, { rows: 7 })) as Layer.Layer<any>]))
  })
})

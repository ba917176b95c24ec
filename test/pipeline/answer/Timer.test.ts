/** Tests the timeouts of handlers, and that no timer remains after a call. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { brief, failureOf, settled, start, tool, within } from "../support.ts"

// `it.live` uses the real clock, for which the timer has separate code
describe("Timer, with the real clock", () => {
  const quick = { timeout: "20 millis", retry: { attempts: 1 } }

  it.live("4.9 a handler that hangs is timed out and interrupted", () => {
    let interrupted = 0
    const slow = tool(
      "search",
      quick,
      Effect.onInterrupt(Effect.never, () => Effect.sync(() => void interrupted++))
    )
    return Effect.gen(function* () {
      const failure = yield* failureOf(slow.tool.call({ q: "a" }))
      assert.deepStrictEqual(
        [...brief(failure), failure.detail],
        ["Transient", "timeout", "none", "search did not answer within 20 ms."]
      )
      assert.strictEqual(interrupted, 1)
    }).pipe(within([slow.layer]))
  })

  it.live("4.9 among many concurrent handlers only the handlers that hang are timed out", () => {
    const mixed = tool("search", { ...quick, concurrency: 100 }, (args: { q: string }) =>
      Number(args.q) % 2 === 0 ? Effect.never : Effect.delay(Effect.succeed({ n: Number(args.q) }), "1 millis")
    )
    return Effect.gen(function* () {
      const fibers = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, n) => String(n)),
        (q) => start(settled(mixed.tool.call({ q })))
      )
      const outcomes = yield* Fiber.joinAll(fibers)
      assert.deepStrictEqual(
        outcomes,
        Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? ["Transient", "timeout", "none"] : { n }))
      )
    }).pipe(within([mixed.layer]))
  })

  it.live("4.9 the guard stops waiting for a handler that ignores interruption", () => {
    const end = Deferred.makeUnsafe<{ readonly n: number }>()
    const deaf = tool("search", quick, Effect.uninterruptible(Deferred.await(end)))
    return Effect.gen(function* () {
      // the call would never end if the guard waited for the handler, which ends only after the call
      assert.deepStrictEqual(yield* settled(deaf.tool.call({ q: "a" })), ["Transient", "timeout", "none"])
      yield* Deferred.succeed(end, { n: 1 })
    }).pipe(within([deaf.layer]))
  })

  it.live("4.9 calls that answer immediately leave no timer", () => {
    const search = tool("search", { timeout: "1 hour" }, { n: 1 })
    return Effect.gen(function* () {
      const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length
      const before = timers()
      for (let n = 0; n < 100; n++) yield* search.tool.call({ q: String(n) })
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.isAtMost(timers(), before)
    }).pipe(within([search.layer]))
  })
})

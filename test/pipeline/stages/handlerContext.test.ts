/** Tests what a handler receives about its call: the call's owner, and a signal that aborts when the caller stops waiting. */
import type { HandlerContext } from "#src/tool/GuardedTool"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ask, failureOf, outside, settled, start, tool, turn, within } from "../support.ts"

/** A handler whose promise resolves only when its signal aborts. */
const untilAborted = (_: unknown, { signal }: HandlerContext) =>
  Effect.promise(
    () => new Promise((resolve) => signal.addEventListener("abort", () => resolve({ n: 1 }), { once: true }))
  )

const signals = ({ calls }: ReturnType<typeof tool>) => calls.map(({ context }) => context.signal.aborted)

describe("the context of a handler", () => {
  it.effect(
    "8.3 in a turn with a principal, the handlers of the tool and of its fallback receive tenant and principal",
    () => {
      const other = tool("other", {}, { n: 1 })
      const search = tool(
        "search",
        { fallbacks: [{ tool: other.tool, arguments: (args: object) => args }] },
        Effect.fail(new Error("no"))
      )
      return Effect.gen(function* () {
        const asked = ask([search.tool], "search", { q: "a" })
        for (const owner of [{ principal: "ann" }, { principal: "" }, { tenant: "b", principal: "bob" }])
          yield* Guard.turn(asked, { ...turn, ...owner })
        const owners = [search, other].map(({ calls }) =>
          calls.map(({ context: { principal, tenant } }) => [tenant, principal])
        )
        const expected = [
          ["tenant", "ann"],
          ["tenant", ""],
          ["b", "bob"]
        ]
        assert.deepStrictEqual(owners, [expected, expected])
      }).pipe(outside([search.layer, other.layer]))
    }
  )

  it.effect(
    "8.3 without a turn, or in a turn without a principal, handlers receive the default tenant and no principal",
    () => {
      const search = tool("search", {}, { n: 1 })
      return Effect.gen(function* () {
        yield* search.tool.call({ q: "a" })
        yield* Guard.turn(search.tool.call({ q: "a" }))
        for (const { context } of search.calls) {
          assert.deepStrictEqual([context.tenant, context.principal], ["default", undefined])
        }
      }).pipe(outside([search.layer]))
    }
  )

  it.effect("4.9 the timeout of an attempt aborts its signal, and the next attempt has a new signal", () => {
    const slow = tool("search", { retry: { attempts: 2, jitter: "none" } }, untilAborted)
    return Effect.gen(function* () {
      const fiber = yield* start(failureOf(slow.tool.call({ q: "a" })))
      yield* TestClock.adjust("4999 millis")
      assert.deepStrictEqual(signals(slow), [false])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(signals(slow), [true])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(signals(slow), [true, false])
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(signals(slow), [true, true])
      assert.strictEqual((yield* Fiber.join(fiber)).code, "timeout")
    }).pipe(within([slow.layer]))
  })

  it.effect("4.9 the signal of an interrupted call aborts, even if the handler ignores interruption", () => {
    const deaf = tool("search", {}, (args: unknown, context: HandlerContext) =>
      Effect.uninterruptible(untilAborted(args, context))
    )
    return Effect.gen(function* () {
      const fiber = yield* start(settled(deaf.tool.call({ q: "a" })))
      assert.deepStrictEqual(signals(deaf), [false])
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(signals(deaf), [true])
    }).pipe(within([deaf.layer]))
  })

  it.effect("4.9 a signal that is first read after the timeout has already aborted", () => {
    const late = tool("search", { retry: { attempts: 1 } }, Effect.never)
    return Effect.gen(function* () {
      const fiber = yield* start(settled(late.tool.call({ q: "a" })))
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(fiber)
      const signal = late.calls[0]?.context.signal
      assert.isTrue(signal?.aborted)
      assert.strictEqual(signal?.reason.name, "AbortError")
      assert.strictEqual(late.calls[0]?.context.signal, signal)
    }).pipe(within([late.layer]))
  })

  it.effect("4.9 the signal of a handler that has ended never aborts", () => {
    const search = tool("search", {}, { n: 1 }, Effect.delay(Effect.succeed({ n: 1 }), "1 second"))
    return Effect.gen(function* () {
      yield* search.tool.call({ q: "a" })
      const fiber = yield* start(search.tool.call({ q: "b" }))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(signals(search), [false, false])
    }).pipe(within([search.layer]))
  })
})

/**
 * Tests handlers and functions of a definition that never complete, complete twice, or throw: no call hangs, late
 * results never reach a caller, and the next call works.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { CallObserver } from "#services/CallObserver"
import { ClassificationRules, EscalationPolicy } from "#services/Policies"
import { Guard } from "#src/guard/Guard"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as Verdict from "#domain/tool/Verdict"
import { ask, complete, define, failureOf, outside, poll, settled, start, tool, within } from "../pipeline/support.ts"

const thrower = (): never => {
  throw new Error("the definition's function threw")
}

describe("functions of a definition that throw", () => {
  const answers = { success: Schema.Struct({ n: Schema.Int }) }
  const rows = Schema.Struct({ rows: Schema.Array(Schema.Int) })
  const lookup = tool("find", {}, { n: 1 })
  const cases: ReadonlyArray<readonly [what: string, definition: object, answer: unknown]> = [
    ["a check", { checks: { odd: thrower } }, { n: 1 }],
    ["a check of a write", { access: "write", checks: { odd: thrower } }, { n: 1 }],
    ["a check of a keyed write", { access: "write", idempotency: "derived", checks: { odd: thrower } }, { n: 1 }],
    ["a check that returns undefined", { checks: { odd: () => undefined } }, { n: 1 }],
    [
      "the arguments function of a lookup",
      { access: "write", reconcile: { tool: lookup.tool, arguments: thrower, found: Option.some } },
      Effect.fail(new Error("socket hang up"))
    ],
    [
      "the found function of a lookup",
      { access: "write", reconcile: { tool: lookup.tool, arguments: () => ({ q: "a" }), found: thrower } },
      Effect.fail(new Error("socket hang up"))
    ],
    ["the arguments function of a fallback", { fallbacks: [{ tool: lookup.tool, arguments: thrower }] }, "not JSON"],
    [
      "the rest function of a salvage",
      { success: rows, salvage: { path: "rows", rest: thrower, narrow: "less" } },
      `{"rows":[1,`
    ]
  ]
  for (const [what, definition, answer] of cases) {
    it.effect(`4 ${what} fails: each call returns, and other tools work`, () => {
      const search = tool("search", { ...answers, retry: undefined, ...definition }, answer)
      const other = tool("other", {}, { n: 2 })
      return Effect.gen(function* () {
        for (const q of ["a", "a", "b"]) {
          const typed = yield* complete(settled(search.tool.call({ q })))
          assert.isArray(typed, `${q}: ${JSON.stringify(typed)}`)
          const { envelope } = yield* complete(ask([search.tool], "search", { q }))
          assert.strictEqual(envelope.status, "error")
          assert.notInclude(JSON.stringify(envelope), "function threw")
        }
        assert.deepStrictEqual(yield* settled(other.tool.call({ q: "a" })), { n: 2 })
      }).pipe(within([search.layer, other.layer, lookup.layer]))
    })
  }

  it.effect("7.2 a poll whose until function throws still counts as a poll", () => {
    const poll = { interval: "1 second", deadline: "1 minute", until: thrower }
    const search = tool("search", { poll }, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(search.tool.call({ q: "a" }))), { n: 1 })
      assert.deepStrictEqual(yield* complete(settled(search.tool.call({ q: "a" }))), { n: 2 })
    }).pipe(within([search.layer]))
  })

  it.effect("10.2 an approval function that throws asks a person", () => {
    const search = tool("search", { approval: thrower }, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), ["HumanReview", "no_person", "none"])
    }).pipe(within([search.layer]))
  })

  it.effect("3.1 a classification rule that throws does not hide the failure", () => {
    const search = tool("search", { retry: { attempts: 1 } }, Effect.fail({ status: 404 }))
    return Effect.gen(function* () {
      const failure = yield* failureOf(search.tool.call({ q: "a" }))
      assert.include(["Permanent", "ToolArgError"], failure._tag)
    }).pipe(Effect.provideService(ClassificationRules, [{ name: "throwing", match: thrower }]), within([search.layer]))
  })

  it.effect("10.2 an escalation policy that throws fails the call, not the program", () => {
    const search = tool("search", { retry: { attempts: 1 } }, Effect.fail("x"), { n: 1 })
    return Effect.gen(function* () {
      const first = yield* settled(search.tool.call({ q: "a" }))
      assert.isArray(first)
      const { envelope } = yield* ask([search.tool], "search", { q: "b" })
      assert.strictEqual(envelope.status, "error")
    }).pipe(Effect.provideService(EscalationPolicy, thrower), within([search.layer]))
  })

  it.effect("11.2 a call observer that throws does not change the outcome", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), { n: 1 })
    }).pipe(Effect.provideService(CallObserver, thrower), within([search.layer]))
  })

  it.effect("8.2 after a check of a keyed write throws, repeated calls return instead of waiting for the key", () => {
    const write = tool("place", { access: "write", idempotency: "derived", checks: { odd: thrower } }, { n: 1 })
    return Effect.gen(function* () {
      for (let i = 0; i < 3; i++) {
        const fiber = yield* start(settled(write.tool.call({ q: "a" })))
        yield* TestClock.adjust("1 hour")
        assert.isArray(poll(fiber))
      }
      assert.strictEqual(write.runs(), 1)
    }).pipe(within([write.layer]))
  })

  it.effect("4.11 a defect in a probe does not leave the circuit open forever", () => {
    let isBroken = true
    const odd = () => (isBroken ? thrower() : Verdict.ok)
    const search = tool(
      "search",
      { retry: { attempts: 1 }, circuit: { minimum: 1, open: "1 second" }, checks: { odd } },
      Effect.fail({ status: 503 }),
      { n: 1 }
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), ["Transient", "unavailable", "none"])
      yield* TestClock.adjust("2 seconds")
      assert.isArray(yield* settled(search.tool.call({ q: "b" })))
      isBroken = false
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "c" })), { n: 1 })
    }).pipe(within([search.layer]))
  })
})

describe("handlers that ignore interruption or never complete", () => {
  const brief = { retry: { attempts: 1 }, timeout: "1 second", circuit: false } as const

  it.effect("4.9 a handler whose clean-up never completes keeps only its concurrency slot", () => {
    const search = tool(
      "search",
      { ...brief, concurrency: 2 },
      Effect.onInterrupt(Effect.never, () => Effect.never),
      { n: 1 }
    )
    return Effect.gen(function* () {
      const fiber = yield* start(settled(search.tool.call({ q: "a" })))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(poll(fiber), ["Transient", "timeout", "none"])
      for (const q of ["b", "c", "d"]) assert.deepStrictEqual(yield* settled(search.tool.call({ q })), { n: 1 })
    }).pipe(within([search.layer]))
  })

  it.effect("4.9 a handler whose clean-up dies still times out", () => {
    const search = tool(
      "search",
      brief,
      Effect.onInterrupt(Effect.never, () => Effect.die("no")),
      { n: 1 }
    )
    return Effect.gen(function* () {
      const fiber = yield* start(settled(search.tool.call({ q: "a" })))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(poll(fiber), ["Transient", "timeout", "none"])
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), { n: 1 })
    }).pipe(within([search.layer]))
  })

  it.effect("4.9 only the first answer of a handler counts, and none after its timeout", () => {
    const resumes: Array<(effect: Effect.Effect<unknown>) => void> = []
    const late = Effect.callback<unknown>((resume) => {
      resumes.push(resume)
    })
    const search = tool("search", { ...brief, timeout: "2 seconds" }, late)
    return Effect.gen(function* () {
      const first = yield* start(settled(search.tool.call({ q: "a" })))
      resumes[0]?.(Effect.succeed({ n: 1 }))
      resumes[0]?.(Effect.succeed({ n: 2 }))
      resumes[0]?.(Effect.die("no"))
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(poll(first), { n: 1 })
      const second = yield* start(settled(search.tool.call({ q: "b" })))
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(poll(second), ["Transient", "timeout", "none"])
      resumes[1]?.(Effect.succeed({ n: 3 }))
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* Fiber.join(second), ["Transient", "timeout", "none"])
    }).pipe(within([search.layer]))
  })

  it.effect(
    "4.9 a hundred calls that ignore interruption make their tool busy; no call hangs, and other tools work",
    () => {
      const uninterruptible = tool("search", { ...brief, deadline: "3 seconds" }, Effect.uninterruptible(Effect.never))
      const other = tool("other", {}, { n: 2 })
      return Effect.gen(function* () {
        const fibers = yield* Effect.forEach(
          Array.from({ length: 100 }, (_, i) => `q${i}`),
          (q) => start(settled(uninterruptible.tool.call({ q })))
        )
        yield* TestClock.adjust("10 seconds")
        const ends = fibers.map((fiber) => String(poll(fiber)))
        assert.strictEqual(ends.filter((end) => end === "Transient,timeout,none").length, 16)
        assert.strictEqual(ends.filter((end) => end === "Transient,busy,none").length, 84)
        assert.deepStrictEqual(yield* settled(other.tool.call({ q: "a" })), { n: 2 })
      }).pipe(within([uninterruptible.layer, other.layer]))
    }
  )

  it.effect("4.9 a stream that endlessly sends single or zero bytes ends at the timeout", () => {
    const drip = Stream.tick("100 millis").pipe(Stream.map(() => new Uint8Array([0x20])))
    const silent = Stream.tick("100 millis").pipe(Stream.map(() => new Uint8Array(0)))
    const search = tool("search", brief, Effect.succeed(drip), Effect.succeed(silent), { n: 1 })
    return Effect.gen(function* () {
      for (const q of ["a", "b"]) {
        const fiber = yield* start(settled(search.tool.call({ q })))
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(poll(fiber), ["Transient", "timeout", "none"])
      }
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "c" })), { n: 1 })
    }).pipe(within([search.layer]))
  })

  // The real clock: these effects never yield to the test clock.
  const spinning: ReadonlyArray<readonly [what: string, effect: Effect.Effect<unknown>]> = [
    ["an effect that does nothing forever", Effect.forever(Effect.void)],
    ["an effect that yields forever", Effect.forever(Effect.yieldNow)],
    ["an endless stream of empty chunks", Effect.succeed(Stream.fromEffectRepeat(Effect.succeed(new Uint8Array(0))))]
  ]
  for (const [what, effect] of spinning) {
    it.live(`4.9 ${what} ends at the timeout`, () => {
      const search = tool("search", { ...brief, timeout: "50 millis" }, effect, { n: 1 })
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), ["Transient", "timeout", "none"])
        assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), { n: 1 })
      }).pipe(outside([search.layer]))
    })
  }

  it.live("4.9 a handler of a million microtasks completes", () => {
    const flood = Effect.promise(async () => {
      for (let i = 0; i < 1_000_000; i++) await undefined
      return { n: 1 }
    })
    const search = tool("search", { retry: { attempts: 1 }, timeout: "20 seconds" }, flood)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), { n: 1 })
    }).pipe(outside([search.layer]))
  })

  it.effect("4.9 a tool that calls itself endlessly stops at its own limits", () => {
    const search = define("search", { retry: { attempts: 1 }, deadline: "5 seconds", circuit: false })
    let calls = 0
    // The recursive handler has no static type that fits its own tool, so casts are needed.
    const layer = search.layerTest((() => {
      calls += 1
      return Effect.flatMap(Effect.context<never>(), (context) =>
        Effect.provideContext(search.call({ q: `${calls}` }) as Effect.Effect<unknown, unknown>, context)
      )
    }) as never)
    return Effect.gen(function* () {
      const fiber = yield* start(settled(search.call({ q: "a" })))
      yield* TestClock.adjust("1 hour")
      assert.isArray(poll(fiber))
      assert.isAtMost(calls, 17)
    }).pipe(within([layer]))
  })
})

describe("handlers that mutate their result or arguments", () => {
  it.effect("4.7 a later mutation of a result changes neither the text for the model nor the comparison", () => {
    const result: { n: number; note: Array<string> } = { n: 1, note: ["first"] }
    const success = Schema.Struct({ n: Schema.Int, note: Schema.Array(Schema.String) })
    const search = tool(
      "search",
      { success },
      Effect.sync(() => {
        queueMicrotask(() => result.note.push("later"))
        return result
      })
    )
    return Effect.gen(function* () {
      const first = yield* ask([search.tool], "search", { q: "a" })
      assert.deepStrictEqual(first.envelope.data, { n: 1, note: ["first"] })
      result.note.push("much later")
      const second = yield* ask([search.tool], "search", { q: "a" })
      assert.isUndefined(second.envelope.unchanged)
      assert.strictEqual(JSON.parse(first.text).data.note.length, 1)
    }).pipe(within([search.layer]))
  })

  it.effect("8.2 a handler that mutates its arguments does not change the idempotency key of its call", () => {
    const parameters = Schema.Struct({ q: Schema.String })
    const write = tool("place", { access: "write", idempotency: "derived", parameters }, (args: { q: string }) => {
      try {
        args.q = "changed"
      } catch {
        // The arguments are frozen, which also prevents the mutation.
      }
      return Effect.succeed({ n: 1 })
    })
    return Effect.gen(function* () {
      yield* settled(write.tool.call({ q: "a" }))
      const again = yield* ask([write.tool], "place", { q: "a" })
      assert.strictEqual(again.envelope._idempotent, true)
      yield* settled(write.tool.call({ q: "b" }))
      assert.strictEqual(write.runs(), 2)
    }).pipe(within([write.layer], Guard.layerMemoryWith(EscalationScripted.layer([]))))
  })
})

import * as BudgetsMemory from "#layers/BudgetsMemory"
import * as CallLogMemory from "#layers/CallLogMemory"
import { CallLog } from "#services/CallLog"
import { Budgets } from "#services/Budgets"
import type { CallEvent } from "#services/CallObserver"
import * as Trace from "#pipeline/call/Trace"
import { run } from "#pipeline/stages/run"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Fiber, Layer, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { jumpingClock } from "../../support/jumpingClock.ts"
import {
  alone,
  ask,
  asked,
  brief,
  define,
  failureOf,
  handled,
  handledInScope,
  outside,
  poll,
  scripted,
  settled,
  start,
  tool,
  within
} from "../support.ts"

describe("run: time", () => {
  it.effect("4.9 a handler that hangs is interrupted at the limit of the attempt", () => {
    let interrupted = 0
    const slow = tool(
      "search",
      { retry: { attempts: 1 } },
      Effect.onInterrupt(Effect.never, () => Effect.sync(() => void interrupted++))
    )
    return Effect.gen(function* () {
      const fiber = yield* start(failureOf(slow.tool.call({ q: "a" })))
      yield* TestClock.adjust("4999 millis")
      assert.strictEqual(poll(fiber), undefined)
      yield* TestClock.adjust("1 millis")
      const failure = yield* Fiber.join(fiber)
      assert.deepStrictEqual(brief(failure), ["Transient", "timeout", "none"])
      assert.strictEqual(failure.detail, "search did not answer within 5000 ms.")
      assert.strictEqual(interrupted, 1)
    }).pipe(within([slow.layer]))
  })

  it.effect("4.9 the guard stops waiting at the limit even if the handler ignores interruption", () => {
    const deaf = tool(
      "search",
      { retry: { attempts: 1 } },
      Effect.uninterruptible(Effect.delay(Effect.succeed({ n: 1 }), "1 hour"))
    )
    return Effect.gen(function* () {
      const fiber = yield* start(failureOf(deaf.tool.call({ q: "a" })))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(brief(yield* Fiber.join(fiber)), ["Transient", "timeout", "none"])
    }).pipe(within([deaf.layer]))
  })

  it.effect(
    "4.9 a handler that ignores its timeout keeps its slot until it has ended, and its outcome is dropped",
    () => {
      const deaf = tool(
        "search",
        { retry: { attempts: 1 }, concurrency: 1, deadline: "10 seconds", circuit: false },
        Effect.uninterruptible(Effect.delay(Effect.succeed({ n: 1 }), "8 seconds")),
        { n: 2 }
      )
      return Effect.gen(function* () {
        const first = yield* start(settled(deaf.tool.call({ q: "a" })))
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* Fiber.join(first), ["Transient", "timeout", "none"])
        const second = yield* start(settled(deaf.tool.call({ q: "b" })))
        yield* TestClock.adjust("2999 millis")
        assert.strictEqual(deaf.runs(), 1)
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(yield* Fiber.join(second), { n: 2 })
        assert.strictEqual(deaf.runs(), 2)
      }).pipe(within([deaf.layer]))
    }
  )

  it.effect("4.9 the limit of an attempt does not include the wait for a slot", () => {
    const busy = tool(
      "search",
      { retry: { attempts: 1 }, concurrency: 1, timeout: "3 seconds" },
      Effect.delay(Effect.succeed({ n: 1 }), "2 seconds"),
      Effect.delay(Effect.succeed({ n: 2 }), "2 seconds"),
      Effect.never
    )
    return Effect.gen(function* () {
      const fibers = yield* Effect.forEach(["a", "b", "c"], (q) => start(settled(busy.tool.call({ q }))))
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(fibers.map(poll), [{ n: 1 }, { n: 2 }, undefined])
      yield* TestClock.adjust("2999 millis")
      assert.strictEqual(poll(fibers[2]!), undefined)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(poll(fibers[2]!), ["Transient", "timeout", "none"])
    }).pipe(within([busy.layer]))
  })

  it.effect("4.9 an attempt after a long wait for a slot has only the time left until the deadline", () => {
    const busy = tool(
      "search",
      { retry: { attempts: 1 }, concurrency: 1, deadline: "10 seconds", circuit: false },
      Effect.uninterruptible(Effect.delay(Effect.succeed({ n: 1 }), "8 seconds")),
      Effect.never
    )
    return Effect.gen(function* () {
      yield* start(settled(busy.tool.call({ q: "a" })))
      const waiting = yield* start(failureOf(busy.tool.call({ q: "b" })))
      yield* TestClock.adjust("9999 millis")
      assert.strictEqual(poll(waiting), undefined)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(
        (yield* Fiber.join(waiting)).detail,
        "search did not answer within 2000 ms, the rest of its deadline of 10000 ms."
      )
    }).pipe(within([busy.layer]))
  })

  for (const [what, over, jumpAt] of [
    ["a slow store delayed the call", {}, "spend"],
    ["the machine slept while the call waited for a slot", { concurrency: 1 }, "slot"],
    [
      "the machine slept while the call waited for its next attempt",
      { retry: { attempts: 2, jitter: "none" } },
      "retry"
    ]
  ] as const) {
    it.effect(`4.9 no attempt starts after the deadline if ${what}`, () => {
      const down = Effect.fail(Object.assign(new Error("no"), { code: "ECONNREFUSED" }))
      const write = tool(
        "write_it",
        { access: "write", idempotency: "derived", deadline: "10 seconds", retry: { attempts: 1 }, ...over },
        jumpAt === "retry" ? down : Effect.delay(Effect.succeed({ n: 1 }), "1 second"),
        { n: 2 }
      )
      let spending = () => {}
      const budgets = Layer.effect(
        Budgets,
        Effect.map(Budgets, (budgets) => ({
          ...budgets,
          spend: (...args) => Effect.andThen(Effect.sync(spending), budgets.spend(...args))
        }))
      ).pipe(Layer.provide(BudgetsMemory.layer))
      return Effect.gen(function* () {
        const { clock, jump } = yield* jumpingClock
        const calling = (q: string) => start(asked(write.tool, { q }).pipe(Effect.provideService(Clock.Clock, clock)))
        const before = jumpAt === "slot" ? yield* calling("a") : undefined
        if (jumpAt === "spend") spending = () => jump(10_001)
        const late = yield* calling("b")
        if (jumpAt !== "spend") jump(10_001)
        yield* TestClock.adjust("20 seconds")
        if (before !== undefined) yield* Fiber.join(before)
        const [tag, , sideEffect] = (yield* Fiber.join(late)) as ReadonlyArray<string>
        assert.deepStrictEqual([tag, sideEffect], ["Transient", "none"])
        assert.strictEqual(write.runs(), jumpAt === "spend" ? 0 : 1)
      }).pipe(within([write.layer], Guard.layerMemoryWith(budgets)))
    })
  }

  it.effect("4.7, 4.9 an attempt that does not start for lack of time spends no budget", () => {
    const write = tool("write_it", { access: "write", deadline: "10 seconds", timeout: "10 seconds" }, { n: 1 })
    return Effect.gen(function* () {
      const { clock, jump } = yield* jumpingClock
      let spending = () => jump(10_001)
      const budgets = Layer.effect(
        Budgets,
        Effect.map(Budgets, (budgets) => ({
          ...budgets,
          spend: (...args) => Effect.andThen(Effect.sync(spending), budgets.spend(...args))
        }))
      ).pipe(Layer.provide(BudgetsMemory.layer))
      const call = asked(write.tool, { q: "a" }).pipe(Effect.provideService(Clock.Clock, clock))
      const [late, again] = yield* Effect.gen(function* () {
        const late = yield* call
        spending = () => {}
        jump(60_000) // the wait that the envelope stated
        return [late, yield* call] as const
      }).pipe(within([write.layer], Guard.layerMemoryWith(budgets)))
      assert.deepStrictEqual([late, again], [["Transient", "timeout", "none"], { n: 1 }])
      assert.strictEqual(write.runs(), 1)
    })
  })

  it.effect("4.9 the deadline covers all attempts and waits", () => {
    const slow = tool(
      "search",
      { deadline: "12 seconds", retry: { attempts: 9, jitter: "none", base: "1 second" } },
      Effect.never
    )
    return Effect.gen(function* () {
      const fiber = yield* start(settled(slow.tool.call({ q: "a" })))
      yield* TestClock.adjust("10999 millis")
      assert.strictEqual(poll(fiber), undefined)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["Transient", "timeout", "none"])
      // two attempts of 5 s with a wait of 1 s between them; the next wait of 2 s would end after the deadline
      assert.deepStrictEqual(
        slow.calls.map(({ at }) => at),
        [0, 6_000]
      )
    }).pipe(within([slow.layer]))
  })

  it.effect("4.9 the last attempt has only the time left until the deadline", () => {
    const slow = tool(
      "search",
      { deadline: "8 seconds", retry: { attempts: 9, jitter: "none", base: "1 second" } },
      Effect.never
    )
    return Effect.gen(function* () {
      const fiber = yield* start(failureOf(slow.tool.call({ q: "a" })))
      yield* TestClock.adjust("8 seconds")
      const failure = yield* Fiber.join(fiber)
      assert.strictEqual(
        failure.detail,
        "Failed after 2 attempts: search did not answer within 2000 ms, the rest of its deadline of 8000 ms."
      )
    }).pipe(within([slow.layer]))
  })

  it.effect("2.12 a timeout above 30 seconds applies to each attempt, because it raises the default deadline", () => {
    const slow = tool(
      "search",
      { timeout: "10 minutes", retry: { attempts: 2 } },
      Effect.never,
      Effect.delay(Effect.succeed({ n: 1 }), "9 minutes")
    )
    return Effect.gen(function* () {
      const fiber = yield* start(settled(slow.tool.call({ q: "a" })))
      yield* TestClock.adjust("20 minutes")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { n: 1 })
    }).pipe(within([slow.layer]))
  })

  it.effect("2.12 the failure reports the timeout if the timeout ended the attempt", () => {
    const slow = tool("search", { timeout: "1 minute", deadline: "2 minutes", retry: { attempts: 1 } }, Effect.never)
    return Effect.gen(function* () {
      const fiber = yield* start(failureOf(slow.tool.call({ q: "a" })))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(fiber)).detail, "search did not answer within 60000 ms.")
    }).pipe(within([slow.layer]))
  })

  it.effect("4.9 a deadline shorter than the timeout limits the attempt", () => {
    const slow = tool("search", { deadline: "1 second", retry: { attempts: 1 } }, Effect.never)
    return Effect.gen(function* () {
      const fiber = yield* start(failureOf(slow.tool.call({ q: "a" })))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber)).detail, "search did not answer within 1000 ms.")
    }).pipe(within([slow.layer]))
  })
})

describe("run: interruption and resources", () => {
  it.effect("4.9 interrupting the caller interrupts the handler", () =>
    Effect.gen(function* () {
      const stopped = yield* Deferred.make<void>()
      const slow = tool(
        "search",
        {},
        Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined))
      )
      yield* Effect.gen(function* () {
        const fiber = yield* start(slow.tool.call({ q: "a" }))
        yield* Fiber.interrupt(fiber)
        assert.isTrue(yield* Deferred.isDone(stopped))
      }).pipe(within([slow.layer]))
    })
  )

  it.effect(
    "4.9 an interrupted caller does not wait for a handler that ignores interruption but keeps its slot",
    () => {
      const deaf = tool(
        "search",
        { concurrency: 1 },
        Effect.uninterruptible(Effect.delay(Effect.succeed({ n: 1 }), "3 seconds")),
        { n: 2 }
      )
      return Effect.gen(function* () {
        const fiber = yield* start(deaf.tool.call({ q: "a" }))
        yield* Fiber.interrupt(fiber)
        const next = yield* start(settled(deaf.tool.call({ q: "b" })))
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual(poll(next), undefined)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* Fiber.join(next), { n: 2 })
      }).pipe(within([deaf.layer]))
    }
  )

  it.effect("4.9 a caller that is interrupted while it waits for a slot leaves the queue", () => {
    const one = tool("search", { concurrency: 1 }, Effect.delay(Effect.succeed({ n: 1 }), "1 second"), { n: 2 })
    return Effect.gen(function* () {
      const first = yield* start(settled(one.tool.call({ q: "a" })))
      const waiting = yield* start(one.tool.call({ q: "b" }))
      yield* Fiber.interrupt(waiting)
      const last = yield* start(settled(one.tool.call({ q: "c" })))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(first), { n: 1 })
      assert.deepStrictEqual(yield* Fiber.join(last), { n: 2 })
      assert.deepStrictEqual(
        one.calls.map(({ args }) => args.q),
        ["a", "c"]
      )
    }).pipe(within([one.layer]))
  })

  it.effect("4.9 the resources of a handler are released when it ends, fails or is timed out", () => {
    const log: Array<string> = []
    const acquired = (name: string) =>
      Effect.acquireRelease(
        Effect.sync(() => void log.push(`open ${name}`)),
        () => Effect.sync(() => void log.push(`close ${name}`))
      )
    const search = define("search", { retry: { attempts: 1 } })
    const handler = scripted(
      Effect.as(acquired("a"), { n: 1 }),
      Effect.andThen(acquired("b"), Effect.fail(new Error("no"))),
      Effect.andThen(acquired("c"), Effect.never)
    )
    return Effect.gen(function* () {
      yield* settled(search.call({ q: "a" }))
      assert.deepStrictEqual(log, ["open a", "close a"])
      yield* settled(search.call({ q: "b" }))
      const fiber = yield* start(settled(search.call({ q: "c" })))
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(log, ["open a", "close a", "open b", "close b", "open c", "close c"])
    }).pipe(within([handledInScope(search, handler.handler)]))
  })

  it.effect("4.9 a streamed body is read before its scope is closed", () => {
    const log: Array<string> = []
    const search = define("search")
    const handler = () =>
      Effect.as(
        Effect.acquireRelease(
          Effect.sync(() => void log.push("open")),
          () => Effect.sync(() => void log.push("close"))
        ),
        Stream.fromIterable([new TextEncoder().encode('{"n":'), new TextEncoder().encode("7}")]).pipe(
          Stream.tap(() => Effect.sync(() => void log.push("chunk")))
        )
      )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* search.call({ q: "a" }), { n: 7 })
      assert.deepStrictEqual(log, ["open", "chunk", "chunk", "close"])
    }).pipe(within([handledInScope(search, handler)]))
  })
})

describe("run: late handlers", () => {
  const lateOf = Effect.flatMap(CallLog, ({ lateOutcomes }) => lateOutcomes)
  const guard = Guard.layerMemoryWith(CallLogMemory.layerWith({ keep: "full" }))
  const deaf = (end: Effect.Effect<unknown, unknown>) => Effect.uninterruptible(Effect.delay(end, "8 seconds"))
  const access = { access: "write", retry: { attempts: 1 } }

  it.effect("4.9 a late outcome is recorded with its time and trace id, and changes no record of a call", () => {
    const write = tool("write_it", access, deaf(Effect.succeed({ n: 1 })))
    return Effect.gen(function* () {
      const fiber = yield* start(ask([write.tool], "write_it", { q: "a" }, { callId: "c1" }))
      yield* TestClock.adjust("5 seconds")
      const { envelope, outcome, traceId } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([envelope.error.code, envelope.error.side_effect], ["outcome_unknown", "unknown"])
      assert.deepStrictEqual(yield* lateOf, [])
      const before = yield* (yield* CallLog).records
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* lateOf, [
        {
          tenant: "tenant",
          conversation: "conversation",
          turn: "turn",
          callId: "c1",
          tool: "write_it",
          attempt: 1,
          leftAt: 5_000,
          endedAt: 8_000,
          end: { _tag: "Finished" },
          sideEffect: "unknown",
          traceId
        }
      ])
      assert.deepStrictEqual(yield* (yield* CallLog).records, before)
      assert.strictEqual(outcome._tag, "Failure")
    }).pipe(within([write.layer], guard))
  })

  for (const [what, end, tag, code, sideEffect] of [
    [
      "a failure that did nothing",
      Effect.fail(Object.assign(new Error("no"), { code: "ECONNREFUSED" })),
      "Transient",
      "connection_failed",
      "none"
    ],
    [
      "a failure that may have done something",
      Effect.fail(Object.assign(new Error("no"), { code: "ECONNRESET" })),
      "Transient",
      "connection_lost",
      "unknown"
    ],
    [
      "a defect",
      Effect.die(new Error("postgres://admin:hunter2-hunter2@db.internal/orders")),
      "Permanent",
      "tool_crashed",
      "unknown"
    ]
  ] as const) {
    it.effect(`4.9 ${what} after the timeout is recorded and classified`, () => {
      const write = tool("write_it", access, deaf(end))
      return Effect.gen(function* () {
        yield* start(settled(write.tool.call({ q: "a" })))
        yield* TestClock.adjust("8 seconds")
        const [late] = yield* lateOf
        if (late?.end._tag !== "Failed") return assert.fail("no late failure")
        const { failure } = late.end
        assert.deepStrictEqual(brief(failure), [tag, code, sideEffect])
        assert.strictEqual(late.sideEffect, sideEffect)
        assert.notInclude(
          JSON.stringify(late) + String(failure.cause instanceof Error && failure.cause.stack),
          "hunter2"
        )
        const [record] = yield* (yield* CallLog).records
        assert.deepStrictEqual(
          record?.decisions.filter(({ stage }) => stage === "classify"),
          []
        )
      }).pipe(within([write.layer], guard))
    })
  }

  it.effect("4.9 an interrupted handler is recorded as late only if its clean-up takes time", () => {
    const slow = Effect.onInterrupt(Effect.never, () => Effect.sleep("2 seconds"))
    const search = tool("search", { retry: { attempts: 1 } }, slow, Effect.never)
    return Effect.gen(function* () {
      yield* start(settled(search.tool.call({ q: "a" })))
      yield* start(settled(search.tool.call({ q: "b" })))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(
        (yield* lateOf).map(({ end, endedAt, leftAt, sideEffect }) => [end._tag, leftAt, endedAt, sideEffect]),
        [["Interrupted", 5_000, 7_000, "none"]]
      )
    }).pipe(within([search.layer], guard))
  })

  it.effect("4.9 a late outcome is recorded even if the caller was interrupted", () => {
    const search = tool("search", {}, deaf(Effect.succeed({ n: 1 })))
    return Effect.gen(function* () {
      const fiber = yield* start(search.tool.call({ q: "a" }))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("7 seconds")
      const [late] = yield* lateOf
      assert.deepStrictEqual([late?.leftAt, late?.endedAt, late?.end._tag], [1_000, 8_000, "Finished"])
    }).pipe(within([search.layer], guard))
  })

  it.effect("4.9 a late outcome names the owner of its turn, and outside a turn the trace of the call", () => {
    const search = tool("search", { retry: { attempts: 1 } }, deaf(Effect.succeed({ n: 1 })))
    const ownerOf = (call: Effect.Effect<unknown, unknown, any>) =>
      Effect.gen(function* () {
        yield* start(settled(call))
        yield* TestClock.adjust("8 seconds")
        const { conversation, principal, tenant, traceId, turn } = (yield* lateOf).at(-1)!
        return { conversation: conversation === traceId ? "the trace" : conversation, principal, tenant, turn }
      })
    const owner = { conversation: "c", principal: "ann", tenant: "shop", turn: "t" }
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* ownerOf(Guard.turn(search.tool.call({ q: "a" }), owner)), owner)
      assert.deepStrictEqual(yield* ownerOf(search.tool.call({ q: "a" })), {
        conversation: "the trace",
        principal: undefined,
        tenant: "default",
        turn: ""
      })
    }).pipe(outside([search.layer], guard))
  })

  it.effect("4.9, 7.3 loop detector and budget ignore a late outcome", () => {
    const search = tool("search", { retry: { attempts: 1 }, budget: 2 }, deaf(Effect.succeed({ n: 1 })), { n: 1 })
    return Effect.gen(function* () {
      const fiber = yield* start(settled(search.tool.call({ q: "a" })))
      yield* TestClock.adjust("8 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["Transient", "timeout", "none"])
      assert.strictEqual((yield* lateOf).length, 1)
      // the late outcome is neither a second equal result for the loop detector nor a second attempt for the budget
      const { envelope, outcome } = yield* ask([search.tool], "search", { q: "a" })
      assert.deepStrictEqual([envelope, outcome.loop], [{ status: "success", data: { n: 1 } }, undefined])
    }).pipe(within([search.layer], guard))
  })

  it.effect("4.9 a log that throws does not affect later calls", () => {
    const search = tool("search", { concurrency: 1, retry: { attempts: 1 } }, deaf(Effect.succeed({ n: 1 })), { n: 2 })
    const broken = Layer.succeed(CallLog, {
      keep: "none",
      append: () => {},
      records: Effect.succeed([]),
      recordsOf: () => Effect.succeed([]),
      appendLate: () => {
        throw new Error("disk full")
      },
      lateOutcomes: Effect.succeed([])
    })
    return Effect.gen(function* () {
      yield* start(settled(search.tool.call({ q: "a" })))
      yield* TestClock.adjust("8 seconds")
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "b" })), { n: 2 })
    }).pipe(within([search.layer], Guard.layerMemoryWith(broken)))
  })
})

describe("run: concurrency", () => {
  it.effect("2.9 at most sixteen handlers of one tool run concurrently", () => {
    let running = 0
    let most = 0
    const search = define("search")
    const handler = () =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          running += 1
          most = Math.max(most, running)
        }),
        () => Effect.as(Effect.sleep("1 second"), { n: 1 }),
        () => Effect.sync(() => void (running -= 1))
      )
    return Effect.gen(function* () {
      const all = yield* start(
        Effect.forEach(Array.from({ length: 40 }), (_, i) => search.call({ q: String(i) }), {
          concurrency: "unbounded"
        })
      )
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* Fiber.join(all)).length, 40)
      assert.strictEqual(most, 16)
    }).pipe(within([handled(search, handler)]))
  })

  it.effect("4.9 a call without a slot before its deadline fails as busy, without an attempt", () => {
    const one = tool(
      "search",
      {
        concurrency: 1,
        deadline: "10 seconds",
        timeout: "10 seconds",
        budget: 1,
        retry: { attempts: 1 },
        circuit: { minimum: 2 }
      },
      Effect.uninterruptible(Effect.delay(Effect.succeed({ n: 1 }), "12 seconds")),
      { n: 2 }
    )
    return Effect.gen(function* () {
      const first = yield* start(settled(one.tool.call({ q: "a" })))
      yield* TestClock.adjust("1 second")
      const second = yield* start(ask([one.tool], "search", '{"q":"b"}'))
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(poll(first), ["Transient", "timeout", "none"])
      const { attempts, envelope } = yield* Fiber.join(second)
      assert.deepStrictEqual([envelope.error.code, envelope.error.error_class, attempts], ["busy", "transient", 0])
      yield* TestClock.adjust("1 second")
      // the refused call has spent no budget, and the circuit is closed
      assert.deepStrictEqual(yield* settled(one.tool.call({ q: "b" })), { n: 2 })
    }).pipe(within([one.layer]))
  })

  it.effect("4.17 a retry without a slot leaves the earlier attempts unchanged", () => {
    const one = tool(
      "search",
      { concurrency: 1, deadline: "10 seconds", timeout: "10 seconds", circuit: false, retry: { jitter: "none" } },
      Effect.fail(Object.assign(new Error("refused"), { code: "ECONNREFUSED" })),
      Effect.uninterruptible(Effect.delay(Effect.succeed({ n: 1 }), "1 minute"))
    )
    return Effect.gen(function* () {
      yield* start(settled(one.tool.call({ q: "a" })))
      yield* TestClock.adjust("100 millis")
      yield* start(settled(one.tool.call({ q: "hog" })))
      yield* TestClock.adjust("2 minutes")
      const record = (yield* (yield* CallLog).records).find(({ key }) => key === 'search {"q":"a"}')
      assert.deepStrictEqual(record?.attempts, [
        { startedAt: 0, durationMillis: 0, outcome: "Transient", code: "connection_failed" }
      ])
      assert.strictEqual(record?.outcome._tag === "Failure" && record.outcome.failure.code, "busy")
    }).pipe(within([one.layer], Guard.layerMemoryWith(CallLogMemory.layerWith({ keep: "full" }))))
  })
})

describe("run: handlers that break", () => {
  const outcome = (answer: unknown, access = "read") => {
    const broken = tool("search", { access, retry: { attempts: 1 }, approval: "auto" }, answer)
    return settled(broken.tool.call({ q: "a" })).pipe(outside([broken.layer]))
  }

  it.effect("2.5 a defect of a read is Permanent, and a defect of a write has an unknown outcome", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* outcome(Effect.die(new Error("boom"))), ["Permanent", "tool_crashed", "none"])
      assert.deepStrictEqual(yield* outcome(Effect.die(new Error("boom")), "write"), [
        "HumanReview",
        "outcome_unknown",
        "unknown"
      ])
    })
  )

  it.effect("2.5 a handler that throws before it returns an effect fails with a defect and frees its slot", () => {
    const search = define("search", { concurrency: 1, retry: { attempts: 1 } })
    let runs = 0
    const handler = () => {
      runs += 1
      if (runs === 1) throw new Error("boom")
      return Effect.succeed({ n: runs })
    }
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(search.call({ q: "a" })), ["Permanent", "tool_crashed", "none"])
      assert.deepStrictEqual(yield* settled(search.call({ q: "b" })), { n: 2 })
    }).pipe(within([handled(search, handler)]))
  })

  it.effect("2.5 a rejected promise is classified by its error", () =>
    Effect.gen(function* () {
      const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" })
      assert.deepStrictEqual(yield* outcome(Effect.tryPromise(() => Promise.reject(refused))), [
        "Transient",
        "connection_failed",
        "none"
      ])
    })
  )

  it.effect("2.5 a handler that interrupts itself has crashed, and the caller continues", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* outcome(Effect.interrupt), ["Permanent", "tool_crashed", "none"])
    })
  )

  it.effect("2.5 a defect while reading a stream is a defect of the handler", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* outcome(Stream.die(new Error("boom"))), ["Permanent", "tool_crashed", "none"])
    })
  )

  it.effect("2.5 a tool without a layer fails the call, but not the program", () => {
    const missing = define("search")
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(missing.call({ q: "a" })), ["Permanent", "misconfigured", "none"])
    }).pipe(within([]))
  })

  it.effect("2.5 a finalizer that fails does not change the answer", () => {
    const search = define("search")
    const handler = () =>
      Effect.as(
        Effect.addFinalizer(() => Effect.die(new Error("late"))),
        { n: 1 }
      )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* search.call({ q: "a" }), { n: 1 })
    }).pipe(within([handledInScope(search, handler)]))
  })
})

describe("run: a handler sees", () => {
  it.effect("8.1 the id of the call, the number of the attempt and the key of the action", () => {
    const search = tool(
      "search",
      { access: "write", idempotency: { mode: "derived", upstreamHonoursKey: true }, retry: { jitter: "none" } },
      Effect.fail(Object.assign(new Error("reset"), { code: "ECONNRESET" })),
      { n: 1 }
    )
    return Effect.gen(function* () {
      const fiber = yield* start(search.tool.call({ q: "a" }))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      const [first, second] = search.calls.map(({ context }) => context)
      assert.deepStrictEqual([first?.attempt, second?.attempt], [1, 2])
      assert.strictEqual(first?.callId, second?.callId)
      assert.match(String(first?.idempotencyKey), /^idem_[0-9a-f]{32}$/)
      assert.strictEqual(first?.idempotencyKey, second?.idempotencyKey)
    }).pipe(within([search.layer]))
  })

  it.effect("4.9 the caller's references, which override the references of the layer", () => {
    const Language = Context.Reference<string>("test/Language", { defaultValue: () => "none" })
    const Region = Context.Reference<string>("test/Region", { defaultValue: () => "none" })
    const search = define("search", { success: Schema.Array(Schema.String) })
    const layer = handledInScope(search, () => Effect.all([Language, Region])).pipe(
      Layer.provide(Layer.mergeAll(Layer.succeed(Language, "layer"), Layer.succeed(Region, "layer")))
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* search.call({ q: "a" }), ["layer", "layer"])
      assert.deepStrictEqual(yield* search.call({ q: "b" }).pipe(Effect.provideService(Language, "caller")), [
        "caller",
        "layer"
      ])
    }).pipe(within([layer]))
  })
})

describe("run: what the trace of a call says about an attempt", () => {
  const made = (over: object) =>
    Effect.gen(function* () {
      const events: Array<CallEvent> = []
      const trace = Trace.make((event) => void events.push(event))
      const search = tool("search", {}, Effect.delay(Effect.succeed({ n: 1 }), "2 seconds"))
      yield* TestClock.adjust("10 seconds")
      const stage = yield* alone(run, search.tool)
      yield* start(Effect.provide(stage.run({ trace, startedAt: 7_000, ...over }), search.layer))
      const running = trace.running
      yield* TestClock.adjust("2 seconds")
      return { attempts: trace.attempts, events, passed: stage.passed, running: [running, trace.running] }
    }).pipe(Effect.provide(Guard.memory)) as Effect.Effect<any>

  it.effect("15.2 the first attempt starts with the call, a later one when its handler starts", () =>
    Effect.gen(function* () {
      const first = yield* made({ attempt: 1 })
      assert.deepStrictEqual(first.attempts, [{ startedAt: 7_000, durationMillis: 5_000, outcome: "Success" }])
      const second = yield* made({ attempt: 2 })
      assert.deepStrictEqual(second.attempts, [{ startedAt: 22_000, durationMillis: 2_000, outcome: "Success" }])
    })
  )

  it.effect("11.2 an observer reads which attempt started, and the handler counts as running until it ends", () =>
    Effect.gen(function* () {
      const { events, passed, running } = yield* made({ attempt: 3 })
      assert.deepStrictEqual(events, [{ _tag: "AttemptStarted", callId: "call", tool: "search", attempt: 3 }])
      assert.deepStrictEqual(running, [1, 0])
      assert.strictEqual(passed[0]?.answer?._tag, "Value")
    })
  )

  it.effect("2.10 a call whose tool no layer provides is recorded as refused", () =>
    Effect.gen(function* () {
      const trace = Trace.make(undefined)
      const stage = yield* alone(run, define("search"))
      const outcome = yield* stage.run({ trace })
      assert.strictEqual(outcome._tag === "Failure" && outcome.failure.code, "misconfigured")
      assert.deepStrictEqual(trace.decisions, [
        { stage: "run", decision: "refused", reason: "no layer provides the tool" }
      ])
    }).pipe(Effect.provide(Guard.memory))
  )
})

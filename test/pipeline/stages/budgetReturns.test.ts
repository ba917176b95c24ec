/** Tests calls that are repeated before the stated wait is over, and the return of spent units after it. */
import { Guard, GuardedTurn } from "#src/guard/Guard"
import type { JournalledCall } from "#domain/journal/JournalledCall"
import * as HaltsMemory from "#layers/HaltsMemory"
import * as Pipeline from "#pipeline/Pipeline"
import { type CallEvent, CallObserver } from "#services/CallObserver"
import { CurrentTurn } from "#services/CurrentTurn"
import { Halts } from "#services/Halts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Random } from "effect"
import { TestClock } from "effect/testing"
import { ask, response, start, tool, turn, within } from "../support.ts"

const refused = Effect.fail(Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }))

type Fixture = ReturnType<typeof tool>

/** Makes a model's call and advances the clock in small steps until the call ends. */
const called = ({ tool }: Fixture, q = "a", more: object = {}) =>
  Effect.gen(function* () {
    const fiber = yield* start(ask([tool], tool.toolName, { q }, more))
    while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("10 millis")
    return yield* Fiber.join(fiber)
  })

/** Waits for the time that the envelope states. */
const wait = ({ envelope }: { readonly envelope: any }) => TestClock.adjust(`${envelope.error.retry_after_ms} millis`)

const withoutLoop: Layer.Layer<any> = Guard.layerOf(Pipeline.remove("loop")(Pipeline.stages) as never).pipe(
  Layer.provide(Guard.memory)
) as Layer.Layer<any>

describe("budget: units of Transient failures", () => {
  for (const [what, definition] of [
    ["a read", { access: "read" }],
    ["a write with a key", { access: "write", idempotency: "derived" }],
    ["a write without a key", { access: "write" }],
    ["a write whose repeats are allowed", { access: "write", repeats: "allowed" }],
    ["a destructive call", { access: "destructive", approval: "auto" }]
  ] as const) {
    it.effect(`4.7 ${what} that is repeated too early waits for the rest of the stated time, and is then made`, () => {
      let isDown = true
      const target = tool("call_it", definition, () => (isDown ? refused : Effect.succeed({ n: 1 })))
      return Effect.gen(function* () {
        const { error } = (yield* called(target)).envelope
        const failedAt = yield* Clock.currentTimeMillis
        assert.deepStrictEqual([error.code, error.retryable, error.next_step], ["connection_failed", true, "wait"])
        assert.strictEqual(target.runs(), 4)
        isDown = false

        yield* TestClock.adjust(`${Math.floor(error.retry_after_ms / 2)} millis`)
        const { attempts, decisions, envelope } = yield* called(target)
        assert.deepStrictEqual([envelope.status, envelope.data, attempts], ["success", { n: 1 }, 1])
        assert.approximately(target.calls.at(-1)!.at, failedAt + error.retry_after_ms, 11)
        assert.deepStrictEqual(
          decisions.map(({ decision, stage }) => [stage, decision]),
          [
            ["budget", "too early"],
            ["retry", "waited"]
          ]
        )
      }).pipe(within([target.layer]))
    })

    it.effect(
      `4.7 ${what} that is repeated more than ten seconds too early is refused, and made after the wait`,
      () => {
        let isDown = true
        const busy = response(503, "", { "retry-after": "60" })
        const target = tool("call_it", definition, () => Effect.succeed(isDown ? busy : { n: 1 }))
        return Effect.gen(function* () {
          const { error } = (yield* called(target)).envelope
          assert.strictEqual(target.runs(), 1)
          isDown = false

          yield* TestClock.adjust(`${Math.floor(error.retry_after_ms / 2)} millis`)
          const early = yield* called(target)
          const refusal = early.envelope.error
          assert.deepStrictEqual(
            [refusal.error_class, refusal.code, refusal.retryable, refusal.next_step, early.attempts, target.runs()],
            ["transient", "retry_budget_exceeded", true, "wait", 0, 1]
          )
          assert.approximately(refusal.retry_after_ms, error.retry_after_ms / 2, 11)
          assert.include(refusal.message, "too early")
          assert.include(refusal.hint, "Wait until retry_after_ms is over")
          assert.strictEqual(refusal.max_retries, error.max_retries)

          yield* wait(early)
          const { attempts, envelope } = yield* called(target)
          assert.deepStrictEqual([envelope.status, envelope.data, attempts], ["success", { n: 1 }, 1])
        }).pipe(within([target.layer]))
      }
    )

    it.effect(`5.2 \`max_retries\` of ${what} is the number of attempts that the next call makes`, () => {
      const target = tool("call_it", { ...definition, circuit: false }, refused)
      return Effect.gen(function* () {
        for (const early of [false, true]) {
          const first = yield* called(target)
          const before = target.runs()
          if (!early) yield* wait(first)
          const { attempts } = yield* called(target)
          assert.deepStrictEqual([first.envelope.error.max_retries, attempts, target.runs() - before], [4, 4, 4])
          yield* TestClock.adjust("1 minute")
        }
      }).pipe(within([target.layer]))
    })
  }

  it.effect(
    "2.12, 4.7 a call is refused if an attempt after its wait would not have its full time before the deadline",
    () => {
      // the stated time is at most one second
      const once = (deadline: string) => ({ deadline, timeout: "4 seconds", retry: { attempts: 1 } })
      const wide = tool("wide_it", once("5 seconds"), refused)
      const tight = tool("tight_it", once("4 seconds"), refused)
      return Effect.gen(function* () {
        const second = (target: Fixture) => Effect.andThen(called(target), called(target))
        assert.deepInclude(yield* second(wide), { attempts: 1 })
        const early = yield* second(tight)
        assert.deepStrictEqual([early.envelope.error.code, early.attempts], ["retry_budget_exceeded", 0])
      }).pipe(within([wide.layer, tight.layer]))
    }
  )

  it.effect("10.7 an early call is not made if its tool is halted while the call waits", () => {
    const search = tool("search", { circuit: false }, refused)
    return Effect.gen(function* () {
      yield* called(search)
      const fiber = yield* start(ask([search.tool], "search", { q: "a" }))
      yield* Effect.flatMap(Halts, (halts) => halts.halt({ tool: "search", by: "ana", reason: "" }))
      yield* TestClock.adjust("10 seconds")
      const { attempts, envelope } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([envelope.error.code, attempts, search.runs()], ["halted", 0, 4])
    }).pipe(within([search.layer], Layer.provideMerge(Guard.layerMemory, Layer.fresh(HaltsMemory.layer))))
  })

  it.effect("11.2 an observer reads how long an early call waits", () => {
    const search = tool("search", { circuit: false, retry: { attempts: 1 } }, refused, { n: 1 })
    const events: Array<CallEvent> = []
    return Effect.gen(function* () {
      const first = yield* called(search)
      yield* called(search)
      const wait = events.find(({ _tag }) => _tag === "RetryScheduled")
      assert.deepInclude(wait, { tool: "search", attempt: 1 })
      assert.approximately((wait as { delayMillis: number }).delayMillis, first.envelope.error.retry_after_ms, 11)
    }).pipe(
      Effect.provideService(CallObserver, (event: CallEvent) => void events.push(event)),
      within([search.layer])
    )
  })

  it.effect("4.7 a call that is made each time after the stated wait is not stopped as a loop", () => {
    const search = tool("search", { circuit: false }, refused)
    return Effect.gen(function* () {
      for (let n = 1; n <= 6; n++) {
        const first = yield* called(search)
        assert.deepStrictEqual([first.envelope.error.code, first.envelope.error.retryable], ["connection_failed", true])
        assert.strictEqual(search.runs(), 4 * n)
        yield* wait(first)
      }
    }).pipe(within([search.layer]))
  })

  for (const access of ["read", "write"] as const) {
    it.effect(
      `16 without a pause, seventeen calls of a ${access} make four attempts twice, and are then a loop`,
      () => {
        const target = tool("call_it", { access, circuit: false }, refused)
        return Effect.gen(function* () {
          const all = yield* Effect.forEach(Array.from({ length: 17 }), () => called(target))
          assert.deepStrictEqual(
            all.map(({ attempts, envelope: { error } }) => [error.code, error.retryable, attempts]),
            [
              ["connection_failed", true, 4],
              ["connection_failed", false, 4],
              ...Array.from({ length: 15 }, () => ["loop_detected", false, 0])
            ]
          )
          const times = target.calls.map(({ at }) => at)
          assert.isAtLeast(times[4]! - times[3]!, 4_000)
        }).pipe(within([target.layer]))
      }
    )

    it.effect(`16 concurrently, seventeen calls of a ${access} make at most four attempts at a time`, () => {
      const target = tool("call_it", { access, circuit: false }, refused)
      const parallel = Effect.gen(function* () {
        const before = target.runs()
        const fibers = yield* Effect.forEach(Array.from({ length: 17 }), () =>
          start(ask([target.tool], "call_it", { q: "a" }))
        )
        while (fibers.some((fiber) => fiber.pollUnsafe() === undefined)) yield* TestClock.adjust("100 millis")
        return target.runs() - before
      })
      return Effect.gen(function* () {
        assert.deepStrictEqual([yield* parallel, yield* parallel], [4, 4])
      }).pipe(within([target.layer], withoutLoop))
    })
  }

  it.effect("4.7, 7.1 if calls are refused as too early, the ninth call is marked and the tenth is stopped", () => {
    const search = tool("search", {}, response(503, "", { "retry-after": "600" }))
    return Effect.gen(function* () {
      const codes = yield* Effect.forEach(Array.from({ length: 12 }), (_, n) =>
        Effect.map(called(search, "a", { round: n + 1 }), ({ envelope: { error }, outcome }) => [
          error.code,
          outcome._tag === "Failure" && outcome.loop !== undefined ? outcome.loop._tag : "Proceed"
        ])
      )
      const early = ["retry_budget_exceeded", "Proceed"]
      assert.deepStrictEqual(codes.slice(0, 10), [
        ["unavailable", "Proceed"],
        ...Array.from({ length: 7 }, () => early),
        ["retry_budget_exceeded", "Tell"],
        ["retry_budget_exceeded", "Stop"]
      ])
      assert.strictEqual(search.runs(), 1)
    }).pipe(within([search.layer]))
  })

  it.effect("4.11 the stated wait is the delay after the last attempt, with jitter, and at least Retry-After", () => {
    const search = tool("search", { circuit: false }, refused)
    const busy = tool("ask_it", { circuit: false }, response(503, "", { "retry-after": "60" }))
    return Effect.gen(function* () {
      for (const q of ["a", "b", "c"]) {
        const { retry_after_ms } = (yield* called(search, q)).envelope.error
        assert.isAtLeast(retry_after_ms, 4_000)
        assert.isAtMost(retry_after_ms, 8_000)
        const stated = (yield* called(busy, q)).envelope.error.retry_after_ms
        assert.isAtLeast(stated, 60_000)
        assert.isAtMost(stated, 66_000)
      }
    }).pipe(Random.withSeed(3), within([search.layer, busy.layer]))
  })

  it.effect("5.2 a timeout, a refused connection and a call outside a turn are retryable with a time", () => {
    const slow = tool("slow_it", { timeout: "1 second" }, Effect.never)
    const search = tool("search", {}, refused)
    const shown = ({ envelope: { error } }: { readonly envelope: any }) => [
      error.code,
      error.retryable,
      error.retry_after_ms > 0,
      error.max_retries
    ]
    return Effect.gen(function* () {
      assert.deepStrictEqual(shown(yield* called(slow)), ["timeout", true, true, 4])
      assert.deepStrictEqual(shown(yield* called(search)), ["connection_failed", true, true, 4])
      const outside = yield* Effect.provideService(called(search), CurrentTurn, undefined).pipe(
        Effect.provide(Layer.fresh(Guard.layerMemory))
      )
      assert.isAbove(outside.envelope.error.retry_after_ms, 0)
    }).pipe(within([slow.layer, search.layer]))
  })

  it.effect("5.2 a failure that leaves nothing to wait for is not retryable, and states no time", () => {
    const write = tool("write_it", { access: "write" }, response(503, ""))
    return Effect.gen(function* () {
      const { error } = (yield* called(write)).envelope
      assert.deepStrictEqual([error.code, error.retryable], ["outcome_unknown", false])
      assert.notProperty(error, "retry_after_ms")
      assert.notProperty(error, "max_retries")
    }).pipe(within([write.layer]))
  })

  it.effect("4.7, 12.2 a resumed run waits for the stated time, and then makes the call", () => {
    const search = tool("search", {}, refused, refused, refused, refused, { n: 1 })
    return Effect.gen(function* () {
      const first = yield* called(search, "a", { journal: "new" })
      const journalled = JSON.parse(JSON.stringify(first.journal)) as JournalledCall
      assert.isAbove(journalled.spent?.readyAt ?? 0, 0)
      yield* Effect.gen(function* () {
        const { restore } = yield* GuardedTurn
        yield* restore(new Map([["search", search.tool]]), turn, "search", journalled)
        const restoredAt = yield* Clock.currentTimeMillis
        assert.deepStrictEqual((yield* called(search)).envelope.data, { n: 1 })
        assert.approximately(search.calls.at(-1)!.at - restoredAt, first.envelope.error.retry_after_ms, 11)
      }).pipe(within([search.layer], Layer.fresh(Guard.layerMemory)))
    }).pipe(within([search.layer]))
  })
})

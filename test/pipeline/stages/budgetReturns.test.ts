import { Guard, GuardedTurn } from "#src/guard/Guard"
import type { JournaledCall } from "#domain/journal/JournaledCall"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Random } from "effect"
import { TestClock } from "effect/testing"
import { ask, response, start, tool, turn, within } from "../support.ts"

const refused = Effect.fail(Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }))

type Made = ReturnType<typeof tool>

/** Makes a model's call and advances the clock in small steps until it ends. */
const called = ({ tool }: Made, q = "a", more: object = {}) =>
  Effect.gen(function* () {
    const fiber = yield* start(ask([tool], tool.toolName, { q }, more))
    while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("10 millis")
    return yield* Fiber.join(fiber)
  })

/** Waits as the model was told. */
const wait = ({ envelope }: { readonly envelope: any }) => TestClock.adjust(`${envelope.error.retry_after_ms} millis`)

describe("budget: units of Transient failures", () => {
  for (const [what, definition] of [
    ["a read", { access: "read" }],
    ["a write with a key", { access: "write", idempotency: "derived" }],
    ["a write without a key", { access: "write" }],
    ["a write whose repeats are allowed", { access: "write", repeats: "allowed" }],
    ["a destructive call", { access: "destructive", approval: "auto" }]
  ] as const) {
    it.effect(`[4.7] ${what} that failed is refused before the told time, and made when it is over`, () => {
      let isDown = true
      const target = tool("call_it", definition, () => (isDown ? refused : Effect.succeed({ n: 1 })))
      return Effect.gen(function* () {
        const told = yield* called(target)
        const { error } = told.envelope
        assert.deepStrictEqual([error.code, error.retryable, error.next_step], ["connection_failed", true, "wait"])
        assert.isAbove(error.retry_after_ms, 0)
        assert.isAbove(error.max_retries, 0)
        assert.strictEqual(target.runs(), 4)
        isDown = false

        yield* TestClock.adjust(`${Math.floor(error.retry_after_ms / 2)} millis`)
        const early = yield* called(target)
        const refusal = early.envelope.error
        assert.deepStrictEqual(
          [refusal.error_class, refusal.code, refusal.retryable, refusal.next_step, early.attempts, target.runs()],
          ["transient", "retry_budget_exceeded", true, "wait", 0, 4]
        )
        assert.approximately(refusal.retry_after_ms, error.retry_after_ms / 2, 11)
        assert.include(refusal.message, "too early")
        assert.include(refusal.hint, "Wait until retry_after_ms is over")
        assert.strictEqual(refusal.max_retries, error.max_retries)

        yield* wait(early)
        const { attempts, envelope } = yield* called(target)
        assert.deepStrictEqual([envelope.status, envelope.data, attempts], ["success", { n: 1 }, 1])
      }).pipe(within([target.layer]))
    })
  }

  it.effect("[4.7] a call that is made each time when it was told is not stopped as a loop", () => {
    const search = tool("search", { circuit: false }, refused)
    return Effect.gen(function* () {
      for (let n = 1; n <= 6; n++) {
        const told = yield* called(search)
        assert.deepStrictEqual([told.envelope.error.code, told.envelope.error.retryable], ["connection_failed", true])
        assert.strictEqual(search.runs(), 4 * n)
        yield* wait(told)
      }
    }).pipe(within([search.layer]))
  })

  it.effect("[4.7] seventeen calls of a write without a key that come too early make four attempts", () => {
    const write = tool("write_it", { access: "write", circuit: false }, refused)
    return Effect.gen(function* () {
      yield* called(write)
      yield* Effect.forEach(Array.from({ length: 16 }), () => ask([write.tool], "write_it", { q: "a" }))
      assert.strictEqual(write.runs(), 4)
    }).pipe(within([write.layer]))
  })

  it.effect("[4.11] the told wait is the delay after the last attempt, with jitter, and at least Retry-After", () => {
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

  it.effect("[5.2] a timeout, a refused connection and a call outside a turn are retryable with a time", () => {
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
      const outside = yield* Effect.provide(called(search), Layer.fresh(Guard.layerMemory))
      assert.isAbove(outside.envelope.error.retry_after_ms, 0)
    }).pipe(within([slow.layer, search.layer]))
  })

  it.effect("[5.2] a failure that leaves nothing to wait for is not retryable, and states no time", () => {
    const write = tool("write_it", { access: "write" }, response(503, ""))
    return Effect.gen(function* () {
      const { error } = (yield* called(write)).envelope
      assert.deepStrictEqual([error.code, error.retryable], ["outcome_unknown", false])
      assert.notProperty(error, "retry_after_ms")
      assert.notProperty(error, "max_retries")
    }).pipe(within([write.layer]))
  })

  it.effect("[4.7, 12.2] a resumed run refuses the call before the told time, and makes it when it is over", () => {
    const search = tool("search", {}, refused, refused, refused, refused, { n: 1 })
    return Effect.gen(function* () {
      const told = yield* called(search, "a", { journal: "new" })
      const journaled = JSON.parse(JSON.stringify(told.journal)) as JournaledCall
      assert.isAbove(journaled.spent?.readyAt ?? 0, 0)
      yield* Effect.gen(function* () {
        const { restore } = yield* GuardedTurn
        yield* restore(new Map([["search", search.tool]]), turn, "search", journaled)
        const early = yield* called(search)
        assert.deepStrictEqual([early.envelope.error.code, early.attempts], ["retry_budget_exceeded", 0])
        yield* wait(early)
        assert.deepStrictEqual((yield* called(search)).envelope.data, { n: 1 })
      }).pipe(within([search.layer], Layer.fresh(Guard.layerMemory)))
    }).pipe(within([search.layer]))
  })
})

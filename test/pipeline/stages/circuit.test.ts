import { Guard } from "#src/guard/Guard"
import * as Pipeline from "#pipeline/Pipeline"
import * as RetryQuotaMemory from "#layers/RetryQuotaMemory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Random } from "effect"
import { TestClock } from "effect/testing"
import { ask, complete, poll, response, settled, start, tool, within } from "../support.ts"

const coded = (code: string) => Effect.fail(Object.assign(new Error(code), { code }))
const down = coded("ECONNREFUSED")
/** A guard without loop detection, which would stop the repeated calls of these tests. */
const withoutLoops = Guard.layerOf(Pipeline.remove("loop")(Pipeline.stages)).pipe(Layer.provide(Guard.memory))

const single = { retry: { attempts: 1 } }
const open = ["Transient", "circuit_open", "none"]

/** Makes calls with different arguments, one after another. */
const calls = (made: ReturnType<typeof tool>, count: number, from = 0) =>
  Effect.forEach(
    Array.from({ length: count }, (_, n) => String(from + n)),
    (q) => settled(made.tool.call({ q }))
  )

describe("circuit", () => {
  it.effect("2.9 opens when five of five attempts failed, and the sixth call is not made", () => {
    const search = tool("search", single, down)
    return Effect.gen(function* () {
      const outcomes = yield* calls(search, 7)
      assert.deepStrictEqual(outcomes.slice(5), [open, open])
      assert.strictEqual(search.runs(), 5)
    }).pipe(within([search.layer]))
  })

  it.effect("4.11 the model reads when to retry", () => {
    const search = tool("search", single, down)
    return Effect.gen(function* () {
      yield* calls(search, 5)
      const { attempts, envelope } = yield* ask([search.tool], "search", '{"q":"new"}')
      assert.deepStrictEqual(
        [envelope.error.error_class, envelope.error.code, envelope.error.retryable, attempts],
        ["transient", "circuit_open", true, 0]
      )
      // half of the open time is random, and so is the hint
      assert.isAtLeast(envelope.error.retry_after_ms, 500)
      assert.isAtMost(envelope.error.retry_after_ms, 1_650)
      assert.strictEqual(envelope.error.message, "search failed repeatedly and is not called for now.")
    }).pipe(within([search.layer]))
  })

  it.effect("5.2 a model reads a single time, even if its attempts require a longer wait than the circuit", () => {
    const policy = { deadline: "3 seconds", timeout: "1 second", circuit: { minimum: 2, window: 2, open: "3 seconds" } }
    const search = tool("search", policy, down)
    return Effect.gen(function* () {
      const { envelope } = yield* complete(ask([search.tool], "search", '{"q":"a"}'))
      assert.strictEqual(envelope.error.code, "circuit_open")
      assert.isAbove(envelope.error.retry_after_ms, 3_300)
      assert.notMatch(envelope.error.message, /\d ?m?s\b/)
    }).pipe(within([search.layer]), Random.withSeed("four"))
  })

  it.effect("2.9 admits a probe after at most a second, and after its success one call after another", () => {
    const search = tool("search", single, down, down, down, down, down, { n: 1 })
    return Effect.gen(function* () {
      yield* calls(search, 5)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* calls(search, 3, 10), [{ n: 1 }, { n: 1 }, { n: 1 }])
    }).pipe(within([search.layer]))
  })

  it.effect("4.11 counts each attempt, even within one call", () => {
    const search = tool(
      "search",
      {
        retry: { attempts: 9, jitter: "none", base: "1 millis", cap: "1 millis" },
        deadline: "1 second",
        timeout: "1 second",
        circuit: { open: "10 seconds" }
      },
      down
    )
    return Effect.gen(function* () {
      yield* complete(settled(search.tool.call({ q: "a" })))
      assert.strictEqual(search.runs(), 5)
    }).pipe(within([search.layer]))
  })

  it.effect("4.11 a call that an open circuit rejects spends no budget", () => {
    const search = tool("search", { ...single, budget: 1, circuit: { minimum: 1, open: "10 seconds" } }, down, {
      n: 2
    })
    return Effect.gen(function* () {
      yield* settled(search.tool.call({ q: "a" }))
      for (let n = 0; n < 5; n++) assert.deepStrictEqual(yield* settled(search.tool.call({ q: "b" })), open)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "b" })), { n: 2 })
    }).pipe(within([search.layer], withoutLoops))
  })

  it.effect("4.11 an open circuit ends the retries unless it closes before the deadline", () => {
    const search = tool(
      "search",
      { retry: { attempts: 5, jitter: "none" }, circuit: { minimum: 1, open: "10 seconds" } },
      down,
      { n: 2 }
    )
    const slow = tool(
      "slow",
      {
        retry: { attempts: 5, jitter: "none" },
        deadline: "5 seconds",
        circuit: { minimum: 1, open: "10 seconds" }
      },
      down,
      { n: 2 }
    )
    return Effect.gen(function* () {
      const outcome = yield* complete(settled(search.tool.call({ q: "a" })))
      assert.deepStrictEqual(outcome, { n: 2 })
      // the first attempt fails at 0 ms; a retry at 1,000 ms is rejected until the open time and its jitter are over
      assert.strictEqual(search.runs(), 2)
      assert.isAtLeast(search.calls[1]?.at ?? 0, 5_000)
      assert.isAtMost(search.calls[1]?.at ?? 0, 15_000)
      const running = slow.tool.call({ q: "a" })
      const fiber = yield* start(settled(running))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(fiber.pollUnsafe()?._tag, "Success")
      assert.strictEqual(slow.runs(), 1)
    }).pipe(within([search.layer, slow.layer]))
  })

  for (const [what, answer] of [
    ["mistakes in the arguments", response(422, "")],
    ["answers that violate the contract", '{"n":"x"}'],
    ["permanent failures", coded("ENOENT")],
    ["defects", Effect.die("boom")]
  ] as const) {
    it.effect(`4.11 ${what} do not open the circuit`, () => {
      const search = tool("search", single, answer)
      return Effect.gen(function* () {
        yield* calls(search, 12)
        assert.strictEqual(search.runs(), 12)
      }).pipe(within([search.layer]))
    })
  }

  it.effect("4.11 exhausted resources open the circuit", () => {
    const search = tool("search", single, coded("ENOSPC"))
    return Effect.gen(function* () {
      yield* calls(search, 8)
      assert.strictEqual(search.runs(), 5)
    }).pipe(within([search.layer]))
  })

  it.effect("2.9 a tool can disable or configure its circuit", () => {
    const without = tool("without", { ...single, circuit: false }, down)
    const own = tool("own", { ...single, circuit: { minimum: 2, open: "1 minute" } }, down, down, { n: 1 })
    return Effect.gen(function* () {
      yield* calls(without, 12)
      assert.strictEqual(without.runs(), 12)
      yield* calls(own, 3)
      yield* TestClock.adjust("29 seconds")
      yield* calls(own, 1, 5)
      assert.strictEqual(own.runs(), 2)
      yield* TestClock.adjust("31 seconds")
      assert.deepStrictEqual(yield* calls(own, 1, 6), [{ n: 1 }])
    }).pipe(within([without.layer, own.layer]))
  })

  it.effect("3.3 a write that runs while the circuit opens keeps its outcome", () => {
    const write = tool(
      "write_it",
      { access: "write", circuit: { minimum: 1 } },
      Effect.delay(coded("ECONNRESET"), "1 second")
    )
    return Effect.gen(function* () {
      const fibers = yield* Effect.forEach(["a", "b", "c"], (q) => start(settled(write.tool.call({ q }))))
      yield* TestClock.adjust("1 second")
      for (const fiber of fibers) {
        assert.deepStrictEqual(poll(fiber), ["HumanReview", "outcome_unknown", "unknown"])
      }
    }).pipe(within([write.layer]))
  })
})

describe("quota", () => {
  it.effect("4.11 in an outage all callers together have ten retries a minute, plus a tenth of the calls", () => {
    const search = tool("search", { circuit: false, retry: { attempts: 3, jitter: "none" } }, down)
    return Effect.gen(function* () {
      yield* complete(
        Effect.forEach(
          Array.from({ length: 200 }, (_, n) => String(n)),
          (q) => settled(search.tool.call({ q })),
          {
            concurrency: "unbounded"
          }
        )
      )
      const retries = search.calls.filter(({ context }) => context.attempt > 1).length
      assert.deepStrictEqual([search.runs() - retries, retries], [200, 30])
    }).pipe(within([search.layer]))
  })

  it.effect("4.11 a call whose retry is not granted ends immediately with its failure", () => {
    const search = tool("search", { retry: { attempts: 3, jitter: "none" } }, down)
    const none = Guard.layerMemoryWith(RetryQuotaMemory.layerWith({ floorPerMinute: 0 }))
    return Effect.gen(function* () {
      const { attempts, decisions, envelope } = yield* complete(ask([search.tool], "search", '{"q":"a"}'))
      assert.deepStrictEqual([envelope.error.code, attempts, search.runs()], ["connection_failed", 1, 1])
      assert.deepStrictEqual(
        decisions.map(({ decision, stage }) => `${stage} ${decision}`),
        ["quota no retry"]
      )
    }).pipe(within([search.layer], none))
  })

  it.effect("4.11 a retry that was not granted spends no budget", () => {
    const search = tool("search", { budget: 3, retry: { attempts: 3, jitter: "none" }, circuit: false }, down)
    const none = Guard.layerOf(Pipeline.remove("loop")(Pipeline.stages)).pipe(
      Layer.provide(RetryQuotaMemory.layerWith({ floorPerMinute: 0 })),
      Layer.provide(Guard.memory)
    )
    return Effect.gen(function* () {
      const left = []
      for (let n = 0; n < 3; n++) {
        const { envelope } = yield* complete(ask([search.tool], "search", '{"q":"a"}'))
        left.push([envelope.error.code, envelope.error.max_retries])
      }
      assert.deepStrictEqual(
        left.map(([code]) => code),
        ["connection_failed", "connection_failed", "connection_failed"]
      )
      assert.strictEqual(search.runs(), 3)
    }).pipe(within([search.layer], none))
  })

  it.effect("4.11 first attempts are never refused", () => {
    const search = tool("search", single, { n: 1 })
    const none = Guard.layerMemoryWith(RetryQuotaMemory.layerWith({ floorPerMinute: 0, share: 0 }))
    return Effect.gen(function* () {
      yield* calls(search, 50)
      assert.strictEqual(search.runs(), 50)
    }).pipe(within([search.layer], none))
  })
})

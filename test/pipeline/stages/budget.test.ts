import { Guard } from "#src/guard/Guard"
import * as AccountText from "#domain/turn/AccountText"
import * as Account from "#domain/turn/Account"
import { volatile } from "#domain/schema/VolatileField"
import { ToolPolicy } from "#services/Policies"
import { Budgets, BudgetsUnavailable, type Spending } from "#services/Budgets"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, Option, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Pipeline from "#pipeline/Pipeline"
import { ask, asked, complete, outside, response, settled, start, tool, within } from "../support.ts"

const coded = (code: string) => Effect.fail(Object.assign(new Error(code), { code }))

/** A guard without loop detection, which would stop most repeats before the budget does. */
const guard = Guard.layerOf(Pipeline.remove("loop")(Pipeline.stages)).pipe(Layer.provide(Guard.memory))

const repeat = (times: number, call: Effect.Effect<unknown, unknown, any>) =>
  Effect.forEach(Array.from({ length: times }), () => complete(settled(call)))

describe("budget: limits", () => {
  it.effect("4.7 an identical read has four attempts, and then the last result is returned again", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      const answers = yield* Effect.forEach(Array.from({ length: 5 }), () => ask([search.tool], "search", '{"q":"a"}'))
      assert.deepStrictEqual(
        answers.map(({ attempts, envelope }) => [envelope.data, envelope.unchanged, attempts]),
        [
          [{ n: 1 }, undefined, 1],
          [{ n: 1 }, true, 1],
          [{ n: 1 }, true, 1],
          [{ n: 1 }, true, 1],
          [{ n: 1 }, true, 0]
        ]
      )
      assert.strictEqual(search.runs(), 4)
    }).pipe(within([search.layer], guard))
  })

  it.effect("4.7 a different digest is progress, and resets the count", () => {
    const search = tool("search", {}, { n: 1 }, { n: 1 }, { n: 2 }, { n: 2 }, { n: 3 }, { n: 3 })
    return Effect.gen(function* () {
      yield* repeat(6, asked(search.tool, { q: "a" }))
      assert.strictEqual(search.runs(), 6)
    }).pipe(within([search.layer], guard))
  })

  it.effect("4.7 each attempt of a call that fails transiently spends one unit", () => {
    const deadline = { deadline: "10 seconds", timeout: "10 seconds" } // leaves no time for the stated wait
    const search = tool("search", { circuit: false, ...deadline }, coded("ECONNREFUSED"))
    return Effect.gen(function* () {
      const call = yield* start(ask([search.tool], "search", '{"q":"a"}'))
      yield* TestClock.adjust("7 seconds")
      const first = yield* Fiber.join(call)
      assert.deepStrictEqual([first.envelope.error.retryable, first.envelope.error.max_retries], [true, 4])
      const second = yield* ask([search.tool], "search", '{"q":"a"}')
      assert.deepStrictEqual(
        [
          second.envelope.error.error_class,
          second.envelope.error.code,
          second.envelope.error.next_step,
          second.attempts
        ],
        ["transient", "retry_budget_exceeded", "wait", 0]
      )
      assert.strictEqual(search.runs(), 4)
    }).pipe(within([search.layer], guard))
  })

  it.effect("5.2 the model reads how many attempts it has after the stated wait", () => {
    const search = tool("search", { retry: { attempts: 1 }, budget: 3, circuit: false }, coded("ECONNREFUSED"))
    return Effect.gen(function* () {
      const left = yield* Effect.forEach([1, 2, 3, 4], () =>
        Effect.gen(function* () {
          const { error } = (yield* ask([search.tool], "search", '{"q":"a"}')).envelope
          yield* TestClock.adjust(`${error.retry_after_ms} millis`)
          return [error.retryable, error.max_retries, error.next_step]
        })
      )
      assert.deepStrictEqual(left, [
        // spent units are returned when `retry_after_ms` is over
        [true, 3, "wait"],
        [true, 3, "wait"],
        [true, 3, "wait"],
        [true, 3, "wait"]
      ])
    }).pipe(within([search.layer], guard))
  })

  it.effect("4.7 the refusal has the class of the last failure, and quotes it", () => {
    const search = tool("search", { retry: { attempts: 1 }, budget: 1 }, coded("ENOSPC"))
    return Effect.gen(function* () {
      yield* asked(search.tool, { q: "a" })
      const { envelope } = yield* ask([search.tool], "search", '{"q":"a"}')
      assert.deepStrictEqual([envelope.error.error_class, envelope.error.code], ["resource", "retry_budget_exceeded"])
      assert.include(envelope.error.message, "ENOSPC")
    }).pipe(within([search.layer], guard))
  })

  it.effect("4.7 an identical write or destructive call has one attempt", () => {
    const write = tool("write_it", { access: "write" }, { n: 1 }, { n: 2 })
    const destroy = tool("drop_it", { access: "destructive", approval: "auto" }, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      for (const { runs, tool } of [write, destroy]) {
        assert.deepStrictEqual(yield* repeat(2, asked(tool, { q: "a" })), [{ n: 1 }, { n: 1 }])
        assert.strictEqual(runs(), 1)
      }
    }).pipe(within([write.layer, destroy.layer], guard))
  })

  it.effect("4.7 a write with idempotency has three attempts, spent only after transient failures", () => {
    const write = tool(
      "write_it",
      { access: "write", idempotency: "derived", retry: { attempts: 1 }, circuit: false },
      coded("ECONNREFUSED"),
      coded("ECONNREFUSED"),
      response(409, ""),
      { n: 4 }
    )
    return Effect.gen(function* () {
      const outcomes = (yield* repeat(4, asked(write.tool, { q: "a" }))) as ReadonlyArray<ReadonlyArray<string>>
      assert.deepStrictEqual(
        outcomes.slice(0, 2).map(([tag]) => tag),
        ["Transient", "Transient"]
      )
      assert.strictEqual(write.runs(), 3)
      assert.strictEqual(outcomes[3]?.[2], "none")
    }).pipe(within([write.layer], guard))
  })

  it.effect("4.7 a successful write with only reconcile is not repeated, and its result is returned again", () => {
    const find = tool("find_it", {}, { n: 1 })
    const reconcile = { tool: find.tool, arguments: ({ q }: { q: string }) => ({ q }), found: () => Option.none() }
    const write = tool("write_it", { access: "write", reconcile }, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      yield* asked(write.tool, { q: "a" })
      const { attempts, envelope } = yield* ask([write.tool], "write_it", '{"q":"a"}')
      assert.deepStrictEqual([envelope.data, envelope.executed, attempts, write.runs()], [{ n: 1 }, false, 0, 1])
    }).pipe(within([write.layer, find.layer], guard))
  })

  it.effect(
    "4.7 only one of several identical concurrent writes with reconcile runs, and the others fail as in_progress",
    () => {
      const find = tool("find_it", {}, { n: 1 })
      const reconcile = { tool: find.tool, arguments: ({ q }: { q: string }) => ({ q }), found: () => Option.none() }
      const write = tool("write_it", { access: "write", reconcile }, Effect.delay(Effect.succeed({ n: 1 }), "1 second"))
      return Effect.gen(function* () {
        const fibers = yield* Effect.forEach([1, 2, 3], () => start(asked(write.tool, { q: "a" })))
        yield* TestClock.adjust("1 second")
        const running = ["Transient", "in_progress", "none"]
        assert.deepStrictEqual(yield* Fiber.joinAll(fibers), [{ n: 1 }, running, running])
        assert.strictEqual(write.runs(), 1)
      }).pipe(within([write.layer, find.layer], guard))
    }
  )

  it.effect("4.7 if the guard's budget is below the tool's attempts, the budget is raised to the attempts", () => {
    const search = tool("search", { retry: { attempts: 4, jitter: "none" }, circuit: false }, coded("ECONNREFUSED"))
    const small = guard.pipe(Layer.provide(Layer.succeed(ToolPolicy, { budget: 1 })))
    return Effect.gen(function* () {
      yield* complete(asked(search.tool, { q: "a" }))
      assert.strictEqual(search.runs(), 4)
    }).pipe(within([search.layer], small))
  })

  it.effect("4.7 with a budget below the default attempts, a call has as many attempts as the budget allows", () => {
    const search = tool("search", { budget: 2, retry: { jitter: "none" }, circuit: false }, coded("ECONNREFUSED"))
    return Effect.gen(function* () {
      yield* complete(asked(search.tool, { q: "a" }))
      assert.strictEqual(search.runs(), 2)
    }).pipe(within([search.layer], guard))
  })

  it.effect("4.7 once a poll is over, identical calls are counted, and the budget ends them", () => {
    const poll = { interval: "1 second", deadline: "1 hour", until: ({ n }: { readonly n: number }) => n === 3 }
    const job = tool("get_job", { budget: 1, poll, loop: { identical: 9 } }, { n: 1 }, { n: 2 }, { n: 3 })
    return Effect.gen(function* () {
      const marks = []
      for (let round = 1; round <= 6; round++) {
        const { envelope } = yield* ask([job.tool], "get_job", { q: "a" }, { round })
        marks.push([envelope.data, envelope.unchanged])
        yield* TestClock.adjust("2 seconds")
      }
      assert.deepStrictEqual(marks.at(-1), [{ n: 3 }, true])
      assert.strictEqual(job.runs(), 4)
    }).pipe(within([job.layer]))
  })

  it.effect("4.7 the success of another write resets the budget, and the success of a read does not", () => {
    const search = tool("search", { budget: 1, retry: { attempts: 1 } }, { n: 1 })
    const read = tool("read_it", {}, { n: 1 })
    const write = tool("write_it", { access: "write" }, { n: 1 })
    return Effect.gen(function* () {
      yield* repeat(2, asked(search.tool, { q: "a" }))
      yield* read.tool.call({ q: "a" })
      yield* repeat(1, asked(search.tool, { q: "a" }))
      assert.strictEqual(search.runs(), 1)
      yield* write.tool.call({ q: "a" })
      yield* repeat(1, asked(search.tool, { q: "a" }))
      assert.strictEqual(search.runs(), 2)
    }).pipe(within([search.layer, read.layer, write.layer], guard))
  })

  it.effect("3.3 the success of another write does not allow a repetition of an unknown or running write", () => {
    const reset = coded("ECONNRESET")
    const lost = tool("lose_it", { access: "write" }, reset, { n: 2 })
    const slow = tool("slow_it", { access: "write" }, Effect.delay(Effect.succeed({ n: 1 }), "1 second"), { n: 2 })
    const write = tool("write_it", { access: "write" }, { n: 1 })
    return Effect.gen(function* () {
      yield* asked(lost.tool, { q: "a" })
      const running = yield* start(asked(slow.tool, { q: "a" }))
      yield* write.tool.call({ q: "a" })
      assert.deepStrictEqual(yield* asked(lost.tool, { q: "a" }), ["HumanReview", "outcome_unknown", "unknown"])
      assert.deepStrictEqual(yield* asked(slow.tool, { q: "a" }), ["Transient", "in_progress", "none"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(running), { n: 1 })
      assert.deepStrictEqual([lost.runs(), slow.runs()], [1, 1])
    }).pipe(within([lost.layer, slow.layer, write.layer], guard))
  })

  it.effect("4.7 a write does not reset its own count", () => {
    const write = tool("write_it", { access: "write" }, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      yield* repeat(3, asked(write.tool, { q: "a" }))
      assert.strictEqual(write.runs(), 1)
    }).pipe(within([write.layer], guard))
  })

  it.effect("4.7 each turn has a budget for each call; outside a turn nothing is counted", () => {
    const search = tool("search", { budget: 1, retry: { attempts: 1 } }, { n: 1 })
    return Effect.gen(function* () {
      for (const q of ["a", "b"]) yield* Guard.turn(repeat(2, asked(search.tool, { q })))
      assert.strictEqual(search.runs(), 2)
      yield* Guard.turn(repeat(2, asked(search.tool, { q: "a" })))
      assert.strictEqual(search.runs(), 3)
      yield* repeat(2, asked(search.tool, { q: "a" }))
      assert.strictEqual(search.runs(), 5)
    }).pipe(outside([search.layer], guard))
  })

  it.effect("4.7 calls that differ in key order or explicit defaults share a budget", () => {
    const parameters = Schema.Struct({
      q: Schema.String,
      page: Schema.Int.annotate({ default: 1 }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)))
    })
    const search = tool("search", { parameters }, { n: 1 })
    return Effect.gen(function* () {
      const texts = ['{"q":"a"}', '{"page":1,"q":"a"}', '{"q":"a","page":1}']
      const marks = yield* Effect.forEach(texts, (text) =>
        Effect.map(ask([search.tool], "search", text), ({ envelope }) => envelope.unchanged)
      )
      assert.deepStrictEqual(marks, [undefined, true, true])
    }).pipe(within([search.layer], guard))
  })

  it.effect("4.7 polls are not counted", () => {
    const job = tool(
      "get_job",
      { budget: 1, retry: { attempts: 1 }, poll: { interval: "1 millis", deadline: "1 hour", until: () => false } },
      { n: 1 }
    )
    return Effect.gen(function* () {
      yield* repeat(5, asked(job.tool, { q: "a" }))
      assert.strictEqual(job.runs(), 5)
    }).pipe(within([job.layer], guard))
  })

  it.effect("4.7 identical concurrent calls share a budget, and no more handlers run than it allows", () => {
    const search = tool("search", {}, Effect.delay(Effect.succeed({ n: 1 }), "1 second"))
    return Effect.gen(function* () {
      const fibers = yield* Effect.forEach(Array.from({ length: 9 }), () => start(asked(search.tool, { q: "a" })))
      yield* TestClock.adjust("1 second")
      const outcomes = yield* Fiber.joinAll(fibers)
      assert.strictEqual(search.runs(), 4)
      assert.deepStrictEqual(outcomes[8], ["Transient", "in_progress", "none"])
    }).pipe(within([search.layer], guard))
  })

  it.effect(
    "4.7 an identical write while the first write runs does nothing, and the model reads that the first is running",
    () => {
      const write = tool("write_it", { access: "write" }, Effect.delay(Effect.succeed({ n: 1 }), "1 second"))
      return Effect.gen(function* () {
        const first = yield* start(asked(write.tool, { q: "a" }))
        assert.deepStrictEqual(yield* asked(write.tool, { q: "a" }), ["Transient", "in_progress", "none"])
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* Fiber.join(first), { n: 1 })
        assert.strictEqual(write.runs(), 1)
      }).pipe(within([write.layer], guard))
    }
  )
})

describe("budget: interruption", () => {
  it.effect(
    "3.3 a write without a key that is interrupted in its handler is not repeated, and its effect is unknown",
    () => {
      const write = tool("add_row", { access: "write" }, Effect.never, { n: 2 })
      return Effect.gen(function* () {
        const interrupted = yield* start(asked(write.tool, { q: "a" }))
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(interrupted)
        const again = yield* asked(write.tool, { q: "a" })
        assert.deepStrictEqual(again, ["HumanReview", "retry_budget_exceeded", "unknown"])
        assert.strictEqual(write.runs(), 1)
      }).pipe(within([write.layer], guard))
    }
  )

  it.effect("3.3 a write that was interrupted before its handler started can be made again", () => {
    const write = tool(
      "add_row",
      { access: "write", concurrency: 1 },
      Effect.delay(Effect.succeed({ n: 1 }), "1 second")
    )
    return Effect.gen(function* () {
      const first = yield* start(write.tool.call({ q: "a" }))
      const waiting = yield* start(write.tool.call({ q: "b" }))
      yield* TestClock.adjust("500 millis")
      yield* Fiber.interrupt(waiting)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(first)
      assert.deepStrictEqual(yield* complete(write.tool.call({ q: "b" })), { n: 1 })
      assert.strictEqual(write.runs(), 2)
    }).pipe(within([write.layer], guard))
  })
})

describe("budget: identical results", () => {
  it.effect("7.1 volatile fields do not make a result different", () => {
    const success = Schema.Struct({
      n: Schema.Int,
      at: volatile(Schema.String),
      rows: Schema.Array(Schema.Struct({ id: Schema.String, etag: volatile(Schema.String) }))
    })
    const answer = (at: string, etag: string, id = "a") => ({ n: 1, at, rows: [{ id, etag }] })
    const search = tool("search", { success }, answer("1", "x"), answer("2", "y"), answer("2", "y", "b"))
    return Effect.gen(function* () {
      const answers = yield* Effect.forEach([1, 2, 3], () => ask([search.tool], "search", '{"q":"a"}'))
      assert.deepStrictEqual(
        answers.map(({ envelope }) => envelope.unchanged),
        [undefined, true, undefined]
      )
      assert.strictEqual(answers[1]?.envelope.data.at, "2")
    }).pipe(within([search.layer], guard))
  })

  it.effect("4.7 without volatile fields, the order of properties does not make a value different", () => {
    const success = Schema.Struct({ a: Schema.Int, b: Schema.Int, at: volatile(Schema.Int) })
    const search = tool("search", { success }, { a: 1, b: 2, at: 1 }, '{"at":2,"b":2,"a":1}')
    return Effect.gen(function* () {
      yield* asked(search.tool, { q: "a" })
      const { envelope } = yield* ask([search.tool], "search", '{"q":"a"}')
      assert.strictEqual(envelope.unchanged, true)
    }).pipe(within([search.layer], guard))
  })

  it.effect("4.7 long results are also compared", () => {
    const success = Schema.Struct({ text: Schema.String })
    const long = "x".repeat(5_000)
    const search = tool("search", { success }, { text: long }, { text: long }, { text: `${long}y` })
    return Effect.gen(function* () {
      const answers = yield* Effect.forEach([1, 2, 3], () => ask([search.tool], "search", '{"q":"a"}'))
      assert.deepStrictEqual(
        answers.map(({ envelope }) => envelope.unchanged),
        [undefined, true, undefined]
      )
    }).pipe(within([search.layer], guard))
  })

  it.effect("4.7 a result that its handler keeps changing is compared as it was returned", () => {
    const shared = { n: 0 }
    const search = tool("search", {}, () =>
      Effect.sync(() => {
        shared.n += 1
        return shared
      })
    )
    return Effect.gen(function* () {
      const answers = yield* Effect.forEach([1, 2], () => ask([search.tool], "search", '{"q":"a"}'))
      assert.deepStrictEqual(
        answers.map(({ envelope }) => envelope.unchanged),
        [undefined, undefined]
      )
    }).pipe(within([search.layer], guard))
  })

  it.effect("4.7 a result that JSON cannot represent is not equal to any other result", () => {
    const search = tool("search", { success: Schema.Unknown }, 1n)
    return Effect.gen(function* () {
      yield* repeat(2, asked(search.tool, { q: "a" }))
      assert.strictEqual(search.runs(), 2)
    }).pipe(within([search.layer], guard))
  })
})

describe("budget: a store that stores outcomes as texts", () => {
  /** Writes the last outcome as a text and reads it back, as a store in a database does. */
  const stored = (spending: Spending): Spending =>
    spending._tag === "Spent"
      ? spending
      : {
          ...spending,
          last: AccountText.read(AccountText.write({ ...Account.unspent, last: spending.last }, "w"))?.last
        }
  const texts = Layer.effect(
    Budgets,
    Effect.map(Budgets, (budgets) => ({
      ...budgets,
      spend: ((...args) => Effect.map(budgets.spend(...args), stored)) as typeof budgets.spend
    }))
  ).pipe(Layer.provide(Guard.memory))
  const withStore = (store: Layer.Layer<Budgets>) =>
    Guard.layerOf(Pipeline.remove("loop")(Pipeline.stages)).pipe(Layer.provide(store), Layer.provide(Guard.memory))
  const withTexts = withStore(texts)
  const success = Schema.Struct({ at: Schema.DateTimeUtcFromString })
  const at = DateTime.makeUnsafe("2026-01-02T00:00:00Z")

  it.effect("4.7 a stored result is decoded by its tool before it is returned again", () => {
    const write = tool("write_it", { access: "write", success }, { at })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* repeat(2, asked(write.tool, { q: "a" })), [{ at }, { at }])
      const { attempts, envelope } = yield* ask([write.tool], "write_it", '{"q":"a"}')
      assert.deepStrictEqual(
        [envelope.data, envelope.executed, attempts],
        [{ at: "2026-01-02T00:00:00.000Z" }, false, 0]
      )
      assert.strictEqual(write.runs(), 1)
    }).pipe(within([write.layer], withTexts))
  })

  it.effect(
    "4.7 a stored result that the tool can no longer read is not returned, and the write is not repeated",
    () => {
      const before = tool("write_it", { access: "write" }, { n: 1 })
      const after = tool("write_it", { access: "write", success })
      return Effect.gen(function* () {
        const store = Layer.succeedContext(yield* Layer.build(texts))
        yield* Effect.gen(function* () {
          yield* asked(before.tool, { q: "a" })
          // simulates another process with a newer version of the tool
          const other = ask([after.tool], "write_it", '{"q":"a"}')
          const { attempts, envelope } = yield* other.pipe(Effect.provide(Layer.fresh(withStore(store))))
          assert.deepStrictEqual(
            [envelope.error.code, envelope.error.side_effect, attempts],
            ["retry_budget_exceeded", "committed", 0]
          )
        }).pipe(within([before.layer], withStore(store)))
      })
    }
  )

  it.effect("4.7 a stored failure keeps its class and detail", () => {
    const search = tool("search", { retry: { attempts: 1 }, budget: 1 }, coded("ENOSPC"))
    return Effect.gen(function* () {
      yield* asked(search.tool, { q: "a" })
      const { envelope } = yield* ask([search.tool], "search", '{"q":"a"}')
      assert.deepStrictEqual([envelope.error.error_class, envelope.error.code], ["resource", "retry_budget_exceeded"])
      assert.include(envelope.error.message, "ENOSPC")
    }).pipe(within([search.layer], withTexts))
  })
})

describe("budget: a store that does not respond", () => {
  const broken = Layer.succeed(Budgets, {
    spend: () => Effect.fail(new BudgetsUnavailable({ cause: new Error("down") })),
    settle: () => Effect.fail(new BudgetsUnavailable({ cause: new Error("down") })),
    refund: () => Effect.fail(new BudgetsUnavailable({ cause: new Error("down") })),
    progress: () => Effect.fail(new BudgetsUnavailable({ cause: new Error("down") })),
    end: () => Effect.fail(new BudgetsUnavailable({ cause: new Error("down") }))
  })

  it.effect("4.7 does not affect reads, but writes are refused", () => {
    const read = tool("search", {}, { n: 1 })
    const write = tool("write_it", { access: "write" }, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* asked(read.tool, { q: "a" }), { n: 1 })
      assert.deepStrictEqual(yield* asked(write.tool, { q: "a" }), ["Permanent", "store_unavailable", "none"])
      assert.strictEqual(write.runs(), 0)
    }).pipe(within([read.layer, write.layer], Guard.layerMemoryWith(broken)))
  })

  it.effect("4.7 does not change the outcome of a write that completed", () => {
    const half = Layer.effect(
      Budgets,
      Effect.map(Budgets, (budgets) => ({
        ...budgets,
        settle: () => Effect.fail(new BudgetsUnavailable({ cause: new Error("down") })),
        progress: () => Effect.fail(new BudgetsUnavailable({ cause: new Error("down") }))
      }))
    ).pipe(Layer.provide(Guard.memory))
    const write = tool("write_it", { access: "write" }, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* asked(write.tool, { q: "a" }), { n: 1 })
    }).pipe(within([write.layer], Guard.layerMemoryWith(half)))
  })

  it.effect("4.6 causes refusals that are not remembered", () => {
    let isDown = true
    const flaky = Layer.effect(
      Budgets,
      Effect.map(Budgets, (budgets) => ({
        ...budgets,
        spend: ((...args) =>
          isDown
            ? Effect.fail(new BudgetsUnavailable({ cause: new Error("down") }))
            : budgets.spend(...args)) as typeof budgets.spend
      }))
    ).pipe(Layer.provide(Guard.memory))
    const write = tool("write_it", { access: "write" }, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* asked(write.tool, { q: "a" }), ["Permanent", "store_unavailable", "none"])
      isDown = false
      assert.deepStrictEqual(yield* asked(write.tool, { q: "a" }), { n: 1 })
    }).pipe(within([write.layer], Guard.layerMemoryWith(flaky)))
  })
})

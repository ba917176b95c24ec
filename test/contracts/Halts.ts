/** Tests that every layer of Halts must pass [10.7]. */
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { Halts } from "#services/Halts"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"

const order = (tool: string, reason = "", by = "ana") => ({ tool, by, reason })

export const haltsContract = (name: string, layer: Layer.Layer<Halts, DatabaseUnavailable>): void => {
  describe(`Halts (${name})`, () => {
    const using = <A, E>(use: (halts: Halts["Service"]) => Effect.Effect<A, E>) =>
      Effect.flatMap(Halts, use).pipe(Effect.provide(layer))

    it.effect("10.7 a halt is in force immediately, with its operator, reason and time", () =>
      using((halts) =>
        Effect.gen(function* () {
          assert.deepStrictEqual([...(yield* halts.current)], [])
          yield* TestClock.adjust("7 seconds")
          const entry = { tool: "refund", action: "halted" as const, by: "ana", reason: "doubled", at: 7_000 }
          assert.deepStrictEqual(yield* halts.halt(order("refund", "doubled")), entry)
          assert.deepStrictEqual([...(yield* halts.current)], [["refund", entry]])
        })
      )
    )

    it.effect("10.7 the latest of several halts of one tool is in force, and one resumption ends them", () =>
      using((halts) =>
        Effect.gen(function* () {
          yield* halts.halt(order("refund", "first"))
          yield* halts.halt(order("refund", "second", "ben"))
          yield* halts.halt(order("search"))
          const latest = (yield* halts.current).get("refund")
          assert.deepStrictEqual([latest?.by, latest?.reason], ["ben", "second"])
          assert.strictEqual((yield* halts.resume(order("refund")))?.reason, "second")
          assert.deepStrictEqual([...(yield* halts.current).keys()], ["search"])
        })
      )
    )

    it.effect("10.7 an order without a tool, an operator or a reason is refused, and a long text is cut", () =>
      using((halts) =>
        Effect.gen(function* () {
          for (const wrong of [{ by: undefined }, { by: " " }, { reason: null }, { tool: "" }, { tool: 5 }]) {
            const given = { ...order("refund"), ...wrong } as never
            for (const one of [halts.halt(given), halts.resume(given)]) {
              const exit = yield* Effect.exit(one)
              assert.isTrue(Exit.isFailure(exit), JSON.stringify(wrong))
              if (Exit.isFailure(exit)) assert.match(String(Cause.squash(exit.cause)), /^RangeError: .*must be/)
            }
          }
          assert.lengthOf(yield* halts.history, 0)
          const { by, reason } = yield* halts.halt(order("refund", "r".repeat(5_000), "b".repeat(5_000)))
          assert.isAtMost(by.length, 100)
          assert.isAtMost(reason.length, 200)
        })
      )
    )

    it.effect("10.7 resuming a tool that is not halted changes nothing", () =>
      using((halts) =>
        Effect.gen(function* () {
          assert.isUndefined(yield* halts.resume(order("refund")))
          yield* halts.halt(order("refund"))
          yield* halts.resume(order("refund"))
          assert.isUndefined(yield* halts.resume(order("refund")))
          assert.lengthOf(yield* halts.history, 2)
        })
      )
    )

    it.effect("10.7 the history contains the latest hundred orders, newest first", () =>
      using((halts) =>
        Effect.gen(function* () {
          yield* halts.halt(order("refund", "why\u0000\u202e", "ana \ud800"))
          yield* halts.resume(order("refund", "mended", "ben"))
          assert.deepStrictEqual(
            (yield* halts.history).map(({ action, by, reason, tool }) => [tool, action, by, reason]),
            [
              ["refund", "resumed", "ben", "mended"],
              ["refund", "halted", "ana \ud800", "why\u0000\u202e"]
            ]
          )
          for (let n = 0; n < 101; n += 1) yield* halts.halt(order("search", String(n)))
          const reasons = (yield* halts.history).map(({ reason }) => reason)
          assert.deepStrictEqual([reasons.length, reasons[0], reasons[99]], [100, "100", "1"])
        })
      )
    )

    it.effect("10.7 many concurrent orders leave one halt for each tool", () =>
      using((halts) =>
        Effect.gen(function* () {
          const tools = Array.from({ length: 40 }, (_, n) => `tool_${n % 8}`)
          yield* Effect.forEach(tools, (tool) => halts.halt(order(tool)), { concurrency: "unbounded" })
          assert.strictEqual((yield* halts.current).size, 8)
        })
      )
    )
  })
}

/** Defines the tests of two processes that share a store. Each process has a separate layer. */
export const sharedHaltsContract = (name: string, layer: () => Layer.Layer<Halts, DatabaseUnavailable>): void => {
  it.effect(`10.7 another process sees a halt and its resumption within half a second (${name})`, () =>
    Effect.gen(function* () {
      const mine = Context.get(yield* Layer.build(layer()), Halts)
      const theirs = Context.get(yield* Layer.build(layer()), Halts)
      assert.strictEqual((yield* theirs.current).size, 0)
      yield* mine.halt(order("refund"))
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual([...(yield* theirs.current).keys()], ["refund"])
      yield* mine.resume(order("refund"))
      yield* TestClock.adjust("500 millis")
      assert.strictEqual((yield* theirs.current).size, 0)
    }).pipe(Effect.scoped)
  )

  it.effect(`10.7 of ten processes that resume a tool at the same time, one resumes it and is recorded (${name})`, () =>
    Effect.gen(function* () {
      const processes = yield* Effect.forEach(Array.from({ length: 10 }), () =>
        Effect.map(Layer.build(layer()), (context) => Context.get(context, Halts))
      )
      const [first] = processes
      assert.isDefined(first)
      for (const tool of Array.from({ length: 5 }, (_, n) => `race_${n}`)) {
        yield* first.halt(order(tool, "first"))
        yield* first.halt(order(tool, "second", "ben"))
        const ended = yield* Effect.forEach(processes, (halts, n) => halts.resume(order(tool, "", `process ${n}`)), {
          concurrency: "unbounded"
        })
        const winners = ended.flatMap((halt, n) => (halt === undefined ? [] : [[`process ${n}`, halt.by, halt.reason]]))
        const entries = (yield* first.history).filter((entry) => entry.tool === tool)
        const resumed = entries.filter(({ action }) => action === "resumed").map(({ by }) => [by, "ben", "second"])
        assert.deepStrictEqual([winners.length, winners], [1, resumed])
        assert.deepStrictEqual(
          entries.slice(1).map(({ action, reason }) => [action, reason]),
          [
            ["halted", "second"],
            ["halted", "first"]
          ]
        )
      }
    }).pipe(Effect.scoped)
  )
}

/** Tests of what a model reads about a write whose result is incomplete, and about its repetition. */
import type { JournalledCall } from "#domain/journal/JournalledCall"
import * as Verdict from "#domain/tool/Verdict"
import { Guard, GuardedTurn } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { ask, response, tool, turn, within } from "../support.ts"

const paged = { checks: { more: () => Verdict.partial({ next: { q: "b" }, detail: "1 of 2 tickets." }) } }
const narrow = { checks: { half: () => Verdict.partial({ narrow: "Close fewer tickets." }) } }

type Fixture = ReturnType<typeof tool>

const write = (definition: object, ...answers: ReadonlyArray<unknown>) =>
  tool("close_tickets", { access: "write", ...definition }, ...answers)

const close = ({ tool }: Fixture, more: object = {}) => ask([tool], tool.toolName, { q: "a" }, more)

/** Makes the identical call twice. Returns both envelopes, and the attempts and the record of the second call. */
const twice = (target: Fixture) =>
  Effect.map(Effect.all([close(target, { callId: "c1" }), close(target, { callId: "c2" })]), ([first, second]) => ({
    first: first.envelope,
    second: second.envelope,
    attempts: second.attempts,
    record: second.record
  }))

const again = "You already made this identical call; it was not made again. "

describe("a write whose result is incomplete", () => {
  for (const [what, definition, answer] of [
    ["a check", paged, { n: 1 }],
    [
      "the envelope of its upstream",
      {},
      response(200, '{"status":"partial","data":{"n":1},"error":{"message":"1 of 2 tickets.","next":{"q":"b"}}}')
    ]
  ] as const) {
    it.effect(
      `4.6 with \`next\`, stated by ${what}, has its data and \`next\` when it is repeated, and is not made again`,
      () => {
        const target = write(definition, answer)
        return Effect.gen(function* () {
          const { attempts, first, record, second } = yield* twice(target)
          assert.deepInclude(first.error, { next_step: "continue", side_effect: "committed", next: { q: "b" } })
          assert.include(first.error.message, "close_tickets was done; its result is incomplete: 1 of 2 tickets.")
          assert.deepStrictEqual([second.status, second.data, attempts, target.runs()], ["partial", { n: 1 }, 0, 1])
          assert.deepInclude(second.error, {
            code: first.error.code,
            message: again + first.error.message,
            next_step: "continue",
            side_effect: "committed",
            retryable: false,
            next: { q: "b" }
          })
          assert.strictEqual(record?.attempts.length, 0)
        }).pipe(within([target.layer]))
      }
    )
  }

  it.effect(
    "4.6, 5.2 without `next` has the next step `stop`, and its repetition has the same step and the data",
    () => {
      const target = write(narrow, { n: 1 })
      return Effect.gen(function* () {
        const { attempts, first, second } = yield* twice(target)
        const stop = {
          hint: "The action was done. Do not call again.",
          next_step: "stop",
          side_effect: "committed",
          retryable: false
        }
        assert.deepInclude(first.error, { ...stop, message: "close_tickets was done; its result is incomplete." })
        assert.deepStrictEqual([second.status, second.data, attempts, target.runs()], ["partial", { n: 1 }, 0, 1])
        assert.strictEqual(second.error.message, again + first.error.message)
        assert.include(second.error.hint, stop.hint)
        assert.deepInclude(second.error, { next_step: "stop", side_effect: "committed" })
      }).pipe(within([target.layer]))
    }
  )

  it.effect("3.3, 4.6 that its upstream only accepted is not reported as done, and the user is asked", () => {
    const target = write({ ...narrow, repeats: "allowed" }, response(202, '{"n":1}'))
    return Effect.gen(function* () {
      const { first, second } = yield* twice(target)
      for (const { data, error, status } of [first, second]) {
        assert.deepStrictEqual([status, data], ["partial", { n: 1 }])
        assert.deepInclude(error, { next_step: "ask_user", side_effect: "unknown", retryable: false })
        assert.include(error.hint, "It is not known what was done. Do not repeat the call")
        assert.notInclude(JSON.stringify(error).replace("not known whether close_tickets was done", ""), "was done;")
      }
      assert.include(second.error.message, "it was not made again")
      assert.strictEqual(target.runs(), 1)
    }).pipe(within([target.layer]))
  })

  it.effect(
    "4.6 that is too large to hold is refused as done when it is repeated, with a reference to the first result",
    () => {
      const text = "x".repeat(300_000)
      const target = write({ ...narrow, success: Schema.Struct({ text: Schema.String }) }, { text })
      return Effect.gen(function* () {
        const { second } = yield* twice(target)
        assert.strictEqual(second.status, "error")
        assert.deepInclude(second.error, { next_step: "stop", side_effect: "committed", retryable: false })
        assert.include(second.error.message, "close_tickets was done")
        assert.include(second.error.message, "That result is above; the call was not made again.")
        assert.strictEqual(target.runs(), 1)
      }).pipe(within([target.layer]))
    }
  )

  it.effect("4.6, 4.12 of a fallback is not made again by either tool, and its repetition names the fallback", () => {
    const down = Effect.fail(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }))
    const clerk = tool("ask_clerk", { access: "write", ...narrow }, { n: 7 })
    const target = write(
      { retry: { attempts: 1 }, fallbacks: [{ tool: clerk.tool, arguments: (args: object) => args }] },
      down,
      { n: 1 }
    )
    return Effect.gen(function* () {
      const { first, second } = yield* twice(target)
      for (const { data, error, used_fallback } of [first, second]) {
        assert.deepStrictEqual([data, used_fallback, error.next_step], [{ n: 7 }, "ask_clerk", "stop"])
        assert.include(error.message, "ask_clerk was done; its result is incomplete.")
      }
      assert.deepStrictEqual([target.runs(), clerk.runs()], [1, 1])
    }).pipe(within([target.layer, clerk.layer]))
  })

  it.effect("4.6, 12.2 of a run that is resumed has its data when it is repeated", () => {
    const target = write(paged, { n: 1 })
    return Effect.gen(function* () {
      const { journal } = yield* close(target, { journal: "new" })
      const journalled = JSON.parse(JSON.stringify(journal)) as JournalledCall
      yield* Effect.gen(function* () {
        const { restore } = yield* GuardedTurn
        yield* restore(new Map([["close_tickets", target.tool]]), turn, "close_tickets", journalled)
        const { envelope } = yield* close(target)
        assert.deepStrictEqual([envelope.data, envelope.error.next, target.runs()], [{ n: 1 }, { q: "b" }, 1])
      }).pipe(within([target.layer], Layer.fresh(Guard.layerMemory)))
    }).pipe(within([target.layer]))
  })

  it.effect("4.6 of another principal or tenant with the same turn is a separate write", () => {
    const target = write(paged, { n: 1 })
    const others = [{}, { principal: "ana" }, { principal: "ben" }, { tenant: "other" }]
    return Effect.gen(function* () {
      for (const other of others) {
        const { first, second } = yield* Guard.turn(twice(target), { ...turn, ...other })
        const isAgain = [first, second].map(({ error }) => error.message.startsWith(again))
        assert.deepStrictEqual(isAgain, [false, true], JSON.stringify(other))
      }
      assert.strictEqual(target.runs(), others.length)
    }).pipe(Effect.provide([target.layer, Guard.layerMemory]))
  })
})

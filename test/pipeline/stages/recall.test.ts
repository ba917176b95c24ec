import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Verdict from "#domain/tool/Verdict"
import { ask, asked, complete, outside, response, tool, within } from "../support.ts"

const coded = (code: string) => Effect.fail(Object.assign(new Error(code), { code }))
const single = { retry: { attempts: 1 }, budget: 9, circuit: false }

/** Returns how often the handler of a read runs if an identical call is made twice. */
const runsOf = (answer: unknown, definition: object = {}) => {
  const search = tool("search", { ...single, ...definition }, answer)
  return Effect.gen(function* () {
    yield* complete(asked(search.tool, { q: "a" }))
    yield* complete(asked(search.tool, { q: "a" }))
    return search.runs()
  }).pipe(within([search.layer]))
}

describe("recall", () => {
  for (const [what, answer, runs, definition] of [
    ["a mistake in the arguments", response(422, "{}"), 1, {}],
    ["an answer that violates the contract", '{"n":"x"}', 1, {}],
    ["garbage", { n: 1 }, 1, { checks: { no: () => Verdict.garbage({ code: "no", detail: "no" }) } }],
    ["a permanent failure", coded("ENOENT"), 1, {}],
    ["a defect", Effect.die("boom"), 1, {}],
    ["a missing authorization", response(401, ""), 2, {}],
    ["a transient failure", coded("ECONNRESET"), 2, {}],
    ["an exhausted resource", coded("ENOSPC"), 2, {}],
    ["a success", { n: 1 }, 2, {}],
    ["a partial result", { n: 1 }, 2, { checks: { more: () => Verdict.partial({ narrow: "less" }) } }],
    ["a poll", '{"n":"x"}', 2, { poll: { interval: "1 millis", deadline: "1 hour", until: () => false } }]
  ] as const) {
    it.effect(`4.6 ${what} ${runs === 1 ? "is answered from memory" : "runs again"}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* runsOf(answer, definition), runs)
      })
    )
  }

  it.effect("4.6 seventeen identical calls whose answer is truncated make one attempt", () => {
    const search = tool("search", {}, '{"orders":[{"id":"a"},{"i')
    return Effect.gen(function* () {
      for (let n = 0; n < 17; n++) yield* ask([search.tool], "search", '{"q":"a"}', { callId: `c${n}`, round: n + 1 })
      assert.strictEqual(search.runs(), 1)
    }).pipe(within([search.layer]))
  })

  it.effect("4.6 key order, white space and explicit defaults do not make a call different", () => {
    const parameters = Schema.Struct({
      q: Schema.String,
      page: Schema.Int.annotate({ default: 1 }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)))
    })
    const search = tool("search", { parameters }, '{"n":"x"}')
    return Effect.gen(function* () {
      for (const text of ['{"q":"a"}', '{"page":1,"q":"a"}', ' { "q":"\\u0061" , "page":1.0 }']) {
        yield* ask([search.tool], "search", text)
      }
      assert.strictEqual(search.runs(), 1)
      yield* ask([search.tool], "search", '{"q":"a","page":2}')
      assert.strictEqual(search.runs(), 2)
    }).pipe(within([search.layer]))
  })

  it.effect("5.2 the model reads that it made the call before, and how it failed", () => {
    const search = tool("search", {}, '{"n":"x"}')
    return Effect.gen(function* () {
      const first = yield* ask([search.tool], "search", '{"q":"a"}')
      const second = yield* ask([search.tool], "search", '{"q":"a"}')
      assert.deepStrictEqual(
        [
          second.envelope.error.error_class,
          second.envelope.error.code,
          second.envelope.error.retryable,
          second.attempts
        ],
        ["schema_mismatch", "invalid_result", false, 0]
      )
      assert.include(second.envelope.error.message, "You already made this identical call")
      assert.include(second.envelope.error.message, first.envelope.error.message)
      // the failure has the trace id of the call that made the attempt
      assert.strictEqual(second.envelope.error.trace_id, first.envelope.error.trace_id)
    }).pipe(within([search.layer]))
  })

  it.effect("4.6 a successful write by another tool ends the recall", () => {
    const search = tool("search", {}, '{"n":"x"}', { n: 2 })
    const write = tool("write_it", { access: "write" }, { n: 1 })
    return Effect.gen(function* () {
      yield* asked(search.tool, { q: "a" })
      yield* write.tool.call({ q: "a" })
      assert.deepStrictEqual(yield* asked(search.tool, { q: "a" }), { n: 2 })
    }).pipe(within([search.layer, write.layer]))
  })

  it.effect("4.6 a write whose answer cannot be read counts as a write", () => {
    const search = tool("search", {}, '{"n":"x"}', { n: 2 })
    const write = tool("write_it", { access: "write" }, '{"n":"x"}')
    return Effect.gen(function* () {
      yield* asked(search.tool, { q: "a" })
      yield* asked(write.tool, { q: "a" })
      assert.deepStrictEqual(yield* asked(search.tool, { q: "a" }), { n: 2 })
    }).pipe(within([search.layer, write.layer]))
  })

  it.effect("4.6 a read that succeeds or a write that fails does not end the recall", () => {
    const search = tool("search", {}, '{"n":"x"}', { n: 2 })
    const read = tool("read_it", {}, { n: 1 })
    const write = tool("write_it", { access: "write" }, response(422, ""))
    return Effect.gen(function* () {
      yield* asked(search.tool, { q: "a" })
      yield* read.tool.call({ q: "a" })
      yield* asked(write.tool, { q: "a" })
      yield* asked(search.tool, { q: "a" })
      assert.strictEqual(search.runs(), 1)
    }).pipe(within([search.layer, read.layer, write.layer]))
  })

  it.effect("4.6 failures are remembered only within a turn", () => {
    const search = tool("search", single, '{"n":"x"}')
    return Effect.gen(function* () {
      yield* Guard.turn(asked(search.tool, { q: "a" }))
      yield* Guard.turn(asked(search.tool, { q: "a" }))
      yield* asked(search.tool, { q: "a" })
      yield* asked(search.tool, { q: "a" })
      assert.strictEqual(search.runs(), 4)
    }).pipe(outside([search.layer]))
  })

  it.effect(
    "4.6 the failure of a tool with a fallback is recalled, and the repeated call has the fallback's result",
    () => {
      const cache = tool("cache", {}, { n: 9 })
      const search = tool(
        "search",
        { budget: 3, fallbacks: [{ tool: cache.tool, arguments: ({ q }: { q: string }) => ({ q }) }] },
        '{"n":"x"}'
      )
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* asked(search.tool, { q: "a" }), { n: 9 })
        assert.deepStrictEqual(yield* asked(search.tool, { q: "a" }), { n: 9 })
        assert.strictEqual(search.runs(), 1)
      }).pipe(within([search.layer, cache.layer]))
    }
  )
})

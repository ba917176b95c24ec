/** Tests writes whose answer is too large: the outcome is unknown unless a status or a lookup settles it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema, Stream } from "effect"
import type { Outcome } from "#domain/call/Outcome"
import { ask, brief, define, response, settled, tool, within } from "../pipeline/support.ts"

const limit = 10_000_000
const long = "x".repeat(limit + 1)
const block = new Uint8Array(1_000_000).fill(0x20)
const endlessBody = () =>
  new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(block) }, { highWaterMark: 0 })
const coded = (code: string) => Effect.fail(Object.assign(new Error(code), { code }))

/** Each call needs a new answer, because a body can be read only once. */
const tooLarge: ReadonlyArray<readonly [what: string, answer: () => Effect.Effect<unknown, unknown>]> = [
  ["a text", () => Effect.succeed(long)],
  ["bytes", () => Effect.succeed(new TextEncoder().encode(long))],
  ["an endless stream", () => Effect.succeed(Stream.fromIterable(Array.from({ length: 99 }, () => block)))],
  ["an endless 200 response", () => Effect.sync(() => response(200, endlessBody()))],
  ["an endless 201 response", () => Effect.sync(() => response(201, endlessBody()))],
  ["a 200 response of two million objects", () => Effect.succeed(response(200, `[${"{},".repeat(2_000_000)}{}]`))],
  ["an endless 500 response", () => Effect.sync(() => response(500, endlessBody()))],
  ["an answer that undici refuses to read", () => coded("UND_ERR_RES_EXCEEDED_MAX_SIZE")],
  ["headers that Node refuses to read", () => coded("HPE_HEADER_OVERFLOW")]
]
/** Returns the expected class, code and side effect. Only a 500 response counts as no answer. */
const unknown = (what: string) =>
  what === "an endless 500 response"
    ? ["HumanReview", "outcome_unknown", "unknown"]
    : ["Permanent", "response_too_large", "unknown"]

const outcomeOf = (outcome: Outcome) => (outcome._tag === "Success" ? outcome.value : brief(outcome.failure))

const success = Schema.Json
const keyed = { idempotency: { mode: "derived", upstreamHonoursKey: true }, retry: { attempts: 1 } }

describe("writes whose answer is too large", () => {
  for (const [what, answer] of tooLarge) {
    it.effect(`3.3 ${what}: the outcome is unknown, and the write does not run again`, () => {
      const write = tool("place_order", { access: "write", success }, answer)
      const honoured = tool("pay_order", { access: "write", success, ...keyed }, answer)
      return Effect.gen(function* () {
        for (const each of [write, honoured]) {
          const first = yield* ask([each.tool], each.tool.toolName, { q: "a" })
          assert.deepStrictEqual(outcomeOf(first.outcome), unknown(what))
          const { envelope } = yield* ask([each.tool], each.tool.toolName, { q: "a" })
          assert.deepStrictEqual(
            [envelope.status, envelope.error.side_effect, envelope.error.retryable],
            ["error", "unknown", false]
          )
          assert.strictEqual(each.runs(), 1)
        }
      }).pipe(within([write.layer, honoured.layer]))
    })

    it.effect(`3.3 ${what}: a lookup settles the outcome`, () => {
      const lookup = define("find_order")
      const orders = [{ n: 7 }, { n: 0 }]
      const reconcile = {
        tool: lookup,
        arguments: () => ({ q: "a" }),
        found: ({ n }: { readonly n: number }) => (n === 0 ? Option.none() : Option.some({ order: n }))
      }
      const write = tool("place_order", { access: "write", success, reconcile, retry: { attempts: 1 } }, answer)
      // The handler answers with `undefined` when the list is empty, which its type excludes, so a cast is needed.
      const layer = lookup.layerTest((() => Effect.sync(() => orders.shift())) as never)
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(write.tool.call({ q: "a" })), { order: 7 })
        const absent = (yield* settled(write.tool.call({ q: "b" }))) as ReadonlyArray<string>
        assert.strictEqual(absent[2], "none")
      }).pipe(within([write.layer, layer]))
    })
  }

  it.effect("3.3 a status that proves that nothing was done counts, whatever the size of the answer", () => {
    const rows: ReadonlyArray<readonly [status: number, headers: Record<string, string>, expected: string]> = [
      [400, {}, "ToolArgError invalid_request none"],
      [403, {}, "Permanent unauthorized none"],
      [429, { "retry-after": "30" }, "Transient rate_limited none"],
      [503, { "retry-after": "30" }, "Transient unavailable none"]
    ]
    const answers = rows.map(([status, headers]) => Effect.sync(() => response(status, endlessBody(), headers)))
    const write = tool("place_order", { access: "write", success }, ...answers)
    return Effect.gen(function* () {
      for (const [index, [, , expected]] of rows.entries()) {
        const outcome = (yield* settled(write.tool.call({ q: `q${index}` }))) as ReadonlyArray<string>
        assert.strictEqual(outcome.join(" "), expected)
      }
    }).pipe(within([write.layer]))
  })
})

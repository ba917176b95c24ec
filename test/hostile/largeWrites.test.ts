/** Writes whose answer is larger than the guard reads: nobody is told that nothing was done. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema, Stream } from "effect"
import { ask, define, response, settled, tool, within } from "../pipeline/support.ts"

const limit = 10_000_000
const long = "x".repeat(limit + 1)
const block = new Uint8Array(1_000_000).fill(0x20)
const endless = () =>
  new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(block) }, { highWaterMark: 0 })
const coded = (code: string) => Effect.fail(Object.assign(new Error(code), { code }))

/** Handlers make their answer anew: a body can be read once. */
const tooLarge: ReadonlyArray<readonly [what: string, answer: () => Effect.Effect<unknown, unknown>]> = [
  ["a text", () => Effect.succeed(long)],
  ["bytes", () => Effect.succeed(new TextEncoder().encode(long))],
  ["a stream without end", () => Effect.succeed(Stream.fromIterable(Array.from({ length: 99 }, () => block)))],
  ["a 200 without end", () => Effect.sync(() => response(200, endless()))],
  ["a 201 without end", () => Effect.sync(() => response(201, endless()))],
  ["a 200 of two million objects", () => Effect.succeed(response(200, `[${"{},".repeat(2_000_000)}{}]`))],
  ["a 500 without end", () => Effect.sync(() => response(500, endless()))],
  ["what undici refuses to read", () => coded("UND_ERR_RES_EXCEEDED_MAX_SIZE")],
  ["headers that Node refuses to read", () => coded("HPE_HEADER_OVERFLOW")]
]
const unknown = ["HumanReview", "outcome_unknown", "unknown"]

const success = Schema.Json
const keyed = { idempotency: { mode: "derived", upstreamHonoursKey: true }, retry: { attempts: 1 } }

describe("answers of writes that are too large", () => {
  for (const [what, answer] of tooLarge) {
    it.effect(`3.3 ${what}: it may have been done, and is not done again`, () => {
      const write = tool("place_order", { access: "write", success }, answer)
      const honoured = tool("pay_order", { access: "write", success, ...keyed }, answer)
      return Effect.gen(function* () {
        for (const each of [write, honoured]) {
          assert.deepStrictEqual(yield* settled(each.tool.call({ q: "a" })), unknown)
          const { envelope } = yield* ask([each.tool], each.tool.toolName, { q: "a" })
          assert.deepStrictEqual(
            [envelope.status, envelope.error.side_effect, envelope.error.retryable],
            ["error", "unknown", false]
          )
          assert.strictEqual(each.runs(), 1)
        }
      }).pipe(within([write.layer, honoured.layer]))
    })

    it.effect(`3.3 ${what}: a lookup knows better`, () => {
      const lookup = define("find_order")
      const refunds = [{ n: 7 }, { n: 0 }]
      const reconcile = {
        tool: lookup,
        arguments: () => ({ q: "a" }),
        found: ({ n }: { readonly n: number }) => (n === 0 ? Option.none() : Option.some({ order: n }))
      }
      const write = tool("place_order", { access: "write", success, reconcile, retry: { attempts: 1 } }, answer)
      const layer = lookup.layerTest((() => Effect.sync(() => refunds.shift())) as never)
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(write.tool.call({ q: "a" })), { order: 7 })
        const absent = (yield* settled(write.tool.call({ q: "b" }))) as ReadonlyArray<string>
        assert.strictEqual(absent[2], "none")
      }).pipe(within([write.layer, layer]))
    })
  }

  it.effect("3.3 an answer that says by its status that nothing was done is believed, however large", () => {
    const rows: ReadonlyArray<readonly [status: number, headers: Record<string, string>, expected: string]> = [
      [400, {}, "ToolArgError invalid_request none"],
      [403, {}, "Permanent unauthorized none"],
      [429, {}, "Transient rate_limited none"],
      [503, { "retry-after": "9" }, "Transient unavailable none"]
    ]
    const answers = rows.map(([status, headers]) => Effect.sync(() => response(status, endless(), headers)))
    const write = tool("place_order", { access: "write", success }, ...answers)
    return Effect.gen(function* () {
      for (const [index, [, , expected]] of rows.entries()) {
        const end = (yield* settled(write.tool.call({ q: `q${index}` }))) as ReadonlyArray<string>
        assert.strictEqual(end.join(" "), expected)
      }
    }).pipe(within([write.layer]))
  })
})

/** Tests `matchGolden` with the transcript of an agent, and with the records of its calls. */
import * as CallLogMemory from "#layers/CallLogMemory"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as ScriptedModel from "#layers/ScriptedModel"
import { CallLog } from "#services/CallLog"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import { type GoldenMismatch, type GoldenOptions, matchGolden } from "#kit/golden/GoldenMatch"
import * as Toolbox from "#src/tool/Toolbox"
import { volatile } from "#domain/schema/VolatileField"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Schema } from "effect"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = mkdtempSync(join(tmpdir(), "toolguard-golden-"))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const fresh = () => join(folder, `${(files += 1)}`, "refund.golden.json")

class SearchCache extends GuardedTool.Service<SearchCache>()("search_cache", {
  description: "Searches the cache. Read-only.",
  access: "read",
  parameters: Schema.Struct({ q: Schema.String }),
  success: Schema.Struct({ ids: Schema.Array(Schema.String) })
}) {}

class SearchOrders extends GuardedTool.Service<SearchOrders>()("search_orders", {
  description: "Searches orders. Read-only.",
  access: "read",
  parameters: Schema.Struct({ q: Schema.String, at: Schema.optionalKey(volatile(Schema.String)) }),
  success: Schema.Struct({ ids: Schema.Array(Schema.String) }),
  fallbacks: [{ tool: SearchCache, arguments: ({ q }) => ({ q }) }]
}) {}

class RefundOrder extends GuardedTool.Service<RefundOrder>()("refund_order", {
  description: "Refunds one order. Writes.",
  access: "write",
  parameters: Schema.Struct({ order_id: Schema.String, cents: Schema.Int }),
  success: Schema.Struct({ refund_id: Schema.String }),
  idempotency: "key"
}) {}

class CloseOrder extends GuardedTool.Service<CloseOrder>()("close_order", {
  description: "Closes one order. Writes.",
  access: "write",
  parameters: Schema.Struct({ order_id: Schema.String, locked: Schema.Boolean }),
  success: Schema.Struct({ closed: Schema.Boolean })
}) {}

const tools = Toolbox.make(SearchOrders, RefundOrder, CloseOrder)

const { call } = ScriptedModel
const search = (q: string, at = "noon") => call("search_orders", { q, at })
const refund = (order_id: string, cents: unknown) =>
  call("refund_order", { order_id, cents, idempotency_key: `key-${order_id}-${String(cents)}-0123456789` })

const handlers = Layer.mergeAll(
  SearchOrders.layerTest(({ q }) => (q === "old" ? Effect.fail(new Error("it broke")) : Effect.succeed({ ids: [q] }))),
  SearchCache.layerTest(({ q }) => Effect.succeed({ ids: [q] })),
  RefundOrder.layerTest(({ order_id }) => Effect.succeed({ refund_id: order_id })),
  CloseOrder.layerTest(({ locked }) =>
    Effect.fail(locked ? GuardedTool.nothingDone(new Error("it broke")) : new Error("it broke"))
  ),
  NodeFileSystem.layer
)

const layers = Layer.merge(handlers, Guard.layerMemoryWith(CallLogMemory.layerWith({ keep: "redacted" })))

type Script = ReadonlyArray<ScriptedModel.Entry>

/** Runs the agent with a scripted model, and compares its transcript and its records with the file. */
const matched = (file: string, script: Script, options: GoldenOptions = {}, env: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const { transcript } = yield* Agent.run({ prompt: "Refund it.", tools }).pipe(
      Effect.provide(ScriptedModel.layer(script))
    )
    const records = yield* (yield* CallLog).records
    const first = yield* matchGolden(file, transcript, { tools, ...options })
    const second = yield* matchGolden(file, records, { tools, ...options })
    return [first, second]
  }).pipe(Effect.provide(layers), Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })))

const failed = (file: string, script: Script, options: GoldenOptions = {}, env: Record<string, string> = {}) =>
  Effect.map(Effect.flip(matched(file, script, options, env)), (error) => (error as GoldenMismatch).message)

const good: Script = [search("parcel"), [refund("O-1", 900), search("more")], "Done."]

describe("matchGolden", () => {
  it.effect("13.5 records a run without a file, and compares later runs with it", () =>
    Effect.gen(function* () {
      const file = fresh()
      assert.deepStrictEqual(yield* matched(file, good), ["recorded", "same"])
      assert.strictEqual(
        readFileSync(file, "utf8"),
        `{
  "scenario": "refund",
  "rounds": [
    [{ "tool": "search_orders", "arguments": { "q": "parcel" } }],
    [
      { "tool": "refund_order", "arguments": { "cents": 900, "order_id": "O-1" } },
      { "tool": "search_orders", "arguments": { "q": "more" } }
    ]
  ]
}
`
      )
      const again: Script = [search("parcel", "one"), search("more", "two"), refund("O-1", 900), "Done."]
      assert.deepStrictEqual(yield* matched(file, again), ["same", "same"])
      assert.strictEqual(
        yield* failed(file, [search("parcel"), [refund("O-2", 900), search("more")], "Done."]),
        [
          "refund: 1 difference from 3 expected calls",
          "  call 2 (round 2) refund_order",
          `    order_id: expected "O-1", got "O-2"`,
          `If the run is correct, set TOOLGUARD_UPDATE=1 to write it to ${file}.`
        ].join("\n")
      )
    })
  )

  it.effect("13.5 counts a refused call and its repair as one call, the repair", () =>
    Effect.gen(function* () {
      const file = fresh()
      yield* matched(file, good)
      const repaired: Script = [search("parcel"), [refund("O-1", "nine"), search("more")], refund("O-1", 900), "Done."]
      assert.deepStrictEqual(yield* matched(file, repaired), ["same", "same"])
      const broken: Script = [search("parcel"), [refund("O-1", "nine"), search("more")], "Done."]
      assert.include(yield* failed(file, broken), "fails: expected false, got true")
    })
  )

  it.effect(
    "13.5 lists the fields that differ if a failed call reports another error, in its transcript or its record",
    () =>
      Effect.gen(function* () {
        const file = fresh()
        const close = (locked: boolean): Script => [call("close_order", { order_id: "O-1", locked }), "It failed."]
        const options = { ignore: ["close_order.locked"] }
        assert.deepStrictEqual(yield* matched(file, close(false), options), ["recorded", "same"])
        const error = {
          code: "tool_failed",
          error_class: "permanent",
          side_effect: "unknown",
          retryable: false,
          next_step: "ask_user"
        }
        assert.deepStrictEqual(JSON.parse(readFileSync(file, "utf8")).rounds, [
          [{ tool: "close_order", arguments: { order_id: "O-1" }, fails: true, error }]
        ])
        assert.deepStrictEqual((yield* failed(file, close(true))).split("\n").slice(1, -1), [
          "  call 1 (round 1) close_order",
          '    error.side_effect: expected "unknown", got "none"',
          '    error.next_step: expected "ask_user", got "use_other_tool"'
        ])
        const recorded = yield* Effect.gen(function* () {
          yield* Effect.ignore(Guard.turn(CloseOrder.call({ order_id: "O-1", locked: true })))
          return (yield* Effect.flip(matchGolden(file, yield* (yield* CallLog).records))).message
        }).pipe(Effect.provide(layers))
        assert.deepStrictEqual(recorded.split("\n").slice(2, -1), [
          '    error.side_effect: expected "unknown", got "none"'
        ])
        assert.deepStrictEqual(yield* matched(file, close(true), { update: true }), ["updated", "same"])
        assert.deepStrictEqual(yield* matched(file, close(true)), ["same", "same"])
      })
  )

  it.effect("13.5 compares the calls of the model, not the fallbacks that the guard called", () =>
    Effect.gen(function* () {
      const file = fresh()
      assert.deepStrictEqual(yield* matched(file, [search("old"), "Done."]), ["recorded", "same"])
      assert.notInclude(readFileSync(file, "utf8"), "search_cache")
    })
  )

  it.effect("13.5 records nothing in CI, and writes differences only on request", () =>
    Effect.gen(function* () {
      const file = fresh()
      assert.strictEqual(
        yield* failed(file, good, {}, { CI: "true" }),
        `The golden file ${file} does not exist, and golden files are not recorded in CI.\nRun the test locally, and commit the file.`
      )
      assert.isFalse(existsSync(file))
      yield* matched(file, good, { ignore: ["search_orders.q"] })
      const before = statSync(file).mtimeMs
      assert.deepStrictEqual(yield* matched(file, good, { update: true }), ["same", "same"])
      assert.strictEqual(statSync(file).mtimeMs, before)
      const other: Script = [search("anything"), refund("O-7", 1), "Done."]
      assert.deepStrictEqual(yield* matched(file, other, {}, { TOOLGUARD_UPDATE: "1", CI: "1" }), ["updated", "same"])
      assert.deepStrictEqual(JSON.parse(readFileSync(file, "utf8")), {
        scenario: "refund",
        ignore: ["search_orders.q"],
        rounds: [
          [{ tool: "search_orders", arguments: {} }],
          [{ tool: "refund_order", arguments: { cents: 1, order_id: "O-7" } }]
        ]
      })
    })
  )

  it.effect("13.5 writes no secrets, and reports unusable files", () =>
    Effect.gen(function* () {
      const file = fresh()
      const token = ["ghp", "0123456789abcdefghijklmnopqrstuvwxyz"].join("_")
      yield* matched(file, [search(`token ${token}`), "Done."])
      assert.include(readFileSync(file, "utf8"), "token [redacted]")
      assert.notInclude(readFileSync(file, "utf8"), token)
      writeFileSync(file, `{"scenario":"s"}`)
      assert.strictEqual(
        yield* failed(file, good),
        `${file} is not a valid golden file: rounds: Required\nCorrect it, or delete it to record it again.`
      )
      assert.match(yield* failed(folder, good), /^Cannot read .*\nGive this user permission to read it\.$/u)
      writeFileSync(join(folder, "plain"), "")
      assert.match(yield* failed(join(folder, "plain", "x.json"), good), /^Cannot (?:read|write) /u)
    })
  )

  it.effect("13.5 reports records without arguments, and records of several conversations", () =>
    Effect.gen(function* () {
      const match = (keep: "none" | "full") =>
        Effect.gen(function* () {
          yield* Guard.turn(SearchOrders.call({ q: "a" }))
          yield* Guard.turn(SearchOrders.call({ q: "b" }))
          return yield* Effect.flip(matchGolden(fresh(), yield* (yield* CallLog).records))
        }).pipe(
          Effect.map(({ message }) => message),
          Effect.provide(Layer.merge(handlers, Guard.layerMemoryWith(CallLogMemory.layerWith({ keep }))))
        )
      assert.strictEqual(
        yield* match("none"),
        'The call to "search_orders" was recorded without its arguments.\n' +
          'Keep arguments in the log: CallLogMemory.layerWith({ keep: "redacted" }).'
      )
      assert.strictEqual(
        yield* match("full"),
        "The records belong to 2 conversations.\nPass the records of one conversation: filter them by `conversation`."
      )
    })
  )
})

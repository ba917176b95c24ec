/**
 * [2.10] Tests that where a run or a host starts, two classes with the same id are refused if the guard cannot keep them
 * apart.
 */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Option, Schema } from "effect"
import { McpServer } from "effect/ai"
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as IdempotencyKeysMemory from "#layers/IdempotencyKeysMemory"
import * as ScriptedModel from "#layers/ScriptedModel"
import { Checkpoints } from "#services/Checkpoints"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import * as McpServe from "#src/mcp/serve/McpServe"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { sharedStores } from "./sharedStores.ts"

const base = {
  description: "Books a room. Writes.",
  access: "write",
  parameters: Schema.Struct({ id: Schema.String }),
  success: Schema.Struct({ at: Schema.String })
} as const

describe("two classes with the same id, with a shared store, where a run or a host starts", () => {
  class Book extends GuardedTool.Service<Book>()("book_it", { ...base, approval: "auto" }) {}
  class Booking extends GuardedTool.Service<Booking>()("book_it", { ...base, approval: "auto" }) {}
  class Plan extends GuardedTool.Service<Plan>()("plan_it", {
    ...base,
    fallbacks: [{ tool: Booking, arguments: (args: { readonly id: string }) => args }]
  }) {}
  class Bookings extends GuardedTool.Service<Bookings>()("book_it", {
    ...base,
    description: "Reads.",
    access: "read"
  }) {}
  class Write extends GuardedTool.Service<Write>()("write_it", {
    ...base,
    reconcile: { tool: Bookings, arguments: ({ id }) => ({ id }), found: () => Option.none() }
  }) {}
  const guard = () => sharedStores().guard
  const idle = [ScriptedModel.layer(["done", "done", "done", "done"])] as const
  const start = (box: Toolbox.Toolbox<any>) => Agent.run({ prompt: "book", tools: box })
  const sentenceOf = (effect: Effect.Effect<unknown, unknown, any>) =>
    Effect.map(Effect.exit(effect), (exit) => (Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "started"))
  const within = <A, E>(effect: Effect.Effect<A, E, any>, guards: Layer.Layer<any>) =>
    Effect.provide(effect, [...idle, guards, CheckpointsMemory.layer] as never) as Effect.Effect<A, E>
  const expected = (first: string, second: string, stores: string) =>
    new RegExp(
      `^RangeError: ${first} \\(/\\S+/admission.test.ts:\\d+\\) and ${second} \\(/\\S+/admission.test.ts:\\d+\\) have the ` +
        `same id "book_it", and other processes may share ${stores}\\. Give one of the two its own \`id\`, and create ` +
        "each class once\\.$"
    )
  const stores = "Circuits, IdempotencyKeys, RetryQuota"

  it.effect("2.10 the run of the second class is refused, and runs of the first class start before and after it", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* sentenceOf(start(Toolbox.make(Book))), "started")
      assert.match(yield* sentenceOf(start(Toolbox.make(Booking))), expected("Book", "Booking", stores))
      assert.strictEqual(yield* sentenceOf(start(Toolbox.make(Book))), "started")
    }).pipe((effect) => within(effect, guard()))
  )

  for (const [alternative, box] of [
    ["Booking", [Book, Plan]],
    ["Bookings", [Book, Write]]
  ] as const) {
    it.effect(`2.10 a run whose fallback or lookup ${alternative} has the id of another tool is refused`, () =>
      Effect.gen(function* () {
        const tools = (Toolbox.make as (...tools: ReadonlyArray<unknown>) => Toolbox.Toolbox<any>)(...box)
        assert.match(yield* sentenceOf(start(tools)), expected("Book", alternative, stores))
      }).pipe((effect) => within(effect, guard()))
    )
  }

  it.effect("2.10 the handlers of the second class are not built", () =>
    Effect.gen(function* () {
      const build = (box: Toolbox.Toolbox<any>) => Effect.scoped(Layer.build(box.handlers))
      assert.strictEqual(yield* sentenceOf(build(Toolbox.make(Book))), "started")
      assert.match(yield* sentenceOf(build(Toolbox.make(Booking))), expected("Book", "Booking", stores))
    }).pipe((effect) => within(effect, guard()))
  )

  it.effect("2.10 two guards with one object for their keys count as one guard", () =>
    Effect.gen(function* () {
      const keys = yield* Effect.provide(IdempotencyKeys, IdempotencyKeysMemory.layer)
      const shared = Layer.succeed(IdempotencyKeys, { ...keys, isShared: true })
      const run = (tool: typeof Book | typeof Booking) =>
        sentenceOf(within(start(Toolbox.make(tool)), Layer.fresh(Guard.layerMemoryWith(shared))))
      assert.strictEqual(yield* run(Book), "started")
      assert.match(yield* run(Booking), expected("Book", "Booking", "IdempotencyKeys"))
    })
  )

  it.effect("2.10 with stores in memory, both run, except with a journal that other processes may share", () =>
    Effect.gen(function* () {
      const checkpointed = (tool: typeof Book | typeof Booking, run: string) =>
        sentenceOf(Agent.checkpointed({ prompt: "book", tools: Toolbox.make(tool), run }) as Effect.Effect<unknown>)
      assert.strictEqual(yield* sentenceOf(start(Toolbox.make(Book))), "started")
      assert.strictEqual(yield* sentenceOf(start(Toolbox.make(Booking))), "started")
      assert.strictEqual(yield* checkpointed(Booking, "1"), "started")
      const { isShared: _, ...journals } = yield* Checkpoints
      const refused = checkpointed(Booking, "2").pipe(Effect.provideService(Checkpoints, journals))
      assert.match(yield* refused, expected("Book", "Booking", "Checkpoints"))
      assert.deepStrictEqual(yield* journals.unfinished("default"), [])
    }).pipe((effect) => within(effect, Guard.layerMemory))
  )

  it.effect("2.10 a class in two toolboxes, with another policy or with another layer, runs", () =>
    Effect.gen(function* () {
      const quick = Toolbox.policy({ timeout: "1 second" })(Toolbox.make(Book))
      assert.strictEqual(yield* sentenceOf(start(Toolbox.make(Book))), "started")
      assert.strictEqual(yield* sentenceOf(start(quick)), "started")
      const other = Book.layerTest(() => Effect.succeed({ at: "test" }))
      assert.strictEqual(yield* sentenceOf(Effect.provide(start(Toolbox.make(Book)), other)), "started")
    }).pipe((effect) => within(effect, guard()))
  )

  it.effect("2.10 of two toolboxes of one MCP server whose tools share a name or an id, the second is refused", () => {
    const tool = (name: string, more: object = {}) =>
      GuardedTool.dynamic(name, { access: "read", handler: () => Effect.succeed(1), ...more })
    const serve = (...boxes: ReadonlyArray<Toolbox.Toolbox<any>>) =>
      boxes
        .reduce<Layer.Layer<any, never, any>>(
          (served, box) => McpServe.layer(box).pipe(Layer.provideMerge(served)),
          Layer.effect(McpServer.McpServer, McpServer.McpServer.make)
        )
        .pipe(Layer.provide(Guard.layerMemory), Layer.build, Effect.scoped, sentenceOf)
    return Effect.gen(function* () {
      assert.strictEqual(yield* serve(Toolbox.make(Book), Toolbox.make(Book, tool("look_up"))), "started")
      assert.match(
        yield* serve(Toolbox.make(Book), Toolbox.make(Booking)),
        /^RangeError: Book \(\S+admission\.test\.ts:\d+\) and Booking \(\S+:\d+\) are in two toolboxes of one MCP server and have the same name "book_it"\. Give one of the two its own `name`, or serve its toolbox on a separate MCP server\.$/u
      )
      assert.match(
        yield* serve(Toolbox.make(tool("look_up")), Toolbox.make(tool("find_it", { id: "look_up" }))),
        /^RangeError: the dynamic tool look_up and the dynamic tool find_it are .* have the same id "look_up"\./u
      )
    }) as Effect.Effect<void>
  })
})

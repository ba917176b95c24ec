/** Tests `checkTool` with the tool's own handler, which runs in real time and whose effects are counted. */
import { checkTool, type FuzzFailure } from "#kit/fuzz/CheckTool"
import * as GuardedTool from "#src/tool/GuardedTool"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { without } from "./guards.ts"

class Shelf extends Context.Service<Shelf, { readonly place: (sku: string) => Effect.Effect<string> }>()("Shelf") {}

class FindShelf extends GuardedTool.Service<FindShelf>()("find_shelf", {
  description: "Finds the shelf of an article. Read-only.",
  access: "read",
  parameters: Schema.Struct({ sku: Schema.NonEmptyString }),
  success: Schema.Struct({ shelf: Schema.String })
}) {}

class BookShelf extends GuardedTool.Service<BookShelf>()("book_shelf", {
  description: "Books a shelf for an article. Writes.",
  access: "write",
  parameters: Schema.Struct({ sku: Schema.String.check(Schema.isMaxCodePoints(4)) }),
  success: Schema.Struct({ shelf: Schema.String }),
  timeout: "20 millis",
  deadline: "50 millis",
  idempotency: "derived"
}) {}

class OutOfStock extends Schema.TaggedError<OutOfStock>()("OutOfStock", { sku: Schema.String }) {}

class SellArticle extends GuardedTool.Service<SellArticle>()("sell_article", {
  description: "Sells an article. Writes.",
  access: "write",
  parameters: Schema.Struct({ sku: Schema.NonEmptyString }),
  success: Schema.Struct({ order: Schema.String }),
  refusals: [OutOfStock]
}) {}

const shelves = Layer.succeed(Shelf, { place: (sku) => Effect.succeed(`shelf of ${sku}`) })

const finding = FindShelf.layer(
  Effect.map(
    Shelf,
    (shelf) =>
      ({ sku }: { readonly sku: string }) =>
        // takes real time: one iteration of the event loop
        Effect.promise(() => new Promise((resolve) => setImmediate(resolve))).pipe(
          Effect.andThen(shelf.place(sku)),
          Effect.map((place) => ({ shelf: place }))
        )
  )
).pipe(Layer.provide(shelves))

describe("checkTool with a handler", () => {
  it.live("13.6 runs the handler with valid arguments only", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const layer = FindShelf.layer(({ sku }) => Effect.sync(() => (seen.push(sku), { shelf: sku })))
      const report = yield* checkTool(FindShelf, { layer, runs: 300 })
      assert.isAbove(seen.length, 150)
      assert.isAtMost(seen.length, report.executions)
      assert.notInclude(seen, "")
    })
  )

  it.live("13.6 waits for the handler in real time, while virtual time is stopped", () =>
    Effect.gen(function* () {
      const report = yield* checkTool(FindShelf, { layer: finding, runs: 200 })
      assert.isAbove(report.executions, 100)
    })
  )

  it.live("3.5, 13.6 accepts the refusals that the tool declares, for programs and models", () =>
    Effect.gen(function* () {
      let refused = 0
      const layer = SellArticle.layer(({ sku }) =>
        Effect.suspend(() => {
          refused += 1
          return Effect.fail(new OutOfStock({ sku }))
        })
      )
      yield* checkTool(SellArticle, { layer, runs: 300 })
      assert.isAbove(refused, 50)
    })
  )

  it.live("13.6 abandons a handler that does not end, and expects an unknown side effect", () =>
    Effect.gen(function* () {
      const layer = BookShelf.layer(() => Effect.never)
      const report = yield* checkTool(BookShelf, { layer, runs: 40 })
      assert.isAbove(report.executions, 5)
    })
  )

  it.live("13.6 detects a leak of the handler if the guard does not redact it", () =>
    Effect.gen(function* () {
      const password = ["sk", "live0123456789abcdefghijklmnop"].join("-")
      const layer = FindShelf.layer(() => Effect.fail(new Error(`denied for ${password}`)))
      yield* checkTool(FindShelf, { layer, runs: 60 })
      const error = (yield* Effect.flip(
        checkTool(FindShelf, { layer, runs: 60, guard: without("redact") })
      )) as FuzzFailure
      assert.deepStrictEqual([error._tag, error.promise], ["FuzzFailure", "secrets"])
    })
  )

  it.live("13.6 counts each execution of a write handler as an effect", () =>
    Effect.gen(function* () {
      const layer = BookShelf.layer(({ sku }) => Effect.succeed({ shelf: sku }))
      yield* checkTool(BookShelf, { layer, runs: 150 })
      const error = (yield* Effect.flip(
        checkTool(BookShelf, { layer, runs: 150, guard: without("idempotency") })
      )) as FuzzFailure
      assert.strictEqual(error.promise, "effects")
    })
  )

  it.live("13.6 reports a layer that cannot be built", () =>
    Effect.gen(function* () {
      const layer = FindShelf.layer(Effect.die("no shelves today"))
      const error = yield* Effect.flip(checkTool(FindShelf, { layer }))
      assert.strictEqual(
        error.message,
        "find_shelf cannot be fuzzed: its layer cannot be built. Pass a layer that provides the tool and has no requirements."
      )
    })
  )
})

/** Turns that requests name: kept while somebody asks in them, and forgotten after ten minutes of silence. */
import { CurrentTurn } from "#services/CurrentTurn"
import { Guard } from "#src/guard/Guard"
import * as Turns from "#src/openapi/Turns"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { tool } from "../pipeline/support.ts"

const named = { conversation: "c", turn: "t" }

describe("turns that requests name", () => {
  it.effect("remember between requests, and no longer than ten minutes after the last one", () =>
    Effect.gen(function* () {
      const broken = tool("find_it", {}, { n: "never" })
      const other = tool("look_at_it", {}, { n: 1 })
      const turns = yield* Turns.make
      const asking = ({ layer, tool }: typeof broken, turn: object) =>
        turns.within(Effect.provide(Effect.exit(tool.call({ q: "a" })), layer), turn)
      const ask = (turn: object) => asking(broken, turn)
      yield* ask(named)
      yield* TestClock.adjust("9 minutes")
      yield* asking(other, named)
      yield* TestClock.adjust("9 minutes")
      yield* ask(named)
      assert.strictEqual(broken.runs(), 1)
      // the loop detector sees whole conversations, so that another one is asked in
      yield* ask({ ...named, conversation: "another", tenant: "other" })
      assert.strictEqual(broken.runs(), 2)
      yield* TestClock.adjust("11 minutes")
      yield* ask({ ...named, conversation: "another", tenant: "other" })
      assert.strictEqual(broken.runs(), 3)
      yield* ask({})
      assert.strictEqual(broken.runs(), 4)
    }).pipe(Effect.scoped, Effect.provide(Guard.layerMemory))
  )

  it.effect("are not forgotten while a request runs in them", () =>
    Effect.gen(function* () {
      const turns = yield* Turns.make
      const broken = tool("find_it", {}, { n: "never" })
      const ask = Effect.provide(Effect.exit(broken.tool.call({ q: "a" })), broken.layer)
      yield* turns.within(ask, named)
      const long = yield* Effect.forkChild(turns.within(Effect.andThen(Effect.sleep("1 hour"), CurrentTurn), named))
      yield* TestClock.adjust("30 minutes")
      yield* turns.within(ask, named)
      assert.strictEqual(broken.runs(), 1)
      yield* TestClock.adjust("31 minutes")
      assert.deepInclude(yield* Fiber.join(long), named)
    }).pipe(Effect.scoped, Effect.provide(Guard.layerMemory))
  )
})

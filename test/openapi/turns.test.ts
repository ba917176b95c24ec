/** Tests that named turns are kept while requests use them, and are removed ten minutes after the last request. */
import { CurrentTurn } from "#services/CurrentTurn"
import { Guard } from "#src/guard/Guard"
import * as Turns from "#src/openapi/Turns"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { asked, tool } from "../pipeline/support.ts"

const named = { conversation: "c", turn: "t" }

describe("turns that requests name", () => {
  it.effect("are kept between requests, for ten minutes after the last request", () =>
    Effect.gen(function* () {
      const broken = tool("find_it", {}, { n: "never" })
      const other = tool("look_at_it", {}, { n: 1 })
      const turns = yield* Turns.make
      const askTool = ({ layer, tool }: typeof broken, turn: object) =>
        turns.within(Effect.provide(asked(tool, { q: "a" }), layer), turn)
      const ask = (turn: object) => askTool(broken, turn)
      yield* ask(named)
      yield* TestClock.adjust("9 minutes")
      yield* askTool(other, named)
      yield* TestClock.adjust("9 minutes")
      yield* ask(named)
      assert.strictEqual(broken.runs(), 1)
      // the conversation differs because the loop detector reads the whole conversation
      yield* ask({ ...named, conversation: "another", tenant: "other" })
      assert.strictEqual(broken.runs(), 2)
      yield* TestClock.adjust("11 minutes")
      yield* ask({ ...named, conversation: "another", tenant: "other" })
      assert.strictEqual(broken.runs(), 3)
      yield* ask({})
      assert.strictEqual(broken.runs(), 4)
    }).pipe(Effect.scoped, Effect.provide(Guard.layerMemory))
  )

  it.effect("are not removed while a request uses them", () =>
    Effect.gen(function* () {
      const turns = yield* Turns.make
      const broken = tool("find_it", {}, { n: "never" })
      const ask = Effect.provide(asked(broken.tool, { q: "a" }), broken.layer)
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

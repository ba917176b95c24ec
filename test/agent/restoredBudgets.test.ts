/** Tests that a resumed run counts the attempts of the calls in its journal as the earlier process counted them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { start, response, tool } from "../pipeline/support.ts"
import { begin, byPlace, onStores, resume, type World } from "./processes.ts"
import { call, envelopes } from "./support.ts"

const busy = () => Effect.suspend(() => Effect.succeed(response(503, "busy")))
const retry = { attempts: 2, base: "1 second", jitter: "none" }

/** Runs an effect to its end while the test clock advances by 20 seconds. */
const ended = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* start(effect)
    yield* TestClock.adjust("20 seconds")
    return yield* Fiber.join(fiber)
  })

/** A read and a write in one round, and the read alone in the next. */
const world = (reads: ReadonlyArray<unknown>, written: unknown) => {
  const look = tool("look", { budget: 3, retry }, ...reads)
  const write = tool("write", { access: "write" }, written)
  const round = [call("look", { q: "a" }, "c1"), call("write", { q: "a" }, "c2")]
  const model = byPlace([round, call("look", { q: "a" }, "c3"), "Done."])
  return { tools: [look, write], model } satisfies World
}

const slowly = (millis: number) => Effect.delay(Effect.succeed({ n: 9 }), millis)

describe("the budget of a read whose round has a write, in a resumed run", () => {
  for (const [what, reads, written, left] of [
    ["ends while the read waits for its retry", [busy, { n: 1 }, busy, busy], slowly(200), 2],
    ["ends while the second attempt of the read runs", [busy, slowly(500), busy, busy], slowly(1_200), 2],
    ["ends after the read", [busy, { n: 1 }, busy, busy], slowly(1_500), 3]
  ] as const) {
    it.effect(`4.7, 12.2 if the write ${what}, the same attempts are left as without a restart`, () =>
      Effect.gen(function* () {
        const leftOf = (resumed: boolean) =>
          Effect.gen(function* () {
            const { model, tools } = world(reads, written)
            if (resumed) yield* ended(begin({ model, tools }, { maxRounds: 1 }))
            const { end } = yield* ended(resumed ? resume({ model, tools }) : begin({ model, tools }))
            return envelopes(end.transcript)[2]?.error?.max_retries
          }).pipe(onStores())
        assert.deepStrictEqual([yield* leftOf(false), yield* leftOf(true)], [left, left])
      })
    )
  }
})

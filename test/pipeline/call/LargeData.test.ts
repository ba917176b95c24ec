/** Tests that other work of the process runs between the steps of a call with a large result. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { ask, start, tool, within } from "../support.ts"

const success = Schema.Struct({ rows: Schema.Array(Schema.Struct({ id: Schema.Int, text: Schema.String })) })

/** Returns JSON text with about this many characters. */
const rowsOf = (characters: number): string =>
  JSON.stringify({ rows: Array.from({ length: characters / 100 }, (_, id) => ({ id, text: "x".repeat(78) })) })

/** Counts the turns of the event loop while a model's call runs. */
const turnsOf = async (text: string): Promise<number> => {
  const search = tool("search", { success }, text)
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const { isFailure } = await Effect.runPromise(within([search.layer])(ask([search.tool], "search", { q: "a" })))
  isOver = true
  assert.isFalse(isFailure)
  return turns
}

describe("a large result", () => {
  it("4.9 lets other work run between its steps, and a small result does not", async () => {
    const small = await turnsOf(rowsOf(1_000))
    assert.isAtMost(small, 3)
    // 250,000 characters in each step of two walks
    assert.isAtLeast(await turnsOf(rowsOf(2_000_000)), 2 * 8)
  })

  it("4.9 needs no event loop if its handler ends synchronously", () => {
    const search = tool("search", { success }, rowsOf(1_500_000))
    const { isFailure, text } = Effect.runSync(within([search.layer])(ask([search.tool], "search", { q: "a" })))
    assert.isFalse(isFailure)
    assert.include(text, '"preview"')
  })

  it("4.7 settles the attempt of a call that is interrupted between its last steps", async () => {
    const text = rowsOf(1_500_000)
    const total = await turnsOf(text)
    const unchanged: Array<boolean> = []
    for (let stop = 2; stop < total; stop += 6) {
      const search = tool("search", { success, budget: 2 }, text, text)
      const ran = await Effect.runPromise(
        within([search.layer])(
          Effect.gen(function* () {
            const fiber = yield* start(ask([search.tool], "search", { q: "a" }))
            for (let passed = 0; passed < stop; passed++) yield* Effect.yieldNow
            yield* Fiber.interrupt(fiber)
            return yield* ask([search.tool], "search", { q: "a" })
          })
        )
      )
      assert.isFalse(ran.isFailure, String(stop))
      assert.strictEqual(search.calls.length, 2)
      unchanged.push(ran.envelope.unchanged === true)
    }
    // an attempt whose result was compared is settled, also if the model never reads the result
    const settled = unchanged.indexOf(true)
    assert.isAbove(settled, 0)
    assert.isTrue(unchanged.slice(settled).every((one) => one))
  })
})

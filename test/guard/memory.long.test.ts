/** Tests that the memory of a guard stays bounded over many calls of one turn. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { runInNewContext } from "node:vm"
import { setFlagsFromString } from "node:v8"
import { define, handled, within } from "../pipeline/support.ts"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

describe("Guard: state", () => {
  it.effect(
    "4.9 memory stays bounded over 100,000 calls of one turn",
    () => {
      const success = Schema.Struct({ n: Schema.Int, text: Schema.String })
      const filler = "x".repeat(2_000)
      let n = 0
      const search = define("search", { success, checks: { ok: () => ({ _tag: "Ok" }) } })
      // a scripted handler would keep the contexts of all calls
      const layer = handled(search, () => Effect.sync(() => ({ n: (n += 1), text: filler + n })))
      return Effect.gen(function* () {
        const call = (from: number, to: number) =>
          Effect.gen(function* () {
            for (let i = from; i < to; i++) yield* search.call({ q: String(i) })
          })
        yield* call(0, 20_000)
        collectGarbage()
        const before = process.memoryUsage().heapUsed
        yield* call(20_000, 100_000)
        collectGarbage()
        const grown = (process.memoryUsage().heapUsed - before) / 1_000_000
        assert.isAtMost(grown, 20)
      }).pipe(within([layer]))
    },
    120_000
  )
})

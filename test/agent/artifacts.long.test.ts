/** Tests that a model reads a result of megabytes in parts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { listing, readAllPages, rowsOf, rowsRead } from "./rowPages.ts"
import { play } from "./support.ts"

describe("Agent.run, with large results", () => {
  it.effect(
    "4.14 a model reads all of a 2 MB result page by page",
    () =>
      Effect.gen(function* () {
        const rows = rowsOf(15_000)
        assert.isAbove(JSON.stringify({ rows }).length, 2_000_000)
        const { end, prompts } = yield* play({
          script: readAllPages,
          tools: [listing(rows)],
          options: { maxRounds: 400, compaction: { maxTokens: 30_000 } }
        })
        assert.strictEqual(end._tag, "Answered")
        assert.deepStrictEqual(rowsRead(prompts), rows)
        for (const prompt of prompts) assert.isBelow(JSON.stringify(prompt).length, 300_000)
      }),
    120_000
  )
})

import { inWords } from "#domain/text/TimeSpan"
import { assert, describe, it } from "@effect/vitest"

describe("TimeSpan", () => {
  for (const [millis, words] of [
    [-5, "0 s"],
    [999, "0 s"],
    [1_000, "1 s"],
    [59_999, "59 s"],
    [60_000, "1 min"],
    [61_000, "1 min 1 s"],
    [200_000, "3 min 20 s"],
    [3_600_000, "1 h"],
    [3_601_000, "1 h"],
    [86_400_000, "1 day"],
    [2 * 86_400_000 + 3_600_000 + 60_000, "2 days 1 h"]
  ] as const) {
    it(`10.3 writes ${millis} ms as ${words}`, () => {
      assert.strictEqual(inWords(millis), words)
    })
  }
})

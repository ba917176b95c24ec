/** Tests guesses as data: path, kind, number of samples, and the chance that the next sample violates them. */
import { assert, describe, it } from "@effect/vitest"
import { guesses } from "#kit/infer/Guesses"
import { inferred, times } from "./support.ts"

describe("guesses", () => {
  it("13.2 state how certain they are", () => {
    const results = times(80, (n) => ({
      count: n,
      status: n % 2 === 0 ? "open" : "closed",
      when: `2026-01-${10 + (n % 20)}`,
      items: [{ sku: `AB-${100 + n}`, note: n === 3 ? null : "x" }],
      by_day: { "2026-01-01": 1, "2026-01-02": 2, "2026-01-03": 3.5 },
      ...(n === 0 ? {} : { raw: JSON.stringify({ a: n }) })
    }))
    const [tool] = inferred(results).tools
    assert.deepStrictEqual(tool === undefined ? [] : guesses(tool.shape), [
      { path: "count", guess: "integer", samples: 80, chance: 0.02 / 82 },
      { path: "status", guess: "enum", samples: 80, chance: 0.2 / 82, detail: ["closed", "open"] },
      { path: "when", guess: "format", samples: 20, chance: 0.03 / 22, detail: "^\\d{4}-\\d{2}-\\d{2}$" },
      { path: "items[].sku", guess: "pattern", samples: 80, chance: 0.3 / 82, detail: "^AB-\\d{3}$" },
      { path: "items[].note", guess: "nullable", samples: 1 },
      { path: "by_day", guess: "record", samples: 3 },
      { path: "raw", guess: "optional", samples: 1 },
      { path: "raw", guess: "held", samples: 79, chance: 0.05 / 81, detail: "json" },
      { path: "raw.a", guess: "integer", samples: 79, chance: 0.1 / 81 }
    ])
  })
})

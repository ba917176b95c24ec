/** Tests the bill, as a table and as JSON. */
import { assert, describe, it } from "@effect/vitest"
import * as Bill from "#kit/cli/run/Bill"
import type { Screen } from "#kit/cli/console/Screen"

const cost = (attempts: number, inputTokens: number, ended: string): Bill.Cost => ({
  rounds: attempts,
  calls: attempts,
  attempts,
  inputTokens,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 100,
  ended,
  text: "why"
})

const salvaged = { tool: "search", stage: "parseResult", decision: "salvaged" }
const bill: Bill.Bill = {
  bare: cost(17, 23_838, "Stopped"),
  guarded: cost(1, 5_000, "LoopDetected"),
  resume: undefined,
  isMetered: true,
  decisions: [
    { ...salvaged, reason: "first" },
    { tool: "search", stage: "loop", decision: "stopped", reason: "it\nrepeats" },
    { ...salvaged, reason: "second" }
  ],
  price: { price: { inputPerMillion: 2, outputPerMillion: 10 }, isOwn: true }
}

const printed = (bill: Bill.Bill, columns = 100): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const screen: Screen = { columns, styled: (_, text) => text, line: (text) => lines.push(text) }
  Bill.print(screen, bill)
  return lines
}

describe("Bill", () => {
  it("prints both runs side by side, the cost at the given price, and equal decisions once", () => {
    assert.deepStrictEqual(printed(bill), [
      "",
      "The bill",
      "                                   bare       guarded",
      "  ended                         Stopped  LoopDetected",
      "  requests to the model              17             1",
      "  calls                              17             1",
      "  attempts                           17             1",
      "  input tokens                   23,838         5,000",
      "  output tokens                     100           100",
      "  money                         $0.0487       $0.0110",
      "  at $2 and $10 per million tokens, counted (o200k) in the requests as sent",
      "",
      "What the guard decided",
      "  search · parseResult: salvaged × 2 · first",
      "  search · loop: stopped · it repeats"
    ])
  })

  it("prints one column without a bare run, and one line without decisions", () => {
    const lines = printed({ ...bill, bare: undefined, decisions: [] })
    assert.include(lines, "  attempts                            1")
    assert.strictEqual(lines.at(-1), "  nothing: every call passed")
  })

  it("states that the model reported the tokens if it sends no requests", () => {
    const lines = printed({ ...bill, isMetered: false, price: undefined })
    assert.include(lines, "  tokens are reported by the model; add --price to see the cost")
  })

  it("shortens the reasons to the width of the screen", () => {
    assert.strictEqual(printed(bill, 40).at(-2), "  search · parseResult: salvaged × 2 · …")
  })

  it("writes one JSON object, in which bare is null without a bare run", () => {
    assert.deepStrictEqual(JSON.parse(Bill.json(bill)), {
      bare: { ...bill.bare, money: 0.048676 },
      guarded: { ...bill.guarded, money: 0.011 },
      decisions: bill.decisions,
      resume: null
    })
    assert.isNull((JSON.parse(Bill.json({ ...bill, bare: undefined })) as { readonly bare: unknown }).bare)
  })

  it("charges cached input at its own price, and shows it", () => {
    const table = { "gpt-": { inputPerMillion: 2, outputPerMillion: 10, cachedInputPerMillion: 0.5, asOf: "2026-11" } }
    const cached = { ...bill, guarded: { ...bill.guarded, cachedInputTokens: 4_000 } }
    const lines = printed({ ...cached, price: Bill.priceOf(table, "gpt-4.1") })
    assert.include(lines.join("\n"), "  of which cached                     0         4,000")
    assert.include(lines.join("\n"), "  money                         $0.0487       $0.0050")
    assert.include(lines.join("\n"), "at $2 and $10 per million tokens (2026-11), counted")
    assert.include(
      printed({ ...cached, price: Bill.priceOf(table, "my-own") }).join("\n"),
      "the highest price of the table"
    )
  })

  it("shows no money without prices", () => {
    const lines = printed({ ...bill, price: Bill.priceOf({}, "gpt-4.1") }).join("\n")
    assert.notInclude(lines, "$")
    assert.include(lines, "add --price to see the cost")
    assert.include(Bill.json({ ...bill, price: undefined }), '"money":null')
  })
})

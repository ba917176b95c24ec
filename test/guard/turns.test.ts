import { assert, describe, it } from "@effect/vitest"
import { run } from "../support/children.ts"

describe("Guard: a call outside a turn", () => {
  it("11.4 the calls of models cause one warning per process, with the remedy, and the calls of programs none", async () => {
    const { stderr, stdout } = await run(process.execPath, ["test/guard/hostWithoutTurns.ts"])
    assert.strictEqual(stderr, "")
    assert.deepStrictEqual(JSON.parse(stdout), {
      before: 0,
      warnings: [
        "A model called a tool outside a turn: loops, recall and budgets have no effect. Wrap each turn in `Guard.turn`."
      ]
    })
  })
})

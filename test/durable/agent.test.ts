import { assert, describe, it } from "@effect/vitest"
import { failuresOf } from "../support/suites.ts"

/**
 * What is different by design: `interruptWhen` is no option, the time is counted from the first step that is kept, and a
 * run does not depend on what its process remembers of other turns.
 */
const others = [
  "interrupt",
  "stopped",
  "the time ends",
  "time of the run",
  "one who denied",
  "loops are seen across the turns"
]

describe("a durable agent on the engine in memory", () => {
  it("12.3 plays the scripts of the agent as Agent.run does", { timeout: 120_000 }, () => {
    const { failed, passed } = failuresOf("workflow", ["rounds", "loops", "ends", "events", "parts"], others)
    assert.deepStrictEqual(failed, [])
    assert.isAbove(passed, 80)
  })
})

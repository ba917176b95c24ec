/** A run with a journal plays the scripts of the agent as one without it does. */
import { assert, describe, it } from "@effect/vitest"
import { failuresOf } from "../support/suites.ts"

/** What is different by design: a run's conversation is named after it. */
const others = ["a run without a given turn"]

describe("a run with a journal", () => {
  it("12.1 plays the scripts of the agent as Agent.run does", { timeout: 120_000 }, () => {
    const { failed, passed } = failuresOf("journal", ["rounds", "loops", "ends", "events", "parts"], others)
    assert.deepStrictEqual(failed, [])
    assert.isAbove(passed, 100)
  })
})

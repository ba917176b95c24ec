/** Tests the faults of `cases.test.ts` in larger numbers, and in recorded results. */
import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { kinds, type Outcome, runInvented } from "../../bench/proposeCases.ts"
import { runRecorded } from "../../bench/proposeData.ts"
import { data, recordedData } from "../../support/data.ts"
import { needs } from "../../support/prerequisites.ts"

const assertAll = (outcomes: ReadonlyArray<Outcome>): void => {
  const wrong = outcomes.filter((outcome) => !outcome.isListed || !outcome.isRelaxed || outcome.wrong.length > 0)
  assert.deepStrictEqual(wrong, [])
}

describe("the report and the proposals on many faults", () => {
  it("13.1 each invented fault is listed once, and its change lets it pass and nothing else", () => {
    const outcomes = runInvented(400, 11)
    assert.lengthOf(outcomes, 400)
    assert.strictEqual(new Set(outcomes.map(({ kind }) => kind)).size, kinds.length)
    assertAll(outcomes)
    assert.isAbove(
      outcomes.reduce((sum, { refused }) => sum + refused, 0),
      5_000
    )
  })
})

describe("the report and the proposals on faults in recorded results", needs(recordedData), () => {
  it("13.1 each fault is listed once, and its change lets it pass and nothing else", async () => {
    const outcomes = await runRecorded(join(data, "traffic"), 1)
    assert.isAbove(outcomes.length, 100)
    assertAll(outcomes)
  })
})

/** The short form of `npm run kill`: real processes, killed in the middle of real runs. */
import { assert, describe, it } from "@effect/vitest"
import { killAt, killAtRandom } from "./harness.ts"
import { points } from "./plan.ts"

const times = 6

describe("a process that is killed at a named point of a write", () => {
  for (const point of points) {
    it(`8.4 ${point}: done exactly once where the upstream honours the key`, async ({ signal }) => {
      const count = await killAt(point, "honoured key", times, { signal })
      assert.deepStrictEqual(count.violations, [])
      assert.strictEqual(count.once, times)
    })

    it(`8.4 ${point}: done at most once without any key, and a person is told where nobody knows`, async ({
      signal
    }) => {
      const count = await killAt(point, "no key", times, { signal })
      assert.deepStrictEqual(count.violations, [])
      assert.strictEqual(count.once + count.unknownDone + count.unknownNotDone, times)
      if (point === "before claim" || point === "before the journal") assert.strictEqual(count.once, times)
    })
  }

  it("3.3 what a lookup finds is not done again, and what it does not find is done", async ({ signal }) => {
    for (const point of ["after claim", "effect done, before its answer"] as const) {
      const count = await killAt(point, "lookup", times, { signal })
      assert.deepStrictEqual([count.violations, count.once], [[], times])
    }
  })

  it("8.2 without the claim the same writes are done twice, and the harness sees it", async ({ signal }) => {
    const count = await killAt("effect done, before its answer", "no key", 3, { signal, withoutClaim: true })
    assert.deepStrictEqual(
      count.violations,
      [0, 1, 2].map((i) => `run-${i}/w0: done 2 times`)
    )
  })
})

describe("a run of thirty rounds that is killed at random moments, again and again", () => {
  for (const mode of ["honoured key", "own key"] as const) {
    it(`12.2 ends with the transcript that it has without kills, each write done once or told as unknown (${mode})`, async ({
      signal
    }) => {
      const { once, violations } = await killAtRandom(mode, 50, Math.random, { signal })
      assert.deepStrictEqual(violations, [])
      assert.isAbove(once, 0)
    })
  }
})

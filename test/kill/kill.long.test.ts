/** Runs a short form of `npm run kill`, which kills real processes during real runs. */
import { assert, describe, it } from "@effect/vitest"
import { needs } from "../support/prerequisites.ts"
import { redis } from "../support/servers.ts"
import { killAt, killAtRandom } from "./harness.ts"
import { points } from "./plan.ts"

/** The kills at each point: two processes share a database. `npm run kill` kills more often. */
const times = 2

describe("a process that is killed at a named point of a write", () => {
  for (const point of points) {
    it(`8.4 ${point}: the write happens exactly once if the upstream honours the key`, async ({ signal }) => {
      const count = await killAt(point, "honoured key", times, { signal })
      assert.deepStrictEqual(count.violations, [])
      assert.strictEqual(count.once, times)
    })

    it(`8.4 ${point}: the write happens at most once without a key, and an unknown outcome is reported to a person`, async ({
      signal
    }) => {
      const count = await killAt(point, "no key", times, { signal })
      assert.deepStrictEqual(count.violations, [])
      assert.strictEqual(count.once + count.unknownDone + count.unknownNotDone, times)
      if (point === "before claim" || point === "before the journal") assert.strictEqual(count.once, times)
    })
  }

  it("3.3 the write is not repeated if a lookup finds it, and is repeated otherwise", async ({ signal }) => {
    for (const point of ["after claim", "effect done, before its answer"] as const) {
      const count = await killAt(point, "lookup", times, { signal })
      assert.deepStrictEqual([count.violations, count.once], [[], times])
    }
  })

  it("8.2 the write happens twice without the stage claim, and the harness reports a violation", async ({ signal }) => {
    const count = await killAt("effect done, before its answer", "no key", times, { signal, withoutClaim: true })
    assert.deepStrictEqual(
      count.violations,
      [0, 1].map((i) => `run-${i}/w0: happened 2 times`)
    )
  })
})

describe("a run of thirty rounds that is killed repeatedly at random moments", () => {
  for (const mode of ["honoured key", "own key"] as const) {
    it(`12.2 has the same transcript as without kills, and each write happens once or is reported as unknown (${mode})`, async ({
      signal
    }) => {
      const { once, violations } = await killAtRandom(mode, 20, Math.random, { signal })
      assert.deepStrictEqual(violations, [])
      assert.isAbove(once, 0)
    })
  }
})

describe("a process that is killed while its keys are in Redis and its journal is in SQLite", needs(redis), () => {
  // the two stores are not written in one transaction: the key is completed first
  for (const point of points.filter((each) => each !== "in commit")) {
    for (const mode of ["honoured key", "own key", "no key"] as const)
      it(`8.4 ${point}: the write happens once, or is reported as unknown (${mode})`, async ({ signal }) => {
        const { once, unknownDone, unknownNotDone, violations } = await killAt(point, mode, times, {
          signal,
          redis: redis.url
        })
        assert.deepStrictEqual([violations, once + unknownDone + unknownNotDone], [[], times])
        if (mode === "honoured key" || point === "before the journal") assert.strictEqual(once, times)
      })
  }

  it("12.2 a run of thirty rounds that is killed at random has the same transcript as without kills", async ({
    signal
  }) => {
    const { once, violations } = await killAtRandom("own key", 15, Math.random, { signal, redis: redis.url })
    assert.deepStrictEqual(violations, [])
    assert.isAbove(once, 0)
  })
})

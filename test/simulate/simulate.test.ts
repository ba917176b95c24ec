/** Tests that the simulation is reproducible, finds deliberate defects, and finds none in the guard with ten seeds. */
import { assert, describe, it } from "@effect/vitest"
import type { Kind } from "./Faults.ts"
import { shrink, testOf } from "./Shrink.ts"
import { type Options, simulate } from "./Simulation.ts"

const linesOf = (options: Options): ReadonlyArray<string> => {
  const lines: Array<string> = []
  simulate({ ...options, trace: (line) => lines.push(line) })
  return lines
}

describe("a simulation", () => {
  it("8.4 ten seeds find no violation", () => {
    const failed = Array.from({ length: 10 }, (_, index) => index + 1).flatMap((seed) => simulate({ seed }).violations)
    assert.deepStrictEqual(failed, [])
  })

  it("8.4 the same seed leads to the same requests, and another seed to other requests", () => {
    const [first, again, other] = [linesOf({ seed: 22 }), linesOf({ seed: 22 }), linesOf({ seed: 23 })]
    assert.isAbove(first.length, 50)
    assert.deepStrictEqual(again, first)
    assert.notDeepEqual(other, first)
  })

  it("8.4 exactly the faults of a given plan happen, with effects and without a violation", () => {
    const plan = new Map<number, Kind>([
      [12, "crash after"],
      [40, "interruption"]
    ])
    const { effects, faults, violations } = simulate({ seed: 5, plan })
    assert.deepStrictEqual(
      [...faults].map(([at, { kind }]) => [at, kind]),
      [...plan]
    )
    assert.isAbove(effects, 0)
    assert.deepStrictEqual(violations, [])
  })
})

describe("a simulation of a guard with a deliberate defect", () => {
  for (const sabotage of ["no release", "no refusals"] as const) {
    it(`8.4 ${sabotage} leads to a violation within a hundred seeds, which shrinks to a test`, () => {
      const seeds = Array.from({ length: 100 }, (_, index) => index + 1)
      const seed = seeds.find((seed) => simulate({ seed, sabotage }).violations.length > 0)
      assert.isDefined(seed)
      const options = { seed: seed!, sabotage }
      const small = shrink(options, simulate(options))
      assert.isNotEmpty(simulate(small).violations)
      assert.isAtMost(small.plan?.size ?? 0, simulate(options).faults.size)
      assert.match(testOf(small), /^it\("seed \d+ has no violation: .*simulate\(\{ seed: \d+.*plan \}\)/su)
    })
  }
})

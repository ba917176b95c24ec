/** Reduces a failing simulation to few faults, runs and rounds, and writes it as a test. */
import type * as Faults from "./Faults.ts"
import { type Options, type Result, simulate } from "./Simulation.ts"

const fails = (options: Options): boolean => simulate(options).violations.length > 0

/** Returns a smaller simulation that still violates an invariant. */
export const shrink = (options: Options, { faults }: Result): Options => {
  let plan: Faults.Plan = new Map([...faults].map(([at, { kind }]) => [at, kind]))
  let small: Options = { ...options, plan }
  // the same faults, without the decisions of the seed; a fault that is removed may shift later faults
  if (!fails(small)) return options
  for (const change of [{ runs: 1 }, { rounds: 1 }, { rounds: 2 }, { rounds: 3 }]) {
    const smaller = { ...small, ...change }
    if (fails(smaller)) {
      small = smaller
      if ("rounds" in change) break
    }
  }
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false
    for (const at of [...plan.keys()].reverse()) {
      const fewer = new Map([...plan].filter(([other]) => other !== at))
      if (!fails({ ...small, plan: fewer })) continue
      plan = fewer
      small = { ...small, plan }
      isSmaller = true
    }
  }
  return small
}

/** Returns the source of a test that fails until the defect is fixed. */
export const testOf = (options: Options): string => {
  const { plan = new Map(), rounds, runs, seed } = options
  const size = [
    ...(runs === undefined ? [] : [`runs: ${runs}`]),
    ...(rounds === undefined ? [] : [`rounds: ${rounds}`])
  ]
  const faults = [...plan].map(([at, kind]) => `[${at}, "${kind}"]`).join(", ")
  const { violations } = simulate(options)
  return [
    `it(${JSON.stringify(`seed ${seed} has no violation: ${violations[0]?.slice(0, 80)}`)}, () => {`,
    `  const plan = new Map<number, Kind>([${faults}])`,
    `  assert.deepStrictEqual(simulate({ ${[`seed: ${seed}`, ...size, "plan"].join(", ")} }).violations, [])`,
    "})"
  ].join("\n")
}

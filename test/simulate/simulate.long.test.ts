/** Tests `npm run simulate` with 1,000 seeds, and with deliberate defects. */
import { assert, describe, it } from "@effect/vitest"
import { bundle } from "../support/bundle.ts"
import { run } from "../support/children.ts"

const program = await bundle("test/simulate/main.ts")
const simulate = (...args: ReadonlyArray<string>) => run(process.execPath, [program, ...args])

describe("npm run simulate", () => {
  it("8.4 1,000 seeds find no violation, and the rate and every kind of fault are printed", async () => {
    const { code, stderr, stdout } = await simulate("--seeds", "1000")
    assert.strictEqual(code, 0, stdout + stderr)
    assert.match(stdout, /^1000 simulations, \d+ per minute\n\d+ requests, \d+ effects; faults: error \d+, delay \d+/u)
    assert.notMatch(stdout, / 0[,\n]/u, "every kind of fault happened")
  })

  for (const without of ["claim", "lease", "early answers", "release", "refusals"]) {
    it(`8.4 a guard without ${without} has a violation within 1,000 seeds, which is printed as a test`, async () => {
      const { code, stdout } = await simulate("--seeds", "1000", "--without", without)
      assert.strictEqual(code, 0, stdout)
      assert.match(stdout, /^seed \d+:\n {2}.+\n(?: {2}.+\n)*it\("seed \d+ has no violation/mu)
    })
  }

  it("a wrong option leads to one line that names the valid values", async () => {
    for (const [args, text] of [
      [
        ["--without", "brakes"],
        '--without must be "claim", "lease", "early answers", "release", or "refusals", not "brakes".\n'
      ],
      [["--seeds", "many"], "--seeds, --seed and --jobs must be positive integers.\n"]
    ] as const) {
      const { code, stderr } = await simulate(...args)
      assert.deepStrictEqual([code, stderr], [2, text])
    }
  })
})

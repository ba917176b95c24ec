/** The defaults of the circuit, the quota and the waits in one outage. `npm run bench:storm` measures many, with more clients. */
import * as Circuit from "#domain/tool/Circuit"
import { assert, describe, it } from "@effect/vitest"
import * as Dice from "../simulate/Dice.ts"
import * as Figures from "./Figures.ts"
import { kinds, plainClient, simulate } from "./Storm.ts"

const storm = { seed: 1, clients: 200 }

describe("a storm", () => {
  const plain = simulate({ ...storm, ...plainClient })
  for (const processes of [1, 2]) {
    for (const kind of kinds) {
      it(`6.1 a ${kind.caller} that ${kind.behaviour} wins against plain retries with ${processes} guards`, async () => {
        const result = await simulate({ ...storm, ...kind, deployment: { processes } })
        assert.deepStrictEqual(Figures.exceeded([result], [await plain]), [])
      })
    }
  }

  it("6.1 a lone caller that waits as long as the guard says succeeds at most 3 s after the outage, and after 1 s on average", () => {
    const dice = Dice.make(1, "lone caller")
    const waits = Array.from({ length: 1_000 }, () => {
      const recovery = 60_000 + dice.next() * 10_000
      let now = 0
      let state = Circuit.closed
      for (;;) {
        const admission = Circuit.admit(Circuit.defaults, state, now, dice.next())
        state = admission.state
        if (admission._tag === "Rejected") now += admission.retryAfterMillis
        else if (now >= recovery) return now - recovery
        else state = Circuit.record(Circuit.defaults, state, state.epoch, "failure", now, dice.next())
      }
    })
    assert.isAtMost(Math.max(...waits), 3_000)
    assert.approximately(waits.reduce((sum, wait) => sum + wait, 0) / waits.length, 1_000, 100)
  })
})

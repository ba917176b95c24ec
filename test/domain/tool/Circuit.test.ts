import * as Circuit from "#domain/tool/Circuit"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const policy = Circuit.defaults

const outcomesOf = (policy: Circuit.CircuitPolicy, state: Circuit.CircuitState, outcomes: ReadonlyArray<boolean>) =>
  outcomes.reduce(
    (now, failed) => Circuit.record(policy, now, state.epoch, failed ? "failure" : "success", 0, 0.5),
    state
  )

/** Returns the state after five failures at the time `now`. */
const openAt = (now: number, random = 0.5): Circuit.CircuitState => {
  let state = Circuit.closed
  for (let n = 0; n < 5; n++) state = Circuit.record(policy, state, state.epoch, "failure", now, random)
  return state
}

/** Returns the state after a probe that starts as soon as the circuit admits it, and has the given outcome. */
const probed = (state: Circuit.CircuitState, outcome: Circuit.CircuitOutcome, random: number) => {
  const now = state._tag === "Open" ? state.until : 0
  const admission = Circuit.admit(policy, state, now, random)
  assert.strictEqual(admission._tag, "Admitted")
  return Circuit.record(policy, admission.state, admission.state.epoch, outcome, now, random)
}

const rampFrom = (state: Circuit.CircuitState) => {
  const ramp = probed(state, "success", 0.5)
  if (ramp._tag !== "Ramp") throw new Error(`a ramp was expected, not ${ramp._tag}`)
  return ramp
}

const lengthOf = (state: Circuit.CircuitState): number => (state._tag === "Open" ? state.until - state.from : -1)

describe("Circuit", () => {
  it.prop(
    "4.11 opens at the first failure with which at least half of the last 20 outcomes, or of at least 5, are failures",
    [Schema.Array(Schema.Boolean)],
    ([outcomes]) => {
      const counted: Array<boolean> = []
      let state = Circuit.closed
      for (const failed of outcomes) {
        counted.push(failed)
        const latest = counted.slice(-20)
        state = outcomesOf(policy, state, [failed])
        const isTripped = failed && latest.length >= 5 && latest.filter(Boolean).length >= latest.length / 2
        assert.strictEqual(state._tag, isTripped ? "Open" : "Closed")
        if (isTripped) return
      }
    }
  )

  it("4.11 twenty outcomes are counted: ten failures after ten successes open the circuit, and nine do not", () => {
    const successes = Array.from({ length: 40 }, () => false)
    const failures = (count: number) => Array.from({ length: count }, () => true)
    assert.strictEqual(outcomesOf(policy, Circuit.closed, [...successes, ...failures(9)])._tag, "Closed")
    assert.strictEqual(outcomesOf(policy, Circuit.closed, [...successes, ...failures(10)])._tag, "Open")
  })

  it("4.11 the open time doubles to the cap, and half of it is random", () => {
    for (const [random, times] of [
      [0, [500, 1_000, 1_000, 1_000]],
      [0.5, [750, 1_500, 1_500, 1_500]]
    ] as const) {
      let state = openAt(0, random)
      const seen = [lengthOf(state)]
      for (let n = 0; n < 3; n++) seen.push(lengthOf((state = probed(state, "failure", random))))
      assert.deepStrictEqual(seen, [...times])
    }
  })

  it("4.11 an open circuit states a wait that ends a random part after the open time", () => {
    const state = openAt(0)
    const waits = [0, 0.5, 0.99].map((random) => {
      const admission = Circuit.admit(policy, state, 250, random)
      return admission._tag === "Rejected" ? admission.retryAfterMillis : -1
    })
    assert.deepStrictEqual(waits, [500, 688, 872])
  })

  it("4.11 one attempt is the probe; a probe without an outcome is replaced after ten seconds", () => {
    const { state } = Circuit.admit(policy, openAt(0), 750, 0.5)
    assert.strictEqual(Circuit.admit(policy, state, 751, 0)._tag, "Rejected")
    assert.strictEqual(Circuit.admit(policy, state, 10_749, 0)._tag, "Rejected")
    assert.strictEqual(Circuit.admit(policy, state, 10_750, 0)._tag, "Admitted")
  })

  it("4.11 after an ignored probe the next attempt is the probe", () => {
    const state = probed(openAt(0), "ignored", 0.5)
    assert.strictEqual(Circuit.admit(policy, state, 750, 0)._tag, "Admitted")
  })

  /** Admits as many of 100 attempts as the circuit admits, ends them in order, and returns their number and the state. */
  const round = (state: Circuit.CircuitState, outcomeOf: (index: number) => Circuit.CircuitOutcome, now: number) => {
    let [admitted, at] = [0, state]
    for (let n = 0; n < 100; n++) {
      const admission = Circuit.admit(policy, at, now, 0.5)
      at = admission.state
      if (admission._tag === "Admitted") admitted += 1
    }
    const { epoch } = at
    for (let n = 0; n < admitted; n++) at = Circuit.record(policy, at, epoch, outcomeOf(n), now, 0.5)
    return { admitted, state: at }
  }
  /** Returns how many attempts are admitted in each round of a ramp, and the state after it. */
  const rounds = (count: number, outcomeOf: (index: number) => Circuit.CircuitOutcome) => {
    const seen: Array<number> = []
    let state: Circuit.CircuitState = rampFrom(openAt(0))
    for (let n = 0; n < count; n++) {
      const made = round(state, outcomeOf, 1_000)
      state = made.state
      seen.push(made.admitted)
    }
    return { seen, state }
  }

  it("4.11 in the ramp the successes admit a fifth more attempts than before, until the circuit is closed", () => {
    const { seen, state } = rounds(20, () => "success")
    assert.deepStrictEqual(seen, [1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 100, 100])
    assert.strictEqual(state._tag, "Closed")
  })

  it("4.11 in the ramp the attempts exceed what the upstream serves by about a fifth", () => {
    // the upstream serves ten attempts at a time
    const { seen, state } = rounds(60, (index) => (index < 10 ? "success" : "failure"))
    assert.deepStrictEqual([Math.min(...seen.slice(20)), Math.max(...seen.slice(20))], [12, 12])
    assert.strictEqual(state._tag, "Ramp")
  })

  it("4.11 a ramp whose attempts all fail opens the circuit again, for a quarter of the first open time, then doubled", () => {
    let { state } = round(rounds(10, () => "success").state, () => "failure", 1_000)
    const seen = [lengthOf(state)]
    for (let n = 0; n < 4; n++) seen.push(lengthOf((state = probed(state, "failure", 0.5))))
    assert.deepStrictEqual(seen, [188, 375, 750, 1_500, 1_500])
  })

  it("4.11 an attempt in the ramp while no other is running is always admitted", () => {
    for (const outcome of ["success", "ignored"] as const) {
      let state: Circuit.CircuitState = rampFrom(openAt(0))
      for (let n = 0; n < 10; n++) {
        const { state: running } = Circuit.admit(policy, state, 1_000, 0.99)
        state = Circuit.record(policy, running, running.epoch, outcome, 1_000, 0.5)
        assert.strictEqual(state._tag, "Ramp")
        assert.strictEqual(Circuit.admit(policy, state, 1_000, 0.99)._tag, "Admitted")
      }
    }
  })

  it("4.11 the outcome of a probe that was replaced counts", () => {
    const { state: first } = Circuit.admit(policy, openAt(0), 750, 0.5)
    const { state: second } = Circuit.admit(policy, first, 10_750, 0.5)
    assert.strictEqual(Circuit.record(policy, second, first.epoch, "success", 12_000, 0.5)._tag, "Ramp")
  })

  it("4.11 an attempt that was admitted before the circuit opened changes nothing afterwards", () => {
    const ramp = rampFrom(openAt(0))
    for (const outcome of ["success", "failure", "ignored"] as const) {
      assert.strictEqual(Circuit.record(policy, ramp, Circuit.closed.epoch, outcome, 1_000, 0.5), ramp)
    }
  })

  it("4.11 ignored outcomes are not counted", () => {
    assert.strictEqual(Circuit.record(policy, Circuit.closed, 0, "ignored", 0, 0), Circuit.closed)
  })

  it("4.11 only a closed circuit admits every attempt, and none of them changes it", () => {
    assert.deepStrictEqual(Circuit.admit(policy, Circuit.closed, 0, 0.99), { _tag: "Admitted", state: Circuit.closed })
    const open = openAt(0)
    const { state } = Circuit.admit(policy, open, 750, 0.5)
    assert.deepStrictEqual([Circuit.closed, open, state, rampFrom(open)].map(Circuit.isClosed), [
      true,
      false,
      false,
      false
    ])
  })

  it("4.11 an outcome that changes no count returns the same state, which need not be stored again", () => {
    const full = outcomesOf(
      policy,
      Circuit.closed,
      Array.from({ length: 20 }, () => false)
    )
    assert.strictEqual(outcomesOf(policy, full, [false]), full)
  })
})

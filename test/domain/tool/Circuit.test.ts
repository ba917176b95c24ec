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

  it("4.11 the ramp admits a growing share of the attempts, and closes the circuit at its end", () => {
    const ramp = { ...rampFrom(openAt(0)), running: 1 }
    const length = ramp.until - ramp.from
    assert.strictEqual(length, 750)
    const admitted = [0, 0.25, 0.5, 0.75].map((part) => {
      const draws = Array.from({ length: 100 }, (_, n) => n / 100)
      return draws.filter(
        (random) => Circuit.admit(policy, ramp, ramp.from + part * length, random)._tag === "Admitted"
      ).length
    })
    assert.deepStrictEqual(admitted, [10, 25, 50, 75])
    const { state } = Circuit.admit(policy, ramp, ramp.until, 0.99)
    assert.deepStrictEqual(state, { _tag: "Closed", epoch: ramp.epoch + 1, outcomes: "" })
  })

  it("4.11 an attempt in the ramp while no other is running is always admitted", () => {
    const ramp = rampFrom(openAt(0))
    const first = Circuit.admit(policy, ramp, ramp.from, 0.99)
    assert.deepStrictEqual(
      [first._tag, Circuit.admit(policy, first.state, ramp.from, 0.99)._tag],
      ["Admitted", "Rejected"]
    )
    const ended = Circuit.record(policy, first.state, first.state.epoch, "success", ramp.from, 0.5)
    assert.strictEqual(Circuit.admit(policy, ended, ramp.from, 0.99)._tag, "Admitted")
  })

  it("4.11 a failure in the ramp opens the circuit again, for twice as long", () => {
    const ramp = rampFrom(openAt(0))
    const { state } = Circuit.admit(policy, ramp, ramp.from, 0)
    assert.strictEqual(lengthOf(Circuit.record(policy, state, state.epoch, "failure", ramp.from, 0.5)), 1_500)
  })

  it("4.11 an attempt that was admitted before the circuit opened changes nothing afterwards", () => {
    const ramp = rampFrom(openAt(0))
    for (const outcome of ["success", "failure", "ignored"] as const) {
      assert.strictEqual(Circuit.record(policy, ramp, Circuit.closed.epoch, outcome, ramp.from, 0.5), ramp)
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

describe("Circuit, whole states", () => {
  const open = { _tag: "Open", epoch: 1, openings: 1, from: 100_000, until: 100_750 } as const
  const probing = { _tag: "Probing", epoch: 2, openings: 1, openedMillis: 750, until: 110_750 } as const
  const ramp = { _tag: "Ramp", epoch: 3, openings: 1, from: 100_800, until: 101_550, running: 0 } as const

  it("4.11 failures open the circuit for the jittered open time", () => assert.deepStrictEqual(openAt(100_000), open))

  const decisions: ReadonlyArray<
    readonly [name: string, state: Circuit.CircuitState, at: number, admission: ReturnType<typeof Circuit.admit>]
  > = [
    [
      "an open circuit rejects with the rest of its time and a random part of half of it",
      open,
      100_250,
      { _tag: "Rejected", state: open, retryAfterMillis: 688 }
    ],
    ["an open circuit admits a probe at its end", open, 100_750, { _tag: "Admitted", state: probing }],
    [
      "during a probe the stated wait is a first open time",
      probing,
      100_751,
      { _tag: "Rejected", state: probing, retryAfterMillis: 750 }
    ],
    [
      "a probe without an outcome is replaced",
      probing,
      110_750,
      { _tag: "Admitted", state: { ...probing, epoch: 3, until: 120_750 } }
    ],
    ["the first attempt of a ramp is running", ramp, 100_800, { _tag: "Admitted", state: { ...ramp, running: 1 } }],
    [
      "a ramp counts another attempt that it admits",
      { ...ramp, running: 1 },
      101_500,
      { _tag: "Admitted", state: { ...ramp, running: 2 } }
    ],
    [
      "a ramp rejects with a random part of the second half of its rest",
      { ...ramp, running: 1 },
      100_950,
      { _tag: "Rejected", state: { ...ramp, running: 1 }, retryAfterMillis: 450 }
    ],
    [
      "the wait that a long open circuit states is at most 5 seconds longer than its rest",
      { ...open, until: 160_000 },
      159_000,
      { _tag: "Rejected", state: { ...open, until: 160_000 }, retryAfterMillis: 3_500 }
    ]
  ]
  for (const [name, state, at, admission] of decisions) {
    it(`4.11 ${name}`, () => assert.deepStrictEqual(Circuit.admit(policy, state, at, 0.5), admission))
  }

  const outcomes: ReadonlyArray<
    readonly [
      name: string,
      state: Circuit.CircuitState,
      outcome: Circuit.CircuitOutcome,
      at: number,
      after: Circuit.CircuitState
    ]
  > = [
    ["an outcome does not change an open circuit", open, "failure", 100_100, open],
    [
      "a failed probe opens the circuit for twice as long",
      probing,
      "failure",
      100_800,
      { _tag: "Open", epoch: 3, openings: 2, from: 100_800, until: 102_300 }
    ],
    [
      "after an ignored probe the open time is over",
      probing,
      "ignored",
      100_800,
      { _tag: "Open", epoch: 3, openings: 1, from: 100_050, until: 100_800 }
    ],
    ["a successful probe begins the ramp", probing, "success", 100_800, ramp],
    [
      "the ramp lasts at most 10 seconds",
      { ...probing, openedMillis: 60_000 },
      "success",
      100_800,
      { ...ramp, until: 110_800 }
    ],
    [
      "a failure in the ramp opens the circuit for twice as long",
      { ...ramp, running: 1 },
      "failure",
      101_000,
      { _tag: "Open", epoch: 4, openings: 2, from: 101_000, until: 102_500 }
    ],
    ["a success in the ramp ends one attempt", { ...ramp, running: 2 }, "success", 101_000, { ...ramp, running: 1 }],
    ["an ignored attempt in the ramp ends too", { ...ramp, running: 2 }, "ignored", 101_000, { ...ramp, running: 1 }],
    ["no fewer than zero attempts are running", ramp, "success", 101_000, ramp]
  ]
  for (const [name, state, outcome, at, after] of outcomes) {
    it(`4.11 ${name}`, () =>
      assert.deepStrictEqual(Circuit.record(policy, state, state.epoch, outcome, at, 0.5), after))
  }
})

/** The states of a circuit after each decision and each outcome, as whole values. */
import * as Circuit from "#domain/tool/Circuit"
import { assert, describe, it } from "@effect/vitest"

const policy = Circuit.defaults

describe("Circuit, whole states", () => {
  const open = { _tag: "Open", epoch: 1, openings: 1, from: 100_000, until: 100_750 } as const
  const probing = { _tag: "Probing", epoch: 2, openings: 1, openedMillis: 750, until: 110_750 } as const
  const ramp = {
    _tag: "Ramp",
    epoch: 3,
    openings: 1,
    until: 110_800,
    running: 0,
    credits: 6
  } as const

  /** Returns the state after failures of a closed circuit. */
  const failed = (count: number, now: number): Circuit.CircuitState =>
    Array.from({ length: count }).reduce<Circuit.CircuitState>(
      (state) => Circuit.record(policy, state, state.epoch, "failure", now, 0.5),
      Circuit.closed
    )

  it("4.11 failures open the circuit for the jittered open time", () =>
    assert.deepStrictEqual(failed(5, 100_000), open))

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
      { _tag: "Admitted", state: { ...probing, until: 120_750 } }
    ],
    [
      "an attempt in a ramp costs a credit",
      ramp,
      100_900,
      { _tag: "Admitted", state: { ...ramp, running: 1, credits: 1, until: 110_900 } }
    ],
    [
      "a ramp without credits rejects with the jittered open time",
      { ...ramp, running: 1, credits: 4 },
      100_950,
      { _tag: "Rejected", state: { ...ramp, running: 1, credits: 4 }, retryAfterMillis: 750 }
    ],
    [
      "a ramp without an outcome for ten seconds starts again",
      { ...ramp, running: 3, credits: 0 },
      110_800,
      { _tag: "Admitted", state: { ...ramp, running: 1, credits: 0, until: 120_800 } }
    ],
    [
      "a ramp without attempts for ten seconds is over",
      ramp,
      110_800,
      { _tag: "Admitted", state: { _tag: "Closed", epoch: 4, outcomes: "" } }
    ],
    [
      "the wait that a long ramp states is at most 10 seconds",
      { ...ramp, openings: 9, credits: 0 },
      100_950,
      { _tag: "Rejected", state: { ...ramp, openings: 9, credits: 0 }, retryAfterMillis: 7_500 }
    ],
    [
      "the wait that a long open circuit states is at most 5 seconds longer than its rest",
      { ...open, until: 160_000 },
      159_000,
      { _tag: "Rejected", state: { ...open, until: 160_000 }, retryAfterMillis: 3_500 }
    ]
  ]
  for (const [name, state, at, admission] of decisions) {
    const { capMillis } = name.includes("long ramp") ? { capMillis: 60_000 } : policy
    it(`4.11 ${name}`, () => assert.deepStrictEqual(Circuit.admit({ ...policy, capMillis }, state, at, 0.5), admission))
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
      "the last failure in a ramp without credits opens the circuit for a quarter of the first open time",
      { ...ramp, openings: 4, running: 1, credits: 4 },
      "failure",
      101_000,
      { _tag: "Open", epoch: 4, openings: -1, from: 101_000, until: 101_188 }
    ],
    [
      "a failure in a ramp that has credits costs only its own",
      { ...ramp, running: 1 },
      "failure",
      101_000,
      { ...ramp, until: 111_000 }
    ],
    [
      "a failure in a ramp in which other attempts run costs only its own credits",
      { ...ramp, running: 2, credits: 0 },
      "failure",
      101_000,
      { ...ramp, running: 1, credits: 0, until: 111_000 }
    ],
    [
      "a success in the ramp earns more than its attempt cost",
      { ...ramp, running: 2, credits: 1 },
      "success",
      101_000,
      { ...ramp, running: 1, credits: 7, until: 111_000 }
    ],
    [
      "an ignored attempt in the ramp gets its credits back",
      { ...ramp, running: 1, credits: 1 },
      "ignored",
      101_000,
      { ...ramp, until: 111_000 }
    ],
    [
      "a hundred credits close the circuit",
      { ...ramp, running: 2, credits: 94 },
      "success",
      101_000,
      { _tag: "Closed", epoch: 4, outcomes: "" }
    ],
    [
      "fewer credits do not close it",
      { ...ramp, running: 2, credits: 93 },
      "success",
      101_000,
      { ...ramp, running: 1, credits: 99, until: 111_000 }
    ],
    ["no fewer than zero attempts are running", ramp, "ignored", 101_000, { ...ramp, credits: 11, until: 111_000 }]
  ]
  for (const [name, state, outcome, at, after] of outcomes) {
    it(`4.11 ${name}`, () =>
      assert.deepStrictEqual(Circuit.record(policy, state, state.epoch, outcome, at, 0.5), after))
  }
})

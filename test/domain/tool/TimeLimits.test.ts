import * as EffectivePolicy from "#domain/tool/EffectivePolicy"
import type { PolicyInput } from "#domain/tool/PolicyInput"
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"

/** Returns the limits of a read with a policy, in milliseconds. */
const limits = (input: PolicyInput) => {
  const { attemptMillis, deadlineMillis } = EffectivePolicy.resolve("search", input, true)
  return [attemptMillis, deadlineMillis]
}

/** Returns the message of the RangeError with which a policy is refused. */
const refusal = (input: PolicyInput): string => {
  try {
    EffectivePolicy.resolve("search", input, true)
  } catch (error) {
    assert.instanceOf(error, RangeError)
    return (error as RangeError).message
  }
  return "no error"
}

const example = 'write a time such as "30 seconds".'

describe("time limits", () => {
  it("2.12 an unset deadline is the longer of 30 s and the time that all attempts and the longest delays need", () => {
    assert.deepStrictEqual(limits({}), [5_000, 30_000])
    // 4 attempts, and delays of 1 s, 2 s and 4 s
    assert.deepStrictEqual(limits({ timeout: "10 minutes" }), [600_000, 2_407_000])
    assert.deepStrictEqual(limits({ timeout: "10 minutes", retry: { attempts: 1 } }), [600_000, 600_000])
    // 5 attempts, a delay of 10 s and 3 delays of 20 s
    assert.deepStrictEqual(limits({ retry: { attempts: 5, base: "10 seconds" } }), [5_000, 95_000])
    const delays = { attempts: 4, base: "10 seconds", cap: "1 hour" } as const
    assert.deepStrictEqual(limits({ retry: { ...delays, jitter: "none" } }), [5_000, 90_000])
    assert.deepStrictEqual(limits({ retry: { ...delays, jitter: "full" } }), [5_000, 90_000])
    // 4 attempts, and delays of 30 s, 90 s and 270 s
    assert.deepStrictEqual(limits({ retry: { ...delays, jitter: "decorrelated" } }), [5_000, 410_000])
  })

  it("2.12 an unset deadline is at most 24 days, however many attempts there are", () => {
    const days = 24 * 86_400_000
    assert.deepStrictEqual(limits({ timeout: "20 days" }), [20 * 86_400_000, days])
    assert.deepStrictEqual(limits({ retry: { attempts: Number.MAX_SAFE_INTEGER } }), [5_000, days])
  })

  it("2.12 an unset timeout is 5 s, or the deadline if that is shorter", () => {
    assert.deepStrictEqual(limits({ deadline: "2 seconds" }), [2_000, 2_000])
    assert.deepStrictEqual(limits({ deadline: "8 seconds" }), [5_000, 8_000])
  })

  it("2.12 refuses a deadline below the timeout if both are set", () => {
    assert.deepStrictEqual(limits({ timeout: "5 seconds", deadline: "5 seconds" }), [5_000, 5_000])
    assert.strictEqual(
      refusal({ timeout: "5 seconds", deadline: "1 second" }),
      "search: `deadline` is 1s, below `timeout`, which is 5s, so no attempt could use its time; set a longer `deadline` or a shorter `timeout`, or leave `deadline` out."
    )
  })

  it("2.12 refuses a longest delay below the first delay; an unset longest delay is at least the first", () => {
    const { retry } = EffectivePolicy.resolve("search", { retry: { base: "1 minute" } }, true)
    assert.deepStrictEqual([retry.baseMillis, retry.capMillis], [60_000, 60_000])
    const capped = EffectivePolicy.resolve("search", { retry: { cap: "50 millis" } }, true).retry
    assert.deepStrictEqual([capped.baseMillis, capped.capMillis], [50, 50])
    assert.strictEqual(
      refusal({ retry: { base: "1 second", cap: "999 millis" } }),
      "search: `retry.cap` is 999ms, below `retry.base`, which is 1s, so the first delay would exceed the maximum; set a longer `cap` or a shorter `base`."
    )
  })

  const settings: ReadonlyArray<readonly [setting: string, of: (value: Duration.Input) => PolicyInput]> = [
    ["timeout", (timeout) => ({ timeout })],
    ["deadline", (deadline) => ({ deadline })],
    ["retry.base", (base) => ({ retry: { base } })],
    ["retry.cap", (cap) => ({ retry: { cap } })],
    ["circuit.open", (open) => ({ circuit: { open } })]
  ]
  const wrong: ReadonlyArray<readonly [value: unknown, rule: string, shown: string]> = [
    [0, "must be longer than zero", "0"],
    [-1, "must be longer than zero", "-1"],
    [Number.NaN, "must be longer than zero", "NaN"],
    [Number.NEGATIVE_INFINITY, "must be longer than zero", "-Infinity"],
    ["-1 seconds", "must be longer than zero", '"-1 seconds"'],
    [Duration.zero, "must be longer than zero", "0"],
    [{ secs: 5 }, "must be longer than zero", '{"secs":5}'],
    [-5n, "must be longer than zero", "-5"],
    [Number.POSITIVE_INFINITY, "must be at most 24 days", "Infinity"],
    ["Infinity", "must be at most 24 days", '"Infinity"'],
    [Duration.infinity, "must be at most 24 days", "Infinity"],
    ["25 days", "must be at most 24 days", '"25 days"'],
    ["5", "must be a duration", '"5"'],
    ["soon", "must be a duration", '"soon"'],
    ["x".repeat(100), "must be a duration", `"${"x".repeat(38)}…`],
    [null, "must be a duration", "null"],
    [true, "must be a duration", "true"]
  ]
  for (const [setting, of] of settings) {
    it(`2.12 refuses a \`${setting}\` that is not above zero and at most 24 days, with value and remedy`, () => {
      assert.deepStrictEqual(
        // the cast is needed because the compiler would refuse some of the values
        wrong.map(([value]) => refusal(of(value as Duration.Input))),
        wrong.map(([, rule, shown]) => `search: \`${setting}\` ${rule}, got ${shown}; ${example}`)
      )
    })
  }
})

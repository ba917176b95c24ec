import { assert, describe, it } from "@effect/vitest"
import { resolve, textOf } from "#domain/tool/EffectivePolicy"
import type { PolicyInput } from "#domain/tool/PolicyInput"
import { Duration } from "effect"

describe("the effective policy", () => {
  it("2.9 fills in the defaults of a read and of a repeatable write", () => {
    assert.deepStrictEqual(resolve("search", {}, true), {
      attemptMillis: 5_000,
      deadlineMillis: 30_000,
      retry: { attempts: 4, baseMillis: 1_000, capMillis: 20_000, jitter: "equal" },
      budget: 4,
      concurrency: 16,
      circuit: { share: 0.5, window: 20, minimum: 5, openMillis: 1_000, capMillis: 2_000 },
      enforce: "enforce",
      repeats: undefined,
      critical: false,
      loop: { identical: 2, cycles: 3, sameFailure: 4, noProgress: 8, repeats: 10 },
      argumentLimits: { maxBytes: 1_000_000, maxDepth: 64 },
      resultLimits: { maxBytes: 10_000_000, maxDepth: 200 },
      shownBytes: undefined
    })
  })

  it("2.9 a write that is not repeatable has four attempts, and a budget of one", () => {
    const { budget, retry } = resolve("search", {}, false)
    assert.deepStrictEqual([retry.attempts, budget], [4, 1])
  })

  it("2.2 keeps the fields that are set", () => {
    assert.deepStrictEqual(
      resolve(
        "search",
        {
          timeout: "1 second",
          deadline: Duration.minutes(1),
          retry: { attempts: 2, base: 50, cap: "1 second", jitter: "full" },
          budget: 7,
          concurrency: 1,
          circuit: { share: 1, window: 10, minimum: 1, open: "1 minute", cap: "2 minutes" },
          enforce: "advise",
          repeats: "allowed",
          critical: true,
          loop: { identical: 5, cycles: 6, sameFailure: 7, noProgress: 8, repeats: 9 },
          limits: { argumentBytes: 1, argumentDepth: 2, resultBytes: 3, resultDepth: 4, shownBytes: 5 }
        },
        false
      ),
      {
        attemptMillis: 1_000,
        deadlineMillis: 60_000,
        retry: { attempts: 2, baseMillis: 50, capMillis: 1_000, jitter: "full" },
        budget: 7,
        concurrency: 1,
        circuit: { share: 1, window: 10, minimum: 1, openMillis: 60_000, capMillis: 120_000 },
        enforce: "advise",
        repeats: "allowed",
        critical: true,
        loop: { identical: 5, cycles: 6, sameFailure: 7, noProgress: 8, repeats: 9 },
        argumentLimits: { maxBytes: 1, maxDepth: 2 },
        resultLimits: { maxBytes: 3, maxDepth: 4 },
        shownBytes: 5
      }
    )
  })

  it("2.9 an unset field of the circuit follows the field that is set", () => {
    const { circuit } = resolve("search", { circuit: { minimum: 30, open: "1 minute" } }, true)
    assert.deepStrictEqual([circuit?.window, circuit?.capMillis], [30, 60_000])
    const small = resolve("search", { circuit: { window: 3, cap: "100 millis" } }, true).circuit
    assert.deepStrictEqual([small?.minimum, small?.openMillis], [3, 100])
  })

  it("2.12 a circuit that could never open, or whose fields contradict each other, is refused with the remedy", () => {
    const refused = (circuit: object, message: string) =>
      assert.throws(() => resolve("search", { circuit }, true), message)
    refused(
      { minimum: 21, window: 20 },
      "search: `circuit.minimum` is 21, above `circuit.window`, which is 20, so the circuit would never open; set a larger `window` or a smaller `minimum`."
    )
    refused(
      { open: "3 seconds", cap: "2 seconds" },
      "search: `circuit.cap` is 2s, below `circuit.open`, which is 3s, so the first open time would exceed the maximum; set a longer `cap` or a shorter `open`."
    )
    for (const share of [0, 1.5, Number.NaN]) {
      refused({ share }, `search: \`circuit.share\` must be above 0 and at most 1, got ${share}; write 0.5 for half.`)
    }
    refused({ failures: 5 }, "failures")
    refused({ openFor: "30 seconds" }, "openFor")
  })

  it("2.9 a circuit policy with one field has the defaults of the others, and false disables the circuit", () => {
    assert.deepStrictEqual(resolve("search", { circuit: { minimum: 2 } }, true).circuit, {
      share: 0.5,
      window: 20,
      minimum: 2,
      openMillis: 1_000,
      capMillis: 2_000
    })
    assert.isUndefined(resolve("search", { circuit: false }, true).circuit)
  })

  it("4.7 an unset budget is at least the attempts, and unset attempts of a repeatable call are at most the budget", () => {
    const both = (input: PolicyInput, repeatable: boolean) => {
      const { budget, retry } = resolve("search", input, repeatable)
      return [budget, retry.attempts]
    }
    assert.deepStrictEqual(
      [
        both({ retry: { attempts: 5 } }, true),
        both({ retry: { attempts: 1 } }, true),
        both({ budget: 2 }, true),
        both({ budget: 6 }, true),
        both({ budget: 2 }, false),
        both({ budget: 2, retry: { attempts: 5 } }, false)
      ],
      [
        [5, 5],
        [3, 1],
        [2, 2],
        [6, 4],
        [2, 4],
        [2, 5]
      ]
    )
  })

  it("2.12 a budget below the attempts of the same source is refused with the place and the remedy", () => {
    assert.throws(
      () => resolve("search", { retry: { attempts: 5 }, budget: 2 }, true),
      RangeError,
      "search: in its definition, `budget` is 2, below `retry.attempts`, which is 5, so a call could not use all its attempts; set a larger `budget` or fewer `attempts`, or leave one of them out."
    )
  })

  it("2.12 counts and times at their bounds are accepted, and equal times do not contradict each other", () => {
    const { circuit, deadlineMillis, loop, retry } = resolve(
      "search",
      {
        deadline: "24 days",
        retry: { base: "3 seconds", cap: "3 seconds" },
        circuit: { window: 7, minimum: 7, open: "4 seconds", cap: "4 seconds" },
        loop: { cycles: 10 },
        limits: { argumentDepth: 1_000, resultDepth: 1_000 }
      },
      true
    )
    assert.deepStrictEqual(
      [deadlineMillis, retry.baseMillis, retry.capMillis, loop.cycles],
      [24 * 86_400_000, 3_000, 3_000, 10]
    )
    assert.deepStrictEqual(circuit, { share: 0.5, window: 7, minimum: 7, openMillis: 4_000, capMillis: 4_000 })
  })

  it("2.12 the text of a policy differs for each field that differs, and is equal for equal policies", () => {
    const inputs: ReadonlyArray<PolicyInput> = [
      {},
      { timeout: "1 second" },
      { deadline: "1 minute" },
      { retry: { jitter: "full" } },
      { budget: 9 },
      { concurrency: 1 },
      { circuit: false },
      { circuit: { share: 1 } },
      { enforce: "advise" },
      { repeats: "once" },
      { critical: true },
      { loop: { identical: 3 } },
      { limits: { argumentDepth: 2 } },
      { limits: { resultDepth: 2 } },
      { limits: { shownBytes: 5 } }
    ]
    const texts = inputs.map((input) => textOf(resolve("search", input, true)))
    assert.strictEqual(new Set(texts).size, inputs.length)
    assert.deepStrictEqual(
      inputs.map((input) => textOf(resolve("find", { ...input }, true))),
      texts
    )
  })

  const wrong: ReadonlyArray<readonly [string, PolicyInput]> = [
    0,
    -1,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY
  ].flatMap(
    (value) =>
      [
        [`retry.attempts\` must be a whole number of at least 1, got ${value}`, { retry: { attempts: value } }],
        [`budget\` must be a whole number of at least 1, got ${value}`, { budget: value }],
        [`concurrency\` must be a whole number of at least 1, got ${value}`, { concurrency: value }],
        [`circuit.minimum\` must be a whole number of at least 1, got ${value}`, { circuit: { minimum: value } }]
      ] as const
  )
  for (const [what, input] of wrong) {
    it(`2.8 refuses: \`${what}`, () => {
      assert.throws(() => resolve("search", input, true), RangeError, `search: \`${what}.`)
    })
  }
})

import * as EffectivePolicy from "#domain/tool/EffectivePolicy"
import { merge, type PolicyInput } from "#domain/tool/PolicyInput"
import { add, follow, merged, originOf, overruledIn, overruledOf, type PolicySources } from "#domain/tool/PolicySources"
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"

const all: PolicySources = {
  guard: { timeout: "1 second", retry: { attempts: 2, base: "10 millis" }, budget: 9, limits: { resultDepth: 10 } },
  toolbox: { timeout: "2 seconds", retry: { attempts: 4 }, concurrency: 4 },
  tool: { timeout: "3 seconds", circuit: false, limits: { resultBytes: 5 } },
  useSite: { timeout: "4 seconds" },
  call: { timeout: "5 seconds", enforce: "advise" }
}

/** Returns `all` without the named sources. */
const without = (...names: ReadonlyArray<keyof PolicySources>): PolicySources =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name as keyof PolicySources)))

const timeoutOf = (sources: PolicySources) => {
  const { attemptMillis } = EffectivePolicy.ofSources("search", sources, true)
  return [attemptMillis, originOf(sources, "timeout")]
}

describe("the sources of a policy", () => {
  it("2.12 the nearest source of a field takes precedence, and is its origin", () => {
    assert.deepStrictEqual(
      [
        timeoutOf(all),
        timeoutOf(without("call")),
        timeoutOf(without("call", "useSite")),
        timeoutOf(without("call", "useSite", "tool")),
        timeoutOf(without("call", "useSite", "tool", "toolbox")),
        timeoutOf({})
      ],
      [
        [5_000, "use site"],
        [4_000, "use site"],
        [3_000, "tool"],
        [2_000, "toolbox"],
        [1_000, "guard"],
        [5_000, "default"]
      ]
    )
  })

  it("2.12 the fields of retry and limits are taken from different sources", () => {
    const { resultLimits, retry } = EffectivePolicy.ofSources("search", all, true)
    assert.deepStrictEqual([retry.attempts, retry.baseMillis], [4, 10])
    assert.deepStrictEqual(resultLimits, { maxBytes: 5, maxDepth: 10 })
    assert.deepStrictEqual(
      ["retry.attempts", "retry.base", "retry.jitter", "limits.resultBytes", "limits.resultDepth"].map((field) =>
        originOf(all, field)
      ),
      ["toolbox", "guard", "default", "tool", "guard"]
    )
  })

  it("2.12 the source that disables the circuit is the origin of the circuit's fields", () => {
    assert.deepStrictEqual([originOf(all, "circuit.minimum"), originOf(all, "circuit.open")], ["tool", "tool"])
  })

  it("2.12 a time that is an object, or a whole field, has the source that sets it", () => {
    const sources: PolicySources = { guard: { timeout: Duration.seconds(5) }, tool: { retry: { attempts: 2 } } }
    assert.deepStrictEqual(
      ["timeout", "retry", "limits", "retry.base"].map((field) => originOf(sources, field)),
      ["guard", "tool", "default", "default"]
    )
  })

  it("2.9 a shared retry applies to a write that must not be repeated, without raising its budget", () => {
    const { budget, retry } = EffectivePolicy.ofSources("send", without("guard"), false)
    assert.deepStrictEqual([retry.attempts, originOf(all, "retry.attempts"), budget], [4, "toolbox", 1])
  })

  it("2.12 a later input of one source takes precedence over an earlier one", () => {
    const twice = add(add({}, "toolbox", { timeout: 1, budget: 2 }), "toolbox", { timeout: 3 })
    assert.deepStrictEqual(twice, { toolbox: { timeout: 3, budget: 2 } })
  })

  it("2.12 a field that is undefined counts as unset", () => {
    // JavaScript callers pass undefined
    const unset = { timeout: undefined, retry: { attempts: undefined }, circuit: undefined } as object
    assert.deepStrictEqual(merge({ timeout: 1, retry: { attempts: 2 }, circuit: { minimum: 3 } }, unset), {
      timeout: 1,
      retry: { attempts: 2 },
      circuit: { minimum: 3 }
    })
  })
})

describe("a budget and attempts of two sources", () => {
  const both = (sources: PolicySources, isRepeatable = true) => {
    const { budget, retry } = EffectivePolicy.ofSources("search", sources, isRepeatable)
    return [budget, retry.attempts]
  }

  it("2.12 if the budget is below the attempts, the nearer of the two applies, and the other follows it", () => {
    const attempts = (attempts: number) => ({ retry: { attempts } })
    assert.deepStrictEqual(
      [
        both({ tool: attempts(6), useSite: { budget: 2 } }),
        both({ tool: { budget: 2 }, useSite: attempts(6) }),
        both({ guard: attempts(3), toolbox: { budget: 2 }, tool: attempts(5) }),
        both({ guard: { budget: 5 }, tool: attempts(2) }),
        both({ guard: { budget: 1 }, tool: attempts(2) }, false)
      ],
      [
        [2, 2],
        [6, 6],
        [5, 5],
        [5, 2],
        [1, 2]
      ]
    )
  })

  it("2.12 a source that contradicts itself is refused with its place, although a nearer source sets one of the fields", () => {
    const sources: PolicySources = { toolbox: { budget: 1, retry: { attempts: 3 } }, tool: { budget: 9 } }
    assert.throws(() => both(sources), RangeError, "search: in the policy of its toolbox, `budget` is 1")
    assert.deepStrictEqual(both(sources, false), [9, 3])
  })

  it("2.12 the field that follows is the farther of the two, and neither if they do not contradict each other", () => {
    const attempts = (attempts: number): PolicyInput => ({ retry: { attempts } })
    const cases: ReadonlyArray<readonly [policies: ReadonlyArray<PolicyInput>, follows: string | undefined]> = [
      [[{ budget: 2 }, attempts(3)], "budget"],
      [[attempts(3), { budget: 2 }], "retry.attempts"],
      [[attempts(3), {}, { budget: 2 }, { retry: {} }], "retry.attempts"],
      [[attempts(3), { budget: 3 }], undefined],
      [[attempts(3), { budget: 4 }], undefined],
      [[{ budget: 1, ...attempts(3) }], undefined],
      [[{ budget: 1 }], undefined],
      [[attempts(3)], undefined],
      [[], undefined],
      // the nearest value of each field counts
      [[{ budget: 1 }, attempts(3), { budget: 5 }], undefined]
    ]
    assert.deepStrictEqual(
      cases.map(([policies]) => overruledIn(policies)),
      cases.map(([, follows]) => follows)
    )
    const sources: PolicySources = { guard: attempts(3), tool: { budget: 2 } }
    assert.deepStrictEqual([overruledOf(sources, true), overruledOf(sources, false)], ["retry.attempts", undefined])
  })

  it("2.12 the field that follows gets the value of the other, and all other fields are kept", () => {
    const sources: PolicySources = {
      guard: { retry: { attempts: 9, base: "10 millis" }, concurrency: 2 },
      tool: { budget: 5 }
    }
    const stated = { concurrency: 2, budget: 5 }
    assert.deepStrictEqual(merged(sources, true), { ...stated, retry: { attempts: 5, base: "10 millis" } })
    assert.deepStrictEqual(merged(sources, false), { ...stated, retry: { attempts: 9, base: "10 millis" } })
    assert.deepStrictEqual(follow({ ...stated, retry: { attempts: 9 } }, "budget"), {
      concurrency: 2,
      budget: 9,
      retry: { attempts: 9 }
    })
  })

  it("2.12 a policy of an untyped program whose `retry` is null does not follow, so that the null can be refused", () => {
    const policy = { budget: 2, retry: null } as unknown as PolicyInput
    assert.strictEqual(follow(policy, "retry.attempts"), policy)
  })
})

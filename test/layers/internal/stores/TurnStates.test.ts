/** Checks the limits of the state of turns in memory, with small limits. */
import type { Turn } from "#domain/turn/Turn"
import * as TurnStates from "#layers/internal/stores/TurnStates"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const turnOf = (tenant: string, n = 0): Turn => ({ tenant, conversation: `c ${n}`, turn: "t" })

/** Creates states that count their uses, with a weight that a use may change. */
const counting = (limit: number) => {
  const states = TurnStates.make({
    keyOf: ({ conversation, tenant }) => JSON.stringify([tenant, conversation]),
    initial: () => ({ uses: 0, weight: 1 }),
    limit,
    weigh: ({ weight }) => weight
  })
  const read = (turn: Turn) => Effect.runSync(states.modify(turn, (state) => [state.uses, state]))
  const use = (turn: Turn, weight = 1) =>
    Effect.runSync(states.modify(turn, ({ uses }) => [uses + 1, { uses: uses + 1, weight }]))
  return { end: states.end, read, use }
}

describe("the state of turns in memory", () => {
  it("4.7 of a thousand tenants with a turn each, only the latest turns are kept, as many as ten tenants may have", () => {
    const { read, use } = counting(10)
    for (let n = 0; n < 1_000; n += 1) use(turnOf(`tenant ${n}`))
    assert.strictEqual(read(turnOf("tenant 901")), 1)
    assert.strictEqual(read(turnOf("tenant 899")), 0)
  })

  it("4.7 alongside twenty tenants at their limit, a tenant with half as many turns, or fewer, keeps them all", () => {
    const { read, use } = counting(16)
    for (let n = 0; n < 4; n += 1) use(turnOf("small", n))
    for (let tenant = 0; tenant < 20; tenant += 1) {
      for (let n = 0; n < 16; n += 1) use(turnOf(`full ${tenant}`, n))
    }
    assert.deepStrictEqual(
      [0, 1, 2, 3].map((n) => read(turnOf("small", n))),
      [1, 1, 1, 1]
    )
  })

  it("4.7 when states grow, the other states of a tenant stay within its limit", () => {
    const { read, use } = counting(10)
    for (let n = 0; n < 5; n += 1) use(turnOf("a", n), 2)
    use(turnOf("other"), 10)
    use(turnOf("a", 2), 6)
    assert.deepStrictEqual(
      [2, 3, 4, 0, 1].map((n) => read(turnOf("a", n))),
      [2, 1, 1, 0, 0]
    )
    use(turnOf("a", 9), 50)
    assert.strictEqual(read(turnOf("a", 9)), 1)
    assert.strictEqual(read(turnOf("other")), 1)
  })

  it("4.7 when turns end, even twice or if they are unknown, their places are free again", () => {
    const { end, read, use } = counting(3)
    use(turnOf("a", -1))
    for (let n = 0; n < 100; n += 1) {
      const turn = turnOf("a", n)
      use(turn)
      for (const ended of [turn, { ...turn }, turnOf("b", n)]) end(ended)
      assert.strictEqual(read(turn), 0)
      end(turn)
    }
    assert.strictEqual(read(turnOf("a", -1)), 1)
  })

  it("4.7 after a turn ends through one of two equal objects, the next use creates one new state for both", () => {
    const { end, use } = counting(3)
    const [one, two] = [turnOf("a"), turnOf("a")]
    assert.deepStrictEqual([use(one), use(two), use(one)], [1, 2, 3])
    end(two)
    assert.deepStrictEqual([use(one), use(two)], [1, 2])
  })
})

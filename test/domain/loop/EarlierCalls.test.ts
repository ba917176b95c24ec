/** Tests how long calls that have left the log of the loop detector are held, and under which conditions. */
import { assert, describe, it } from "@effect/vitest"
import * as EarlierCalls from "#domain/loop/EarlierCalls"
import * as LoopLog from "#domain/loop/LoopLog"

const entry = (key: string, at: number, rest: Partial<LoopLog.Entry> = {}): LoopLog.Entry => ({
  key,
  hash: LoopLog.hashOf(key),
  tool: "search",
  digest: () => `result of ${key}`,
  count: 1,
  at,
  turn: "t1",
  isExempt: false,
  ...rest
})

const add = (calls: EarlierCalls.EarlierCalls, ...entries: ReadonlyArray<LoopLog.Entry>) =>
  EarlierCalls.add(calls, entries, "t1")

const find = (calls: EarlierCalls.EarlierCalls, key: string) => EarlierCalls.find(calls, key, LoopLog.hashOf(key))

/** Adds one call after another, `size` at a time. */
const many = (from: number, to: number, before = EarlierCalls.empty, size = 1) => {
  let calls = before
  for (let at = from; at < to; at += size)
    calls = add(
      calls,
      ...Array.from({ length: Math.min(size, to - at) }, (_, index) => entry(`k${at + index}`, at + index))
    )
  return calls
}

const sizes = (calls: EarlierCalls.EarlierCalls) => EarlierCalls.held(calls).map(({ length }) => length)

describe("EarlierCalls", () => {
  it("7.1 returns a call as it was added, and undefined for a call that was not added", () => {
    const first = entry("first", 7, { count: 2 })
    const timed = entry("timed", 8, { readyAt: 5_000 })
    const calls = add(EarlierCalls.empty, first, timed)
    const { digest, ...found } = find(calls, "first")!
    const { digest: _, ...expected } = first
    assert.deepStrictEqual(found, expected)
    assert.strictEqual(digest(), "result of first")
    assert.strictEqual(find(calls, "timed")?.readyAt, 5_000)
    assert.isUndefined(find(calls, "other"))
    assert.isUndefined(find(EarlierCalls.empty, "first"))
  })

  it("7.1 returns the newest of identical calls", () => {
    const young = add(EarlierCalls.empty, entry("first", 1), entry("first", 2, { count: 2 }))
    assert.deepInclude(find(young, "first"), { at: 2, count: 2 })
    const both = add(many(10, 2_010, young, 100), entry("first", 3_000, { count: 3 }))
    assert.deepInclude(find(both, "first"), { at: 3_000, count: 3 })
  })

  it("7.1 holds no calls of an earlier turn, and no exempt calls", () => {
    const left = [entry("earlier", 1, { turn: "t0" }), entry("exempt", 2, { isExempt: true })]
    assert.strictEqual(add(EarlierCalls.empty, ...left), EarlierCalls.empty)
    const calls = add(EarlierCalls.empty, ...left, entry("counted", 3))
    assert.deepStrictEqual(
      ["earlier", "exempt", "counted"].map((key) => find(calls, key)?.at),
      [undefined, undefined, 3]
    )
    assert.deepStrictEqual(sizes(calls), [0, 1])
  })

  it("7.1 holds the latest 2,000 to 4,000 calls", () => {
    assert.deepStrictEqual(sizes(many(0, 2_000, EarlierCalls.empty, 64)), [0, 2_000])
    const replaced = many(2_000, 2_001, many(0, 2_000, EarlierCalls.empty, 100))
    assert.deepStrictEqual(sizes(replaced), [2_000, 1])
    assert.strictEqual(find(replaced, "k0")?.at, 0)
    assert.strictEqual(find(replaced, "k2000")?.at, 2_000)
    const again = many(2_001, 4_001, replaced, 100)
    assert.deepStrictEqual(sizes(again), [1_901, 100])
    assert.isUndefined(find(again, "k0"))
    assert.strictEqual(find(again, "k2050")?.at, 2_050)
  })

  it("7.1 a call is held until at least 1,900 others have left the log after it", () => {
    const calls = add(EarlierCalls.empty, entry("first", 0))
    assert.strictEqual(find(many(1, 1_901, calls, 100), "first")?.at, 0)
    const nearlyFull = add(many(0, 1_950, EarlierCalls.empty, 100), entry("first", 5_000))
    assert.strictEqual(find(many(6_000, 7_900, nearlyFull, 100), "first")?.at, 5_000)
  })

  it("7.3 is restored from its calls, each generation oldest first", () => {
    const calls = add(many(0, 2_000, EarlierCalls.empty, 100), entry("b", 5_000, { readyAt: 9 }), entry("a", 4_000))
    const [old, young] = EarlierCalls.held(calls)
    assert.deepStrictEqual(
      young.map(({ at }) => at),
      [4_000, 5_000]
    )
    assert.deepStrictEqual(
      old.map(({ at }) => at),
      old.map(({ at }) => at).sort((self, that) => self - that)
    )
    const restored = EarlierCalls.restore(old, young)
    assert.deepStrictEqual(EarlierCalls.held(restored), [old, young])
    assert.deepInclude(find(restored, "b"), { at: 5_000, readyAt: 9, key: "b", hash: LoopLog.hashOf("b") })
    assert.strictEqual(find(restored, "k17")?.at, 17)
  })
})

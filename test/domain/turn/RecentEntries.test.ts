import { assert, describe, it } from "@effect/vitest"
import * as Recent from "#domain/turn/RecentEntries"

const filled = (count: number) =>
  Array.from({ length: count }, (_, n) => n).reduce((map, n) => Recent.set(map, `k${n}`, n), Recent.empty<number>())

describe("Recent", () => {
  it("4.7 returns the last value of a key", () => {
    const map = Recent.set(Recent.set(Recent.empty<number>(), "a", 1), "a", 2)
    assert.deepStrictEqual([Recent.get(map, "a"), Recent.get(map, "b")], [2, undefined])
    assert.isTrue(Recent.isEmpty(Recent.empty()))
    assert.isFalse(Recent.isEmpty(map))
  })

  it("4.7 is persistent: an earlier map does not change", () => {
    const before = Recent.set(Recent.empty<number>(), "a", 1)
    const after = Recent.set(before, "a", 2)
    assert.deepStrictEqual([Recent.get(before, "a"), Recent.get(after, "a")], [1, 2])
  })

  it("4.7 holds the latest entries, at most twice its size, however many are written", () => {
    const map = filled(Recent.size * 7 + 3)
    const held = Array.from({ length: Recent.size * 7 + 3 }, (_, n) => n).filter((n) => Recent.get(map, `k${n}`) === n)
    assert.isAtLeast(held.length, Recent.size)
    assert.isAtMost(held.length, 2 * Recent.size)
    assert.strictEqual(held.at(-1), Recent.size * 7 + 2)
    assert.deepStrictEqual(
      held,
      Array.from({ length: held.length }, (_, n) => held[0]! + n)
    )
  })

  it("4.7 an entry that is written again counts as new", () => {
    let map = Recent.set(filled(Recent.size), "k0", 7)
    for (let n = 0; n < Recent.size; n++) map = Recent.set(map, `next${n}`, n)
    map = Recent.set(map, "k1", 8)
    for (let n = 0; n < Recent.size - 1; n++) map = Recent.set(map, `last${n}`, n)
    assert.deepStrictEqual([Recent.get(map, "k1"), Recent.get(map, "k2")], [8, undefined])
  })

  it("4.7 a filter applies to the recent and to the older entries", () => {
    const map = Recent.filter(filled(Recent.size + 10), (n) => n % 1_000 === 7)
    const held = Array.from({ length: Recent.size + 10 }, (_, n) => n).filter((n) => Recent.get(map, `k${n}`) === n)
    assert.deepStrictEqual(held, [7, 1_007, 2_007, 3_007, 4_007, 5_007])
  })

  it("4.7 a removed entry is gone from the recent and from the older entries", () => {
    const map = Recent.set(filled(Recent.size + 10), "k1", 9)
    const removed = ["k1", `k${Recent.size + 9}`, "absent"].reduce((rest, key) => Recent.remove(rest, key), map)
    assert.deepStrictEqual(
      ["k1", `k${Recent.size + 9}`, "k2"].map((key) => Recent.get(removed, key)),
      [undefined, undefined, 2]
    )
  })

  it("4.7 an entry is dropped with the entry after twice the size, not earlier", () => {
    assert.strictEqual(Recent.get(filled(2 * Recent.size), "k0"), 0)
    const map = filled(2 * Recent.size + 1)
    assert.deepStrictEqual([Recent.get(map, "k0"), Recent.get(map, `k${Recent.size}`)], [undefined, Recent.size])
  })

  it("4.7 without recent entries, older ones are still present", () => {
    const older = Recent.remove(filled(Recent.size + 1), `k${Recent.size}`)
    assert.deepStrictEqual([Recent.isEmpty(older), Recent.get(older, "k0")], [false, 0])
  })

  it("4.7 distinguishes long keys by their end and their length", () => {
    const long = "x".repeat(100_000)
    const map = Recent.set(Recent.set(Recent.empty<number>(), `${long}a`, 1), `${long}b`, 2)
    assert.deepStrictEqual(
      [`${long}a`, `${long}b`, long, `${long}aa`].map((key) => Recent.get(map, key)),
      [1, 2, undefined, undefined]
    )
    assert.isBelow(JSON.stringify(map).length, 1_000)
  })
})

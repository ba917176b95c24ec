import { assert, describe, it } from "@effect/vitest"
import * as RecentEntries from "#domain/turn/RecentEntries"

const filled = (count: number) =>
  Array.from({ length: count }, (_, n) => n).reduce(
    (map, n) => RecentEntries.set(map, `k${n}`, n),
    RecentEntries.empty<number>()
  )

describe("RecentEntries", () => {
  it("4.7 returns the last value of a key", () => {
    const map = RecentEntries.set(RecentEntries.set(RecentEntries.empty<number>(), "a", 1), "a", 2)
    assert.deepStrictEqual([RecentEntries.get(map, "a"), RecentEntries.get(map, "b")], [2, undefined])
    assert.isTrue(RecentEntries.isEmpty(RecentEntries.empty()))
    assert.isFalse(RecentEntries.isEmpty(map))
  })

  it("4.7 is persistent: an earlier map does not change", () => {
    const before = RecentEntries.set(RecentEntries.empty<number>(), "a", 1)
    const after = RecentEntries.set(before, "a", 2)
    assert.deepStrictEqual([RecentEntries.get(before, "a"), RecentEntries.get(after, "a")], [1, 2])
  })

  it("4.7 holds the latest entries, at most twice its size, however many are written", () => {
    const map = filled(RecentEntries.size * 7 + 3)
    const held = Array.from({ length: RecentEntries.size * 7 + 3 }, (_, n) => n).filter(
      (n) => RecentEntries.get(map, `k${n}`) === n
    )
    assert.isAtLeast(held.length, RecentEntries.size)
    assert.isAtMost(held.length, 2 * RecentEntries.size)
    assert.strictEqual(held.at(-1), RecentEntries.size * 7 + 2)
    assert.deepStrictEqual(
      held,
      Array.from({ length: held.length }, (_, n) => held[0]! + n)
    )
  })

  it("4.7 an entry that is written again counts as new", () => {
    let map = RecentEntries.set(filled(RecentEntries.size), "k0", 7)
    for (let n = 0; n < RecentEntries.size; n++) map = RecentEntries.set(map, `next${n}`, n)
    map = RecentEntries.set(map, "k1", 8)
    for (let n = 0; n < RecentEntries.size - 1; n++) map = RecentEntries.set(map, `last${n}`, n)
    assert.deepStrictEqual([RecentEntries.get(map, "k1"), RecentEntries.get(map, "k2")], [8, undefined])
  })

  it("4.7 a filter applies to the recent and to the older entries", () => {
    const map = RecentEntries.filter(filled(RecentEntries.size + 10), (n) => n % 1_000 === 7)
    const held = Array.from({ length: RecentEntries.size + 10 }, (_, n) => n).filter(
      (n) => RecentEntries.get(map, `k${n}`) === n
    )
    assert.deepStrictEqual(held, [7, 1_007, 2_007, 3_007, 4_007, 5_007])
  })

  it("4.7 a removed entry is gone from the recent and from the older entries", () => {
    const map = RecentEntries.set(filled(RecentEntries.size + 10), "k1", 9)
    const removed = ["k1", `k${RecentEntries.size + 9}`, "absent"].reduce(
      (rest, key) => RecentEntries.remove(rest, key),
      map
    )
    assert.deepStrictEqual(
      ["k1", `k${RecentEntries.size + 9}`, "k2"].map((key) => RecentEntries.get(removed, key)),
      [undefined, undefined, 2]
    )
  })

  it("4.7 the first entry is dropped when more than twice the size are written, and not earlier", () => {
    assert.strictEqual(RecentEntries.get(filled(2 * RecentEntries.size), "k0"), 0)
    const map = filled(2 * RecentEntries.size + 1)
    assert.deepStrictEqual(
      [RecentEntries.get(map, "k0"), RecentEntries.get(map, `k${RecentEntries.size}`)],
      [undefined, RecentEntries.size]
    )
  })

  it("4.7 without recent entries, older entries are still present", () => {
    const older = RecentEntries.remove(filled(RecentEntries.size + 1), `k${RecentEntries.size}`)
    assert.deepStrictEqual([RecentEntries.isEmpty(older), RecentEntries.get(older, "k0")], [false, 0])
  })

  it("4.7 distinguishes long keys by their end and their length", () => {
    const long = "x".repeat(100_000)
    const map = RecentEntries.set(RecentEntries.set(RecentEntries.empty<number>(), `${long}a`, 1), `${long}b`, 2)
    assert.deepStrictEqual(
      [`${long}a`, `${long}b`, long, `${long}aa`].map((key) => RecentEntries.get(map, key)),
      [1, 2, undefined, undefined]
    )
    assert.isBelow(JSON.stringify(map).length, 1_000)
  })
})

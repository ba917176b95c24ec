/** Tests the bounded window of open conversations. */
import { assert, describe, it } from "@effect/vitest"
import * as Window from "#kit/traffic/Window"

describe("Window", () => {
  it("13.1 closes the least recently used conversation when too many are open", () => {
    const window = Window.make<string>()
    for (let i = 0; i < Window.maxOpen; i++) window.open(`k${i}`, `v${i}`)
    assert.deepStrictEqual(window.overflow(), [])
    assert.strictEqual(window.get("k0"), "v0")
    window.open("new", "v")
    assert.deepStrictEqual(window.overflow(), ["v1"])
    assert.strictEqual(window.get("k1"), undefined)
    assert.deepStrictEqual(window.overflow(), [])
  })

  it("13.1 closes conversations until their texts fit, even the last one", () => {
    const window = Window.make<string>()
    for (const key of ["a", "b", "c"]) {
      window.open(key, key)
      window.grow(key, Window.maxText / 3)
    }
    assert.deepStrictEqual(window.overflow(), [])
    window.grow("c", Window.maxText / 3)
    assert.deepStrictEqual(window.overflow(), ["a"])
    window.grow("c", 2 * Window.maxText)
    assert.deepStrictEqual(window.overflow(), ["b", "c"])
    assert.deepStrictEqual(window.all(), [])
  })

  it("13.1 counts texts at every level, except in values that are nested too deeply", () => {
    assert.strictEqual(Window.sizeOf("four"), 4)
    assert.strictEqual(Window.sizeOf({ edits: [{ old: "abc", new: "de" }], n: 7, none: null }), 10 + 10 + 10 + 5 + 2)
    let deep: unknown = "x".repeat(100)
    for (let i = 0; i < 10_000; i++) deep = [deep]
    assert.isBelow(Window.sizeOf(deep), 100)
  })

  it("13.1 closes all conversations in the order of opening, and can be reused", () => {
    const window = Window.make<string>()
    for (const key of ["a", "b", "c"]) window.open(key, key)
    window.get("a")
    assert.deepStrictEqual(window.all(), ["a", "b", "c"])
    window.open("d", "d")
    window.grow("gone", Window.maxText * 2)
    assert.deepStrictEqual(window.overflow(), [])
    assert.deepStrictEqual(window.all(), ["d"])
  })
})

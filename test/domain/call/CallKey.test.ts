import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as CallKey from "#domain/call/CallKey"
import { published } from "../../support/data.ts"

const vectors = join(published, "rfc8785")

/** Returns the same value with the keys of every object in reverse order. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (value === null || typeof value !== "object") return value
  const out: Record<string, unknown> = {}
  for (const [key, field] of Object.entries(value).reverse()) {
    Object.defineProperty(out, key, { value: reversed(field), enumerable: true, configurable: true, writable: true })
  }
  return out
}

describe("CallKey", () => {
  it("4.7 writes the six documents of RFC 8785 as published", () => {
    const names = readdirSync(join(vectors, "input"))
    assert.strictEqual(names.length, 6)
    for (const name of names) {
      const input: unknown = JSON.parse(readFileSync(join(vectors, "input", name), "utf8"))
      assert.strictEqual(CallKey.canonical(input), readFileSync(join(vectors, "output", name), "utf8").trimEnd(), name)
    }
  })

  it("4.7 calls that differ only in key order have the same key", () => {
    const key = CallKey.of("search_orders", { page: 1, customer: { name: "Ann", id: "C-9" }, tags: ["b", "a"] })
    assert.strictEqual(key, `search_orders {"customer":{"id":"C-9","name":"Ann"},"page":1,"tags":["b","a"]}`)
    assert.strictEqual(
      CallKey.of("search_orders", { tags: ["b", "a"], customer: { id: "C-9", name: "Ann" }, page: 1 }),
      key
    )
  })

  it("4.7 calls have different keys if they differ in tool, array order or value types, or in null instead of no field", () => {
    const keys = [
      CallKey.of("a", { x: [1, 2] }),
      CallKey.of("a", { x: [2, 1] }),
      CallKey.of("a", { x: ["1", 2] }),
      CallKey.of("a", { x: null }),
      CallKey.of("a", {}),
      CallKey.of("b", {})
    ]
    assert.strictEqual(new Set(keys).size, keys.length)
  })

  it("4.7 sorts keys that look like integers as text, even if an object has more than sixteen keys", () => {
    assert.strictEqual(CallKey.canonical({ 9: 1, 10: 2, a: 3, 1: 4 }), `{"1":4,"10":2,"9":1,"a":3}`)
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [String(i), i]))
    assert.deepStrictEqual(
      [...CallKey.canonical(many).matchAll(/"(\d+)"/g)].map((match) => match[1]),
      Object.keys(many).sort()
    )
  })

  it("4.7 writes minus zero as zero and escapes a lone surrogate", () => {
    assert.strictEqual(
      CallKey.canonical([-0, "\ud83d", "😂", "\u007f", '"\\\n']),
      `[0,"\\ud83d","😂","\u007f","\\"\\\\\\n"]`
    )
  })

  it("4.7 writes values that are not JSON, and an ellipsis for a value that is cyclic or too deep", () => {
    const cyclic: { self?: unknown } = {}
    cyclic.self = [cyclic, cyclic]
    let deep: unknown = 1
    for (let i = 0; i < 100_000; i++) deep = [deep]
    assert.strictEqual(CallKey.canonical(cyclic), "…")
    assert.strictEqual(CallKey.canonical(deep), "…")
    assert.strictEqual(
      CallKey.canonical({ a: undefined, b: [undefined, NaN, -Infinity, () => 1], c: 12n, d: new Date(0) }),
      `{"b":[null,null,null,null],"c":12,"d":"1970-01-01T00:00:00.000Z"}`
    )
    assert.strictEqual(CallKey.canonical(undefined), "null")
  })

  it("4.7 treats a key named __proto__ like any other", () => {
    assert.strictEqual(CallKey.canonical(JSON.parse(`{"b":1,"__proto__":{"x":1}}`)), `{"__proto__":{"x":1},"b":1}`)
  })

  it.effect(
    "4.7 the canonical text does not depend on the order of keys, and is the same after parsing and writing",
    () =>
      Effect.gen(function* () {
        const found = yield* Arbitrary.checkEffect(
          Arbitrary.schema(Schema.Json),
          (json) => {
            const text = CallKey.canonical(json)
            assert.strictEqual(CallKey.canonical(reversed(json)), text)
            assert.strictEqual(CallKey.canonical(JSON.parse(text)), text)
            return true
          },
          { seed: 47, runs: 300 }
        )
        assert.strictEqual(found._tag, "Passed", Arbitrary.formatCheckFailure(found))
      })
  )

  it("4.7 writes a text as JSON.stringify does, as a value and as a name, and also a second time", () => {
    const units = [0, 8, 9, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x7f, 0xd7ff, 0xd800, 0xdbff, 0xdc00]
    const texts = [...units, 0xdfff, 0xe000, 0xffff].map((unit) => `a${String.fromCharCode(unit)}b`)
    for (const text of [...texts, "", "x".repeat(64), "x".repeat(65), `${"x".repeat(64)}"`, "😂"]) {
      for (const value of [text, { [text]: 1 }, { [text]: 1 }])
        assert.strictEqual(CallKey.canonical(value), JSON.stringify(value))
    }
  })

  it("4.7 a value of 1,000 levels is written, and a deeper value is not", () => {
    const nested = (levels: number, wrap: (inner: unknown) => unknown) => {
      let value: unknown = 1
      for (let level = 0; level < levels; level++) value = wrap(value)
      return value
    }
    for (const wrap of [(inner: unknown) => [inner], (inner: unknown) => ({ a: inner })]) {
      assert.strictEqual(CallKey.canonical(nested(1_000, wrap)), JSON.stringify(nested(1_000, wrap)))
      assert.strictEqual(CallKey.canonical(nested(1_001, wrap)), "…")
      assert.strictEqual(CallKey.canonical({ first: [1], last: nested(1_001, wrap) }), "…")
    }
  })

  it("4.7 writes the result of a class instance's `toJSON`, but calls no function of plain data", () => {
    class Money {
      cents = 5
      toJSON() {
        return { b: this.cents, a: 1 }
      }
    }
    class Point {
      y = 2
      x = 1
    }
    class Odd {
      toJSON = "no function"
    }
    const bare: Record<string, unknown> = Object.create(null)
    bare["toJSON"] = () => "called"
    assert.strictEqual(
      CallKey.canonical([new Money(), new Point(), new Odd(), bare, { toJSON: () => "called" }]),
      '[{"a":1,"b":5},{"x":1,"y":2},{"toJSON":"no function"},{"toJSON":null},{"toJSON":null}]'
    )
  })

  it("4.7 sorts sixteen and seventeen names alike", () => {
    for (const count of [2, 15, 16, 17, 18]) {
      const names = Array.from({ length: count }, (_, index) => `n${(index * 7) % count}`)
      const written = CallKey.canonical(Object.fromEntries(names.map((name) => [name, 1])))
      assert.deepStrictEqual(Object.keys(JSON.parse(written)), names.toSorted())
    }
  })

  it("4.7 a value whose `toJSON` never ends is written like a cyclic value", () => {
    class Endless {
      toJSON(): unknown {
        return new Endless()
      }
    }
    assert.strictEqual(CallKey.canonical([true, false, new Endless()]), "…")
    assert.strictEqual(CallKey.canonical([true, false]), "[true,false]")
  })
})

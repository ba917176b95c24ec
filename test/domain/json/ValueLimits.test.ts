/** Tests that parsed arguments have the same limits as arguments that arrive as text. */
import * as JsonText from "#domain/json/JsonText"
import * as ValueLimits from "#domain/json/ValueLimits"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const limits = { maxBytes: 40, maxDepth: 3 }
const violation = (value: unknown) => ValueLimits.violation(value, limits)

const nested = (levels: number, inner: unknown, isList: boolean): unknown =>
  levels === 0 ? inner : isList ? [nested(levels - 1, inner, isList)] : { a: nested(levels - 1, inner, isList) }

describe("ValueLimits", () => {
  it("4.2 a value within the limits has no violation", () => {
    for (const value of [
      null,
      "x".repeat(40),
      { a: [{ b: 1 }] },
      { constructor: "x", prototype: 1 },
      { constructor: { name: "x" } },
      { constructor: null },
      ["__proto__"],
      nested(3, 1, true),
      nested(3, 1, false)
    ])
      assert.isUndefined(violation(value), JSON.stringify(value))
  })

  it("4.2 a value with more levels than the limit is refused, in lists and objects", () => {
    for (const isList of [true, false])
      assert.deepStrictEqual(violation(nested(4, 1, isList)), {
        _tag: "TooDeep",
        message: "the arguments are nested deeper than 3 levels"
      })
  })

  it("4.2 the size counts each value as one, and each character of texts and names", () => {
    const tooLarge = { _tag: "TooLarge", message: "the arguments have more than 40 characters" }
    for (const [fits, exceeds] of [
      ["x".repeat(40), "x".repeat(41)],
      [
        ["x".repeat(20), "x".repeat(19)],
        ["x".repeat(20), "x".repeat(20)]
      ],
      [Array.from({ length: 39 }, () => 0), Array.from({ length: 40 }, () => 0)],
      [{ ["n".repeat(38)]: 1 }, { ["n".repeat(39)]: 1 }],
      [
        { ["n".repeat(19)]: 1, ["m".repeat(18)]: 1 },
        { ["n".repeat(20)]: 1, ["m".repeat(18)]: 1 }
      ],
      [{ a: [{ b: "x".repeat(35) }] }, { a: [{ b: "x".repeat(36) }] }]
    ]) {
      assert.isUndefined(violation(fits), JSON.stringify(fits))
      assert.deepStrictEqual(violation(exceeds), tooLarge, JSON.stringify(exceeds))
    }
  })

  it("4.2 a value with cycles is refused by the first limit that it exceeds", () => {
    const cycle: Array<unknown> = []
    cycle.push(cycle)
    assert.strictEqual(violation(cycle)?._tag, "TooDeep")
    const wide: Array<unknown> = []
    for (let n = 0; n < 20; n++) wide.push(wide)
    assert.strictEqual(ValueLimits.violation(wide, { maxBytes: 1_000, maxDepth: 64 })?._tag, "TooDeep")
    assert.strictEqual(ValueLimits.violation(wide, { maxBytes: 40, maxDepth: 64 })?._tag, "TooLarge")
  })

  it("4.2 a large value is not read to its end", () => {
    let reads = 0
    const counting = {
      get a() {
        return ++reads
      }
    }
    const keys = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, counting]))
    assert.strictEqual(violation([...Array.from({ length: 40 }, () => 0), counting])?._tag, "TooLarge")
    assert.strictEqual(violation({ ["n".repeat(41)]: 1, ...keys })?._tag, "TooLarge")
    assert.strictEqual(reads, 0)
  })

  it("4.2 keys that pollute prototypes are refused wherever they are, as in text", () => {
    for (const [text, key] of [
      [`{"__proto__":{"admin":true}}`, "__proto__"],
      [`[[{"__proto__":1}]]`, "__proto__"],
      [`{"a":{"constructor":{"prototype":{}}}}`, "constructor.prototype"]
    ] as const) {
      assert.deepStrictEqual(violation(JSON.parse(text)), {
        _tag: "Forbidden",
        message: `the key "${key}" is not accepted`
      })
      assert.isTrue(Result.isFailure(JsonText.parse(text, limits)), text)
    }
  })
})

/** Tests that the readers of foreign JSON return a default instead of failing. */
import * as Fields from "#domain/json/Fields"
import { field, isJsonObject } from "#domain/json/JsonObject"
import { assert, describe, it } from "@effect/vitest"

class Instance {
  own = 1
  get inherited() {
    return 2
  }
}

describe("Fields", () => {
  it("9.4 a value of another type is read as empty", () => {
    const object = { a: 1 }
    assert.strictEqual(Fields.of(object), object)
    for (const value of [undefined, null, "a", 1, true, [object]]) assert.deepStrictEqual(Fields.of(value), {})
    assert.deepStrictEqual(["a", "", 1, null, undefined, ["a"]].map(Fields.string), ["a", "", "", "", "", ""])
    assert.deepStrictEqual(Fields.list([object, 1, null, [2]]), [object, {}, {}, {}])
    for (const value of [undefined, object, "ab"]) assert.deepStrictEqual(Fields.list(value), [])
  })

  it("9.4 a count is an exact integer of at least 0", () => {
    assert.deepStrictEqual([0, 7, Number.MAX_SAFE_INTEGER].map(Fields.count), [0, 7, Number.MAX_SAFE_INTEGER])
    for (const value of [-1, 1.5, NaN, Infinity, 2 ** 53, "1", null, undefined]) assert.isUndefined(Fields.count(value))
  })

  it("9.4 an object is neither null nor an array, and has only its own fields", () => {
    for (const value of [{}, new Instance(), Object.create(null)]) assert.isTrue(isJsonObject(value))
    for (const value of [null, [], "", 0, undefined, () => 1]) assert.isFalse(isJsonObject(value))
    assert.deepStrictEqual(
      [field(new Instance(), "own"), field(new Instance(), "inherited"), field({}, "toString"), field([1], "length")],
      [1, undefined, undefined, undefined]
    )
    assert.isUndefined(field(null, "a"))
  })
})

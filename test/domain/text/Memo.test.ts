/** Tests the cache of what follows from names. */
import { assert, describe, it } from "@effect/vitest"
import { keepNames } from "#domain/text/Memo"

const counting = () => {
  const read: Array<string> = []
  const lengthOf = keepNames((name) => {
    read.push(name)
    return name === "" ? undefined : name.length
  })
  return { lengthOf, read }
}

describe("keepNames", () => {
  it("reads each name once, also one without a result", () => {
    const { lengthOf, read } = counting()
    const names = ["order_id", "", "id", "order_id", "", "id"]
    assert.deepStrictEqual(names.map(lengthOf), [8, undefined, 2, 8, undefined, 2])
    assert.deepStrictEqual(read, ["order_id", "", "id"])
  })

  it("keeps no long name, and forgets all names when there are too many", () => {
    const { lengthOf, read } = counting()
    const long = "x".repeat(101)
    lengthOf(long)
    lengthOf(long)
    assert.strictEqual(read.length, 2)
    for (let round = 0; round < 2; round += 1) for (let index = 0; index < 1_000; index += 1) lengthOf(`f${index}`)
    assert.strictEqual(read.length, 1_002)
    lengthOf("f1000")
    lengthOf("f0")
    assert.strictEqual(read.length, 1_004)
  })
})

/** Tests the encoding and parsing of replay tokens. */
import * as SeededRandom from "#kit/fuzz/cases/SeededRandom"
import { assert, describe, it } from "@effect/vitest"

describe("a replay token", () => {
  it("13.6 can be parsed after it is printed, and other texts are refused", () => {
    assert.deepStrictEqual(SeededRandom.readToken(SeededRandom.token(-7, 416)), { seed: -7, index: 416 })
    for (const text of ["", "1", "1:0", "1:-2", "x:1", "1:2:3", "1: 2"])
      assert.isUndefined(SeededRandom.readToken(text))
  })
})

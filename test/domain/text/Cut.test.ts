import { assert, describe, it } from "@effect/vitest"
import { cut } from "#domain/text/Cut"

describe("cut", () => {
  it("5.5 returns a text that fits unchanged", () => {
    assert.strictEqual(cut("ab😀", 4), "ab😀")
  })

  it("5.5 cuts between characters and marks the cut", () => {
    assert.strictEqual(cut("ab😀cd", 4), "ab…")
    assert.strictEqual(cut("ab😀cd", 5), "ab😀…")
  })
})

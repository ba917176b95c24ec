/** Tests how the form of a value with another type is described. */
import { assert, describe, it } from "@effect/vitest"
import * as OtherForm from "#domain/faults/OtherForm"

describe("the form of a value with another type", () => {
  it("13.1 is described in at most 160 characters, however long the name of its field is", () => {
    assert.strictEqual(
      OtherForm.text({ _tag: "Wrapped", name: "value" }),
      'an object with such a value in its field "value"'
    )
    assert.isAtMost(OtherForm.text({ _tag: "Wrapped", name: "n".repeat(900_000) }).length, 160)
  })
})

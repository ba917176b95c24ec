import * as Approval from "#domain/tool/Approval"
import { assert, describe, it } from "@effect/vitest"

describe("Approval", () => {
  it("10.1 each level has a function that adds the sentence for the person, and `auto` has none", () => {
    const sentence = "it would delete 2847 records"
    assert.deepStrictEqual(
      [Approval.auto, Approval.inform(sentence), Approval.confirm(sentence), Approval.block(sentence)],
      [
        { level: "auto", sentence: "" },
        { level: "inform", sentence },
        { level: "confirm", sentence },
        { level: "block", sentence }
      ]
    )
  })
})

/** Tests the decision that a waiting durable run receives. */
import { DurableDecision } from "#domain/approval/DurableDecision"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const read = Schema.decodeUnknownResult(DurableDecision)

describe("DurableDecision", () => {
  it("12.3 a person's decision has its author, a denial also a reason, and an answer also a text", () => {
    for (const decision of [
      { _tag: "Approved", by: "ana" },
      { _tag: "Denied", by: "ana", reason: "" },
      { _tag: "Answered", by: "ana", text: "Use O-2." },
      { _tag: "AskAgain" }
    ])
      assert.deepStrictEqual<unknown>(read(decision), Result.succeed(decision))
    for (const wrong of [{ _tag: "Approved" }, { _tag: "Denied", by: "ana" }, { _tag: "Answered", by: "ana" }, {}])
      assert.isTrue(Result.isFailure(read(wrong)), JSON.stringify(wrong))
  })
})

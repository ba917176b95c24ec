/** Tests the values that stages return. */
import { plain, type CallRecord } from "#domain/call/CallRecord"
import * as UnenforcedFailure from "#domain/call/UnenforcedFailure"
import { failed, isProven, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import { assert, describe, it } from "@effect/vitest"

const part = { type: "text", text: "a" } as const
const failure = new Failure.ToolArgError({
  tool: "t",
  code: "unseen_id",
  detail: "d",
  hint: "h",
  sideEffect: "none",
  traceId: "tr"
})

describe("Outcome", () => {
  it("3.3 a success proves that a write was done, unless the write is only accepted or the result states a failure", () => {
    assert.isTrue(isProven(success(1)))
    assert.isFalse(isProven({ ...success(1), isAccepted: true }))
    assert.isFalse(isProven({ ...success(1), statedFailure: "it says: no" }))
  })

  it("5.6 a success has parts only if there are some, and a failure has no further fields", () => {
    assert.deepStrictEqual(success(1), { _tag: "Success", value: 1 })
    assert.deepStrictEqual(success(1, [part]), { _tag: "Success", value: 1, parts: [part] })
    assert.deepStrictEqual(failed(failure), { _tag: "Failure", failure })
  })

  it("2.2 a failure that was not enforced is described by class, code, detail and first field", () => {
    const described = { class: "ToolArgError", code: "unseen_id", detail: "d" }
    assert.deepStrictEqual(UnenforcedFailure.of(failure), described)
    assert.deepStrictEqual(UnenforcedFailure.of(Failure.changed(failure, { fields: ["a.b", "c"] })), {
      ...described,
      path: "a.b"
    })
  })

  it("15.2 a plain record has its digests as values, and no digest of a missing result", () => {
    class Written {
      readonly tool = "t"
      get keyDigest() {
        return "k"
      }
    }
    class WithResult extends Written {
      get resultDigest() {
        return "r"
      }
    }
    // a record as the pipeline writes it, apart from its other fields
    const plainly = (record: Written): object => plain(record as unknown as CallRecord)
    assert.deepStrictEqual(plainly(new Written()), { tool: "t", keyDigest: "k" })
    assert.deepStrictEqual(plainly(new WithResult()), { tool: "t", keyDigest: "k", resultDigest: "r" })
  })
})

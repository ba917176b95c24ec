/** Tests how the benchmark counts failures that are recognised without an error flag. */
import { assert, describe, it } from "@effect/vitest"
import { bodyOf, recognitionOf } from "./recognised.ts"

describe("answers without an error flag", () => {
  it("3.4 the benchmark counts failures as texts and as bodies, and texts that only look like failures", () => {
    const failures = [
      { message: "Error: connection refused", code: "ECONNREFUSED" },
      { message: "It is green." },
      { message: '{"error":"not found"}', status: 404 }
    ]
    const looks = [{ message: "0 errors, 0 warnings" }, { message: "Error: connection refused" }]
    assert.deepStrictEqual(recognitionOf(failures, looks), {
      asText: { right: 2, total: 3 },
      asBody: { right: 1, total: 1 },
      looks: { right: 1, total: 2 }
    })
    assert.strictEqual(bodyOf({ message: "gone", status: 410 }), '{"status":410,"message":"gone"}')
    assert.isUndefined(bodyOf({ message: "gone" }))
  })
})

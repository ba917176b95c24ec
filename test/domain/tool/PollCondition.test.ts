/** Tests declarative conditions for the end of a poll. */
import { assert, describe, it } from "@effect/vitest"
import * as PollCondition from "#domain/tool/PollCondition"

describe("PollCondition", () => {
  const done = { path: "status", in: ["done", "failed"] }

  it("7.2 is met if the field of an object, or of a text that is JSON, has one of the values", () => {
    for (const result of [{ status: "done" }, { status: "failed", id: 1 }, ' {"status":"done"}\n'])
      assert.isTrue(PollCondition.isMet(done, result), JSON.stringify(result))
    assert.isTrue(PollCondition.isMet({ path: "jobs.1.ready", in: [true] }, { jobs: [{}, { ready: true }] }))
    assert.isTrue(PollCondition.isMet({ path: "left", in: [0, null] }, { left: 0 }))
  })

  it("7.2 is not met by another value, another type, a missing field, an inherited field or a text that is not JSON", () => {
    for (const result of [
      { status: "running" },
      { status: ["done"] },
      {},
      null,
      undefined,
      3,
      [],
      "done",
      '{"status":'
    ])
      assert.isFalse(PollCondition.isMet(done, result), JSON.stringify(result))
    assert.isFalse(PollCondition.isMet({ path: "n", in: [1] }, { n: "1" }))
    assert.isFalse(PollCondition.isMet({ path: "constructor.name", in: ["Object"] }, {}))
    assert.isFalse(PollCondition.isMet({ path: "length", in: [4] }, '"done"'))
  })

  it("7.2 refuses a path or values with which a poll can never end", () => {
    const faults = [
      { path: "", in: ["done"] },
      { path: "job..status", in: ["done"] },
      { path: "status", in: [] },
      { path: "status", in: [{}] },
      { path: "status", in: ["done", undefined] },
      { path: 3, in: ["done"] },
      { path: "status", in: "done" }
    ].map((condition) => {
      try {
        return PollCondition.check("build", condition as unknown as PollCondition.PollCondition)
      } catch (error) {
        return (error as Error).message
      }
    })
    const path = 'build: `poll.until.path` must be a dotted path, such as "job.status".'
    const values = 'build: `poll.until.in` must be a list of values, such as ["done", "failed"].'
    assert.deepStrictEqual(faults, [path, path, values, values, values, path, values])
  })

  it("7.2 accepts a dotted path and texts, numbers, booleans and null as values", () => {
    assert.doesNotThrow(() => PollCondition.check("build", { path: "jobs.0.status", in: ["done", 3, false, null] }))
    for (const value of ["done", 3, false, null])
      assert.doesNotThrow(() => PollCondition.check("build", { path: "status", in: [value] }))
  })
})

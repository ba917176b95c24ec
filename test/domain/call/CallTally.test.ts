import type { CallRecord } from "#domain/call/CallRecord"
import * as CallTally from "#domain/call/CallTally"
import * as Failure from "#domain/failure/Failure"
import { assert, describe, it } from "@effect/vitest"

const fields = { tool: "t", detail: "d", hint: "h", sideEffect: "none", traceId: "tr" } as const
const attempt = { startedAt: 0, durationMillis: 1, outcome: "Success" }

const recordOf = (over: Partial<CallRecord>): CallRecord => ({
  tenant: "tenant",
  conversation: "c",
  turn: "t",
  round: 1,
  callId: "id",
  tool: "t",
  keyDigest: "",
  startedAt: 0,
  durationMillis: 1,
  decisions: [],
  attempts: [],
  outcome: { _tag: "Success" },
  sideEffect: "none",
  traceId: "tr",
  ...over
})
const failed = (code: string): CallRecord["outcome"] => ({
  _tag: "Failure",
  failure: new Failure.Permanent({ ...fields, code })
})
const tally = (over: Partial<CallRecord>) => CallTally.of(recordOf(over))
const nothing = {
  failure: undefined,
  declared: undefined,
  isPage: false,
  retries: 0,
  refusal: undefined,
  saving: undefined,
  notEnforced: []
}

describe("CallTally", () => {
  it("15.1 a success at the first attempt adds no retries; a success at a later attempt adds its retries", () => {
    assert.deepStrictEqual(tally({ attempts: [attempt] }), nothing)
    assert.deepStrictEqual(tally({ attempts: [attempt, attempt, attempt] }), { ...nothing, retries: 2 })
  })

  it("15.1 only a failure that the guard decided, without an attempt, is counted as a refusal", () => {
    const refusal = (code: string, over: Partial<CallRecord> = {}) => tally({ outcome: failed(code), ...over }).refusal
    assert.strictEqual(refusal("unauthorized"), "unauthorized")
    assert.strictEqual(refusal("unauthorized", { attempts: [attempt] }), undefined)
    assert.strictEqual(refusal("unauthorized", { usedFallback: "other" }), undefined)
    for (const code of ["interrupted", "tool_crashed", "outcome_unknown"]) assert.strictEqual(refusal(code), undefined)
  })

  it("2.2 failures that were not enforced are counted by class, apart from failures", () => {
    const notEnforced = [
      { class: "ToolArgError", code: "invalid_arguments", path: "q", detail: "q: Required" },
      { class: "SchemaMismatch", code: "invalid_result", detail: "n: Required" }
    ]
    assert.deepStrictEqual(
      tally({ attempts: [attempt], decisions: [{ stage: "s", decision: "advised", reason: "" }], notEnforced }),
      { ...nothing, notEnforced: ["ToolArgError", "SchemaMismatch"] }
    )
  })

  it("15.1 a code that a tool invented is counted under the label `other`", () => {
    assert.strictEqual(tally({ outcome: failed("invented_4711") }).refusal, "other")
  })
})

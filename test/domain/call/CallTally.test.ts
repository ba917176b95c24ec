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

  it("2.2 failures that were not enforced are counted by class, apart from other failures", () => {
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

  it("15.1 a repeated outcome without an attempt counts as a saving and not as a refusal, even if it is a failure", () => {
    for (const [stage, decision, saving] of [
      ["recall", "recalled", "recall"],
      ["recall", "not made again", "recall"],
      ["idempotency", "replayed", "replay"],
      ["idempotency", "joined", "replay"],
      ["idempotency", "resumed", "replay"],
      ["budget", "answered again", "unchanged"],
      ["round", "shared", "replay"],
      ["recall", "replayed", undefined],
      ["approve", "approved", undefined]
    ] as const) {
      const decisions = [
        { stage: "authorize", decision: "allowed", reason: "" },
        { stage, decision, reason: "" }
      ]
      assert.deepStrictEqual(tally({ decisions }), { ...nothing, saving })
      assert.deepStrictEqual(tally({ decisions, outcome: failed("unauthorized") }), {
        ...nothing,
        failure: "Permanent",
        refusal: saving === undefined ? "unauthorized" : undefined,
        saving
      })
      assert.deepStrictEqual(tally({ decisions, attempts: [attempt] }), nothing)
      assert.deepStrictEqual(tally({ decisions, usedFallback: "other" }), nothing)
    }
  })

  it("15.1 a refused repetition is a saving of its kind, and any other refusal saves nothing", () => {
    for (const [code, saving] of [
      ["loop_detected", "loop"],
      ["retry_budget_exceeded", "budget"],
      ["unauthorized", undefined],
      ["invented_4711", undefined]
    ] as const) {
      assert.strictEqual(tally({ outcome: failed(code) }).saving, saving)
      assert.isUndefined(tally({ outcome: failed(code), attempts: [attempt] }).saving)
    }
  })

  it("15.1 pages and declared refusals are counted apart from failures", () => {
    const page = new Failure.PartialData({ ...fields, code: "more_pages", data: [1], next: { page: 2 } })
    const narrowed = new Failure.PartialData({ ...fields, code: "too_many", data: [1] })
    const declared = new Failure.Permanent({ ...fields, code: "out_of_stock", refusal: { _tag: "OutOfStock" } })
    const ended = (failure: Failure.Failure) => tally({ attempts: [attempt], outcome: { _tag: "Failure", failure } })
    assert.deepStrictEqual(ended(page), { ...nothing, isPage: true })
    assert.deepStrictEqual(ended(narrowed), { ...nothing, failure: "PartialData" })
    assert.deepStrictEqual(ended(declared), { ...nothing, declared: "out_of_stock" })
    assert.deepStrictEqual(tally({ outcome: { _tag: "Failure", failure: declared } }), {
      ...nothing,
      declared: "out_of_stock"
    })
  })

  it("4.14 a preview saves the tokens of the result that are not in the envelope", () => {
    const preview = (status: string, bytes: number) => `{"status":"${status}","preview":{"bytes":${bytes},"x":1}}`
    for (const status of ["success", "partial"]) {
      const { length } = preview(status, 4_000)
      assert.strictEqual(CallTally.tokensSaved(preview(status, 4_000)), Math.round((4_000 - length) / 4))
    }
    for (const envelope of [
      preview("success", 10),
      preview("error", 4_000),
      `{"status":"success","data":4000}`,
      ` ${preview("success", 4_000)}`,
      ""
    ])
      assert.strictEqual(CallTally.tokensSaved(envelope), 0, envelope)
  })
})

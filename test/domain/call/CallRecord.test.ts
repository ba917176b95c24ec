import { assert, describe, it } from "@effect/vitest"
import * as LateOutcome from "#domain/call/LateOutcome"
import { CallRecord, fromJson, toJson } from "#domain/call/CallRecord"
import * as Failure from "#domain/failure/Failure"
import { Duration, Option, Result, Schema } from "effect"

const fields = { tool: "t", code: "c", detail: "d", hint: "h", sideEffect: "none", traceId: "tr" } as const

const failures: ReadonlyArray<Failure.Failure> = [
  new Failure.ToolArgError({ ...fields, fields: ["items[1].id"] }),
  new Failure.SchemaMismatch({ ...fields, sideEffect: "committed" }),
  new Failure.PartialData({ ...fields, data: { rows: [1] }, next: { page: 2 } }),
  new Failure.SemanticGarbage(fields),
  new Failure.Transient({ ...fields, retryAfter: Duration.millis(1_500) }),
  new Failure.Resource(fields),
  new Failure.Permanent({ ...fields, cause: new Error("why") }),
  new Failure.HumanReview({ ...fields, sideEffect: "unknown", approvalUrl: "https://approvals.example/1" })
]

const record: CallRecord = {
  tenant: "tenant",
  conversation: "conversation",
  turn: "turn",
  round: 2,
  callId: "call",
  tool: "t",
  argumentsText: '{"q":"a"}',
  arguments: { q: "a" },
  key: 't {"q":"a"}',
  keyDigest: "ab".repeat(32),
  startedAt: 900,
  durationMillis: 1_103,
  decisions: [{ stage: "recall", decision: "recalled", reason: "it failed before" }],
  attempts: [
    { startedAt: 1_000, durationMillis: 12.5, outcome: "Transient", code: "unavailable" },
    { startedAt: 2_000, durationMillis: 3, outcome: "Success" }
  ],
  outcome: { _tag: "Success", result: { n: 1 } },
  resultDigest: "cd".repeat(32),
  sideEffect: "none",
  usedFallback: "other",
  traceId: "tr"
}

const codec = Schema.toCodecJson(CallRecord)
const written = (it: CallRecord): string => JSON.stringify(Schema.encodeSync(codec)(it))
const read = (text: string): CallRecord => Schema.decodeUnknownSync(codec)(JSON.parse(text))

describe("CallRecord", () => {
  it("15.2 a record that was written is read back with all its fields", () => {
    assert.deepStrictEqual(read(written(record)), record)
  })

  it("15.2 writes no absent fields", () => {
    const { argumentsText: _1, arguments: _2, key: _3, usedFallback: _4, resultDigest: _5, ...rest } = record
    const refused: CallRecord = { ...rest, decisions: [], attempts: [], outcome: { _tag: "Success" } }
    assert.deepStrictEqual(read(written(refused)), refused)
    assert.notInclude(written(refused), "null")
  })

  for (const failure of failures) {
    it(`15.2 reads a failure back as a ${failure._tag}`, () => {
      const outcome = read(written({ ...record, outcome: { _tag: "Failure", failure } })).outcome
      assert.strictEqual(outcome._tag, "Failure")
      if (outcome._tag === "Failure") {
        assert.strictEqual(outcome.failure.constructor, failure.constructor)
        const { cause: _, ...said } = failure
        assert.deepInclude({ ...outcome.failure }, said)
      }
    })
  }

  it("15.2 refuses a damaged record as a whole", () => {
    const json = JSON.parse(written(record)) as Record<string, unknown>
    for (const damage of [
      { outcome: { _tag: "Failure" } },
      { outcome: { _tag: "Other" } },
      { sideEffect: "maybe" },
      { round: 1.5 },
      { keyDigest: undefined },
      { attempts: [{ startedAt: 1 }] },
      { decisions: null },
      { traceId: undefined }
    ]) {
      assert.isTrue(Option.isNone(Schema.decodeUnknownOption(codec)({ ...json, ...damage })), JSON.stringify(damage))
    }
  })

  it("4.17 the lines of the log contain C1 controls, DEL, U+2028 and bidirectional marks only as escapes", () => {
    const nasty = "\u009b31m\u007f\u2028\u2029\u202e\u{E0041}"
    const line = toJson({ ...record, argumentsText: nasty, key: nasty })
    assert.notMatch(line, /[\u007f-\u009f\u2028\u2029\u202e]|\u{E0041}/u)
    assert.deepStrictEqual(fromJson(line), Result.succeed({ ...record, argumentsText: nasty, key: nasty }))
    const late: LateOutcome.LateOutcome = {
      tenant: nasty,
      conversation: "c",
      turn: "t",
      callId: nasty,
      tool: "t",
      attempt: 1,
      leftAt: 1,
      endedAt: 2,
      end: { _tag: "Finished" },
      sideEffect: "unknown",
      traceId: "x"
    }
    assert.notMatch(LateOutcome.toJson(late), /[\u007f-\u009f\u2028\u2029\u202e]/u)
    assert.deepStrictEqual(LateOutcome.fromJson(LateOutcome.toJson(late)), Result.succeed(late))
  })
})

/** Tests the reader of toolguard's own call records. */
import { type CallRecord, toJson } from "#domain/call/CallRecord"
import * as Failure from "#domain/failure/Failure"
import * as CallRecords from "#kit/traffic/formats/CallRecords"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { CallLog } from "#services/CallLog"
import * as CallLogMemory from "#layers/CallLogMemory"
import { at, conversation, skipped } from "../lines.ts"

const base: CallRecord = {
  tenant: "default",
  conversation: "c1",
  turn: "1",
  round: 1,
  callId: "a",
  tool: "search",
  argumentsText: '{"q": "x"}',
  arguments: { q: "x" },
  keyDigest: "ab".repeat(32),
  startedAt: 1_000,
  durationMillis: 250,
  decisions: [],
  attempts: [],
  outcome: { _tag: "Success", result: { n: 1 } },
  resultDigest: "cd".repeat(32),
  sideEffect: "none",
  traceId: "t"
}

const read = (...records: ReadonlyArray<CallRecord>) => {
  const reader = CallRecords.reader()
  const lines = records.map((record) => JSON.parse(toJson(record)))
  return [...lines.flatMap((line, index) => reader.read(line, at(index + 1))), ...reader.end()]
}

const fields = { tool: "search", code: "c", detail: "d", hint: "h", sideEffect: "none", traceId: "t" } as const
/** The end of a successful call: without its result, which its answer holds. */
const end = {
  attempts: [],
  decisions: [],
  outcome: { _tag: "Success" },
  resultDigest: "cd".repeat(32),
  sideEffect: "none"
} as const
const call = (id: string, args: unknown = '{"q": "x"}') => ({ id, name: "search", arguments: args, end })
const answer = (callId: string, text: string, isError = false) => ({
  role: "tool" as const,
  callId,
  text,
  isError,
  at: 1_250
})
const said = { role: "assistant", text: "", calls: [] } as const
const asked = { role: "user", text: "" } as const

describe("call records as traffic", () => {
  it("15.2 groups records by round and turn, with their results", () => {
    const { argumentsText: _, ...withoutText } = base
    const items = read(
      base,
      { ...base, callId: "b", outcome: { _tag: "Success", result: "text" } },
      { ...base, round: 2, callId: "c" },
      { ...base, conversation: "c2", tenant: "other" },
      { ...withoutText, turn: "2", callId: "d", round: 0 },
      { ...base, turn: "2", callId: "e", round: 0 }
    )
    assert.deepStrictEqual(items, [
      conversation({
        id: "c1",
        messages: [
          asked,
          { role: "assistant", text: "", calls: [call("a"), call("b")] },
          answer("a", '{"n":1}'),
          answer("b", "text"),
          { role: "assistant", text: "", calls: [call("c")] },
          answer("c", '{"n":1}'),
          said,
          asked,
          { role: "assistant", text: "", calls: [call("d", { q: "x" })] },
          answer("d", '{"n":1}'),
          { role: "assistant", text: "", calls: [call("e")] },
          answer("e", '{"n":1}')
        ]
      }),
      conversation({
        id: "c2",
        place: at(4),
        messages: [asked, { role: "assistant", text: "", calls: [call("a")] }, answer("a", '{"n":1}')]
      })
    ])
  })

  it("3.2 keeps failures so that they decode to their class, without the cause, and partial data as results", () => {
    const cause = new Error("secret cause")
    const refused = new Failure.Permanent({ ...fields, code: "http_403", cause })
    const partial = new Failure.PartialData({ ...fields, data: { rows: [1] } })
    const items = read(
      { ...base, outcome: { _tag: "Failure", failure: refused } },
      { ...base, round: 2, callId: "b", outcome: { _tag: "Failure", failure: partial } }
    )
    const [item] = items
    assert.lengthOf(items, 1)
    const messages = item?._tag === "Conversation" ? item.messages : []
    const results = messages.filter(({ role }) => role === "tool")
    assert.deepStrictEqual(results[1], answer("b", '{"rows":[1]}'))
    const failure = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.toCodecJson(Failure.Failure)))(
      results[0]?.text
    )
    assert.deepStrictEqual(failure, Result.succeed(new Failure.Permanent({ ...fields, code: "http_403" })))
    assert.strictEqual(results[0]?.role === "tool" && results[0].isError, true)
  })

  it("15.2 each call has its end as recorded, and a record whose end cannot be decoded has only its result", () => {
    const failure = new Failure.Transient({ ...fields, code: "timeout", sideEffect: "unknown", cause: new Error("c") })
    const partial = new Failure.PartialData({ ...fields, data: { rows: [1] }, next: { q: "y" } })
    const ended = {
      attempts: [{ startedAt: 1_000, durationMillis: 250, outcome: "Transient", code: "timeout" }],
      decisions: [{ stage: "classify", decision: "defect", reason: "the handler died" }],
      crash: "Error: boom\n    at handler",
      sideEffect: "unknown",
      usedFallback: "other"
    } as const
    const { cause: _, ...plain } = failure
    const odd = { ...JSON.parse(toJson(base)), outcome: { _tag: "Failure", failure: { _tag: "Odd", code: "odd" } } }
    const reader = CallRecords.reader()
    const lines = [
      JSON.parse(toJson({ ...base, ...ended, outcome: { _tag: "Failure", failure } })),
      JSON.parse(toJson({ ...base, round: 2, outcome: { _tag: "Failure", failure: partial } })),
      { ...odd, round: 3 }
    ]
    const [item] = [...lines.flatMap((line, index) => reader.read(line, at(index + 1))), ...reader.end()]
    const messages = item?._tag === "Conversation" ? item.messages : []
    const ends = messages.flatMap((message) =>
      message.role === "assistant" ? message.calls.map(({ end }) => end) : []
    )
    assert.deepStrictEqual(ends, [
      {
        ...ended,
        outcome: { _tag: "Failure", failure: new Failure.Transient(plain) },
        resultDigest: "cd".repeat(32)
      },
      { ...end, outcome: { _tag: "Failure", failure: new Failure.PartialData({ ...partial, data: null }) } },
      undefined
    ])
    assert.deepStrictEqual(messages.at(-1), answer("a", '{"_tag":"Odd","code":"odd"}', true))
  })

  it("15.1 reports records without arguments, and adds no result for records without a result", () => {
    const { argumentsText: _1, arguments: _2, ...bare } = base
    const items = read({ ...bare, outcome: { _tag: "Success" } }, { ...base, outcome: { _tag: "Success" } })
    assert.deepStrictEqual(items, [
      skipped(1, 'The call to "search" was recorded without its arguments.'),
      conversation({
        id: "c1",
        place: at(2),
        messages: [asked, { role: "assistant", text: "", calls: [call("a")] }]
      })
    ])
    const late = { leftAt: 1, endedAt: 2, end: { _tag: "Finished" }, conversation: "c1", tool: "search" }
    const reader = CallRecords.reader()
    assert.deepStrictEqual(reader.read(late, at(1)), [])
    assert.deepStrictEqual(reader.read({ conversation: "c1" }, at(2)), [
      skipped(2, `The file holds toolguard's call records, but this line is an object with "conversation".`)
    ])
  })

  it.effect("15.2 reads the records that a call log returns", () =>
    Effect.gen(function* () {
      const { append, records } = yield* CallLog
      append(base)
      assert.deepStrictEqual(read(...(yield* records)), read(base))
    }).pipe(Effect.provide(CallLogMemory.layerWith({ keep: "full" })))
  )
})

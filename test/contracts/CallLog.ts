/** Tests that every layer of CallLog must pass [15.2]. */
import { CallRecord } from "#domain/call/CallRecord"
import { LateOutcome } from "#domain/call/LateOutcome"
import { CallLog } from "#services/CallLog"
import { isOf } from "#services/Forget"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Schema } from "effect"
import { permanent } from "./values.ts"

const outcome = permanent()

/** Returns a record of a failed call. */
export const recordOf = (callId: string): CallRecord => ({
  tenant: "tenant",
  conversation: "conversation",
  turn: "turn",
  round: 1,
  callId,
  tool: "search_it",
  argumentsText: '{"q":"ä\\u0000\u{1f600}"}',
  arguments: { q: "a" },
  key: 'search_it {"q":"a"}',
  keyDigest: "ab".repeat(32),
  startedAt: 1,
  durationMillis: 2.5,
  decisions: [{ stage: "retry", decision: "gave up", reason: "no attempts left" }],
  attempts: [{ startedAt: 1, durationMillis: 2.5, outcome: "Permanent", code: "code" }],
  outcome: outcome._tag === "Failure" ? { _tag: "Failure", failure: outcome.failure } : { _tag: "Success" },
  resultDigest: "cd".repeat(32),
  sideEffect: "none",
  usedFallback: "search_cache",
  traceId: `trace ${callId}`
})

const lateOf = (callId: string): LateOutcome => ({
  tenant: "tenant",
  conversation: "conversation",
  turn: "turn",
  callId,
  tool: "search_it",
  attempt: 1,
  leftAt: 5_000,
  endedAt: 8_000,
  end: outcome._tag === "Failure" ? { _tag: "Failed", failure: outcome.failure } : { _tag: "Finished" },
  sideEffect: "none",
  traceId: `trace ${callId}`
})

export const callLogContract = (name: string, layer: Layer.Layer<CallLog, DatabaseUnavailable>): void => {
  describe(`CallLog (${name})`, () => {
    const using = <A, E>(use: (log: CallLog["Service"]) => Effect.Effect<A, E>) =>
      Effect.flatMap(CallLog, use).pipe(Effect.provide(layer))

    it.effect("15.2 is initially empty", () =>
      using(({ records }) => Effect.map(records, (all) => assert.deepStrictEqual(all, [])))
    )

    it.effect("15.2 returns the records unchanged, oldest first", () =>
      using(({ append, records }) =>
        Effect.gen(function* () {
          for (const callId of ["1", "2", "3"]) append(recordOf(callId))
          assert.deepStrictEqual(yield* records, [recordOf("1"), recordOf("2"), recordOf("3")])
        })
      )
    )

    it.effect("15.2 appending does not change records that were read before", () =>
      using(({ append, records }) =>
        Effect.gen(function* () {
          append(recordOf("1"))
          const before = yield* records
          append(recordOf("2"))
          assert.deepStrictEqual(before, [recordOf("1")])
        })
      )
    )

    it.effect("8.3 returns the records of a tenant, a principal, a conversation or a turn, and no others", () =>
      using(({ append, recordsOf }) =>
        Effect.gen(function* () {
          const owners = ["acme", "acm"].flatMap((tenant) =>
            ["ana", "ben", undefined].flatMap((principal) =>
              ["c1", "c2"].flatMap((conversation) =>
                ["1", "2"].map((turn) => ({
                  tenant,
                  ...(principal === undefined ? {} : { principal }),
                  conversation,
                  turn
                }))
              )
            )
          )
          for (const owner of owners) append({ ...recordOf(JSON.stringify(owner)), ...owner })
          for (const owner of [
            { tenant: "acme" },
            { tenant: "acme", principal: "ana" },
            { tenant: "acme", conversation: "c1" },
            { tenant: "acme", principal: "ben", conversation: "c2", turn: "1" },
            { tenant: "acme", conversation: "c2", turn: "1" },
            { tenant: "ac" }
          ]) {
            assert.deepStrictEqual(
              (yield* recordsOf(owner)).map(({ callId }) => callId),
              owners.filter((one) => isOf(owner, one)).map((one) => JSON.stringify(one)),
              JSON.stringify(owner)
            )
          }
        })
      )
    )

    it.effect("4.9 returns late outcomes unchanged, oldest first, and not as records", () =>
      using(({ appendLate, lateOutcomes, records }) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* lateOutcomes, [])
          for (const callId of ["1", "2", "3"]) appendLate(lateOf(callId))
          assert.deepStrictEqual(yield* lateOutcomes, [lateOf("1"), lateOf("2"), lateOf("3")])
          assert.deepStrictEqual(yield* records, [])
        })
      )
    )

    it.effect("3.2 a stored late outcome can be encoded and decoded", () =>
      using(({ appendLate, lateOutcomes }) =>
        Effect.gen(function* () {
          appendLate(lateOf("1"))
          const codec = Schema.toCodecJson(LateOutcome)
          for (const late of yield* lateOutcomes) {
            const text = JSON.stringify(Schema.encodeSync(codec)(late))
            assert.deepStrictEqual(Schema.decodeUnknownSync(codec)(JSON.parse(text)), late)
          }
        })
      )
    )

    it.effect("3.2 a stored record can be encoded and decoded", () =>
      using(({ append, records }) =>
        Effect.gen(function* () {
          append(recordOf("1"))
          const codec = Schema.toCodecJson(CallRecord)
          for (const record of yield* records) {
            const text = JSON.stringify(Schema.encodeSync(codec)(record))
            assert.deepStrictEqual(Schema.decodeUnknownSync(codec)(JSON.parse(text)), record)
          }
        })
      )
    )
  })
}

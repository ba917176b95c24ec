/** What every layer of CallLog promises (SPEC 15.2). */
import { CallRecord } from "#domain/CallRecord"
import { CallLog } from "#services/CallLog"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Schema } from "effect"
import { permanent } from "./values.ts"

const outcome = permanent()

const recordOf = (callId: string): CallRecord => ({
  conversation: "conversation",
  turn: "turn",
  round: 1,
  callId,
  tool: "search_it",
  argumentsText: '{"q":"ä\\u0000\u{1f600}"}',
  arguments: { q: "a" },
  key: 'search_it {"q":"a"}',
  decisions: [{ stage: "retry", decision: "gave up", reason: "no attempts left" }],
  attempts: [{ startedAt: 1, durationMillis: 2.5, outcome: "Permanent", code: "code" }],
  outcome: outcome._tag === "Failure" ? { _tag: "Failure", failure: outcome.failure } : { _tag: "Success" },
  sideEffect: "none",
  usedFallback: "search_cache",
  traceId: `trace ${callId}`
})

export const callLogContract = (name: string, layer: Layer.Layer<CallLog>): void => {
  describe(`CallLog (${name})`, () => {
    const using = <A, E>(use: (log: CallLog["Service"]) => Effect.Effect<A, E>) =>
      Effect.flatMap(CallLog, use).pipe(Effect.provide(layer))

    it.effect("15.2 holds nothing at first", () =>
      using(({ records }) => Effect.map(records, (all) => assert.deepStrictEqual(all, [])))
    )

    it.effect("15.2 gives the records back as they were, oldest first", () =>
      using(({ append, records }) =>
        Effect.gen(function* () {
          for (const callId of ["1", "2", "3"]) append(recordOf(callId))
          assert.deepStrictEqual(yield* records, [recordOf("1"), recordOf("2"), recordOf("3")])
        })
      )
    )

    it.effect("15.2 what is read later does not change what was read before", () =>
      using(({ append, records }) =>
        Effect.gen(function* () {
          append(recordOf("1"))
          const before = yield* records
          append(recordOf("2"))
          assert.deepStrictEqual(before, [recordOf("1")])
        })
      )
    )

    it.effect("3.2 every record it holds crosses a process border", () =>
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

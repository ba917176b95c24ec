/** Tests the encoding of events as server-sent events. */
import { bodyOf } from "#src/live/SseBody"
import type { LiveRun } from "#src/live/LiveRun"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"

describe("SseBody", () => {
  it.effect("11.2 numbers events, and reports missed events as an event named missed", () =>
    Effect.gen(function* () {
      const run = {
        follow: (after: number) =>
          Stream.make(
            { _tag: "Missed" as const, from: after + 1, to: 7 },
            { _tag: "Event" as const, id: 8, json: '{"_tag":"RoundEnded"}' }
          )
      } as unknown as LiveRun // only `follow` is used
      const body = yield* Stream.mkString(Stream.decodeText(bodyOf(run, 3, { retry: "5 seconds" })))
      assert.strictEqual(
        body,
        'retry: 5000\n\nevent: missed\ndata: {"from":4,"to":7}\n\nid: 8\ndata: {"_tag":"RoundEnded"}\n\n'
      )
    })
  )
})

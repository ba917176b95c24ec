/** Tests that the notices of one tenant do not displace those of another. */
import { layer, limit, Notices } from "#layers/internal/inbox/Notices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const about = (tenant: string, sentence: string) => ({
  level: "inform" as const,
  reason: "timeout",
  tool: "search",
  sentence,
  arguments: undefined,
  binding: sentence,
  turn: { tenant, conversation: "conversation", turn: "turn" },
  traceId: "tr"
})

describe("the notices of the inbox", () => {
  it.effect("10.2 are limited to 50 for each tenant, newest first", () =>
    Effect.gen(function* () {
      const { add, all } = yield* Notices
      yield* add(about("red", "Only one."))
      for (let index = 0; index < 200; index++) yield* add(about("blue", `${index}`))
      const kept = (yield* all).map(({ request }) => request)
      assert.deepStrictEqual(
        [kept.length, kept[0]?.sentence, kept[limit - 1]?.sentence, kept[limit]?.sentence],
        [limit + 1, "199", "150", "Only one."]
      )
    }).pipe(Effect.provide(layer))
  )
})

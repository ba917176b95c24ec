/** Tests the turns of a session of the proxy. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Guard, GuardedTurn } from "#src/guard/Guard"
import * as Turns from "#kit/proxy/Turns"

describe("turns of a proxy", () => {
  it.effect("7.1 are marked as sessions, so that the counts of a call lapse without a message of the user", () =>
    Effect.gen(function* () {
      const turns = Turns.make(yield* GuardedTurn, "c", 600_000)
      const first = yield* turns.current
      yield* turns.renew
      const second = yield* turns.current
      assert.deepStrictEqual([first.isSession, second.isSession, first.turn === second.turn], [true, true, false])
    }).pipe(Effect.provide(Guard.layerMemory))
  )
})

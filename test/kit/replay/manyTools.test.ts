/** Tests the limit of different tools in a log: a conversation with a further tool is not replayed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { maxTools } from "#kit/replay/Contracts"
import * as Replay from "#kit/replay/Replay"
import { call, conversation, tool, user } from "./logs.ts"

const listing = (name: string) => conversation([tool(name, {})], [user("Go"), ...call(name, {}, "ok")])
const calling = (name: string) => conversation([], [user("Go"), ...call(name, {}, "ok")])

describe("Replay.admits", () => {
  it.effect.each([
    ["lists", listing],
    ["only calls", calling]
  ] as const)(
    "13.1 from a log that %s 2,001 different tools, the conversations with known tools are admitted",
    ([, make]) =>
      Effect.gen(function* () {
        const { admits } = yield* Replay.make()
        for (let n = 0; n < maxTools; n++) assert.isTrue(admits(make(`t${n}`)))
        assert.isFalse(admits(make("another")))
        assert.isTrue(admits(make("t7")))
      }).pipe(Effect.scoped)
  )
})

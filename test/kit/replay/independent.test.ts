/** Tests that a conversation is replayed by itself, whatever was replayed before it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import type { Conversation } from "#kit/traffic/Conversation"
import * as Replay from "#kit/replay/Replay"
import { call, conversation, tool, user } from "./logs.ts"

class Pay extends GuardedTool.Service<Pay>()("pay_order", {
  description: "Pays one order. Writes.",
  access: "write",
  parameters: Schema.Struct({ order: Schema.String }),
  success: Schema.Struct({ paid: Schema.Boolean }),
  idempotency: "key"
}) {}

const { tools } = Toolbox.make(Pay)

/** Replays conversations in order, and returns what the guard decided about the calls of each. */
const decided = (conversations: ReadonlyArray<Conversation>) =>
  Effect.scoped(
    Effect.map(Replay.make({ tools }), (replay) =>
      conversations.map((one) =>
        replay.play(one).calls.map(({ contradiction, record, tally }) => ({
          isSuspect: contradiction !== undefined,
          outcome: record.outcome._tag,
          decisions: record.decisions.map(({ decision, stage }) => `${stage}: ${decision}`),
          saving: tally.saving
        }))
      )
    )
  )

const pay = (more: object = {}) => call("pay_order", { order: "O-1", ...more }, '{"paid":true}')
const read = () => call("get_stock", { article: "A" }, '{"left":3}')
const listed = tool("get_stock", { article: { type: "string" } })

const log = [
  conversation([], [user("pay"), ...pay({ idempotency_key: "the-key-of-the-model" })], { id: "a" }),
  conversation([], [user("pay"), ...pay({ idempotency_key: "the-key-of-the-model" })], { id: "b", line: 2 }),
  conversation([], [user("pay"), ...pay(), ...pay()], { id: "b", line: 3 }),
  conversation([], [user("pay"), ...pay()], { id: "b", line: 4 }),
  conversation([listed], [user("A"), ...read(), ...read(), ...read(), ...read()], { id: "b", line: 5 })
]

describe("13.1 a conversation is replayed by itself", () => {
  it.effect("also after one with the same id", () =>
    Effect.gen(function* () {
      const together = yield* decided(log)
      const apart = yield* Effect.forEach(log, (one) => Effect.map(decided([one]), ([only]) => only))
      assert.deepStrictEqual(together, apart)
      // within a conversation, the guard remembers
      assert.deepStrictEqual(
        together.map((calls) => calls.map(({ saving }) => saving)),
        [[undefined], [undefined], [undefined, "recall"], [undefined], [undefined, undefined, "loop", "loop"]]
      )
    })
  )

  it.effect("with the same decisions in reverse order", () =>
    Effect.gen(function* () {
      const forwards = yield* decided(log)
      assert.deepStrictEqual((yield* decided(log.toReversed())).toReversed(), forwards)
    })
  )
})

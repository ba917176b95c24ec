import { assert, describe, it } from "@effect/vitest"
import * as Turn from "#domain/turn/Turn"
import { Schema } from "effect"

const turn: Turn.Turn = { tenant: "t", conversation: "c", turn: "1" }

describe("Turn", () => {
  it("4.7 the key of a turn depends on tenant, conversation and turn", () => {
    assert.strictEqual(Turn.key(turn), Turn.key({ ...turn }))
    const others = [turn, { ...turn, tenant: "t2" }, { ...turn, conversation: "c2" }, { ...turn, turn: "2" }]
    assert.strictEqual(new Set(others.map(Turn.key)).size, 4)
  })

  it("7.3 a conversation has one key for all its turns", () => {
    assert.strictEqual(Turn.conversationKey(turn), Turn.conversationKey({ ...turn, turn: "2" }))
    const others = [turn, { ...turn, tenant: "t2" }, { ...turn, conversation: "c2" }]
    assert.strictEqual(new Set(others.map(Turn.conversationKey)).size, 3)
  })

  it("4.7 the principal is not part of the key", () => {
    assert.strictEqual(Turn.key({ ...turn, principal: "ada" }), Turn.key(turn))
    assert.strictEqual(Turn.conversationKey({ ...turn, principal: "ada" }), Turn.conversationKey(turn))
  })

  const text = Schema.String
  it.prop(
    "8.3 two turns never have the same key, whatever their ids contain",
    [text, text, text, text, text, text],
    ([tenant, conversation, name, otherTenant, otherConversation, otherName]) => {
      const one = { tenant, conversation, turn: name }
      const two = { tenant: otherTenant, conversation: otherConversation, turn: otherName }
      const isSame = tenant === otherTenant && conversation === otherConversation
      assert.strictEqual(Turn.key(one) === Turn.key(two), isSame && name === otherName)
      assert.strictEqual(Turn.conversationKey(one) === Turn.conversationKey(two), isSame)
    }
  )

  it("8.3 ids that contain delimiters of the key are distinguished", () => {
    assert.notStrictEqual(
      Turn.key({ tenant: 'a","b', conversation: "c", turn: "d" }),
      Turn.key({ tenant: "a", conversation: 'b","c', turn: "d" })
    )
    assert.notStrictEqual(
      Turn.key({ tenant: "a", conversation: "b", turn: "" }),
      Turn.conversationKey({ tenant: "a", conversation: "b", turn: "" })
    )
  })
})

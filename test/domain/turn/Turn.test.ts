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

  it("8.3 two principals have two turns and two conversations, even if the name of one is empty", () => {
    const owners = [turn, { ...turn, principal: "ada" }, { ...turn, principal: "ben" }, { ...turn, principal: "" }]
    assert.strictEqual(new Set(owners.map(Turn.key)).size, 4)
    assert.strictEqual(new Set(owners.map(Turn.conversationKey)).size, 4)
  })

  it("8.3 without a principal, the keys are those under which rows were stored before there were principals", () => {
    assert.strictEqual(Turn.key(turn), '["t","c","1"]')
    assert.strictEqual(Turn.conversationKey(turn), '["t","c"]')
  })

  const text = Schema.String
  const owner = Schema.Struct({
    tenant: text,
    principal: Schema.optionalKey(text),
    conversation: Schema.optionalKey(text),
    turn: Schema.optionalKey(text)
  })
  it.prop("8.3 two owners never have the same text, whatever their ids contain", [owner, owner], ([one, two]) => {
    const textOf = (it: Turn.Owner) => JSON.stringify(Turn.ownerValues(it))
    // a turn without a conversation is ignored
    const partsOf = ({ conversation, principal, tenant, turn }: Turn.Owner) =>
      JSON.stringify({ tenant, principal, conversation, turn: conversation === undefined ? undefined : turn })
    assert.strictEqual(textOf(one) === textOf(two), partsOf(one) === partsOf(two))
    // a conversation whose name equals the text of another owner does not belong to the other owner
    assert.notStrictEqual(textOf({ tenant: one.tenant, conversation: textOf(two) }), textOf(two))
    assert.notStrictEqual(textOf({ tenant: one.tenant, principal: textOf(two) }), textOf(two))
  })

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

  it("4.7 an owner without a conversation gives its tenant, and its principal as an object", () => {
    assert.deepStrictEqual(Turn.ownerValues({ tenant: "t" }), ["t"])
    assert.deepStrictEqual(Turn.ownerValues({ tenant: "t", principal: "p" }), ["t", { principal: "p" }])
    assert.deepStrictEqual(Turn.ownerValues({ tenant: "t", turn: "1" }), ["t"])
    assert.deepStrictEqual(Turn.ownerValues({ tenant: "t", conversation: "c", turn: "1" }), ["t", "c", "1"])
  })
})

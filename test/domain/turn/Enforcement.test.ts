/** Tests that a share selects conversations evenly, and always the same ones. */
import * as Enforcement from "#domain/turn/Enforcement"
import type { Turn } from "#domain/turn/Turn"
import { assert, describe, it } from "@effect/vitest"

const turnIn = (conversation: string, over: Partial<Turn> = {}): Turn => ({
  conversation,
  turn: "t",
  tenant: "default",
  ...over
})

const isEnforced = (share: number, turn: Turn | undefined): boolean => Enforcement.modeOf({ share }, turn) === "enforce"

const ids = (count: number, of: (index: number) => string) => Array.from({ length: count }, (_, index) => of(index))

describe("Enforcement", () => {
  it("2.2 a mode applies to all calls", () => {
    for (const mode of ["enforce", "advise"] as const) {
      for (const turn of [undefined, turnIn("c"), turnIn("c", { isAlone: true })]) {
        assert.strictEqual(Enforcement.modeOf(mode, turn), mode)
        assert.isUndefined(Enforcement.sideOf(mode, turn))
      }
    }
  })

  it("2.2 a share enforces in that share of the conversations, whatever the form of their ids", () => {
    for (const of of [
      (index: number) => `${index}`,
      (index: number) => `conversation-${1_000_000 + index}`,
      (index: number) => `user-${index % 100}/chat-${Math.floor(index / 100)}`,
      (index: number) => `会话${index}`,
      (index: number) => "x".repeat(index)
    ]) {
      const conversations = ids(4_000, of)
      for (const share of [0.05, 0.1, 0.5, 0.9]) {
        const found = conversations.filter((id) => isEnforced(share, turnIn(id))).length / conversations.length
        // five standard deviations
        assert.closeTo(found, share, 5 * Math.sqrt((share * (1 - share)) / conversations.length), of(7))
      }
    }
  })

  it("2.2 a larger share contains the conversations of a smaller one", () => {
    for (const id of ids(2_000, (index) => `c-${index}`)) {
      const sides = [0, 0.01, 0.1, 0.1000001, 0.5, 0.99, 1].map((share) => isEnforced(share, turnIn(id)))
      assert.deepStrictEqual(
        sides,
        sides.toSorted((a, b) => Number(a) - Number(b))
      )
    }
  })

  it("2.2 the sides of known conversations never change between versions", () => {
    assert.deepStrictEqual(
      ids(12, (index) => `c-${index}`).filter((id) => isEnforced(0.5, turnIn(id))),
      ["c-2", "c-4", "c-6", "c-7", "c-10"]
    )
  })

  it("2.2 turns of a conversation are on one side; the same id of another tenant or principal is another conversation", () => {
    const conversations = ids(200, (index) => `c-${index}`)
    const sidesOf = (over: Partial<Turn>) => conversations.map((id) => isEnforced(0.5, turnIn(id, over)))
    const own = sidesOf({})
    assert.deepStrictEqual(sidesOf({ turn: "another" }), own)
    assert.deepStrictEqual(sidesOf({ isSession: true }), own)
    for (const over of [{ tenant: "acme" }, { principal: "ana" }]) {
      const equal = sidesOf(over).filter((side, index) => side === own[index]).length
      assert.isTrue(equal > 60 && equal < 140, `${equal} of 200 are equal`)
    }
  })

  it("2.2 with a share of 0 every call is advised, and with a share of 1 every call is enforced", () => {
    const turns = [
      undefined,
      turnIn("", { isAlone: true }),
      ...ids(500, (index) => `c-${index}`).map((id) => turnIn(id))
    ]
    assert.isTrue(turns.every((turn) => !isEnforced(0, turn)))
    assert.isTrue(turns.every((turn) => isEnforced(1, turn)))
  })

  it("2.2 a call without a conversation is advised with a share below 1, and belongs to no side", () => {
    for (const turn of [undefined, turnIn("c-1", { isAlone: true }), turnIn("c-2", { isAlone: true })]) {
      assert.isFalse(isEnforced(0.999_999, turn))
      for (const share of [0, 0.5, 1]) assert.isUndefined(Enforcement.sideOf({ share }, turn))
    }
    assert.strictEqual(Enforcement.sideOf({ share: 1 }, turnIn("c-1")), "enforce")
    assert.strictEqual(Enforcement.sideOf({ share: 0 }, turnIn("c-1")), "advise")
  })

  it("2.2 results may violate the contract unless every call is enforced", () => {
    assert.deepStrictEqual(
      (["enforce", "advise", { share: 0 }, { share: 0.999 }, { share: 1 }] as const).map(Enforcement.mayAdvise),
      [false, true, true, true, false]
    )
  })
})

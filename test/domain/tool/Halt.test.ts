import * as Halt from "#domain/tool/Halt"
import { assert, describe, it } from "@effect/vitest"

/** Returns the message with which an order is refused. */
const fault = (order: object): string => {
  try {
    // the cast is needed because the compiler would refuse some of the orders
    Halt.orderOf(order as Halt.HaltOrder)
  } catch (error) {
    assert.instanceOf(error, RangeError)
    return error.message
  }
  return "accepted"
}

const order: Halt.HaltOrder = { tool: "refund_order", by: "maria", reason: "wrong amounts" }

describe("Halt.orderOf", () => {
  it("10.7 returns an order of tool, operator and reason, which may be empty", () => {
    assert.deepStrictEqual(Halt.orderOf({ ...order, at: 5 } as Halt.HaltOrder), order)
    assert.deepStrictEqual(Halt.orderOf({ ...order, reason: "" }), { ...order, reason: "" })
  })

  it("10.7 cuts the operator's name at 100 characters and the reason at 200", () => {
    const { by, reason, tool } = Halt.orderOf({ tool: "t".repeat(300), by: "b".repeat(300), reason: "r".repeat(300) })
    assert.deepStrictEqual([tool.length, by.length, reason.length], [300, 100, 200])
  })

  const cases: ReadonlyArray<readonly [field: keyof Halt.HaltOrder, values: ReadonlyArray<unknown>, rule: string]> = [
    ["tool", [undefined, null, 5, "", " \n"], "the id or name of a tool"],
    ["by", [undefined, null, 5, "", " \n"], "the name of the operator"],
    ["reason", [undefined, null, 5], "a string, which may be empty"]
  ]
  for (const [field, values, rule] of cases) {
    it(`10.7 refuses an order whose \`${field}\` is missing or of another type`, () => {
      assert.deepStrictEqual(
        values.map((value) => fault({ ...order, [field]: value })),
        values.map(() => `An order to halt or resume a tool is not valid: \`${field}\` must be ${rule}.`)
      )
    })
  }
})

describe("Halt.inForce", () => {
  const halt = (tool: string): Halt.HaltEntry => ({ ...order, tool, action: "halted", at: 1 })
  const [byId, byName] = [halt("shop/refund"), halt("refund_order")]
  const refund = { id: "shop/refund", name: "refund_order" }

  it("10.7 is the halt of the tool's id, otherwise of its name", () => {
    const inForce = (...halts: ReadonlyArray<Halt.HaltEntry>) =>
      Halt.inForce(new Map(halts.map((each) => [each.tool, each])), refund)
    assert.deepStrictEqual(
      [inForce(byName, byId), inForce(byId), inForce(byName), inForce(halt("search")), inForce()],
      [byId, byId, byName, undefined, undefined]
    )
  })
})

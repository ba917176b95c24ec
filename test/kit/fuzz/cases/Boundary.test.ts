/** Tests edits of a value to and beyond the boundaries of a schema. */
import * as Boundary from "#kit/fuzz/cases/Boundary"
import * as Subject from "#kit/fuzz/cases/Subject"
import { assert, describe, it } from "@effect/vitest"
import { SearchOrders } from "../../../../examples/orders/Tools.ts"

describe("Boundary", () => {
  const edits = (value: unknown) =>
    // every test passes a JSON value
    Boundary.of(SearchOrders.jsonSchema).map(({ apply, name }) => [name, apply(value as never)] as const)
  const valid = { customer_id: "C-9921", status: "placed", limit: 25 }
  const edited = new Map(edits(valid))

  it("13.6 edits a value to every bound, one step past it, and to wrong types", () => {
    const limits = [...edited].flatMap(([name, value]) =>
      name.startsWith("limit: ") ? [(value as { readonly limit?: unknown } | undefined)?.limit] : []
    )
    for (const value of [0, 1, 2, 99, 100, 101, 0.5, "25", null, undefined]) assert.include(limits, value)
    assert.deepStrictEqual(edited.get("customer_id: missing"), { status: "placed", limit: 25 })
    assert.deepStrictEqual(edited.get("the value: an unknown field"), { ...valid, unknown_field: 1 })
    assert.deepStrictEqual(edited.get(`status: value "returned"`), { ...valid, status: "returned" })
    assert.deepStrictEqual(edited.get("customer_id: after the pattern"), { ...valid, customer_id: "C-9921\n" })
  })

  it("13.6 creates values that the contract accepts and values that it refuses", () => {
    const { contract } = Subject.make(SearchOrders)
    const tags = [...edited.values()].filter((value) => value !== undefined).map((value) => contract.decode(value)._tag)
    assert.isAbove(tags.filter((tag) => tag === "Success").length, 8)
    assert.isAbove(tags.filter((tag) => tag === "Failure").length, 30)
  })

  it("13.6 returns undefined for a value that lacks the place to edit", () => {
    assert.isUndefined(new Map(edits([])).get("limit: maximum"))
    assert.deepStrictEqual(new Map(edits({})).get("limit: maximum"), { limit: 100 })
  })
})

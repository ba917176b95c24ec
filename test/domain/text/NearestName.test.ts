import { assert, describe, it } from "@effect/vitest"
import { nearest } from "#domain/text/NearestName"
import { growth } from "../../support/cpuTime.ts"

const tools = [
  "search_orders",
  "get_order",
  "refund_order",
  "list_customers",
  "get_customer",
  "send_email",
  "read_file"
]

describe("nearest", () => {
  it("4.1 finds a tool despite case, separators, word order, plural and typing errors", () => {
    const meant: ReadonlyArray<readonly [string, string]> = [
      ["searchOrders", "search_orders"],
      ["Search-Order", "search_orders"],
      ["orders.search", "search_orders"],
      ["serach_orders", "search_orders"],
      ["get_ordr", "get_order"],
      ["get_order_details", "get_order"],
      ["refund_orders", "refund_order"],
      ["refund", "refund_order"],
      ["readfile", "read_file"],
      ["list_customer", "list_customers"]
    ]
    for (const [sent, tool] of meant) assert.deepStrictEqual(nearest(sent, tools), [tool], sent)
  })

  it("4.4 finds an enum value by its prefix and despite another suffix", () => {
    const states = ["placed", "shipped", "delivered", "cancelled"]
    assert.deepStrictEqual(nearest("shipping", states), ["shipped"])
    assert.deepStrictEqual(nearest("ship", states), ["shipped"])
    assert.deepStrictEqual(nearest("canceled", states), ["cancelled"])
    assert.deepStrictEqual(nearest("CANCEL", states), ["cancelled"])
  })

  it("4.1 suggests nothing if no candidate is near", () => {
    for (const sent of ["", "__", "x", "delete_everything", "get_weather", "🦊", "订单"]) {
      assert.deepStrictEqual(nearest(sent, tools), [], sent)
    }
    assert.deepStrictEqual(nearest("id", ["ip", "in", "it"]), [])
    assert.deepStrictEqual(nearest("anything", []), [])
  })

  it("4.1 lists the nearest first, at most the requested number, and keeps the order of equally near names", () => {
    assert.deepStrictEqual(nearest("get_custmer", tools, 3), ["get_customer", "list_customers"])
    assert.deepStrictEqual(nearest("file_1", ["file_2", "file_3", "file_10", "other"], 2), ["file_10", "file_2"])
    assert.deepStrictEqual(nearest("file_1", ["file_2", "file_3"], 5), ["file_2", "file_3"])
    assert.deepStrictEqual(nearest("file_1", ["file_2"], 0), [])
  })

  it("4.1 compares only the first 64 characters, so that long names take no longer", () => {
    const candidates = Array.from({ length: 200 }, (_, i) => `tool_number_${i}_with_a_long_name`)
    assert.deepStrictEqual(nearest("x".repeat(20_000), candidates, 3), [])
    assert.deepStrictEqual(nearest("search_orders".padEnd(20_000, "\u0000"), tools), ["search_orders"])
    const comparing = (length: number) => () => void nearest("x".repeat(length), candidates, 3)
    assert.isBelow(growth(comparing(64), comparing(20_000)), 8)
  })
})

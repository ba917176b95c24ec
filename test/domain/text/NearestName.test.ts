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

  const isNear = (sent: string, candidate: string) => nearest(sent, [candidate]).length > 0

  it("4.1 a swap of adjacent characters is one error; a name with two errors in five characters is near, and with more it is not", () => {
    for (const [sent, candidate, expected] of [
      ["act", "cat", true],
      ["badce", "abcde", true],
      ["badc", "abcd", false],
      ["abz", "caz", false],
      ["baz", "acz", false],
      ["cat", "coat", true]
    ] as const)
      assert.strictEqual(isNear(sent, candidate), expected, `${sent} ${candidate}`)
  })

  it("4.1 a prefix has at least three characters, and the longer it is, the nearer the candidate is", () => {
    assert.deepStrictEqual([isNear("or", "order"), isNear("ord", "order_items")], [false, true])
    assert.deepStrictEqual(nearest("ship", ["shipping_address", "shipped"], 2), ["shipped", "shipping_address"])
  })

  it("4.1 more than half of the words are shared, in any order, and without the plural s of words of four letters", () => {
    for (const [sent, candidate, expected] of [
      ["orders_search_all", "all_search_order", true],
      ["ordersSearchAll", "all_search_orders", true],
      ["page2SearchAll", "all_search_page2", true],
      ["delete_customer", "customer", false],
      ["_customer", "delete_customer_", false],
      ["read_logs_all", "all_read_log", true],
      ["get_gps_fix", "fix_get_gp", false],
      ["read_date_all", "all_read_data", false],
      ["read_dates_all", "all_read_dusts", false]
    ] as const)
      assert.strictEqual(isNear(sent, candidate), expected, `${sent} ${candidate}`)
    assert.deepStrictEqual(nearest("orders_search_all", ["all_search", "all_search_orders"], 2), [
      "all_search_orders",
      "all_search"
    ])
  })

  it("4.1 a name without letters and digits is near to no other", () => {
    assert.deepStrictEqual(nearest("__", ["--", "", "a"]), [])
    assert.deepStrictEqual(nearest("a", ["--", ""]), [])
  })

  it("4.1 characters after the 64th are not compared", () => {
    const name = "abcdefgh".repeat(8)
    assert.deepStrictEqual(nearest(`x${name.slice(1)}${"q".repeat(64)}`, [name]), [name])
  })
})

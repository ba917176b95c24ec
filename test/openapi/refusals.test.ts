/**
 * [3.5] Serves over HTTP a tool that declares refusals, and imports the tool. The tests are `it.live`, because they use real
 * sockets.
 */
import * as Import from "#src/openapi/Import"
import * as ToolApi from "#src/openapi/ToolApi"
import { meanings, statusOf } from "#src/openapi/ResponseStatus"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { tool as scriptedTool } from "../pipeline/support.ts"
import { answer, live } from "./importing.ts"
import { box, post, serving } from "./support.ts"

const OutOfStock = Schema.TaggedStruct("OutOfStock", { sku: Schema.String, available: Schema.Int })
const UnknownCoupon = Schema.TaggedStruct("UnknownCoupon", { coupon: Schema.String })

const order = () =>
  scriptedTool(
    "order_item",
    {
      access: "write",
      description: "Orders. Writes.",
      refusals: [OutOfStock, { error: UnknownCoupon, as: "ToolArgError" }]
    },
    ({ q }: { readonly q: string }) =>
      Effect.fail(q === "coupon" ? UnknownCoupon.make({ coupon: "X" }) : OutOfStock.make({ sku: q, available: 2 }))
  )

describe("refusals over HTTP", () => {
  it.live("3.5 are problems with status 409, or 422 if declared as ToolArgError, whose body has the fields", () =>
    Effect.gen(function* () {
      const { layer, tool } = order()
      const url = yield* serving(box([tool]), layer)
      const stock = yield* post(`${url}/tools/order_item`, { q: "A-1" })
      assert.deepStrictEqual(
        [stock.status, stock.headers.get("content-type"), stock.headers.get("retry-after")],
        [409, "application/problem+json", null]
      )
      const { code, detail, details, error_class, side_effect, title } = stock.json
      assert.deepStrictEqual(
        { title, code, detail, details, error_class, side_effect },
        {
          title: "Conflict",
          code: "out_of_stock",
          detail: "Out of stock: sku A-1, available 2.",
          details: { sku: "A-1", available: 2 },
          error_class: "permanent",
          side_effect: "none"
        }
      )
      const coupon = yield* post(`${url}/tools/order_item`, { q: "coupon" })
      assert.deepStrictEqual(
        [coupon.status, coupon.json.code, coupon.json.details],
        [422, "unknown_coupon", { coupon: "X" }]
      )
      assert.strictEqual(statusOf("permanent", "out_of_stock", "none"), 500)
      assert.include(meanings[409], "the tool refused the action")
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live("3.5 remain refusals for a guard that imports the tool: nothing was done, and the fields are read", () =>
    Effect.gen(function* () {
      const { layer, runs, tool } = order()
      const url = yield* serving(box([tool]), layer)
      const { tools } = Import.toolsUnsafe(ToolApi.document(box([tool])), { baseUrl: url })
      const { error } = yield* answer(tools[0]!, { q: "A-1" })
      assert.deepStrictEqual(
        [error.error_class, error.code, error.message, error.details, error.side_effect],
        ["permanent", "out_of_stock", "Out of stock: sku A-1, available 2.", { sku: "A-1", available: 2 }, "none"]
      )
      assert.strictEqual(runs(), 1)
      const failure = yield* Effect.flip(tools[0]!.call({ q: "A-2" }))
      assert.deepStrictEqual([failure._tag, failure.code, failure.sideEffect], ["Permanent", "out_of_stock", "none"])
    }).pipe(Effect.scoped, Effect.provide(live))
  )
})

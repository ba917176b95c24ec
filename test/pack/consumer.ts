/** A user's program: it knows only effect and effect-toolguard. Prints `ok` where the installed package works. */
import { Effect, Layer, Option, Schema } from "effect"
import { Agent, Guard, GuardedTool, Toolbox, Verdict } from "effect-toolguard"
import * as EscalationScripted from "effect-toolguard/layers/EscalationScripted"
import { Authorizer } from "effect-toolguard/services/Authorizer"

const Order = Schema.Struct({ id: Schema.String, cents: Schema.Int })

export class Orders extends Schema.Opaque<Orders>()(
  Schema.Struct({ orders: Schema.Array(Order), page: Schema.Int, has_more: Schema.Boolean })
) {}

export class SearchOrders extends GuardedTool.Service<SearchOrders>()("search_orders", {
  description: "Searches the orders of one customer. Read-only. Use it to find order ids. Not for order details.",
  access: "read",
  parameters: Schema.Struct({ customer_id: Schema.NonEmptyString, page: Schema.Int }),
  success: Orders,
  checks: {
    morePages: (result, { arguments: { page } }) =>
      result.has_more ? Verdict.partial({ next: { page: page + 1 } }) : Verdict.ok
  }
}) {}

export class RefundOrder extends GuardedTool.Service<RefundOrder>()("refund_order", {
  description: "Refunds one order in full. Writes. Not for partial refunds.",
  access: "destructive",
  parameters: Schema.Struct({ order_id: Schema.NonEmptyString }),
  success: Schema.Struct({ refunded: Schema.Boolean }),
  idempotency: "derived",
  reconcile: {
    tool: SearchOrders,
    arguments: ({ order_id }) => ({ customer_id: order_id, page: 1 }),
    found: (result) => Option.map(Option.fromUndefinedOr(result.orders[0]), () => ({ refunded: true }))
  },
  retry: { attempts: 3 }
}) {}

export const tools = Toolbox.make(SearchOrders.pipe(GuardedTool.timeout("2 seconds")), RefundOrder)

export const allOrders = SearchOrders.call({ customer_id: "C-1", page: 1 }).pipe(
  Effect.catchTag("PartialData", (partial) => SearchOrders.call(partial.next))
)

export const refund = RefundOrder.call({ order_id: "A" })

export const authorizer = Effect.serviceOption(Authorizer)

export const answer = Agent.run({ prompt: "Where are my orders?", tools })

export const layers = Layer.mergeAll(
  SearchOrders.layerTest(({ page }) => Effect.succeed({ orders: [{ id: "A", cents: 1 }], page, has_more: page === 1 })),
  RefundOrder.layerTest(() => Effect.succeed({ refunded: true })),
  Guard.layerMemoryWith(EscalationScripted.layer(["approve"]))
)

const results = JSON.stringify(await Effect.runPromise(Effect.all([allOrders, refund]).pipe(Effect.provide(layers))))
const expected = `[{"orders":[{"id":"A","cents":1}],"page":2,"has_more":false},{"refunded":true}]`
console.log(results === expected ? "ok" : results)

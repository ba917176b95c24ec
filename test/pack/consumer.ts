/** A user's program that imports only effect and effect-toolguard, and prints `ok` if the installed package works. */
import { Effect, Layer, Option, Schema } from "effect"
import { LanguageModel, Tool, Toolkit } from "effect/ai"
import { HttpClient } from "effect/http"
import {
  Agent,
  echoed,
  Guard,
  GuardedModel,
  GuardedTool,
  hiddenFailure,
  morePages,
  Pipeline,
  type Stage,
  Toolbox,
  Verdict
} from "effect-toolguard"
import * as EscalationScripted from "effect-toolguard/layers/EscalationScripted"
import { Authorizer } from "effect-toolguard/services/Authorizer"
import { McpServe } from "effect-toolguard/mcp"
import * as OpenApi from "effect-toolguard/openapi"

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

export class SearchOrdersCache extends GuardedTool.Service<SearchOrdersCache>()("search_orders_cache", {
  description: "Searches the orders of one customer as of yesterday. Read-only.",
  access: "read",
  parameters: Schema.Struct({ customer_id: Schema.NonEmptyString }),
  success: Orders
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

/** A check whose type is inferred, like the types of the other exports. */
export const sameOrder = echoed(
  (args: { readonly order_id: string }) => args.order_id,
  (result: { readonly id: string }) => result.id
)
export class ListRefunds extends GuardedTool.Service<ListRefunds>()("list_refunds", {
  description: "Lists the refunds of one order. Read-only.",
  access: "read",
  parameters: Schema.Struct({ order_id: Schema.NonEmptyString, page: Schema.Int }),
  success: Schema.Struct({ id: Schema.String, rows: Schema.Array(Order) }),
  checks: {
    sameOrder,
    hiddenFailure,
    more: morePages((result, args) => (result.rows.length < 10 ? undefined : { page: args.page + 1 }))
  },
  salvage: { path: "rows", narrow: "Ask for one page." }
}) {}
export const withFallback = SearchOrders.pipe(
  GuardedTool.fallback(SearchOrdersCache, ({ customer_id }) => ({ customer_id })),
  GuardedTool.timeout("1 second")
)
export const overHttp = ListRefunds.layer(
  Effect.gen(function* () {
    const http = yield* HttpClient.HttpClient
    return ({ order_id }) => http.get(`/refunds/${order_id}`)
  })
)
export const audit: Stage<Authorizer> = {
  name: "audit",
  make: Effect.map(Authorizer, () => () => (next) => next)
}
export const audited = Guard.layerOf(Pipeline.insertBefore("retry", audit)(Pipeline.stages))

export const tools = Toolbox.make(SearchOrders.pipe(GuardedTool.timeout("2 seconds")), RefundOrder)

export const allOrders = SearchOrders.call({ customer_id: "C-1", page: 1 }).pipe(
  Effect.catchTag("PartialData", (partial) => SearchOrders.call(partial.next))
)

export const refund = RefundOrder.call({ order_id: "A" })

export const authorizer = Effect.serviceOption(Authorizer)

export const answer = Agent.run({ prompt: "Where are my orders?", tools })

export const text = LanguageModel.generateText({ prompt: "Where are my orders?", toolkit: tools.toolkit }).pipe(
  Guard.turn,
  Effect.provide(tools.handlers)
)

/** A toolkit of effect/ai that is guarded below. */
const Desk = Toolkit.make(
  Tool.make("find_desk", {
    parameters: Schema.Struct({ id: Schema.String }),
    success: Schema.Struct({ id: Schema.String })
  })
)
export const desk = GuardedTool.fromToolkit(Desk, { find_desk: { access: "read" } })
export const findDesk = desk.get("find_desk").call({ id: "D-1" })
export const model = GuardedModel.layer

/** Serves the toolbox over MCP. */
export const served = McpServe.layerHttp(tools, { name: "orders", version: "1" })

/** Serves the toolbox over HTTP, and imports its OpenAPI document. */
export const api = OpenApi.api(tools)
export const routes = OpenApi.layer(tools)
export const imported = OpenApi.toolsUnsafe(OpenApi.document(tools), { baseUrl: "https://tools.example.com" })

export const layers = Layer.mergeAll(
  SearchOrders.layerTest(({ page }) => Effect.succeed({ orders: [{ id: "A", cents: 1 }], page, has_more: page === 1 })),
  RefundOrder.layerTest(() => Effect.succeed({ refunded: true })),
  Guard.layerMemoryWith(EscalationScripted.layer(["approve"]))
)

const results = JSON.stringify(await Effect.runPromise(Effect.all([allOrders, refund]).pipe(Effect.provide(layers))))
const expected = `[{"orders":[{"id":"A","cents":1}],"page":2,"has_more":false},{"refunded":true}]`
console.log(results === expected && imported.tools.length === 2 ? "ok" : results)

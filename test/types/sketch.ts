/** The original sketch of the public API, which is only compiled. The definitions that the sketch omits come first. */
import { Effect, Layer, Option, Schema } from "effect"
import { type AiError, LanguageModel, McpServer } from "effect/ai"
import { HttpClient } from "effect/http"
import {
  Agent,
  type AgentEnd,
  Approval,
  type CallFailure,
  emptyFirstPage,
  Guard,
  GuardedTool,
  type PartialData,
  type SemanticGarbage,
  Toolbox,
  Verdict
} from "effect-toolguard"
import * as EscalationScripted from "effect-toolguard/layers/EscalationScripted"
import * as ScriptedModel from "effect-toolguard/layers/ScriptedModel"
import { assertType, type Equals } from "./kit.ts"

const CustomerId = Schema.NonEmptyString
const OrderId = Schema.NonEmptyString
const Page = Schema.Int.annotate({ default: 1 }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)))
const Order = Schema.Struct({ id: OrderId })
class Refund extends Schema.Opaque<Refund>()(Schema.Struct({ id: Schema.String })) {}

class FindRefund extends GuardedTool.Service<FindRefund>()("find_refund", {
  description: "Finds refunds by key. Read-only.",
  access: "read",
  parameters: Schema.Struct({ key: Schema.String }),
  success: Schema.Struct({ refunds: Schema.Array(Refund) })
}) {}

const prompt = "Where are my orders?"
const twoOrders = { orders: [{ id: "O-1" }, { id: "O-2" }], page: 1, has_more: false }

// the sketch

export class Orders extends Schema.Opaque<Orders>()(
  Schema.Struct({ orders: Schema.Array(Order), page: Schema.Int, has_more: Schema.Boolean })
) {}

class SearchOrdersCache extends GuardedTool.Service<SearchOrdersCache>()("search_orders_cache", {
  description: "Searches the orders of one customer as of yesterday. Read-only.",
  access: "read",
  parameters: Schema.Struct({ customer_id: CustomerId }),
  success: Orders
}) {}

export class SearchOrders extends GuardedTool.Service<SearchOrders>()("search_orders", {
  description: "Searches the orders of one customer. Read-only. Use it to find order ids. Not for order details.",
  access: "read",
  parameters: Schema.Struct({ customer_id: CustomerId, page: Page }),
  success: Orders,
  checks: {
    emptyFirstPage: emptyFirstPage((result) => result.orders),
    morePages: (result, { arguments: { page } }) =>
      result.has_more ? Verdict.partial({ next: { page: page + 1 } }) : Verdict.ok
  },
  fallbacks: [{ tool: SearchOrdersCache, arguments: ({ customer_id }) => ({ customer_id }) }]
}) {}

export class RefundOrder extends GuardedTool.Service<RefundOrder>()("refund_order", {
  description: "Refunds one order in full. Writes. Not for partial refunds.",
  access: "destructive",
  parameters: Schema.Struct({ order_id: OrderId, cents: Schema.Int }),
  success: Refund,
  idempotency: "derived",
  approval: ({ cents }) => (cents > 10_000 ? Approval.confirm(`Refund ${cents} cents`) : Approval.auto),
  reconcile: {
    tool: FindRefund,
    arguments: (_, key) => ({ key }),
    found: (result) => Option.fromUndefinedOr(result.refunds[0])
  },
  retry: { attempts: 3 }
}) {}

export const layer = SearchOrders.layer(
  Effect.gen(function* () {
    const http = yield* HttpClient.HttpClient
    return ({ customer_id, page }) => http.get(`/orders?customer=${customer_id}&page=${page}`)
  })
)

const orders = SearchOrders.call({ customer_id: "C-9921" }).pipe(
  Effect.catchTag("PartialData", (partial) => Effect.succeed(partial.data))
)

const tools = Toolbox.make(SearchOrders.pipe(GuardedTool.timeout("2 seconds")), RefundOrder)
const answer = Agent.run({ prompt: "Where are my orders?", tools })

const generated = LanguageModel.generateText({ prompt, toolkit: tools.toolkit }).pipe(
  Guard.turn,
  Effect.provide(tools.handlers)
)
const served = McpServer.toolkit(tools.toolkit).pipe(Layer.provide(tools.handlers))

const tested = Effect.provide([
  SearchOrders.layerTest(() => Effect.succeed(twoOrders)),
  Guard.layerMemoryWith(EscalationScripted.layer(["approve"])),
  ScriptedModel.layer(["Two orders."])
])

type Arguments = { readonly customer_id: string; readonly page?: number }

assertType<Equals<Effect.Success<typeof orders>, Orders>>()
assertType<Equals<Effect.Error<typeof orders>, CallFailure | SemanticGarbage>>()
assertType<Equals<Effect.Services<typeof orders>, SearchOrders | SearchOrdersCache | Guard>>()
const called = SearchOrders.call({ customer_id: "C-9921" })
assertType<Equals<Effect.Error<typeof called>, CallFailure | SemanticGarbage | PartialData<Orders, Arguments>>>()
assertType<Equals<typeof layer, Layer.Layer<SearchOrders, never, HttpClient.HttpClient>>>()

type Requirements = SearchOrders | SearchOrdersCache | RefundOrder | FindRefund | Guard
assertType<Equals<Effect.Success<typeof answer>, AgentEnd>>()
assertType<Equals<Effect.Error<typeof answer>, never>>()
assertType<Equals<Effect.Services<typeof answer>, Requirements | LanguageModel.LanguageModel>>()
assertType<Equals<Effect.Error<typeof generated>, AiError.AiError>>()
assertType<Equals<Effect.Services<typeof generated>, Requirements | LanguageModel.LanguageModel>>()
assertType<Equals<typeof served, Layer.Layer<never, never, Requirements | McpServer.McpServer>>>()

const program = orders.pipe(tested)
assertType<Equals<Effect.Services<typeof program>, SearchOrdersCache>>()

/** Guarded tools for hostile upstreams: reads and writes through the HTTP clients that backends use. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer, Schema } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import * as GuardedTool from "#src/tool/GuardedTool"

const parameters = Schema.Struct({ name: Schema.String })
const order = Schema.Struct({ n: Schema.Int, note: Schema.Json })
const retry = { attempts: 2, base: "10 millis" } as const
const reads = { description: "Reads one thing. Read-only.", access: "read", parameters, retry } as const

class GetOrder extends GuardedTool.Service<GetOrder>()("get_order", { ...reads, success: order }) {}
class GetAnything extends GuardedTool.Service<GetAnything>()("get_anything", { ...reads, success: Schema.Json }) {}
class GetText extends GuardedTool.Service<GetText>()("get_text", { ...reads, success: Schema.String }) {}
class ListOrders extends GuardedTool.Service<ListOrders>()("list_orders", {
  ...reads,
  success: Schema.Struct({ n: Schema.Int, note: Schema.Array(Schema.Struct({ id: Schema.Int })) }),
  salvage: { path: "note", rest: () => ({ n: 0 }), narrow: "Ask for fewer rows." }
}) {}
class RefundOrder extends GuardedTool.Service<RefundOrder>()("refund_order", {
  description: "Refunds an order. Writes.",
  access: "write",
  parameters,
  success: order,
  // a behaviour causes up to eight attempts of this tool, and five failures would open its circuit
  circuit: false
}) {}
class PlaceOrder extends GuardedTool.Service<PlaceOrder>()("place_order", {
  description: "Places an order. Writes.",
  access: "write",
  parameters,
  success: order,
  idempotency: { mode: "derived", upstreamHonoursKey: true },
  retry
}) {}

/** The services of all tools. */
export type Tools = GetOrder | GetAnything | GetText | ListOrders | RefundOrder | PlaceOrder

/** Returns short limits for behaviours that hang, to keep tests quick, otherwise enough for 200 MB on a busy machine. */
const timeLimitsOf = (name: string) =>
  /^(hang|drip)/.test(name)
    ? ({ timeout: "300 millis", deadline: "1 second" } as const)
    : ({ timeout: "30 seconds", deadline: "2 minutes" } as const)

/** Returns the tools by name, with the time limits of a behaviour. */
export const toolsFor = (name: string): Readonly<Record<string, GuardedTool.AnyTool>> =>
  Object.fromEntries(
    [GetOrder, GetAnything, GetText, ListOrders, RefundOrder, PlaceOrder].map((tool) => [
      tool.toolName,
      GuardedTool.policy(timeLimitsOf(name))(tool as GuardedTool.AnyTool)
    ])
  )

const clients: Readonly<Record<string, Layer.Layer<HttpClient.HttpClient>>> = {
  fetch: FetchHttpClient.layer,
  undici: NodeHttpClient.layerUndici,
  http: NodeHttpClient.layerNodeHttp
}

/** Implements the tools with one of the clients. `urlOf` returns the URL of a behaviour. */
export const layerOf = (client: string, urlOf: (name: string) => string): Layer.Layer<Tools> => {
  const handler = (method: "get" | "post") =>
    Effect.map(
      HttpClient.HttpClient,
      (http) =>
        ({ name }: { readonly name: string }) =>
          http[method](urlOf(name))
    )
  const get = handler("get")
  const post = handler("post")
  return Layer.mergeAll(
    GetOrder.layer(get),
    GetAnything.layer(get),
    GetText.layer(get),
    ListOrders.layer(get),
    RefundOrder.layer(post),
    PlaceOrder.layer(post)
  ).pipe(Layer.provide(clients[client] ?? FetchHttpClient.layer))
}

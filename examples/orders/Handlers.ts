/**
 * The implementation of the tools: one HTTP request each. Handlers return the response unchanged; the guard reads its
 * status, headers and a bounded body, and classifies the response.
 */
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { FindRefund, ReadOrder, RefundOrder, SearchOrders } from "./Tools.ts"

/** Implements the four tools, which call the service (or gateway) at an address. */
export const layer = (
  address: string
): Layer.Layer<SearchOrders | ReadOrder | RefundOrder | FindRefund, never, HttpClient.HttpClient> => {
  const client = Effect.map(HttpClient.HttpClient, HttpClient.mapRequest(HttpClientRequest.prependUrl(address)))
  return Layer.mergeAll(
    SearchOrders.layer(
      Effect.map(
        client,
        (http) =>
          ({ cursor, customer_id, limit, status }) =>
            http.get("/orders", { urlParams: { customer: customer_id, status, limit, after: cursor } })
      )
    ),
    ReadOrder.layer(
      Effect.map(
        client,
        (http) =>
          ({ order_id }) =>
            http.get(`/orders/${order_id}`)
      )
    ),
    FindRefund.layer(
      Effect.map(
        client,
        (http) =>
          ({ key }) =>
            http.get("/refunds", { urlParams: { key } })
      )
    ),
    RefundOrder.layer(
      Effect.map(
        client,
        (http) =>
          (refund, { idempotencyKey }) =>
            http.execute(
              HttpClientRequest.post("/refunds").pipe(
                HttpClientRequest.setHeader("idempotency-key", idempotencyKey),
                HttpClientRequest.bodyJsonUnsafe(refund)
              )
            )
      )
    )
  )
}

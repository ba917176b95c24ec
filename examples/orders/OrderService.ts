/**
 * The order service of the shop, over HTTP. Its documentation:
 *
 * - `GET /orders?customer=C-9921[&status=shipped][&limit=25][&after=O-1037]` lists orders, newest first, as
 *   `{ orders, has_more, next_cursor }`. `limit` is at most 100; `after` is the `next_cursor` of the previous page.
 * - `GET /orders/O-1047` returns one order with its events.
 * - `POST /refunds` with `{ order_id, cents, reason, environment }` refunds an order in full. A request with a known
 *   `Idempotency-Key` gets the refund made under this key, or is refused (422) if its body differs. In the environment
 *   `staging` nothing is stored.
 * - `GET /refunds?key=KEY` finds a refund by its key.
 * - Errors are `{ error: { code, message } }` with a 4xx status, or 500 if a body is not JSON.
 */
import { Effect, type Scope } from "effect"
import { orders } from "./Data.ts"
import { type CannotListen, json, listen, type Reply, type Request } from "./Listen.ts"

interface Refund {
  readonly refund_id: string
  readonly order_id: string
  readonly cents: number
  readonly reason: string
}

interface Environment {
  readonly environment: "production" | "staging"
}

const refuse = (status: number, code: string, message: string): Reply => json(status, { error: { code, message } })

const list = (query: URLSearchParams): Reply => {
  const customer = query.get("customer")
  const status = query.get("status")
  const after = query.get("after")
  const limit = Number(query.get("limit") ?? 25)
  if (customer === null) return refuse(400, "bad_request", "customer is missing")
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) return refuse(400, "bad_request", "limit must be 1 to 100")
  const all = orders.filter((order) => order.customer_id === customer && (status === null || order.status === status))
  const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1
  if (after !== null && start === 0) return refuse(400, "bad_request", `after: there is no order ${after} in this list`)
  const page = all.slice(start, start + limit)
  const hasMore = start + limit < all.length
  return json(200, { orders: page, has_more: hasMore, next_cursor: hasMore ? page.at(-1)?.id : null })
}

const one = (id: string): Reply => {
  const order = orders.find((order) => order.id === id)
  if (order === undefined) return refuse(404, "not_found", `There is no order ${id}.`)
  const hasShipped = order.status !== "placed" && order.status !== "packed"
  const hasArrived = order.status === "delivered" || order.status === "returned"
  const events = [
    { on: order.placed_on, what: "placed" },
    ...(hasShipped ? [{ on: order.placed_on, what: "shipped" }] : []),
    ...(hasArrived ? [{ on: order.placed_on, what: order.status }] : [])
  ]
  return json(200, { ...order, events })
}

/** Creates an empty ledger, which makes at most one refund per key and per order. */
const ledger = () => {
  const byKey = new Map<string, { readonly body: string; readonly refund: Refund }>()
  const make = (key: string, body: string): Reply => {
    const before = byKey.get(key)
    if (before?.body === body) return json(200, before.refund)
    if (before !== undefined) return refuse(422, "key_reused", "This key was used with another body.")
    // this example trusts its only client to send the documented fields
    const { cents, environment, order_id, reason } = JSON.parse(body) as Omit<Refund, "refund_id"> & Environment
    const order = orders.find(({ id }) => id === order_id)
    if (order === undefined) return refuse(404, "not_found", `There is no order ${order_id}.`)
    if (order.cents !== cents) return refuse(422, "wrong_amount", `The amount of ${order_id} is ${order.cents} cents.`)
    if ([...byKey.values()].some(({ refund }) => refund.order_id === order_id)) {
      return refuse(409, "already_refunded", `${order_id} was already refunded.`)
    }
    if (environment === "staging") return json(200, { refund_id: "R-staging", order_id, cents, reason })
    const refund = { refund_id: `R-${byKey.size + 1}`, order_id, cents, reason }
    byKey.set(key, { body, refund })
    return json(201, refund)
  }
  const find = (key: string): Reply =>
    json(200, { refunds: [...byKey].flatMap(([k, { refund }]) => (k === key ? [refund] : [])) })
  return { make, find }
}

const routes = () => {
  const refunds = ledger()
  return ({ body, headers, method, url: { pathname, searchParams } }: Request): Reply => {
    const [, folder, id] = pathname.split("/")
    if (method === "GET" && folder === "orders") return id === undefined ? list(searchParams) : one(id)
    if (method === "GET" && pathname === "/refunds") return refunds.find(searchParams.get("key") ?? "")
    if (method === "POST" && pathname === "/refunds") {
      const key = headers["idempotency-key"]
      return key === undefined ? refuse(400, "bad_request", "Idempotency-Key is missing") : refunds.make(key, body)
    }
    return refuse(404, "not_found", `There is no ${method} ${pathname}.`)
  }
}

/** Starts the service without refunds, and returns its address. */
export const start: Effect.Effect<string, CannotListen, Scope.Scope> = Effect.suspend(() => listen(routes()))

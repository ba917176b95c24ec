/** The tools of the shop: four declarations. Their implementation is in `Handlers.ts`. */
import { Approval, GuardedTool, morePages, Verdict } from "effect-toolguard"
import { Effect, Option, Schema } from "effect"

const CustomerId = Schema.String.check(
  Schema.isPattern(/^C-\d{4}$/u),
  Schema.isMinCodePoints(6),
  Schema.isMaxCodePoints(6)
).annotate({
  description: "Number of the customer, such as C-9921."
})
const OrderId = Schema.String.check(
  Schema.isPattern(/^O-\d{4}$/u),
  Schema.isMinCodePoints(6),
  Schema.isMaxCodePoints(6)
).annotate({
  description: "Number of the order, such as O-1047."
})
const Status = Schema.Literals(["placed", "packed", "shipped", "delivered", "returned"])
const Cents = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))

/** One order, as the service lists it. */
export const Order = Schema.Struct({
  id: OrderId,
  customer_id: CustomerId,
  placed_on: Schema.String,
  status: Status,
  cents: Schema.Int,
  article: Schema.String,
  note: Schema.String
})
export type Order = typeof Order.Type

const Orders = Schema.Struct({
  orders: Schema.Array(Order),
  has_more: Schema.Boolean,
  next_cursor: Schema.NullOr(OrderId)
})

const Refund = Schema.Struct({ refund_id: Schema.String, order_id: OrderId, cents: Schema.Int, reason: Schema.String })

/** Lists orders. If an answer is truncated, its complete rows are kept, and the next call continues after the last of them. */
export class SearchOrders extends GuardedTool.Service<SearchOrders>()("search_orders", {
  description:
    "Lists the orders of one customer, newest first. Read-only. Use it to find orders and their status. " +
    "Not for the details of one order: use read_order.",
  access: "read",
  parameters: Schema.Struct({
    customer_id: CustomerId,
    status: Schema.optionalKey(Status.annotate({ description: "Only orders with this status." })),
    limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))
      .annotate({ description: "Maximum orders per answer.", default: 25 })
      .pipe(Schema.withDecodingDefaultKey(Effect.succeed(25))),
    cursor: Schema.optionalKey(
      OrderId.annotate({ description: "The next_cursor of the previous answer. Omit it for the first page." })
    )
  }),
  success: Orders,
  checks: {
    ofThisCustomer: ({ orders }, { arguments: { customer_id } }) =>
      orders.every((order) => order.customer_id === customer_id)
        ? Verdict.ok
        : Verdict.garbage({ code: "wrong_customer", detail: "The answer contains orders of another customer." }),
    morePages: morePages(({ has_more, next_cursor }) =>
      has_more && next_cursor !== null ? { cursor: next_cursor } : undefined
    )
  },
  salvage: {
    path: "orders",
    // salvaged rows have been validated against the schema of orders
    rest: (rows) => ({ has_more: true, next_cursor: (rows.at(-1) as typeof Order.Encoded).id }),
    next: ({ next_cursor }) => ({ cursor: next_cursor ?? "" })
  }
}) {}

/** Reads one order with its events. */
export class ReadOrder extends GuardedTool.Service<ReadOrder>()("read_order", {
  description:
    "Reads one order with its amount and the events of its delivery. Read-only. Use it when the order's number is known. " +
    "Not for finding orders: use search_orders.",
  access: "read",
  parameters: Schema.Struct({ order_id: OrderId }),
  success: Schema.Struct({
    ...Order.fields,
    events: Schema.Array(Schema.Struct({ on: Schema.String, what: Schema.String }))
  }),
  checks: {
    requestedOrder: (order, { arguments: { order_id } }) =>
      order.id === order_id
        ? Verdict.ok
        : Verdict.garbage({ code: "wrong_order", detail: `Asked for ${order_id}, got ${order.id}.` })
  }
}) {}

/** Finds the refund made under a key. The guard calls it if the outcome of `refund_order` is unknown. */
export class FindRefund extends GuardedTool.Service<FindRefund>()("find_refund", {
  description:
    "Finds the refund that was made under one key. Read-only. Use it when the outcome of a refund is unknown. " +
    "Not for the refunds of a customer.",
  access: "read",
  parameters: Schema.Struct({
    key: Schema.String.check(Schema.isMinCodePoints(16), Schema.isMaxCodePoints(64)).annotate({
      description: "The key of the refund."
    })
  }),
  success: Schema.Struct({ refunds: Schema.Array(Refund) })
}) {}

/** A person confirms refunds of more than this many cents. */
const confirmAbove = 5_000

/** Refunds an order once per key. Unknown outcomes are looked up, and large refunds need a person's approval. */
export class RefundOrder extends GuardedTool.Service<RefundOrder>()("refund_order", {
  description:
    "Refunds one order in full. Writes, and cannot be undone. Use it when the customer asked for the money back. " +
    "Read the order first. Not for partial refunds.",
  access: "destructive",
  parameters: Schema.Struct({
    order_id: OrderId,
    cents: Cents.annotate({ description: "The order's full amount in cents, as read_order returns it." }),
    reason: Schema.Literals(["damaged", "lost", "late", "returned"]).annotate({
      description: "The reason for the refund."
    }),
    environment: Schema.Literals(["production", "staging"])
      .annotate({ description: "Where the refund happens.", default: "production" })
      .pipe(Schema.withDecodingDefaultKey(Effect.succeed("production" as const)))
  }),
  success: Refund,
  idempotency: { mode: "key", upstreamHonoursKey: true },
  approval: ({ cents, order_id }) =>
    cents > confirmAbove
      ? Approval.confirm(`Refund ${(cents / 100).toFixed(2)} EUR for order ${order_id}?`)
      : Approval.auto,
  reconcile: {
    tool: FindRefund,
    arguments: (_, key) => ({ key }),
    found: ({ refunds }) => Option.fromUndefinedOr(refunds[0])
  }
}) {}

/**
 * The workloads: a search whose result is a page of orders, in Effect Schema and zod. `wide` has ten orders of 20 fields
 * with an address and three lines; `narrow` has twenty orders of six fields with three lines.
 */
import { Effect, Schema } from "effect"
import * as z from "zod"

const Line = () =>
  Schema.Struct({
    sku: Schema.String,
    title: Schema.String,
    quantity: Schema.Int,
    unit_cents: Schema.Int,
    tax_rate: Schema.Finite,
    gift: Schema.Boolean
  })

const Address = () =>
  Schema.Struct({ street: Schema.String, city: Schema.String, zip: Schema.String, country: Schema.String })

const Order = () =>
  Schema.Struct({
    id: Schema.String,
    customer_id: Schema.String,
    status: Schema.Literals(["placed", "shipped", "delivered", "cancelled"]),
    currency: Schema.String,
    total_cents: Schema.Int,
    tax_cents: Schema.Int,
    discount_cents: Schema.Int,
    shipping_cents: Schema.Int,
    placed_at: Schema.String,
    updated_at: Schema.String,
    email: Schema.String,
    phone: Schema.NullOr(Schema.String),
    note: Schema.NullOr(Schema.String),
    priority: Schema.Boolean,
    channel: Schema.String,
    warehouse: Schema.String,
    carrier: Schema.String,
    tracking: Schema.NullOr(Schema.String),
    address: Address(),
    lines: Schema.Array(Line())
  })

const NarrowOrder = () =>
  Schema.Struct({
    id: Schema.String,
    customer_id: Schema.String,
    status: Schema.Literals(["placed", "shipped", "delivered", "cancelled"]),
    total_cents: Schema.Int,
    placed_at: Schema.String,
    lines: Schema.Array(Schema.Struct({ sku: Schema.String, quantity: Schema.Int, unit_cents: Schema.Int }))
  })

const pageOf = <Order extends Schema.ConstraintCodec<unknown, unknown>>(order: Order) =>
  Schema.Struct({ orders: Schema.Array(order), page: Schema.Int, has_more: Schema.Boolean })

export const Input = () =>
  Schema.Struct({
    customer_id: Schema.String,
    status: Schema.optionalKey(Schema.Literals(["placed", "shipped", "delivered", "cancelled"])),
    page: Schema.Int.annotate({ default: 1 }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(1))),
    limit: Schema.Int
  })

const ZodOrder = z.object({
  id: z.string(),
  customer_id: z.string(),
  status: z.enum(["placed", "shipped", "delivered", "cancelled"]),
  currency: z.string(),
  total_cents: z.int(),
  tax_cents: z.int(),
  discount_cents: z.int(),
  shipping_cents: z.int(),
  placed_at: z.string(),
  updated_at: z.string(),
  email: z.string(),
  phone: z.string().nullable(),
  note: z.string().nullable(),
  priority: z.boolean(),
  channel: z.string(),
  warehouse: z.string(),
  carrier: z.string(),
  tracking: z.string().nullable(),
  address: z.object({ street: z.string(), city: z.string(), zip: z.string(), country: z.string() }),
  lines: z.array(
    z.object({
      sku: z.string(),
      title: z.string(),
      quantity: z.int(),
      unit_cents: z.int(),
      tax_rate: z.number(),
      gift: z.boolean()
    })
  )
})

export const ZodNarrowOrder = z.object({
  id: z.string(),
  customer_id: z.string(),
  status: z.enum(["placed", "shipped", "delivered", "cancelled"]),
  total_cents: z.int(),
  placed_at: z.string(),
  lines: z.array(z.object({ sku: z.string(), quantity: z.int(), unit_cents: z.int() }))
})

const zodPageOf = (order: z.ZodType) => z.object({ orders: z.array(order), page: z.int(), has_more: z.boolean() })

export const ZodInput = z.strictObject({
  customer_id: z.string(),
  status: z.enum(["placed", "shipped", "delivered", "cancelled"]).optional(),
  page: z.int().default(1),
  limit: z.int()
})

const order = (id: string) => ({
  id,
  customer_id: "C-9921",
  status: "shipped" as const,
  currency: "EUR",
  total_cents: 48_120,
  tax_cents: 7_683,
  discount_cents: 0,
  shipping_cents: 490,
  placed_at: "2026-01-05T10:11:12Z",
  updated_at: "2026-01-06T08:00:00Z",
  email: "kim@example.com",
  phone: null,
  note: "ring twice",
  priority: false,
  channel: "web",
  warehouse: "FRA-2",
  carrier: "DHL",
  tracking: "00340434161094042557",
  address: { street: "Hauptstrasse 5", city: "Mainz", zip: "55116", country: "DE" },
  lines: Array.from({ length: 3 }, (_, index) => ({
    sku: `SKU-${index}`,
    title: `Article number ${index}`,
    quantity: index + 1,
    unit_cents: 1_999,
    tax_rate: 0.19,
    gift: index === 2
  }))
})

const narrowOrder = (id: string) => ({
  id,
  customer_id: "C-9921",
  status: "shipped" as const,
  total_cents: 48_120,
  placed_at: "2026-01-05T10:11:12Z",
  lines: Array.from({ length: 3 }, (_, index) => ({ sku: `SKU-${index}`, quantity: index + 1, unit_cents: 1_999 }))
})

export const goodArguments = { customer_id: "C-9921", status: "shipped" as const, limit: 10 }
export const badArguments = { customer_id: 9921, status: "sent", limit: "ten", extra: true }

/** Defines a workload. The upstream answers as real ones do, with a promise. */
const workload = <Order extends Schema.ConstraintCodec<unknown, unknown>>(
  orderSchema: () => Order,
  zodOrder: z.ZodType,
  orders: ReadonlyArray<Order["Type"]>
) => {
  const ZodOutput = zodPageOf(zodOrder)
  const result = { orders, page: 1, has_more: true }
  const resultText = JSON.stringify(result)
  const upstream = async (_: unknown) => result
  const upstreamText = async (_: unknown): Promise<string> => resultText
  return {
    /** Returns a new schema each time, so that variants with and without JIT do not share compiled schemas. */
    Output: () => pageOf(orderSchema()),
    ZodOutput,
    result,
    resultText,
    upstream,
    upstreamText,
    /** Calls the upstream as hand-written code does: parses the arguments, calls, and parses the result. */
    zodCall: async (args: unknown): Promise<unknown> => ZodOutput.parse(await upstream(ZodInput.parse(args))),
    zodText: async (args: unknown): Promise<unknown> =>
      ZodOutput.parse(JSON.parse(await upstreamText(ZodInput.parse(args)))),
    /** Calls the upstream for a model as hand-written code does, from text to text. */
    zodModel: async (text: string): Promise<string> =>
      JSON.stringify(ZodOutput.parse(await upstream(ZodInput.parse(JSON.parse(text)))))
  }
}

export const wide = workload(
  Order,
  ZodOrder,
  Array.from({ length: 10 }, (_, index) => order(`O-77${index}`))
)

export const narrow = workload(
  NarrowOrder,
  ZodNarrowOrder,
  Array.from({ length: 20 }, (_, index) => narrowOrder(`O-77${index}`))
)

/** Returns the message for a model about invalid arguments. */
export const zodFailure = async (args: unknown): Promise<string> => {
  const parsed = ZodInput.safeParse(args)
  return parsed.success ? JSON.stringify(await wide.upstream(parsed.data)) : parsed.error.message
}

/** The tools that the type tests share. */
import { Effect, Schema } from "effect"
import { GuardedTool, Verdict } from "effect-toolguard"

export class Orders extends Schema.Opaque<Orders>()(
  Schema.Struct({ orders: Schema.Array(Schema.String), page: Schema.Int, has_more: Schema.Boolean })
) {}

export const Page = Schema.Int.annotate({ default: 1 }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)))

/** The fields that every tool of these tests has. */
export const base = {
  description: "Searches orders. Read-only.",
  parameters: Schema.Struct({ customer_id: Schema.String, page: Page }),
  success: Orders
}

/** What a model sends to a tool with the parameters of `base`. */
export type Sent = { readonly customer_id: string; readonly page?: number }

/** No checks. */
export class Search extends GuardedTool.Service<Search>()("search_orders", { ...base, access: "read" }) {}

/** Can be partial, with a continuation. */
export class Paged extends GuardedTool.Service<Paged>()("page_orders", {
  ...base,
  access: "read",
  checks: {
    more: (result, { arguments: { page } }) =>
      result.has_more ? Verdict.partial({ next: { page: page + 1 } }) : Verdict.ok
  }
}) {}

/** Writes without idempotency. */
export class Cancel extends GuardedTool.Service<Cancel>()("cancel_order", { ...base, access: "write" }) {}

/** Answers with another type than `Search`. */
export class Count extends GuardedTool.Service<Count>()("count_orders", {
  ...base,
  access: "read",
  parameters: Schema.Struct({ customer: Schema.String }),
  success: Schema.Struct({ count: Schema.Int })
}) {}

/** The tools of the type tests. */
import { Effect, Schema } from "effect"
import { GuardedTool, Verdict } from "effect-toolguard"

export class Orders extends Schema.Opaque<Orders>()(
  Schema.Struct({ orders: Schema.Array(Schema.String), page: Schema.Int, has_more: Schema.Boolean })
) {}

export const Page = Schema.Int.annotate({ default: 1 }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)))

/** Fields that the definitions share. */
export const base = {
  description: "Searches orders. Read-only.",
  parameters: Schema.Struct({ customer_id: Schema.String, page: Page }),
  success: Orders
}

/** The arguments that a model sends for the parameters of `base`. */
export type Sent = { readonly customer_id: string; readonly page?: number }

/** A tool without checks. */
export class Search extends GuardedTool.Service<Search>()("search_orders", { ...base, access: "read" }) {}

/** A tool whose result can be partial, with a continuation. */
export class Paged extends GuardedTool.Service<Paged>()("page_orders", {
  ...base,
  access: "read",
  checks: {
    more: (result, { arguments: { page } }) =>
      result.has_more ? Verdict.partial({ next: { page: page + 1 } }) : Verdict.ok
  }
}) {}

/** A write without idempotency. */
export class Cancel extends GuardedTool.Service<Cancel>()("cancel_order", { ...base, access: "write" }) {}

/** A tool whose success type differs from the success type of `Search`. */
export class Count extends GuardedTool.Service<Count>()("count_orders", {
  ...base,
  access: "read",
  parameters: Schema.Struct({ customer: Schema.String }),
  success: Schema.Struct({ count: Schema.Int })
}) {}

/** [3.5] A refusal is a tagged schema error with a unique tag, and the handler provides its fields. */
import { Effect, Schema } from "effect"
import { type Guard, GuardedTool } from "effect-toolguard"
import { base } from "../tools.ts"

class OutOfStock extends Schema.TaggedError<OutOfStock>()("OutOfStock", { sku: Schema.String }) {}
class Sold extends Schema.TaggedError<Sold>("app/Sold")("OutOfStock", { sku: Schema.String }) {}
class Denied extends Schema.TaggedError<Denied>()("Permanent", { sku: Schema.String }) {}

export class Twice extends GuardedTool.Service<Twice>()("twice", {
  ...base,
  access: "write",
  // error: Two refusals have the tag \"OutOfStock\".
  refusals: [OutOfStock, Sold]
}) {}

export class Reserved extends GuardedTool.Service<Reserved>()("reserved", {
  ...base,
  access: "write",
  // error: The tag \"Permanent\" is one of the guard's failures: give the refusal another tag.
  refusals: [Denied]
}) {}

export class Untagged extends GuardedTool.Service<Untagged>()("untagged", {
  ...base,
  access: "write",
  // error: Property '_tag' is missing
  refusals: [Schema.Struct({ sku: Schema.String })]
}) {}

export class WrongClass extends GuardedTool.Service<WrongClass>()("wrong_class", {
  ...base,
  access: "write",
  // error: Type '"Transient"' is not assignable to type 'RefusalClass | undefined'
  refusals: [{ error: OutOfStock, as: "Transient" }]
}) {}

export class Serving extends GuardedTool.Service<Serving>()("serving", {
  ...base,
  access: "write",
  // the cast is enough because only the type of the schema matters here
  // error: The schema of the refusal \"Busy\" requires services: use fields that need none.
  refusals: [undefined as unknown as Schema.Codec<{ readonly _tag: "Busy" }, { readonly _tag: "Busy" }, Guard>]
}) {}

export class Order extends GuardedTool.Service<Order>()("order", {
  ...base,
  access: "write",
  refusals: [OutOfStock]
}) {}

// error: 'skus' does not exist in type
export const layer = Order.layer(() => Effect.fail(new OutOfStock({ skus: "A-1" })))

// error: Argument of type '"SoldOut"' is not assignable to parameter of type
export const wrongTag = Order.call({ customer_id: "C-1" }).pipe(Effect.catchTag("SoldOut", () => Effect.void))

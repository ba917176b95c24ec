/** [3.5] The refusals that a tool declares are part of its error channel, each with its own type and tag. */
import { Effect, type Schema as SchemaModule, Schema } from "effect"
import { type CallFailure, type Guard, GuardedTool, type SemanticGarbage, Toolbox, Verdict } from "effect-toolguard"
import { assertType, type Equals } from "./kit.ts"
import { base, type Orders, Search } from "./tools.ts"

class OutOfStock extends Schema.TaggedError<OutOfStock>()("OutOfStock", {
  sku: Schema.String,
  available: Schema.Int
}) {}
class TicketClosed extends Schema.TaggedError<TicketClosed>("app/TicketClosed")("TicketClosed", {
  closed_at: Schema.DateTimeUtc
}) {}

class Order extends GuardedTool.Service<Order>()("order_item", {
  ...base,
  access: "write",
  refusals: [OutOfStock, { error: TicketClosed, as: "ToolArgError", hint: "Name an open ticket." }]
}) {}

const ordered = Order.call({ customer_id: "C-1" })
assertType<Equals<Effect.Error<typeof ordered>, CallFailure | OutOfStock | TicketClosed>>()
assertType<Equals<Effect.Services<typeof ordered>, Order | Guard>>()
assertType<
  Equals<(typeof Order)["failureSchema"], SchemaModule.Codec<CallFailure | OutOfStock | TicketClosed, unknown>>
>()

// each is caught by its own tag, with its fields

const caught = ordered.pipe(
  Effect.catchTag("OutOfStock", ({ available, sku }) => Effect.succeed({ available, sku })),
  Effect.catchTag("TicketClosed", ({ closed_at }) => Effect.succeed(closed_at))
)
assertType<Equals<Effect.Error<typeof caught>, CallFailure>>()

const withoutPermanent = ordered.pipe(Effect.catchTag("Permanent", ({ code }) => Effect.succeed(code)))
assertType<
  Equals<Effect.Error<typeof withoutPermanent>, Exclude<CallFailure, { _tag: "Permanent" }> | OutOfStock | TicketClosed>
>()

// a handler may fail with them

export const layer = Order.layer(({ page }) =>
  page > 1 ? Effect.fail(new OutOfStock({ sku: "A-1", available: 2 })) : Effect.succeed("{}")
)

// a tool without refusals and a tool with an empty list declare none

class Empty extends GuardedTool.Service<Empty>()("empty", { ...base, access: "read", refusals: [] }) {}
assertType<Equals<GuardedTool.ErrorOf<typeof Empty>, CallFailure>>()
assertType<Equals<GuardedTool.ErrorOf<typeof Search>, CallFailure>>()

// refusals occur together with the failures of checks, and through fallbacks, toolboxes and overrides

class Closing extends GuardedTool.Service<Closing>()("closing", {
  ...base,
  access: "read",
  refusals: [TicketClosed]
}) {}
class Checked extends GuardedTool.Service<Checked>()("checked", {
  ...base,
  access: "read",
  checks: { sound: () => Verdict.garbage({ code: "always", detail: "Always." }) },
  refusals: [OutOfStock],
  fallbacks: [{ tool: Closing, arguments: ({ customer_id }) => ({ customer_id }) }]
}) {}
assertType<Equals<GuardedTool.ErrorOf<typeof Checked>, CallFailure | SemanticGarbage | OutOfStock | TicketClosed>>()

const quick = Order.pipe(GuardedTool.timeout("2 seconds"))
assertType<Equals<typeof quick, typeof Order>>()

const tools = Toolbox.make(Order, Search)
const called = tools.call("order_item", {})
assertType<Equals<Effect.Error<typeof called>, CallFailure | OutOfStock | TicketClosed>>()
assertType<Equals<Effect.Success<typeof called>, Orders>>()

// an error of any schema with a tag

const Busy = Schema.TaggedStruct("Busy", { until: Schema.String })
class Booked extends GuardedTool.Service<Booked>()("book_room", { ...base, access: "write", refusals: [Busy] }) {}
assertType<
  Equals<GuardedTool.ErrorOf<typeof Booked>, CallFailure | { readonly _tag: "Busy"; readonly until: string }>
>()

// a tool that is known only at run time

const dynamic = GuardedTool.dynamic("order", {
  access: "write",
  refusals: [OutOfStock],
  handler: () => Effect.fail(new OutOfStock({ sku: "A-1", available: 2 }))
})
const dynamically = dynamic.call({}).pipe(Effect.catchTag("OutOfStock", ({ sku }) => Effect.succeed(sku)))
assertType<Equals<"OutOfStock" extends Effect.Error<typeof dynamically>["_tag"] ? true : false, false>>()

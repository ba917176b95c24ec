/** A definition determines the failures of a call and the services that it requires. */
import { Context, Effect, Option, Schema } from "effect"
import {
  Approval,
  type CallFailure,
  type Guard,
  GuardedTool,
  type PartialData,
  type SemanticGarbage,
  Verdict,
  weaken
} from "effect-toolguard"
import { assertType, type Equals } from "./kit.ts"
import { base, type Cancel, type Orders, Paged, Search, type Sent } from "./tools.ts"

// the type of a call

const plain = Search.call({ customer_id: "C-1" })
assertType<Equals<Effect.Success<typeof plain>, Orders>>()
assertType<Equals<Effect.Error<typeof plain>, CallFailure>>()
assertType<Equals<Effect.Services<typeof plain>, Search | Guard>>()

class OnlyOk extends GuardedTool.Service<OnlyOk>()("only_ok", {
  ...base,
  access: "read",
  checks: { fine: () => Verdict.ok }
}) {}
assertType<Equals<GuardedTool.ErrorOf<typeof OnlyOk>, CallFailure>>()

assertType<Equals<GuardedTool.ErrorOf<typeof Paged>, CallFailure | PartialData<Orders, Sent>>>()

class Narrowed extends GuardedTool.Service<Narrowed>()("narrowed", {
  ...base,
  access: "read",
  checks: { whole: (result) => (result.has_more ? Verdict.partial({ narrow: "Ask for one month." }) : Verdict.ok) }
}) {}
assertType<Equals<GuardedTool.ErrorOf<typeof Narrowed>, CallFailure | PartialData<Orders, undefined>>>()

class Both extends GuardedTool.Service<Both>()("both", {
  ...base,
  access: "read",
  checks: {
    more: (result) => (result.has_more ? Verdict.partial({ next: { page: result.page + 1 } }) : Verdict.ok),
    whole: (result) => (result.page > 9 ? Verdict.partial({ narrow: "Ask for one month." }) : Verdict.ok)
  }
}) {}
assertType<Equals<GuardedTool.ErrorOf<typeof Both>, CallFailure | PartialData<Orders, Sent | undefined>>>()

class Garbage extends GuardedTool.Service<Garbage>()("garbage", {
  ...base,
  access: "read",
  checks: {
    fine: () => Verdict.ok,
    sound: (result) =>
      result.page < 0 ? Verdict.garbage({ code: "negative_page", detail: "The page is negative." }) : Verdict.ok
  }
}) {}
assertType<Equals<GuardedTool.ErrorOf<typeof Garbage>, CallFailure | SemanticGarbage>>()

class Everything extends GuardedTool.Service<Everything>()("everything", {
  ...base,
  access: "read",
  checks: {
    all: (result, { arguments: { page }, previous }) => {
      if (previous.some((before) => before.page > page))
        return Verdict.garbage({ code: "backwards", detail: "The page went back." })
      if (result.page > 9) return Verdict.partial({ narrow: "Ask for one month." })
      if (result.has_more) return Verdict.partial({ next: { page: page + 1, customer_id: "C-2" } })
      return Verdict.ok
    }
  }
}) {}
assertType<
  Equals<GuardedTool.ErrorOf<typeof Everything>, CallFailure | SemanticGarbage | PartialData<Orders, Sent | undefined>>
>()

/** A check with a declared type that is defined outside a tool. */
const whole = (result: Orders): Verdict.Verdict<{ readonly page: number }> =>
  result.has_more ? Verdict.partial({ next: { page: result.page + 1 } }) : Verdict.ok
class Declared extends GuardedTool.Service<Declared>()("declared", { ...base, access: "read", checks: { whole } }) {}
assertType<Equals<GuardedTool.ErrorOf<typeof Declared>, CallFailure | SemanticGarbage | PartialData<Orders, Sent>>>()

const either = (result: Orders): Verdict.Verdict<{ readonly page: number } | undefined> =>
  result.has_more ? Verdict.partial({ narrow: "Ask for one month." }) : Verdict.ok
class Either extends GuardedTool.Service<Either>()("either", { ...base, access: "read", checks: { either } }) {}
assertType<
  Equals<GuardedTool.ErrorOf<typeof Either>, CallFailure | SemanticGarbage | PartialData<Orders, Sent | undefined>>
>()

// salvage

class SalvagedOn extends GuardedTool.Service<SalvagedOn>()("salvaged_on", {
  ...base,
  access: "read",
  salvage: {
    path: "orders",
    rest: () => ({ page: 1, has_more: true }),
    next: (result, { page }) => ({ page: page + result.orders.length })
  }
}) {}
assertType<Equals<GuardedTool.ErrorOf<typeof SalvagedOn>, CallFailure | PartialData<Orders, Sent>>>()

class SalvagedLess extends GuardedTool.Service<SalvagedLess>()("salvaged_less", {
  ...base,
  access: "read",
  salvage: { path: "orders", rest: () => ({ page: 1, has_more: true }), narrow: "Ask for one month." }
}) {}
assertType<Equals<GuardedTool.ErrorOf<typeof SalvagedLess>, CallFailure | PartialData<Orders, undefined>>>()

class SalvagedAndPaged extends GuardedTool.Service<SalvagedAndPaged>()("salvaged_and_paged", {
  ...base,
  access: "read",
  checks: { more: (result) => (result.has_more ? Verdict.partial({ next: { page: result.page + 1 } }) : Verdict.ok) },
  salvage: { path: "orders", narrow: "Ask for one month." }
}) {}
assertType<Equals<GuardedTool.ErrorOf<typeof SalvagedAndPaged>, CallFailure | PartialData<Orders, Sent | undefined>>>()

// fallbacks add their failures and services

class Cache extends GuardedTool.Service<Cache>()("search_cache", {
  ...base,
  access: "read",
  parameters: Schema.Struct({ offset: Schema.Int }),
  checks: { more: (result) => (result.has_more ? Verdict.partial({ next: { offset: 10 } }) : Verdict.ok) }
}) {}
class Archive extends GuardedTool.Service<Archive>()("search_archive", {
  ...base,
  access: "read",
  checks: { sound: () => Verdict.garbage({ code: "always", detail: "Always." }) }
}) {}
class WithFallbacks extends GuardedTool.Service<WithFallbacks>()("with_fallbacks", {
  ...base,
  access: "write",
  fallbacks: [
    { tool: Cache, arguments: ({ page }) => ({ offset: page * 10 }) },
    { tool: Archive, arguments: ({ customer_id }) => ({ customer_id }) }
  ]
}) {}
const withFallbacks = WithFallbacks.call({ customer_id: "C-1" })
assertType<
  Equals<
    Effect.Error<typeof withFallbacks>,
    CallFailure | SemanticGarbage | PartialData<Orders, { readonly offset: number }>
  >
>()
assertType<Equals<Effect.Services<typeof withFallbacks>, WithFallbacks | Cache | Archive | Guard>>()

// reconcile and approval add their services

class FindRefund extends GuardedTool.Service<FindRefund>()("find_refund", {
  description: "Finds refunds by key. Read-only.",
  access: "read",
  parameters: Schema.Struct({ key: Schema.String }),
  success: Schema.Struct({ refunds: Schema.Array(Schema.Struct({ id: Schema.String })) })
}) {}
class Refund extends GuardedTool.Service<Refund>()("refund_order", {
  description: "Refunds an order. Writes.",
  access: "destructive",
  parameters: Schema.Struct({ id: Schema.String, cents: Schema.Int }),
  success: Schema.Struct({ id: Schema.String }),
  reconcile: {
    tool: FindRefund,
    arguments: ({ id }, key) => ({ key: id + key }),
    found: (result, { cents }) =>
      Option.map(Option.fromUndefinedOr(result.refunds[0]), ({ id }) => ({ id: `${id} ${cents.toFixed(2)}` }))
  },
  retry: { attempts: 3 }
}) {}
const refunded = Refund.call({ id: "R-1", cents: 5 })
assertType<Equals<Effect.Error<typeof refunded>, CallFailure>>()
assertType<Equals<Effect.Services<typeof refunded>, Refund | FindRefund | Guard>>()

class Database extends Context.Service<Database, { readonly count: Effect.Effect<number, Error> }>()("Database") {}
class Purge extends GuardedTool.Service<Purge>()("purge_orders", {
  ...base,
  access: "destructive",
  approval: ({ customer_id }) =>
    Effect.gen(function* () {
      const database = yield* Database
      return Approval.confirm(`Purges ${yield* database.count} orders of ${customer_id}.`)
    })
}) {}
const purged = Purge.call({ customer_id: "C-1" })
assertType<Equals<Effect.Services<typeof purged>, Purge | Database | Guard>>()

class PurgeSometimes extends GuardedTool.Service<PurgeSometimes>()("purge_sometimes", {
  ...base,
  access: "destructive",
  approval: ({ page }) => (page > 1 ? Approval.inform("Purges a page.") : Approval.auto)
}) {}
const maybe = PurgeSometimes.call({ customer_id: "C-1" })
assertType<Equals<Effect.Services<typeof maybe>, PurgeSometimes | Guard>>()

class PurgeFreely extends GuardedTool.Service<PurgeFreely>()("purge_freely", {
  ...base,
  access: "destructive",
  approval: weaken(({ page }) => (page > 1 ? Approval.inform("Purges a page.") : Approval.auto))
}) {}
const freely = PurgeFreely.call({ customer_id: "C-1" })
assertType<Equals<Effect.Services<typeof freely>, PurgeFreely | Guard>>()

class PurgeCounted extends GuardedTool.Service<PurgeCounted>()("purge_counted", {
  ...base,
  access: "destructive",
  approval: weaken(({ customer_id }) =>
    Effect.map(Database, () => Approval.inform(`Purges the orders of ${customer_id}.`))
  )
}) {}
const counted = PurgeCounted.call({ customer_id: "C-1" })
assertType<Equals<Effect.Services<typeof counted>, PurgeCounted | Database | Guard>>()

// which writes are safe to retry

class Keyed extends GuardedTool.Service<Keyed>()("keyed", {
  ...base,
  access: "write",
  idempotency: "derived",
  retry: { attempts: 2 }
}) {}
class KeyedByFields extends GuardedTool.Service<KeyedByFields>()("keyed_by_fields", {
  ...base,
  access: "destructive",
  idempotency: { mode: "key", fields: ["customer_id"], upstreamHonoursKey: true, timeToLive: "1 hour" },
  retry: { attempts: 2, base: "1 second", jitter: "full" }
}) {}
assertType<Equals<(typeof Keyed)["retrySafe"], true>>()
assertType<Equals<(typeof KeyedByFields)["retrySafe"], true>>()
assertType<Equals<(typeof Refund)["retrySafe"], true>>()
assertType<Equals<(typeof Search)["retrySafe"], true>>()
assertType<Equals<(typeof Cancel)["retrySafe"], false>>()

class Unkeyed extends GuardedTool.Service<Unkeyed>()("unkeyed", { ...base, access: "write", idempotency: "none" }) {}
assertType<Equals<(typeof Unkeyed)["retrySafe"], false>>()

declare const mode: "derived" | "none"
class Sometimes extends GuardedTool.Service<Sometimes>()("sometimes", {
  ...base,
  access: "write",
  idempotency: mode
}) {}
assertType<Equals<(typeof Sometimes)["retrySafe"], false>>()

// handling the failures of a call

const partialData = Everything.call({ customer_id: "C-1" }).pipe(
  Effect.catchTag("PartialData", ({ data }) => Effect.succeed(data))
)
assertType<Equals<Effect.Success<typeof partialData>, Orders>>()
assertType<Equals<Effect.Error<typeof partialData>, CallFailure | SemanticGarbage>>()

const continued = Paged.call({ customer_id: "C-1" }).pipe(
  Effect.catchTag("PartialData", ({ next }) => Paged.call(next))
)
assertType<Equals<Effect.Error<typeof continued>, CallFailure | PartialData<Orders, Sent>>>()

const handled = Garbage.call({ customer_id: "C-1" }).pipe(
  Effect.catchTags({
    Transient: ({ retryAfter }) => Effect.succeed(retryAfter),
    SemanticGarbage: ({ code }) => Effect.succeed(code)
  }),
  Effect.catchTag(["ToolArgError", "SchemaMismatch", "Resource", "Permanent", "HumanReview"], ({ hint }) =>
    Effect.succeed(hint)
  )
)
assertType<Equals<Effect.Error<typeof handled>, never>>()

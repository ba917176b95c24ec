/**
 * Ready-made checks of a tool's result (SPEC 4.10): what the guard asks before it calls a decoded result a success.
 *
 * **When to use**
 *
 * In the `checks` of a definition. The functions given to them are typed by the tool; what a check can return decides
 * what a call can fail with. Checks for results without a contract are in `Recognisers`.
 *
 * **Example** (Pages)
 *
 * ```ts import.meta.vitest
 * import { Schema } from "effect"
 * import { echoed, emptyFirstPage, GuardedTool, morePages } from "effect-toolguard"
 *
 * class Orders extends Schema.Opaque<Orders>()(
 *   Schema.Struct({
 *     customer_id: Schema.String,
 *     orders: Schema.Array(Schema.String),
 *     page: Schema.Int,
 *     has_more: Schema.Boolean
 *   })
 * ) {}
 *
 * class SearchOrders extends GuardedTool.Service<SearchOrders>()("search_orders", {
 *   description: "Searches the orders of one customer. Read-only. Use it to find order ids.",
 *   access: "read",
 *   parameters: Schema.Struct({ customer_id: Schema.String, page: Schema.Int }),
 *   success: Orders,
 *   checks: {
 *     sameCustomer: echoed((args) => args.customer_id, (result) => result.customer_id),
 *     emptyFirstPage: emptyFirstPage((result) => result.orders),
 *     morePages: morePages((result, args) => (result.has_more ? { page: args.page + 1 } : undefined))
 *   }
 * }) {}
 *
 * SearchOrders.access // => "read"
 * ```
 */
import * as FieldPath from "#domain/FieldPath"
import type { CheckContext } from "#domain/ToolDefinition"
import { garbage, type GarbageVerdict, ok, type OkVerdict, partial, type PartialVerdict } from "#domain/Verdict"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/** A check that finds a result complete or not. */
export type PartialCheck<R, Args, Next extends object | undefined> = (
  result: R,
  context: CheckContext<Args, R>
) => OkVerdict | PartialVerdict<Next>

/** A check that finds a result right or wrong in meaning. */
export type GarbageCheck<R, Args = unknown> = (result: R, context: CheckContext<Args, R>) => OkVerdict | GarbageVerdict

/** There are more pages: `next` gives the arguments that change for the next one, or undefined on the last. */
export const morePages =
  <R, Args, Next extends object>(next: (result: R, args: Args) => Next | undefined): PartialCheck<R, Args, Next> =>
  (result, context) => {
    const found = next(result, context.arguments)
    return found === undefined ? ok : partial({ next: found, detail: "There are more pages." })
  }

/** How an empty first page is told from others, where the result has no `page` (from 1) and `has_more`. */
export interface FirstPage<R, Args> {
  readonly hasMore: (result: R) => boolean
  readonly isFirst: (args: Args, result: R) => boolean
}

/**
 * A first page that is empty and claims that there are more contradicts itself: `empty_first_page`.
 *
 * An empty page without more is an answer. Later pages may be empty: filters and deletions leave gaps.
 */
export const emptyFirstPage: {
  <R extends { readonly page: number; readonly has_more: boolean }>(
    items: (result: R) => ReadonlyArray<unknown>
  ): GarbageCheck<R>
  <R, Args>(items: (result: R) => ReadonlyArray<unknown>, page: FirstPage<R, Args>): GarbageCheck<R, Args>
} =
  <R, Args>(items: (result: R) => ReadonlyArray<unknown>, page: FirstPage<R, Args> = plainPage as never) =>
  (result: R, context: CheckContext<Args, R>) =>
    items(result).length === 0 && page.hasMore(result) && page.isFirst(context.arguments, result)
      ? garbage({
          code: "empty_first_page",
          detail: "The first page is empty and says that there are more.",
          hint: "The search did not work as asked. Change the arguments or tell the user; do not turn pages."
        })
      : ok

const plainPage: FirstPage<{ readonly page: number; readonly has_more: boolean }, unknown> = {
  hasMore: (result) => result.has_more,
  isFirst: (_, result) => result.page <= 1
}

/**
 * The result is about what was asked for, else `other_entity`.
 *
 * **Details**
 *
 * - Either side may be a list: each value of the result must be one of those that were asked for.
 * - Undefined and null on either side say nothing and pass; numbers and strings are compared by their text.
 */
export const echoed =
  <R, Args>(asked: (args: Args) => unknown, got: (result: R) => unknown): GarbageCheck<R, Args> =>
  (result, context) => {
    const wanted = texts(asked(context.arguments))
    const other = texts(got(result)).find((text) => !wanted.includes(text))
    return wanted.length === 0 || other === undefined
      ? ok
      : garbage({
          code: "other_entity",
          detail: `Asked for ${short(wanted.join(", "))}, the result is about ${short(other)}.`,
          hint: "Do not use this result for what was asked. Check the id, use another tool or tell the user."
        })
  }

const texts = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).flatMap((it: unknown) =>
    it === undefined || it === null ? [] : [typeof it === "object" ? JSON.stringify(it) : String(it)]
  )

const short = (text: string): string => FieldPath.cut(text, 40)

interface Counted<R, Args> {
  readonly items: (result: R) => ReadonlyArray<unknown>
  /** How many were asked for; undefined where no limit was. */
  readonly limit: number | ((args: Args) => number | undefined)
  /** How many there are in all, where the result says so: then the limit does not matter. */
  readonly total?: (result: R) => number | undefined
  /** How many were skipped before this page. Default 0. */
  readonly offset?: (args: Args) => number
}

/**
 * As many items as the limit allows, or fewer than there are in all: the result is probably not the whole.
 *
 * Say how to go on: `next` (the arguments that change) or `narrow` (one sentence on what to make smaller).
 */
export const countAgainstLimit: {
  <R, Args, Next extends object>(
    options: Counted<R, Args> & { readonly next: (result: R, args: Args) => Next; readonly narrow?: never }
  ): PartialCheck<R, Args, Next>
  <R, Args>(
    options: Counted<R, Args> & { readonly narrow: string; readonly next?: never }
  ): PartialCheck<R, Args, undefined>
} =
  <R, Args>(
    options: Counted<R, Args> & { readonly next?: (result: R, args: Args) => object; readonly narrow?: string }
  ): PartialCheck<R, Args, never> =>
  (result, { arguments: args }) => {
    const detail = missing(options, result, args)
    if (detail === undefined) return ok
    const { narrow = "", next } = options
    return (next === undefined ? partial({ narrow, detail }) : partial({ next: next(result, args), detail })) as never
  }

/** One line on what is missing, or undefined where nothing seems to be. */
const missing = <R, Args>(
  { items, limit, offset, total }: Counted<R, Args>,
  result: R,
  args: Args
): string | undefined => {
  const count = items(result).length
  const all = total?.(result)
  if (all !== undefined) {
    const seen = (offset?.(args) ?? 0) + count
    return seen < all ? `${count === seen ? "" : "Up to "}${seen} of ${all} items.` : undefined
  }
  const most = typeof limit === "number" ? limit : limit(args)
  return most !== undefined && most > 0 && count >= most
    ? `${count} items, as many as were asked for: there may be more.`
    : undefined
}

/** What values of a unit look like. */
export interface UnitOptions<R, Args> {
  /** The unit that is expected, such as `celsius`. */
  readonly unit: string | ((args: Args) => string | undefined)
  /** The unit that the result names, where it does. */
  readonly stated?: (result: R) => string | null | undefined
  /** The values, and between which bounds, both included, they are plausible in that unit. */
  readonly values?: (result: R) => number | ReadonlyArray<number>
  readonly minimum?: number
  readonly maximum?: number
}

/** Values are in the unit that is expected, else `wrong_unit`: the result names another, or they are implausible in it. */
export const unit =
  <R, Args>({
    maximum = Infinity,
    minimum = -Infinity,
    stated,
    unit,
    values
  }: UnitOptions<R, Args>): GarbageCheck<R, Args> =>
  (result, context) => {
    const expected = typeof unit === "string" ? unit : unit(context.arguments)
    if (expected === undefined) return ok
    const named = stated?.(result)
    if (named !== undefined && named !== null && spelled(named) !== spelled(expected)) {
      return wrongUnit(`The values are in ${short(named)}, expected ${short(expected)}.`)
    }
    const found = values?.(result)
    const odd = (typeof found === "number" ? [found] : (found ?? [])).find((it) => !(it >= minimum && it <= maximum))
    return odd === undefined
      ? ok
      : wrongUnit(`${odd} is implausible in ${short(expected)}: expected ${bounds(minimum, maximum)}.`)
  }

const bounds = (minimum: number, maximum: number): string =>
  minimum === -Infinity
    ? `at most ${maximum}`
    : maximum === Infinity
      ? `at least ${minimum}`
      : `${minimum} to ${maximum}`

const wrongUnit = (detail: string) =>
  garbage({ code: "wrong_unit", detail, hint: "Do not use these values. Ask for the unit, or tell the user." })

/** Case, blanks and the degree sign do not matter. */
const spelled = (unit: string): string => unit.toLowerCase().replace(/[\s°]/gu, "")

/**
 * The result is not older than `within`, else `stale_result`.
 *
 * `at` is when the data was true; text without a zone is read as UTC. Undefined, null and what is no time pass.
 */
export const fresh = <R>(
  at: (result: R) => DateTime.DateTime | Date | number | string | null | undefined,
  within: Duration.Input
): GarbageCheck<R> => {
  const allowed = Duration.fromInputUnsafe(within)
  return (result, { nowMillis }) => {
    const time = Option.flatMap(Option.fromNullishOr(at(result)), DateTime.make)
    if (Option.isNone(time)) return ok
    const age = Duration.millis(nowMillis - DateTime.toEpochMillis(time.value))
    return Duration.isLessThanOrEqualTo(age, allowed)
      ? ok
      : garbage({
          code: "stale_result",
          detail: `The data is of ${DateTime.formatIso(time.value)}, older than ${Duration.format(allowed)}.`,
          hint: "Do not present it as current. Use another tool, or tell the user how old it is."
        })
  }
}

/**
 * There is something where something must be, else `empty_result`.
 *
 * An empty list that answers a search is no fault: say with `when` for which arguments emptiness is one. Blank text is
 * empty.
 */
export const nonEmpty =
  <R, Args>(
    items: (result: R) => ReadonlyArray<unknown> | string | null | undefined,
    options: { readonly when?: (args: Args) => boolean } = {}
  ): GarbageCheck<R, Args> =>
  (result, context) => {
    const found = items(result)
    const isEmpty = typeof found === "string" ? found.trim() === "" : (found?.length ?? 0) === 0
    return isEmpty && options.when?.(context.arguments) !== false
      ? garbage({
          code: "empty_result",
          detail: "The result is empty where something was expected.",
          hint: "Check the arguments, use another tool or tell the user that nothing came back."
        })
      : ok
  }

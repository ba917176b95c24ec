/**
 * Ready-made checks of decoded results [4.10].
 *
 * **When to use**
 *
 * Use them in the `checks` of a definition. The functions that a check takes are typed by the tool's schemas. The
 * verdicts of a check determine the failures of a call. Checks for results without a contract are in `Recognisers`.
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
import { cut } from "#domain/text/Cut"
import { garbage, ok } from "#domain/tool/Verdict"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type { GarbageCheck } from "./PageChecks.ts"

export {
  countAgainstLimit,
  type CountOptions,
  emptyFirstPage,
  type FirstPage,
  type GarbageCheck,
  morePages,
  type PartialCheck
} from "./PageChecks.ts"
export { statedGarbage, type StatedNext, statedPartial } from "#domain/answers/StatedVerdict"

/**
 * Requires that the result is about the requested entity. Otherwise the code is `other_entity`.
 *
 * **Details**
 *
 * - Either side may be a list: each value of the result must be one of the requested values.
 * - Undefined and null on either side are accepted. Numbers and strings are compared as text.
 *
 * **Example** (Another order)
 *
 * ```ts import.meta.vitest
 * import { echoed } from "effect-toolguard"
 *
 * const check = echoed((args: { id: string }) => args.id, (result: { order: string }) => result.order)
 * const context = { arguments: { id: "O-1" }, previous: [], nowMillis: 0 }
 * check({ order: "O-2" }, context)._tag // => "Garbage"
 * check({ order: "O-1" }, context)._tag // => "Ok"
 * ```
 */
export const echoed =
  <R, Args>(requested: (args: Args) => unknown, returned: (result: R) => unknown): GarbageCheck<R, Args> =>
  (result, context) => {
    const allowedTexts = texts(requested(context.arguments))
    const other = texts(returned(result)).find((text) => !allowedTexts.includes(text))
    return allowedTexts.length === 0 || other === undefined
      ? ok
      : garbage({
          code: "other_entity",
          detail: `Asked for ${short(allowedTexts.join(", "))}, but the result is about ${short(other)}.`,
          hint: "Do not use this result as the answer. Check the id, use another tool or tell the user."
        })
  }

const texts = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).flatMap((it: unknown) =>
    it === undefined || it === null ? [] : [typeof it === "object" ? JSON.stringify(it) : String(it)]
  )

const short = (text: string): string => cut(text, 40)

/** The expected unit, and the plausible values in it. */
export interface UnitOptions<R, Args> {
  /** The expected unit, such as `celsius`. */
  readonly unit: string | ((args: Args) => string | undefined)
  /** Returns the unit that the result states; undefined or null if it states none. */
  readonly stated?: (result: R) => string | null | undefined
  /** Returns the values to compare with `minimum` and `maximum`, both inclusive. */
  readonly values?: (result: R) => number | ReadonlyArray<number>
  readonly minimum?: number
  readonly maximum?: number
}

/**
 * Requires values in the expected unit. The code is `wrong_unit` if the result states another unit, or if values are
 * implausible.
 *
 * **Example** (Fahrenheit for Celsius)
 *
 * ```ts import.meta.vitest
 * import { unit } from "effect-toolguard"
 *
 * const check = unit({ unit: "celsius", values: (result: { degrees: number }) => result.degrees, minimum: -90, maximum: 60 })
 * const context = { arguments: {}, previous: [], nowMillis: 0 }
 * check({ degrees: 98.6 }, context)._tag // => "Garbage"
 * check({ degrees: 37 }, context)._tag // => "Ok"
 * ```
 */
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
    if (named !== undefined && named !== null && normalized(named) !== normalized(expected)) {
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

/** Removes differences in case, white space and the degree sign. */
const normalized = (unit: string): string => unit.toLowerCase().replace(/[\s°]/gu, "")

/**
 * Requires a result that is not older than `within`. Otherwise the code is `stale_result`.
 *
 * `at` returns the time of the data. Text without a zone is read as UTC. Undefined, null and values that are not a time
 * are accepted.
 *
 * **Example** (Yesterday's price)
 *
 * ```ts import.meta.vitest
 * import { fresh } from "effect-toolguard"
 *
 * const check = fresh((result: { at: string }) => result.at, "1 hour")
 * const context = { arguments: {}, previous: [], nowMillis: Date.UTC(2026, 0, 2) }
 * check({ at: "2026-01-01T12:00:00Z" }, context)._tag // => "Garbage"
 * check({ at: "2026-01-01T23:30:00Z" }, context)._tag // => "Ok"
 * ```
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
          detail: `The data is from ${DateTime.formatIso(time.value)}, older than ${Duration.format(allowed)}.`,
          hint: "Do not present it as current. Use another tool, or tell the user how old it is."
        })
  }
}

/**
 * Requires a result that is not empty. Otherwise the code is `empty_result`.
 *
 * An empty list can be a valid answer to a search: `when` returns true for arguments that require content. Blank text
 * is empty.
 *
 * **Example** (An order that must exist)
 *
 * ```ts import.meta.vitest
 * import { nonEmpty } from "effect-toolguard"
 *
 * const check = nonEmpty((result: Array<string>) => result, { when: (args: { id?: string }) => args.id !== undefined })
 * check([], { arguments: { id: "O-1" }, previous: [], nowMillis: 0 })._tag // => "Garbage"
 * check([], { arguments: {}, previous: [], nowMillis: 0 })._tag // => "Ok"
 * ```
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
          detail: "The result is empty, although something was expected.",
          hint: "Check the arguments, use another tool or tell the user that nothing was found."
        })
      : ok
  }

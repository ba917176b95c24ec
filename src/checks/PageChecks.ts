/**
 * Ready-made checks for paginated results: whether the result is complete, and how to get the rest [4.10].
 *
 * `Checks` exports them.
 */
import type { CheckContext } from "#domain/tool/ToolDefinition"
import { garbage, type GarbageVerdict, ok, type OkVerdict, partial, type PartialVerdict } from "#domain/tool/Verdict"

/** A check that reports whether a result is complete. */
export type PartialCheck<R, Args, Next extends object | undefined> = (
  result: R,
  context: CheckContext<Args, R>
) => OkVerdict | PartialVerdict<Next>

/** A check that reports whether a result is plausible. */
export type GarbageCheck<R, Args = unknown> = (result: R, context: CheckContext<Args, R>) => OkVerdict | GarbageVerdict

/**
 * Reports more pages. `next` returns the arguments that change for the next page, or undefined on the last page.
 *
 * **Example** (A page and the last one)
 *
 * ```ts import.meta.vitest
 * import { morePages } from "effect-toolguard"
 *
 * const check = morePages((result: { next: string | null }) => (result.next === null ? undefined : { cursor: result.next }))
 * const context = { arguments: {}, previous: [], nowMillis: 0 }
 * check({ next: "c2" }, context) // => { _tag: "Partial", next: { cursor: "c2" }, detail: "There are more pages." }
 * check({ next: null }, context) // => { _tag: "Ok" }
 * ```
 */
export const morePages =
  <R, Args, Next extends object>(next: (result: R, args: Args) => Next | undefined): PartialCheck<R, Args, Next> =>
  (result, context) => {
    const found: unknown = next(result, context.arguments)
    // JavaScript callers may return `false` or `null`; the check makes the cast safe
    return typeof found === "object" && found !== null
      ? partial({ next: found as Next, detail: "There are more pages." })
      : ok
  }

/** How to recognise the first page and further pages if the result has no `page` (from 1) or `has_more`. */
export interface FirstPage<R, Args> {
  readonly hasMore: (result: R) => boolean
  readonly isFirst: (args: Args, result: R) => boolean
}

/**
 * Reports an empty first page that claims that there are more pages, which is a contradiction. The code is
 * `empty_first_page`.
 *
 * An empty page without further pages is a valid answer. Later pages may be empty because of filters and deletions.
 *
 * **Example** (A contradiction and an answer)
 *
 * ```ts import.meta.vitest
 * import { emptyFirstPage } from "effect-toolguard"
 *
 * const check = emptyFirstPage((result: { rows: Array<string>; page: number; has_more: boolean }) => result.rows)
 * const context = { arguments: {}, previous: [], nowMillis: 0 }
 * check({ rows: [], page: 1, has_more: true }, context)._tag // => "Garbage"
 * check({ rows: [], page: 1, has_more: false }, context)._tag // => "Ok"
 * ```
 */
export const emptyFirstPage: {
  <R extends { readonly page: number; readonly has_more: boolean }>(
    items: (result: R) => ReadonlyArray<unknown>
  ): GarbageCheck<R>
  <R, Args>(items: (result: R) => ReadonlyArray<unknown>, page: FirstPage<R, Args>): GarbageCheck<R, Args>
} = // the first overload requires the fields that the default reads
  <R, Args>(items: (result: R) => ReadonlyArray<unknown>, page: FirstPage<R, Args> = plainPage as never) =>
  (result: R, context: CheckContext<Args, R>) =>
    items(result).length === 0 && page.hasMore(result) && page.isFirst(context.arguments, result)
      ? garbage({
          code: "empty_first_page",
          detail: "The first page is empty but claims that there are more.",
          hint: "The search did not work. Change the arguments or tell the user; do not request further pages."
        })
      : ok

const plainPage: FirstPage<{ readonly page: number; readonly has_more: boolean }, unknown> = {
  hasMore: (result) => result.has_more,
  isFirst: (_, result) => result.page <= 1
}

/** The items to count, and the number to compare with. */
export interface CountOptions<R, Args> {
  readonly items: (result: R) => ReadonlyArray<unknown>
  /** The number of requested items. Undefined if there is no limit. */
  readonly limit: number | ((args: Args) => number | undefined)
  /** Returns the total that the result states, which replaces the limit. */
  readonly total?: (result: R) => number | undefined
  /** Returns the number of items before this page. Default: 0. */
  readonly offset?: (args: Args) => number
}

/**
 * Reports a result with as many items as the limit, or with fewer items than the total, as probably incomplete.
 *
 * Pass `next` (the arguments that change) or `narrow` (one sentence on how to request less).
 *
 * **Example** (As many items as the limit)
 *
 * ```ts import.meta.vitest
 * import { countAgainstLimit } from "effect-toolguard"
 *
 * const check = countAgainstLimit({
 *   items: (result: Array<string>) => result,
 *   limit: (args: { limit: number }) => args.limit,
 *   narrow: "Ask for one month."
 * })
 * const context = { arguments: { limit: 2 }, previous: [], nowMillis: 0 }
 * check(["O-1", "O-2"], context)._tag // => "Partial"
 * check(["O-1"], context)._tag // => "Ok"
 * ```
 */
export const countAgainstLimit: {
  <R, Args, Next extends object>(
    options: CountOptions<R, Args> & { readonly next: (result: R, args: Args) => Next; readonly narrow?: never }
  ): PartialCheck<R, Args, Next>
  <R, Args>(
    options: CountOptions<R, Args> & { readonly narrow: string; readonly next?: never }
  ): PartialCheck<R, Args, undefined>
} =
  <R, Args>(
    options: CountOptions<R, Args> & { readonly next?: (result: R, args: Args) => object; readonly narrow?: string }
  ): PartialCheck<R, Args, never> =>
  (result, { arguments: args }) => {
    const detail = missing(options, result, args)
    if (detail === undefined) return ok
    const { narrow = "", next } = options
    // the overloads type the verdict
    return (next === undefined ? partial({ narrow, detail }) : partial({ next: next(result, args), detail })) as never
  }

/** Returns one line on the missing items, or undefined if the result seems complete. */
const missing = <R, Args>(
  { items, limit, offset, total }: CountOptions<R, Args>,
  result: R,
  args: Args
): string | undefined => {
  const count = items(result).length
  const all = total?.(result)
  if (all !== undefined) {
    const seen = (offset?.(args) ?? 0) + count
    return seen < all ? `${count === seen ? "" : "Up to "}${seen} of ${all} items.` : undefined
  }
  const max = typeof limit === "number" ? limit : limit(args)
  return max !== undefined && max > 0 && count >= max
    ? `${count} items, as many as requested: there may be more.`
    : undefined
}

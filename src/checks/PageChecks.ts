/**
 * Ready-made checks for paginated results: is the result complete, and how does one get the rest [4.10]?
 *
 * `Checks` exports them. They take the tool's own result and arguments.
 */
import type { CheckContext } from "#domain/tool/ToolDefinition"
import { garbage, type GarbageVerdict, ok, type OkVerdict, partial, type PartialVerdict } from "#domain/tool/Verdict"

/** A check of whether a result is complete. */
export type PartialCheck<R, Args, Next extends object | undefined> = (
  result: R,
  context: CheckContext<Args, R>
) => OkVerdict | PartialVerdict<Next>

/** A check of whether a result means what it should. */
export type GarbageCheck<R, Args = unknown> = (result: R, context: CheckContext<Args, R>) => OkVerdict | GarbageVerdict

/**
 * Reports more pages: `next` returns the arguments that change for the next page, or undefined on the last one.
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
    // code that the compiler has not checked returns `false` or `null`
    return typeof found === "object" && found !== null
      ? partial({ next: found as Next, detail: "There are more pages." })
      : ok
  }

/** How to recognise a first page, if the result lacks `page` (from 1) or `has_more`. */
export interface FirstPage<R, Args> {
  readonly hasMore: (result: R) => boolean
  readonly isFirst: (args: Args, result: R) => boolean
}

/**
 * Reports an empty first page that claims to have more pages: a contradiction, `empty_first_page`.
 *
 * An empty page without further pages is a valid answer. Later pages may be empty: filters and deletions leave gaps.
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
} =
  <R, Args>(items: (result: R) => ReadonlyArray<unknown>, page: FirstPage<R, Args> = plainPage as never) =>
  (result: R, context: CheckContext<Args, R>) =>
    items(result).length === 0 && page.hasMore(result) && page.isFirst(context.arguments, result)
      ? garbage({
          code: "empty_first_page",
          detail: "The first page is empty, yet claims that there are more.",
          hint: "The search did not work. Change the arguments or tell the user; do not request further pages."
        })
      : ok

const plainPage: FirstPage<{ readonly page: number; readonly has_more: boolean }, unknown> = {
  hasMore: (result) => result.has_more,
  isFirst: (_, result) => result.page <= 1
}

/** What to count, and what to compare it with. */
export interface Counted<R, Args> {
  readonly items: (result: R) => ReadonlyArray<unknown>
  /** How many items were asked for; undefined without a limit. */
  readonly limit: number | ((args: Args) => number | undefined)
  /** The total that the result states; the limit is then ignored. */
  readonly total?: (result: R) => number | undefined
  /** How many items come before this page. Default 0. */
  readonly offset?: (args: Args) => number
}

/**
 * Reports as many items as the limit allows, or fewer than the total: the result is probably incomplete.
 *
 * Pass `next` (the arguments that change) or `narrow` (one sentence on what to make smaller).
 *
 * **Example** (As many as were asked for)
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

/** One line on what is missing; undefined if nothing seems to be. */
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

/** Recognises parameters that select a page of results, and fields of results that name the next page, by their names. */
import type { Field } from "./Field.ts"
import type { Subject } from "./Subject.ts"
import { wordsOf } from "./EnglishWords.ts"

interface Paging {
  readonly field: Field
  /** The kind of paging: by an opaque token, by a page number, or by the number of results to skip. */
  readonly kind: "cursor" | "page" | "offset"
}

const cursors = new Set([
  "cursor",
  "next cursor",
  "page cursor",
  "after cursor",
  "start cursor",
  "end cursor",
  "page token",
  "next page token",
  "next token",
  "continuation token",
  "pagination token",
  "starting after",
  "scroll id",
  "bookmark token",
  "continuation",
  "next page"
])
const pages = new Set([
  "page",
  "page number",
  "page no",
  "page num",
  "page index",
  "page nr",
  "current page",
  "pagenumber",
  "pageno"
])
const offsets = new Set(["offset", "skip", "start", "start index", "start at", "from index", "starting index"])
const sizes = new Set([
  "limit",
  "page size",
  "per page",
  "size",
  "count",
  "max results",
  "num results",
  "take",
  "rows",
  "max",
  "results per page",
  "pagesize",
  "perpage",
  "maxresults",
  "length",
  "first",
  "top",
  "page limit"
])

/** Matches words of a description that show that an offset counts results. */
const results =
  /\b(?:results?|records?|items?|rows?|entries|pagin\w+|page|pages|skip|objects?|documents?|hits?|matches)\b/iu
/** Matches words of a description that show that an offset does not count results. */
const otherUnits = /\b(?:lines?|bytes?|characters?|seconds?|minutes?|hours?|date|time|pixels?|tokens?|utc|timezone)\b/iu

const isNumber = ({ shapes }: Field): boolean => shapes.some(({ type }) => type === "integer" || type === "number")

/** Returns the parameter that selects the page, or `undefined` if the tool is not paged. */
export const pagingOf = (fields: ReadonlyArray<Field>): Paging | undefined => {
  const parameters = fields.filter(({ level, role }) => level === 1 && role === "property")
  const named = (names: ReadonlySet<string>) => parameters.find(({ name }) => names.has(wordsOf(name).join(" ")))
  const cursor = named(cursors)
  if (cursor !== undefined) return { field: cursor, kind: "cursor" }
  const page = named(pages)
  if (
    page !== undefined &&
    (isNumber(page) || /\bpages?\b.*\b(?:number|results?|index)\b|\bpagin/iu.test(page.description))
  ) {
    return { field: page, kind: "page" }
  }
  const offset = named(offsets)
  if (offset === undefined || !isNumber(offset) || otherUnits.test(offset.description)) return undefined
  const isCounted = results.test(offset.description) || (offset.name === "offset" && offset.description === "")
  return isCounted && named(sizes) !== undefined ? { field: offset, kind: "offset" } : undefined
}

/** True if a parameter only selects a page or its size. A parameter for paging may always be omitted. */
export const isPaging = ({ name }: Field): boolean => {
  const spelt = wordsOf(name).join(" ")
  return [cursors, pages, offsets, sizes].some((names) => names.has(spelt))
}

/** A field with a name for a cursor. */
interface CursorName {
  readonly field: Field
  /** True if the field is in a result. */
  readonly isResult: boolean
}

/** Returns the parameters that are cursors, and the fields of the result that name the next page. */
export const cursorsOf = ({ fields, results }: Pick<Subject, "fields" | "results">): ReadonlyArray<CursorName> => {
  const named = (all: ReadonlyArray<Field>) =>
    all.filter(({ name, role }) => role === "property" && cursors.has(wordsOf(name).join(" ")))
  return [
    ...named(fields.filter(({ level }) => level === 1)).map((field) => ({ field, isResult: false })),
    ...named(results).map((field) => ({ field, isResult: true }))
  ]
}

/** Returns the name that a cursor should have. */
export const cursorName = ({ isResult }: CursorName): string => (isResult ? "next_cursor" : "cursor")

/**
 * Returns the spelling of a cursor, in which the parameter and the field of the result agree: `page_token` for
 * `page_token` and `next_page_token`, `pageToken` for `nextPageToken`.
 */
export const spellingOf = ({ field: { name } }: CursorName): string => {
  const rest = name.replace(/^next[_-]?/iu, "")
  return rest === "" ? name : rest.slice(0, 1).toLowerCase() + rest.slice(1)
}

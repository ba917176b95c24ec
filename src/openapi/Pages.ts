/**
 * Recognises that a result is one page of many, and which arguments request the next page.
 *
 * **Details**
 *
 * Looks, in this order, for: a `Link` header with `rel="next"` (RFC 8288), the URL of the next page in the body
 * (OData's `@odata.nextLink`, `next`), a cursor, `has_more` after the last row, numbered pages, an offset. Only the
 * query of a URL is used, so that requests never go to another host.
 *
 * **Gotchas**
 *
 * A full page without a sign of further pages counts as the last page.
 */
import * as Verdict from "#domain/tool/Verdict"
import { field, isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import type { Parameter } from "#src/openapi/document/Parameters"

/** The query parameters of an operation, by argument. */
type QueryArguments = ReadonlyMap<string, { readonly parameter: Parameter; readonly schema: unknown }>

const cursorNames =
  /^(?:cursor|next|next_?cursor|page_?token|next_?token|next_?page_?token|continuation_?token|starting_?after|after|marker|start_?cursor)$/i
const cursorFields =
  /^(?:next_?cursor|next_?page_?token|next_?token|continuation_?token|end_?cursor|next_?marker|next)$/i
const addressFields =
  /^(?:@odata\.nextLink|odata\.nextLink|nextLink|next_?link|next_?page_?url|next_?url|next|next_?page)$/
const containers = [
  "meta",
  "pagination",
  "paging",
  "page_info",
  "pageInfo",
  "links",
  "_links",
  "response_metadata",
  "cursors",
  "page"
]

/** Returns a check for further pages. */
export const check = (
  query: QueryArguments,
  linkOf: (args: object) => string | undefined
): ((result: unknown, context: { readonly arguments: unknown }) => Verdict.Verdict) => {
  const named = (pattern: RegExp) => [...query].find(([, { parameter }]) => pattern.test(parameter.name))
  const cursor = named(cursorNames)
  const page = named(/^(?:page|page_?number|page_?no|p)$/i)
  const size = named(/^(?:per_?page|page_?size|limit|max_?results|size|\$top|top|count)$/i)
  const offset = named(/^(?:offset|skip|start|start_?index|start_?at|\$skip)$/i)

  return (result, { arguments: args }) => {
    if (!isJsonObject(args)) return Verdict.ok
    const link = linkOf(args)
    const address = link ?? addressIn(result)
    if (address !== undefined) {
      const next = argumentsIn(address, query, args)
      if (next !== undefined) return Verdict.partial({ next })
      if (!isRepeated(address)) return Verdict.partial({ narrow })
    }
    const found = cursorIn(result)
    if (found !== undefined && cursor !== undefined && String(args[cursor[0]]) !== found) {
      return Verdict.partial({ next: { [cursor[0]]: converted(found, cursor[1].schema) } })
    }
    const rows = rowsIn(result)
    const hasMore = flagIn(result)
    if (cursor !== undefined && /^starting_?after$/i.test(cursor[1].parameter.name) && hasMore === true) {
      const last = field(rows?.at(-1), "id")
      if (typeof last === "string") return Verdict.partial({ next: { [cursor[0]]: last } })
    }
    const total = numberIn(result, /^(?:total|total_?count|total_?results|total_?items)$/i)
    if (page !== undefined) {
      const current = Number(args[page[0]] ?? 1)
      const pages = numberIn(result, /^(?:total_?pages|page_?count|last_?page|pages)$/i)
      const perPage = size === undefined ? undefined : Number(args[size[0]])
      const isMore =
        hasMore ??
        (pages !== undefined
          ? current < pages
          : total !== undefined && perPage !== undefined && perPage > 0 && current * perPage < total)
      if (isMore && (rows?.length ?? 1) > 0) return Verdict.partial({ next: { [page[0]]: current + 1 } })
    }
    if (offset !== undefined && rows !== undefined && rows.length > 0) {
      const end = Number(args[offset[0]] ?? 0) + rows.length
      if (hasMore ?? (total !== undefined && end < total)) return Verdict.partial({ next: { [offset[0]]: end } })
    }
    return Verdict.ok
  }
}

const narrow = "There are more results, and no argument requests them. Request less, for example with a filter."

/** Returns the URL of `rel="next"` in a `Link` header (RFC 8288). */
export const nextLink = (header: string | undefined): string | undefined => {
  for (const [, address, parameters = ""] of (header ?? "").slice(0, 10_000).matchAll(/<([^<>]*)>((?:\s*;[^,<]*)*)/g)) {
    const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(parameters)
    if ((relation?.[1] ?? relation?.[2] ?? "").toLowerCase().split(/\s+/).includes("next")) return address
  }
  return undefined
}

/** Returns the result, and the objects in it that usually describe pages. */
const placesIn = (result: unknown): ReadonlyArray<JsonObject> =>
  isJsonObject(result) ? [result, ...containers.map((name) => field(result, name)).filter(isJsonObject)] : []

const valueIn = <A>(result: unknown, pattern: RegExp, read: (value: unknown) => A | undefined): A | undefined => {
  for (const place of placesIn(result)) {
    for (const [key, value] of Object.entries(place)) {
      const found = pattern.test(key) ? read(value) : undefined
      if (found !== undefined) return found
    }
  }
  return undefined
}

/** True if a text is a URL with a query. */
const isAddress = (value: string): boolean => /^(?:https?:\/\/|\/|\?)/.test(value) && value.includes("?")

const addressIn = (result: unknown): string | undefined =>
  valueIn(result, addressFields, (value) => {
    const text = isJsonObject(value) ? field(value, "href") : value
    return typeof text === "string" && isAddress(text) ? text : undefined
  })

const cursorIn = (result: unknown): string | undefined =>
  valueIn(result, cursorFields, (value) =>
    (typeof value === "string" && value !== "" && !isAddress(value)) || typeof value === "number"
      ? String(value)
      : undefined
  )

const flagIn = (result: unknown): boolean | undefined =>
  valueIn(result, /^(?:has_?more|has_?next|has_?next_?page|more)$/i, (value) =>
    typeof value === "boolean" ? value : undefined
  )

const numberIn = (result: unknown, pattern: RegExp): number | undefined =>
  valueIn(result, pattern, (value) => (typeof value === "number" ? value : undefined))

/** Returns the rows of a page: the result itself, or the only list in it. */
const rowsIn = (result: unknown): ReadonlyArray<unknown> | undefined => {
  if (Array.isArray(result)) return result
  const lists = Object.values(isJsonObject(result) ? result : {}).filter((value) => Array.isArray(value))
  return lists.length === 1 ? lists[0] : undefined
}

/** Returns the arguments that a URL changes, or undefined if there are none. */
const argumentsIn = (address: string, query: QueryArguments, args: JsonObject): JsonObject | undefined => {
  const requested = queryOf(address)
  const changed = [...query].flatMap(([argument, { parameter, schema }]): ReadonlyArray<readonly [string, unknown]> => {
    const value = requested?.get(parameter.name)
    if (value === null || value === undefined || Array.isArray(args[argument])) return []
    return String(args[argument]) === value ? [] : [[argument, converted(value, schema)]]
  })
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}

/** True if the URL has no query parameters, and therefore leads to no other page. */
const isRepeated = (address: string): boolean => queryOf(address)?.size === 0

const queryOf = (address: string): URLSearchParams | undefined =>
  URL.canParse(address, "http://localhost") ? new URL(address, "http://localhost").searchParams : undefined

/** Converts a text to the type of its parameter. */
const converted = (text: string, schema: unknown): unknown => {
  const types = new Set([field(schema, "type")].flat())
  const isNumber = (types.has("integer") || types.has("number")) && !types.has("string")
  if (isNumber && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text)
  return types.has("boolean") && /^(?:true|false)$/.test(text) ? text === "true" : text
}

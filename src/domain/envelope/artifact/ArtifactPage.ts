/**
 * One page of a stored result: as much of the value at a path as a model may read at once.
 *
 * **Details**
 *
 * - `offset` and `limit` count the elements of a list, the members of an object, or the UTF-16 units of a text. A
 *   page is always valid JSON and never splits a character.
 * - A part that does not fit on a page is left out. `too_large` names its path, under which it can be read.
 * - `next` has the arguments of the next page. It is absent on the last page.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import * as Result from "effect/Result"
import * as JsonLength from "#domain/json/JsonLength"
import * as Preview from "#domain/envelope/Preview"
import * as Utf8 from "#domain/text/Utf8"
import * as ArtifactPath from "./ArtifactPath.ts"
import * as TextPage from "./TextPage.ts"

/** The arguments of `read_result`. */
export interface Request {
  readonly resource_url: string
  readonly path?: string | undefined
  readonly offset: number
  readonly limit?: number | undefined
}

/** A part that is too large for a page. */
interface LargePart {
  readonly path: string
  /** The kind and size of the part, such as `array of 5000` or `string of 81920 characters`. */
  readonly is: string
}

/** The result of `read_result`. */
export interface Page {
  readonly kind: "list" | "object" | "text" | "value"
  /** The number of elements, members or characters of the value. */
  readonly total: number
  /** The offset at which the page begins. */
  readonly offset: number
  readonly data: unknown
  readonly too_large?: ReadonlyArray<LargePart>
  readonly next?: {
    readonly resource_url: string
    readonly path?: string
    readonly offset: number
    readonly limit?: number
  }
}

/** The maximum number of UTF-8 bytes of a page. A page of this size is shown whole [2.9]. */
const maxPageBytes = 10_000

/** The longest path that a model may send, in code points. */
export const maxPathLength = 500

const maxLarge = 20

/** Why a page cannot be read: the wrong argument, and the reason in one line. */
export interface PageRefusal {
  readonly field: "path" | "offset"
  readonly detail: string
}

/** Reads the requested page of a JSON value. */
export const read = (whole: unknown, request: Request): Result.Result<Page, PageRefusal> => {
  const steps = ArtifactPath.parse(request.path ?? "")
  if (Result.isFailure(steps)) return Result.fail({ field: "path", detail: steps.failure })
  const found = ArtifactPath.find(whole, steps.success)
  if (Result.isFailure(found)) return Result.fail({ field: "path", detail: found.failure })
  const value = found.success
  const { kind, total, unit } = shapeOf(value)
  if (request.offset > 0 && request.offset >= total) {
    const detail = `offset ${request.offset} is past the end: ${ArtifactPath.label(steps.success)} has ${total} ${unit}.`
    return Result.fail({ field: "offset", detail })
  }
  switch (kind) {
    case "value":
      return Result.succeed({ kind, total, offset: 0, data: value })
    case "text":
      return Result.succeed(ofText(value as string, request))
    case "list": {
      const list = value as ReadonlyArray<unknown>
      return Result.succeed(
        ofParts({ kind, total, request, steps: steps.success, keyAt: (at) => at, at: (at) => list[at] })
      )
    }
    case "object": {
      const object = value as JsonObject
      const names = Object.keys(object)
      const keyAt = (at: number) => names[at] ?? ""
      return Result.succeed(
        ofParts({ kind, total, request, steps: steps.success, keyAt, at: (at) => object[keyAt(at)] })
      )
    }
  }
}

const shapeOf = (value: unknown): Pick<Page, "kind" | "total"> & { readonly unit: string } => {
  if (typeof value === "string") return { kind: "text", total: value.length, unit: "characters" }
  if (typeof value !== "object" || value === null) return { kind: "value", total: 1, unit: "value" }
  return Array.isArray(value)
    ? { kind: "list", total: value.length, unit: "elements" }
    : { kind: "object", total: Object.keys(value).length, unit: "members" }
}

/** Returns the number of bytes of a page without its parts, with the longest possible `next`. */
const frame = ({ limit, path, resource_url }: Request): number =>
  Utf8.length(
    JSON.stringify({
      kind: "object",
      total: 1e15,
      offset: 1e15,
      data: 0,
      too_large: [],
      next: { resource_url, path, offset: 1e15, limit }
    })
  )

/** Returns the arguments of the next page. */
const nextOf = ({ limit, path, resource_url }: Request, offset: number): NonNullable<Page["next"]> => ({
  resource_url,
  ...(path === undefined ? {} : { path }),
  offset,
  ...(limit === undefined ? {} : { limit })
})

const ofText = (text: string, request: Request): Page => {
  const room = maxPageBytes - frame(request)
  const { end, start } = TextPage.cut(text, request.offset, request.limit ?? text.length, room)
  const page = { kind: "text", total: text.length, offset: start, data: text.slice(start, end) } as const
  return end < text.length ? { ...page, next: nextOf(request, end) } : page
}

interface Parts {
  readonly kind: "list" | "object"
  readonly total: number
  readonly request: Request
  readonly steps: ReadonlyArray<ArtifactPath.Step>
  readonly keyAt: (at: number) => ArtifactPath.Step
  readonly at: (at: number) => unknown
}

const ofParts = ({ at, keyAt, kind, request, steps, total }: Parts): Page => {
  const room = maxPageBytes - frame(request)
  const last = Math.min(total, request.offset + (request.limit ?? total))
  const included: Array<readonly [ArtifactPath.Step, unknown]> = []
  const large: Array<LargePart> = []
  let left = room
  let end = request.offset
  for (; end < last && large.length < maxLarge; end++) {
    const key = keyAt(end)
    const bytes = kind === "object" ? Utf8.length(JSON.stringify(key)) + 2 : 1
    const size = sizeOf(at(end), room - bytes)
    const named = size === undefined ? largeOf([...steps, key], at(end)) : undefined
    const cost = named === undefined ? bytes + (size ?? 0) : Utf8.length(JSON.stringify(named)) + 1
    // the first part always fits: a part that needs more than the room of a page is named
    if (cost > left) break
    left -= cost
    if (named === undefined) included.push([key, at(end)])
    else large.push(named)
  }
  return {
    kind,
    total,
    offset: request.offset,
    data: kind === "list" ? included.map(([, value]) => value) : Object.fromEntries(included),
    ...(large.length === 0 ? {} : { too_large: large }),
    ...(end < total ? { next: nextOf(request, end) } : {})
  }
}

/**
 * Names a part that is too large. A path that is too long to send is cut, and the part can then not be read separately.
 */
const largeOf = (steps: ReadonlyArray<ArtifactPath.Step>, value: unknown): LargePart => ({
  path: JsonLength.cut(ArtifactPath.format(steps), maxPathLength),
  is: Array.isArray(value) || typeof value !== "object" || value === null ? Preview.kind(value) : sizeWord(value)
})

const sizeWord = (value: object): string => Preview.objectOf(Object.keys(value).length)

/** The maximum nesting of a part on a page. Deeper parts are read by their path. */
const maxDepth = 100

/** Returns the number of bytes of a part as JSON; undefined if the part does not fit. */
const sizeOf = (value: unknown, room: number): number | undefined => {
  // Thousands of levels overflow the stack of JSON.stringify.
  const text = Result.getOrUndefined(Result.try(() => Preview.whole(value, room)))
  return text !== undefined && isFlat(value, maxDepth) ? Utf8.length(text) : undefined
}

const isFlat = (value: unknown, levels: number): boolean =>
  typeof value !== "object" ||
  value === null ||
  (levels > 0 && Object.values(value).every((part) => isFlat(part, levels - 1)))

/**
 * Recovers the complete leading rows of one array, and the fields around it, from truncated JSON text.
 *
 * The text is cut back to the last complete child of the innermost open container on the path to the array, and the
 * open containers are closed. Nothing that may be incomplete is kept.
 */
import * as FieldPath from "#domain/text/FieldPath"
import { forbiddenName, type Limits } from "./JsonError.ts"
import { field } from "./JsonObject.ts"
import * as JsonScan from "./JsonScan.ts"
import type { Steps } from "./Steps.ts"

/** The complete part of a truncated text. */
interface CompletePart {
  /** The complete leading elements of the array, at least one. */
  readonly rows: ReadonlyArray<unknown>
  /**
   * The complete part of the value without the array: `{ page: 1, data: { total: 3 } }` for the path
   * `["data", "orders"]`. `undefined` if the array is the root.
   */
  readonly prefix: unknown
  /** The path of the last complete scalar or empty container in the text. It may belong to an incomplete row. */
  readonly lastField: string
  /** The offset after the last character that was kept. */
  readonly position: number
}

/**
 * Recovers the complete leading rows of the array at `path` (names from the root, `[]` for the root itself). Returns
 * `undefined` if the text exceeds the limits, is not truncated or has no array at `path`, or if the array has no
 * complete row. Scans the text in steps.
 */
export function* salvage(text: string, path: ReadonlyArray<string>, limits: Limits): Steps<CompletePart | undefined> {
  if (text.length > limits.maxBytes) return undefined
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0
  const { end, last, open } = yield* JsonScan.scan(text, limits.maxDepth, start, forbiddenName(text))
  if (end !== "Truncated" || last === undefined) return undefined
  const isOnPath = (level: number): boolean => {
    const { at } = open[level]!
    return at >= 0 && JsonScan.nameAt(text, at) === path[level]
  }
  let level = 0
  while (level + 1 < open.length && isOnPath(level)) level++
  const position = open[level]!.childEnd
  if (position < 0) return undefined
  const closed = open.slice(0, level + 1).map(({ array }) => (array ? "]" : "}"))
  const value: unknown = JSON.parse(text.slice(start, position) + closed.reverse().join(""))
  const rows = path.reduce(field, value)
  if (!Array.isArray(rows) || rows.length === 0) return undefined
  return { rows, prefix: withRows(value, path, undefined), lastField: FieldPath.format(last), position }
}

/** Returns `prefix` with `rows` at `path`. If `rows` is `undefined`, the field at `path` is removed. */
export const withRows = (
  prefix: unknown,
  path: ReadonlyArray<string>,
  rows: ReadonlyArray<unknown> | undefined
): unknown => {
  const [name, ...rest] = path
  if (name === undefined) return rows
  const { [name]: inner, ...others } = prefix as Record<string, unknown>
  const changed = withRows(inner, rest, rows)
  return changed === undefined ? others : { ...others, [name]: changed }
}

/**
 * Keeps what is whole of JSON text that was cut: the complete leading rows of one array, and the fields around it.
 *
 * The text is cut back behind the last complete child of the innermost open container on the way to the array, and the
 * containers that are open there are closed. So nothing is kept that may have been cut itself.
 */
import * as FieldPath from "#domain/text/FieldPath"
import { forbiddenName, type Limits } from "./JsonError.ts"
import * as JsonScan from "./JsonScan.ts"

/** What is whole of a text that was cut. */
export interface Salvaged {
  /** The complete leading elements of the array, at least one. */
  readonly rows: ReadonlyArray<unknown>
  /**
   * The whole value as far as it is complete, without the array: `{ page: 1, data: { total: 3 } }` for the path
   * `["data", "orders"]`. `undefined` where the array is the root.
   */
  readonly prefix: unknown
  /** Path of the last complete scalar in the text, which may lie in a row that is not complete. */
  readonly lastField: string
  /** Offset behind the last character that was kept. */
  readonly position: number
}

/**
 * Keeps the complete leading rows of the array at `path` (names from the root, `[]` for the root itself) of a text that
 * is cut. `undefined` where the text is not cut but whole or wrong, holds no such array, or no row of it is complete.
 */
export const salvage = (text: string, path: ReadonlyArray<string>, limits: Limits): Salvaged | undefined => {
  if (text.length > limits.maxBytes) return undefined
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0
  const { end, last, open } = JsonScan.scan(text, limits.maxDepth, start, forbiddenName(text))
  if (end !== "Truncated" || open.length === 0 || last === undefined) return undefined
  const onTheWay = (level: number): boolean => {
    const { array, at } = open[level]!
    return !array && at >= 0 && JsonScan.nameAt(text, at) === path[level]
  }
  let level = 0
  while (level < path.length && level + 1 < open.length && onTheWay(level)) level++
  const position = open[level]!.childEnd
  if (position < 0) return undefined
  const closed = open.slice(0, level + 1).map(({ array }) => (array ? "]" : "}"))
  const value: unknown = JSON.parse(text.slice(start, position) + closed.reverse().join(""))
  const rows = path.reduce(child, value)
  if (!Array.isArray(rows) || rows.length === 0) return undefined
  const prefix = path.length === 0 ? undefined : withRows(value, path, undefined)
  return { rows, prefix, lastField: FieldPath.format(last), position }
}

const child = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

/** The whole value again: `prefix` with `rows` at `path`; without a field there where `rows` is `undefined`. */
export const withRows = (
  prefix: unknown,
  path: ReadonlyArray<string>,
  rows: ReadonlyArray<unknown> | undefined
): unknown => {
  const [name, ...rest] = path
  if (name === undefined) return rows
  const { [name]: inside, ...beside } = prefix as Record<string, unknown>
  const changed = withRows(inside, rest, rows)
  return changed === undefined ? beside : { ...beside, [name]: changed }
}

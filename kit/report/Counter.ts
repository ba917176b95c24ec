/** Counts by a key, and lists what is bounded. Mutable: one fold over a log owns them. */
import type { Bounded } from "./Report.ts"

/** Rows of a table that are held: names come from models, and must not fill the memory. */
export const mostRows = 5_000

/** Stands for all names for which there is no row any more. */
export const others = "(others)"

/** A table that makes a row when a key is first seen. Beyond `mostRows` all counts go to the row of `rest`. */
export const table = <Row>() => {
  const rows = new Map<string, Row>()
  let remaining: Row | undefined
  return {
    /** The row of a key. */
    at: (key: string, make: () => Row, rest: () => Row = make): Row => {
      const known = rows.get(key)
      if (known !== undefined) return known
      if (rows.size >= mostRows) return (remaining ??= rest())
      const made = make()
      rows.set(key, made)
      return made
    },
    rows: (): ReadonlyArray<Row> => (remaining === undefined ? [...rows.values()] : [...rows.values(), remaining])
  }
}

/** The first `most` of what is put in, and how many there were. */
export const bounded = <A>(most: number) => {
  const shown: Array<A> = []
  let total = 0
  return {
    add: (make: () => A): void => {
      total += 1
      if (shown.length < most) shown.push(make())
    },
    value: (): Bounded<A> => ({ total, shown })
  }
}

/** Most first, then by name, so that the order never depends on the log's. */
export const byCount =
  <A>(count: (row: A) => number, name: (row: A) => string) =>
  (a: A, b: A): number =>
    count(b) - count(a) || (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0)

/** The beginning of a text, held without the text itself: engines keep a whole text alive for a part of it. */
export const beginning = (text: string, most: number): string => ` ${text.slice(0, most)}`.slice(1)

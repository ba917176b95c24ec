/** Counts by a key, and lists what is bounded. Mutable: one fold over a log owns them. */
import type { Bounded } from "./Report.ts"

/** A table that makes a row when a key is first seen. */
export const table = <Row>() => {
  const rows = new Map<string, Row>()
  return {
    /** The row of a key. */
    at: (key: string, make: () => Row): Row => {
      const known = rows.get(key)
      if (known !== undefined) return known
      const made = make()
      rows.set(key, made)
      return made
    },
    rows: (): ReadonlyArray<Row> => [...rows.values()]
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

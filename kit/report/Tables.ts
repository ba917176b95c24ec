/** Provides tables and lists of bounded size. They are mutable, and each belongs to one fold over a log. */

/** The first items of a list, and its full length. */
export interface BoundedList<A> {
  readonly total: number
  readonly shown: ReadonlyArray<A>
}

/** The maximum number of rows. A limit is necessary because models choose the names. */
const maxRows = 5_000

/** The name of the row that collects all names past the limit. */
export const others = "(others)"

/** Creates a table that adds a row for each new key. After `maxRows` rows, all new keys share the row of `rest`. */
export const table = <Row>() => {
  const rows = new Map<string, Row>()
  let remaining: Row | undefined
  return {
    /** Returns the row of a key. */
    at: (key: string, make: () => Row, rest: () => Row = make): Row => {
      const known = rows.get(key)
      if (known !== undefined) return known
      if (rows.size >= maxRows) return (remaining ??= rest())
      const row = make()
      rows.set(key, row)
      return row
    },
    rows: (): ReadonlyArray<Row> => (remaining === undefined ? [...rows.values()] : [...rows.values(), remaining])
  }
}

/** Creates a list that keeps its first `limit` items and counts all items. */
export const bounded = <A>(limit: number) => {
  const shown: Array<A> = []
  let total = 0
  return {
    add: (make: () => A): void => {
      total += 1
      if (shown.length < limit) shown.push(make())
    },
    value: (): BoundedList<A> => ({ total, shown })
  }
}

/** Compares rows by descending count, then by name, so that the order of the log does not matter. */
export const byCount =
  <A>(count: (row: A) => number, name: (row: A) => string) =>
  (a: A, b: A): number =>
    count(b) - count(a) || (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0)

/** Copies the beginning of a text, because a plain slice would keep the whole text in memory. */
export const beginning = (text: string, length: number): string => ` ${text.slice(0, length)}`.slice(1)

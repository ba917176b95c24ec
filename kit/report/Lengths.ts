/** Counts lengths in classes whose bounds double: 0, 1, 2, 3 to 4, 5 to 8 … */

/** The number of lengths between two bounds, which are included. */
export interface LengthRow {
  readonly from: number
  readonly to: number
  readonly count: number
}

const classOf = (length: number): number => (length <= 1 ? length : 1 + Math.ceil(Math.log2(length)))

const boundsOf = (index: number): Pick<LengthRow, "from" | "to"> =>
  index <= 1 ? { from: index, to: index } : { from: 2 ** (index - 2) + 1, to: 2 ** (index - 1) }

/** Creates an empty count. */
export const make = () => {
  const counts = new Map<number, number>()
  return {
    add: (length: number): void => {
      const index = classOf(length)
      counts.set(index, (counts.get(index) ?? 0) + 1)
    },
    /** Returns all classes from the shortest to the longest length, empty ones in between included. */
    rows: (): ReadonlyArray<LengthRow> => {
      if (counts.size === 0) return []
      const first = Math.min(...counts.keys())
      return Array.from({ length: Math.max(...counts.keys()) - first + 1 }, (_, index) => ({
        ...boundsOf(first + index),
        count: counts.get(first + index) ?? 0
      }))
    }
  }
}

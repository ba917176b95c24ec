/** The numbers, lengths or sizes of the values of a group of faults. */

/** The smallest and the largest number, length or size. */
export interface ValueRange {
  readonly least: number
  readonly most: number
}

/**
 * Returns a number as its own range, and the size of a text, a list or an object; undefined for any other value. The
 * smallest length of a text is counted in characters and the largest in UTF-16 units, so that a bound of either kind
 * holds.
 */
export const of = (value: unknown): ValueRange | undefined => {
  if (typeof value === "number") return { least: value, most: value }
  if (typeof value === "string") return { least: Array.from(value.slice(0, 100_000)).length, most: value.length }
  if (typeof value !== "object" || value === null) return undefined
  const size = Object.keys(value).length
  return { least: size, most: size }
}

/** Returns the range that contains both ranges. */
export const join = (one: ValueRange | undefined, other: ValueRange): ValueRange =>
  one === undefined ? other : { least: Math.min(one.least, other.least), most: Math.max(one.most, other.most) }

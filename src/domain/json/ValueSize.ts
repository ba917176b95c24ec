/**
 * Decides whether a value is small enough to report all its issues instead of only the first.
 *
 * An issue of Effect's Schema takes hundreds of bytes, and 500 KB of JSON can hold 180,000 invalid objects. Collecting
 * all issues of such a text would exhaust the memory.
 */
import type { JsonObject } from "./JsonObject.ts"

/** The maximum number of objects, arrays and scalars of a small value. */
export const maxParts = 10_000

const maxDepth = 1_000

/** Returns `room` minus the number of parts of a value; negative if there are more parts, or too many levels. */
const left = (value: unknown, room: number, levels: number): number => {
  if (typeof value !== "object" || value === null) return room - 1
  if (levels === 0) return -1
  let rest = room - 1
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && rest >= 0; i++) rest = left(value[i], rest, levels - 1)
    return rest
  }
  for (const key in value) {
    if (rest < 0) break
    rest = left((value as JsonObject)[key], rest, levels - 1)
  }
  return rest
}

/** True if a value has at most `most` parts. A cycle has more. */
export const hasAtMost = (value: unknown, most: number): boolean => left(value, most, maxDepth) >= 0

/** Counts the parts of a value, up to `most`. A cycle has `most`. */
export const partsOf = (value: unknown, most: number): number => most - Math.max(0, left(value, most, maxDepth))

/** True if a value has at most `maxParts` parts. A cycle is not small. Throws if a getter throws. */
export const isSmall = (value: unknown): boolean => left(value, maxParts, maxDepth) >= 0

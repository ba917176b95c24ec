/**
 * Whether a value is small enough that all its faults are told, not only the first.
 *
 * An issue of Effect's Schema costs hundreds of bytes, and 500 KB of JSON hold 180,000 wrong objects: told whole, what a
 * model or an upstream sent in one piece would fill the memory.
 */
import type { JsonObject } from "./JsonObject.ts"

/** Most objects, arrays and scalars of a value that is small. */
export const mostParts = 10_000

const deepest = 1_000

/** What is left of `room` after the parts of a value; negative as soon as it has more, or is nested too deeply. */
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

/** Whether a value has at most `mostParts` parts. A cycle is not small. Throws where a getter does. */
export const isSmall = (value: unknown): boolean => left(value, mostParts, deepest) >= 0

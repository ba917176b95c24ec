/**
 * About how long a value is as JSON, found in less than a microsecond: one element of an array stands for all of it.
 *
 * For deciding whether to hold a value for later; what must be bounded exactly is written and measured.
 */
import type { JsonObject } from "./JsonObject.ts"

const deepest = 12

/** The estimated length, or some number above `room` as soon as it is passed. Throws where a getter does. */
export const estimate = (value: unknown, room: number, levels: number = deepest): number => {
  if (typeof value === "string") return value.length + 2
  if (typeof value !== "object" || value === null) return 8
  if (levels === 0) return room + 1
  if (Array.isArray(value)) {
    const { length } = value
    return length === 0 ? 2 : (estimate(value[length >> 1], room, levels - 1) + 1) * length + 1
  }
  if (ArrayBuffer.isView(value)) return value.byteLength * 2
  let sum = 2
  for (const key in value) {
    const field = (value as JsonObject)[key]
    // most fields are no objects: they are not worth a call
    sum += key.length + 4
    if (typeof field === "string") sum += field.length + 2
    else sum += typeof field === "object" && field !== null ? estimate(field, room, levels - 1) : 8
    if (sum > room) return sum
  }
  return sum
}

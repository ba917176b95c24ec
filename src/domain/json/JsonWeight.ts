/**
 * Estimates the length of a value as JSON without writing it, from one element of each array.
 *
 * The estimate decides whether a value is kept for later. Exact limits are checked on the written text instead.
 */
import type { JsonObject } from "./JsonObject.ts"

const maxDepth = 12

/**
 * Returns the estimated length, or a number above `room` if the estimate exceeds `room`. Throws if a getter throws.
 */
export const estimate = (value: unknown, room: number, levels: number = maxDepth): number => {
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
    // Most fields are scalars, and need no recursive call.
    sum += key.length + 4
    if (typeof field === "string") sum += field.length + 2
    else sum += typeof field === "object" && field !== null ? estimate(field, room, levels - 1) : 8
    if (sum > room) return sum
  }
  return sum
}

/** Checks large JSON texts before they are parsed, and parsed values for forbidden keys, in steps. */
import { maxContainers, maxNames, maxValues } from "./JsonError.ts"
import type { JsonObject } from "./JsonObject.ts"
import { type Steps, stepLength } from "./Steps.ts"

/** Returns the offset of the closing quote of the string at `start`; the length of the text if the quote is missing. */
export const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === 0x5c) before--
    if ((end - before) % 2 === 1) return end
  }
  return text.length
}

/**
 * Returns the limit that a text exceeds, or the number of its field names. The answer is exact for valid JSON, except
 * that the hashes of distinct names may collide.
 */
export function* survey(text: string, levels: number): Steps<"depth" | "parts" | number> {
  const names = new Set<number>()
  let depth = 0
  let containers = 0
  let fields = 0
  let commas = 0
  let start = 0
  let end = 0
  let pause = stepLength
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 0x22) {
      start = i
      i = end = endOfString(text, i)
    } else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > levels) return "depth"
      if (++containers > maxContainers) return "parts"
    } else if (unit === 0x7d || unit === 0x5d) depth--
    else if (unit === 0x2c) {
      if (++commas > maxValues) return "parts"
      if (i < pause) continue
      yield
      pause = i + stepLength
    } else if (unit === 0x3a) {
      if (++fields > maxValues || names.add(hashOf(text, start + 1, end)).size > maxNames) return "parts"
    }
  }
  return fields
}

/** Hashes code units with FNV-1a, in 31 bits. */
const hashOf = (text: string, start: number, end: number): number => {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 1
}

/** True if a text may have a forbidden key. An escape can hide any character of a key. */
export const mayForbid = (text: string): boolean =>
  text.includes("__proto__") || text.includes("prototype") || text.includes("\\u00")

/** The number of fields and items that a step reads. */
const stepParts = 50_000

/** Counts the field names in a value. Returns -1 if the value is nested too deeply or has a forbidden key. */
export function* countNames(value: unknown, levels: number, walk = { parts: 0 }): Steps<number> {
  if (typeof value !== "object" || value === null) return 0
  if (levels === 0) return -1
  let names = 0
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (pausesAfter(walk)) yield
      const item: unknown = value[i]
      if (typeof item !== "object") continue
      const inside = yield* countNames(item, levels - 1, walk)
      if (inside < 0) return -1
      names += inside
    }
    return names
  }
  const record = value as JsonObject
  for (const key in record) {
    if (pausesAfter(walk)) yield
    if (isForbidden(record, key)) return -1
    names += 1
    const child = record[key]
    if (typeof child !== "object") continue
    const inside = yield* countNames(child, levels - 1, walk)
    if (inside < 0) return -1
    names += inside
  }
  return names
}

/** True if the key is `__proto__`, or `constructor` with a value that has `prototype`. */
export const isForbidden = (record: JsonObject, key: string): boolean => {
  if (key === "__proto__") return true
  if (key !== "constructor") return false
  const child = record[key]
  return typeof child === "object" && child !== null && Object.hasOwn(child, "prototype")
}

const pausesAfter = (walk: { parts: number }): boolean => {
  walk.parts += 1
  if (walk.parts < stepParts) return false
  walk.parts = 0
  return true
}

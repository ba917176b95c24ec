/**
 * Reads attributes as OTLP writes them in JSON, `[{ key, value: { stringValue } }]`. A value is unwrapped only on
 * demand.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"

/** The values of attributes by key, still wrapped. */
export type Attributes = ReadonlyMap<string, unknown>

/** Returns the attributes of a span, an event or a log record. */
export const of = (listed: unknown): Attributes => {
  const attributes = new Map<string, unknown>()
  if (!Array.isArray(listed)) return attributes
  for (const entry of listed) {
    const { key, value } = Fields.of(entry)
    if (typeof key === "string") attributes.set(key, value)
  }
  return attributes
}

/** The number of levels of a value to read. Deeper values become null. */
const maxDepth = 100

/** Converts an OTLP value to a plain value. */
export const plain = (wrapped: unknown, levels = maxDepth): unknown => {
  const value = Fields.of(wrapped)
  if (typeof value["stringValue"] === "string") return value["stringValue"]
  if (levels === 0) return null
  const { arrayValue, boolValue, doubleValue, intValue, kvlistValue } = value
  if (arrayValue !== undefined) return Fields.list(Fields.of(arrayValue)["values"]).map((one) => plain(one, levels - 1))
  if (kvlistValue !== undefined) {
    const entries = Fields.list(Fields.of(kvlistValue)["values"])
    return Object.fromEntries(entries.map(({ key, value: inner }) => [Fields.string(key), plain(inner, levels - 1)]))
  }
  if (typeof boolValue === "boolean") return boolValue
  if (typeof intValue === "string" || typeof intValue === "number") return Number(intValue)
  return typeof doubleValue === "number" ? doubleValue : null
}

/** Returns an attribute as a plain value; `undefined` if it is missing. */
export const value = (attributes: Attributes, key: string): unknown => {
  const wrapped = attributes.get(key)
  return wrapped === undefined ? undefined : plain(wrapped)
}

/** Returns the first non-empty text among these attributes, otherwise an empty text. */
export const text = (attributes: Attributes, ...keys: ReadonlyArray<string>): string => {
  for (const key of keys) {
    const { stringValue } = Fields.of(attributes.get(key))
    if (typeof stringValue === "string" && stringValue !== "") return stringValue
  }
  return ""
}

/** Converts epoch nanoseconds, as a text or a number, to epoch milliseconds; 0 if they are missing. */
export const millis = (nanoseconds: unknown): number => {
  const number = typeof nanoseconds === "string" || typeof nanoseconds === "number" ? Number(nanoseconds) : 0
  return Number.isFinite(number) ? Math.round(number / 1e6) : 0
}

/** Converts a plain value to an OTLP value: the inverse of `plain`. Values below the number of levels become null. */
export const wrap = (value: unknown, levels = maxDepth): unknown => {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: value } : { doubleValue: value }
  if (typeof value !== "object" || value === null || levels === 0) return {}
  return Array.isArray(value)
    ? { arrayValue: { values: value.map((one) => wrap(one, levels - 1)) } }
    : { kvlistValue: { values: wrapped(value, levels - 1) } }
}

/** Converts the fields of an object to attributes as OTLP writes them. */
export const wrapped = (attributes: unknown, levels = maxDepth): ReadonlyArray<unknown> =>
  Object.entries(Fields.of(attributes)).map(([key, value]) => ({ key, value: wrap(value, levels) }))

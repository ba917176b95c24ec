/** Reads times as logs write them. */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

/** Epoch times from these limits on are in milliseconds, microseconds and nanoseconds. Smaller ones are in seconds. */
const fromMillis = 1e11
const fromMicros = 1e14
const fromNanos = 1e17

/**
 * Returns a time in epoch milliseconds: an ISO text, which is UTC without a zone, or an epoch number in any of the common
 * units. Returns `undefined` for anything else.
 */
export const millisOf = (time: unknown): number | undefined => {
  if (typeof time !== "string" && typeof time !== "number") return undefined
  const number = typeof time === "string" && time.trim() === "" ? Number.NaN : Number(time)
  if (Number.isFinite(number)) return Math.round(scaled(number))
  const text = String(time)
  const hasZone = /(?:z|[+-]\d\d:?\d\d)$/iu.test(text)
  const parsed = /^\d{4}-\d\d-\d\d[ T]\d\d:/u.test(text)
    ? Date.parse(hasZone ? text : `${text.replace(" ", "T")}Z`)
    : Number.NaN
  return Number.isNaN(parsed) ? undefined : parsed
}

const scaled = (epoch: number): number =>
  epoch >= fromNanos ? epoch / 1e6 : epoch >= fromMicros ? epoch / 1e3 : epoch >= fromMillis ? epoch : epoch * 1e3

/** The earliest time of a message. A smaller number in a field such as `time` is a duration or a counter. */
const earliest = Date.UTC(2000)

/** The names of the fields that state the time of a message, the most specific first. */
const fields = ["timestamp", "created_at", "createdAt", "time", "created"] as const

/** Returns the time that a message states, in epoch milliseconds; `undefined` if it states none. */
export const ofMessage = (message: JsonObject): number | undefined => {
  for (const field of fields) {
    const at = millisOf(message[field])
    if (at !== undefined && at >= earliest) return at
  }
  return undefined
}

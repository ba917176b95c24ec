/**
 * Reads how long an upstream asks to wait, from headers, bodies and messages [4.11].
 *
 * **Details**
 *
 * - `retry-after` is a number of seconds or an HTTP date in one of its three forms. `retry-after-ms` takes precedence.
 * - Reset headers (`x-ratelimit-reset` and similar) count only if the limit is used up (`remaining` is 0) and the value
 *   is unambiguous: it has a unit, it is a date or a current epoch time, or it is a plain number in a header whose name
 *   starts with `ratelimit`, where it means seconds.
 * - A date is compared with `now` or, without `now`, with the `date` header of the response. Without both it is
 *   ignored.
 *
 * **Gotchas**
 *
 * A past date means zero: the call may be repeated immediately. A wait of more than a year counts as a year, because a
 * larger number could overflow. A negative number is ignored. If a header has several delays, the longest counts.
 * Source: RFC 9110, 5.6.7 and 10.2.3.
 */
import * as Duration from "effect/Duration"

const secondMillis = 1000
const dayMillis = 86_400 * secondMillis
const longestMillis = 366 * dayMillis

const within = (millis: number): Duration.Duration | undefined =>
  millis >= 0 ? Duration.millis(Math.ceil(Math.min(millis, longestMillis))) : undefined

const until = (epochMillis: number, now: number | undefined): Duration.Duration | undefined =>
  now === undefined ? undefined : within(Math.max(0, epochMillis - now))

/** One or more delays in seconds. There are several if proxies added headers that a client then joined. */
const delays = /^\d+(?:\.\d+)?(?:\s*,\s*\d+(?:\.\d+)?){0,9}$/

/**
 * Returns the wait in a `Retry-After` header; `undefined` if it is neither a delay nor an HTTP date. `now` is in epoch
 * milliseconds; without it a date is ignored.
 */
export const parse = (value: string, now?: number): Duration.Duration | undefined => {
  const text = value.trim()
  if (delays.test(text)) return within(Math.max(...text.split(",").map(Number)) * secondMillis)
  const date = httpDate(text, now)
  return date === undefined ? undefined : until(date, now)
}

/**
 * True if the headers of a response ask to wait by a `retry-after` or `retry-after-ms` with a valid value. A value such
 * as `soon`, `-1` or a date that does not exist is not valid.
 */
export const isStated = (header: (name: string) => string | undefined): boolean => {
  const after = header("retry-after")
  // any date is valid, so the time does not matter
  return (after !== undefined && parse(after, 0) !== undefined) || millisIn(header("retry-after-ms")) !== undefined
}

/** Returns the wait in a header that holds milliseconds. */
const millisIn = (value: string | undefined): Duration.Duration | undefined =>
  value !== undefined && /^\d+(?:\.\d+)?$/.test(value.trim()) ? within(Number(value)) : undefined

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

const imfFixdate =
  /^(?:mon|tue|wed|thu|fri|sat|sun), (?<day>\d{2}) (?<month>[a-z]{3}) (?<year>\d{4,9}) (?<time>\d{2}:\d{2}:\d{2}) gmt$/
const rfc850 =
  /^(?:mon|tues|wednes|thurs|fri|satur|sun)day, (?<day>\d{2})-(?<month>[a-z]{3})-(?<short>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) gmt$/
const asctime =
  /^(?:mon|tue|wed|thu|fri|sat|sun) (?<month>[a-z]{3}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4,9})$/

/**
 * Returns the epoch milliseconds of an HTTP date in any of its three forms; `undefined` for any other text. A two-digit
 * year is read as at most 50 years after `now`.
 */
export const httpDate = (text: string, now?: number): number | undefined => {
  const lower = text.trim().toLowerCase()
  const parts = (imfFixdate.exec(lower) ?? rfc850.exec(lower) ?? asctime.exec(lower))?.groups
  if (parts === undefined) return undefined
  const [hour = 99, minute = 99, second = 99] = (parts["time"] ?? "").split(":").map(Number)
  const month = months.indexOf(parts["month"] ?? "") + 1
  const day = Number(parts["day"])
  if (hour > 23 || minute > 59 || second > 60) return undefined
  const at = (year: number) => {
    const midnight = epochDay(year, month, day)
    return midnight === undefined ? undefined : midnight * dayMillis + ((hour * 60 + minute) * 60 + second) * 1000
  }
  if (parts["year"] !== undefined) return at(Number(parts["year"]))
  const recent = 2000 + Number(parts["short"])
  const date = at(recent)
  // without a date or a time the difference is NaN, which is not greater
  return Number(date) - Number(now) > 50 * 365.25 * dayMillis ? at(recent - 100) : date
}

const rfc3339 = /^(\d{4,9})-(\d{2})-(\d{2})t(\d{2}):(\d{2}):(\d{2}(?:\.\d{1,9})?)(?:z|([+-])(\d{2}):(\d{2}))$/

const internetTime = (text: string): number | undefined => {
  const match = rfc3339.exec(text.toLowerCase())
  if (match === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number)
  const midnight = epochDay(year, month, day)
  if (midnight === undefined || hour > 23 || minute > 59 || second >= 61) return undefined
  const offset = (Number(match[8] ?? 0) * 60 + Number(match[9] ?? 0)) * (match[7] === "-" ? -1 : 1)
  return midnight * dayMillis + ((hour * 60 + minute - offset) * 60 + second) * 1000
}

const daysIn = (year: number, month: number): number =>
  month === 2
    ? (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31

/** Returns the days since 1970-01-01 in the Gregorian calendar; `undefined` for a day that does not exist. */
const epochDay = (year: number, month: number, day: number): number | undefined => {
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined
  const shifted = month > 2 ? year : year - 1
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}

/** The headers of an HTTP response. The case of the names does not matter. */
export type Headers = Readonly<Record<string, string | undefined>>

/**
 * Returns the wait that the headers of a response ask for. `retry-after-ms` and `x-ms-retry-after-ms` come first, then
 * `retry-after`, then the reset of a used-up limit.
 */
export const fromHeaders = (headers: Headers, now?: number): Duration.Duration | undefined => {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value ?? ""]))
  const date = lower.get("date")
  const clock = now ?? (date === undefined ? undefined : httpDate(date))
  const millis = millisIn(lower.get("retry-after-ms")) ?? millisIn(lower.get("x-ms-retry-after-ms"))
  if (millis !== undefined) return millis
  const after = lower.get("retry-after")
  const wait = after === undefined ? undefined : parse(after, clock)
  return wait ?? longestReset(lower, clock)
}

const resetName = /^(?<start>(?:x-|anthropic-)?rate-?limit)-(?<of>[a-z-]*?)-?reset(?<tail>(?:-[a-z]+)?)$/

/** Returns the longest wait until a used-up limit resets. */
const longestReset = (headers: ReadonlyMap<string, string>, now: number | undefined): Duration.Duration | undefined => {
  let longest: Duration.Duration | undefined
  for (const [name, value] of headers) {
    const parts = resetName.exec(name)?.groups
    if (parts === undefined) continue
    const of = parts["of"] === "" ? "" : `-${parts["of"]}`
    if (headers.get(`${parts["start"]}${of}-remaining${parts["tail"]}`)?.trim() !== "0") continue
    const wait = reset(value.trim(), name.startsWith("ratelimit"), now)
    if (wait !== undefined && (longest === undefined || Duration.toMillis(wait) > Duration.toMillis(longest))) {
      longest = wait
    }
  }
  return longest
}

/**
 * Returns the wait that the value of a reset header states. In a `standard` header, whose name starts with `ratelimit`,
 * a plain number is a number of seconds from now (draft-ietf-httpapi-ratelimit).
 */
const reset = (value: string, standard: boolean, now: number | undefined): Duration.Duration | undefined => {
  const time = internetTime(value) ?? httpDate(value, now)
  if (time !== undefined) return until(time, now)
  if (!/^\d{1,14}(?:\.\d{1,9})?$/.test(value)) return span(value)
  const number = Number(value)
  if (now !== undefined) {
    if (Math.abs(number * secondMillis - now) < longestMillis) return until(number * secondMillis, now)
    if (Math.abs(number - now) < longestMillis) return until(number, now)
  }
  return standard && number < 86_400 ? within(number * secondMillis) : undefined
}

const unitMillis: Readonly<Record<string, number>> = { ms: 1, s: secondMillis, m: 60_000, h: 3_600_000, d: dayMillis }

const unitOf = (word: string): number | undefined => {
  const lower = word.toLowerCase()
  if (lower === "ms" || lower.startsWith("milli")) return 1
  return unitMillis[lower[0] ?? ""]
}

const spanPart =
  /(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])/giy

/** Reads a span with units at the start of a text, such as `6m0s`, `1.4s`, `20ms` or `2 minutes 30 seconds`. */
const span = (text: string): Duration.Duration | undefined => {
  let total: number | undefined
  let index = 0
  for (;;) {
    spanPart.lastIndex = index
    const match = spanPart.exec(text)
    if (match === null) break
    total = (total ?? 0) + Number(match[1]) * (unitOf(match[2] ?? "") ?? 0)
    index = spanPart.lastIndex
    if (text[index] === " " && /\d/.test(text[index + 1] ?? "")) index += 1
  }
  return total === undefined ? undefined : within(total)
}

/**
 * Phrases that precede the length of a wait. A number without a unit means seconds, and counts only after
 * `retry after`.
 */
const announced =
  /\b(?:(?:re)?try(?: (?:again|your request|the request|this request))?|wait|available(?: again)?|retry[- ]after)(?: (?:for|in|after|at least|about|approximately|another|please|again)){0,3}:?\s+(?=\d)/gi

/** Returns the wait that a message states, such as `Please try again in 1.4s` or `retry after 6 seconds`. */
export const fromText = (text: string): Duration.Duration | undefined => {
  announced.lastIndex = 0
  for (let match = announced.exec(text); match !== null; match = announced.exec(text)) {
    const rest = text.slice(announced.lastIndex, announced.lastIndex + 64)
    const wait = span(rest)
    if (wait !== undefined) return wait
    const bare = /retry[- ]after/i.test(match[0]) ? /^(\d+(?:\.\d+)?)\s*(?:[.,;)]|$)/.exec(rest) : null
    if (bare !== null) return within(Number(bare[1]) * secondMillis)
  }
  return undefined
}

/**
 * Returns the wait in a field of a body, recognised by its name: `retry_after` (seconds), `retryAfterMs`,
 * `retryDelay: "36s"`.
 */
export const fromField = (name: string, value: unknown): Duration.Duration | undefined => {
  const key = name.toLowerCase().replaceAll(/[_-]/g, "")
  if (!/^(?:retryafter|retrydelay|retryin)(?:ms|millis|milliseconds|s|secs?|seconds)?$/.test(key)) return undefined
  if (Duration.isDuration(value)) return within(Duration.toMillis(value))
  const unit = /ms|milli/.test(key) ? 1 : secondMillis
  if (typeof value === "number") return within(value * unit)
  if (typeof value !== "string") return undefined
  return /^\d+(?:\.\d+)?$/.test(value.trim()) ? within(Number(value) * unit) : span(value.trim())
}

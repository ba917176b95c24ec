/**
 * The key of a call: the tool's id and its canonical arguments (RFC 8785, JSON Canonicalization Scheme).
 *
 * - Field names are sorted by UTF-16 code units. Numbers are written as in ECMAScript, and `-0` as `0`. There is no
 *   white space.
 * - The key is the canonical text itself, and not its digest.
 * - Values that are not JSON also have a canonical text (see `canonical`).
 *
 * **Gotchas**
 *
 * Pass arguments that were decoded and encoded again, so that key order, defaults and variants of a value do not
 * matter.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import { type Steps, stepLength } from "#domain/json/Steps"

const maxDepth = 1000
const beyond = "…"

const maxCachedKeys = 4096
const maxCachedKeyLength = 64
const quotedKeys = new Map<string, string>()

/** Quotes a field name and caches the text: names repeat from call to call, so caching saves a third of the time. */
const quoteKey = (key: string): string => {
  const known = quotedKeys.get(key)
  if (known !== undefined) return known
  const quoted = quote(key) + ":"
  if (key.length <= maxCachedKeyLength && quotedKeys.size < maxCachedKeys) quotedKeys.set(key, quoted)
  return quoted
}

/** Returns the same text as `JSON.stringify`, without calling it for short plain strings. */
const quote = (text: string): string => {
  if (text.length > 64) return JSON.stringify(text)
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || unit >= 0xd800) return JSON.stringify(text)
  }
  return `"${text}"`
}

const sort = (keys: Array<string>): Array<string> => {
  if (keys.length > 16) return keys.sort()
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i]!
    let j = i - 1
    while (j >= 0 && keys[j]! > key) {
      keys[j + 1] = keys[j]!
      j--
    }
    keys[j + 1] = key
  }
  return keys
}

/** Returns the `toJSON` value of a date, a URL or another class instance, and any other object unchanged. */
const unwrap = (value: object): unknown => {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return value
  return "toJSON" in value && typeof value.toJSON === "function" ? value.toJSON() : value
}

/** Writes a value; returns `undefined` if the value is nested too deeply or cyclic. */
const write = (value: unknown, depth: number): string | undefined => {
  switch (typeof value) {
    case "string":
      return quote(value)
    case "number":
      return Number.isFinite(value) ? `${value}` : "null"
    case "boolean":
    case "bigint":
      return value.toString()
    case "object":
      break
    default:
      return "null"
  }
  if (value === null) return "null"
  if (depth === maxDepth) return undefined
  if (Array.isArray(value)) {
    let out = "["
    for (let i = 0; i < value.length; i++) {
      const item = write(value[i], depth + 1)
      if (item === undefined) return undefined
      out += i === 0 ? item : "," + item
    }
    return out + "]"
  }
  const unwrapped = unwrap(value)
  if (unwrapped !== value) return write(unwrapped, depth + 1)
  const record = value as JsonObject
  const keys = sort(Object.keys(value))
  let out = ""
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!
    const field = record[key]
    if (field === undefined) continue
    const text = write(field, depth + 1)
    if (text === undefined) return undefined
    out += out === "" ? quoteKey(key) + text : "," + quoteKey(key) + text
  }
  return "{" + out + "}"
}

/**
 * Writes a value as canonical JSON (RFC 8785). Equal values have equal texts, regardless of key order.
 *
 * **Details**
 *
 * - Fields that are `undefined` are left out; `undefined`, functions, symbols, `NaN` and infinities elsewhere are
 *   `null`, as in `JSON.stringify`. A bigint is written as its digits. `toJSON` of class instances is honoured.
 * - A lone surrogate, which RFC 8785 forbids, is written as its lower-case `\udXXX` escape, so that different texts
 *   stay different.
 *
 * **Gotchas**
 *
 * The whole value is written as `…` if it is cyclic or nested more than 1,000 levels deep. JSON that `JsonText` reads
 * is never that deep.
 */
export const canonical = (value: unknown): string => write(value, 0) ?? beyond

/** Returns the key of a call: the tool's id, a space, and the canonical encoded arguments. */
export const of = (tool: string, encodedArguments: unknown): string => tool + " " + canonical(encodedArguments)

/** A text that is being written: the parts of the current step, and the text of each earlier step. */
interface Draft {
  parts: Array<string>
  /** The remaining characters of the step. */
  room: number
  readonly texts: Array<string>
}

const add = (draft: Draft, part: string): void => {
  draft.parts.push(part)
  draft.room -= part.length
}

/** Ends the step if it has no room left. */
const endsStep = (draft: Draft): boolean => {
  if (draft.room > 0) return false
  draft.texts.push(draft.parts.join(""))
  draft.parts = []
  draft.room = stepRoom
  return true
}

/** The number of characters that a step writes, which takes longer than reading them. */
const stepRoom = stepLength / 2

/** Writes a value like `write`; returns false if the value is nested too deeply or cyclic. */
function* writeInSteps(draft: Draft, value: unknown, depth: number): Steps<boolean> {
  if (typeof value !== "object" || value === null) {
    add(draft, write(value, depth) ?? "null")
    if (endsStep(draft)) yield
    return true
  }
  if (depth === maxDepth) return false
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      add(draft, i === 0 ? "[" : ",")
      if (!(yield* writeInSteps(draft, value[i], depth + 1))) return false
    }
    add(draft, value.length === 0 ? "[]" : "]")
    if (endsStep(draft)) yield
    return true
  }
  const unwrapped = unwrap(value)
  if (unwrapped !== value) return yield* writeInSteps(draft, unwrapped, depth + 1)
  const record = value as JsonObject
  let before = "{"
  for (const key of sort(Object.keys(value))) {
    const field = record[key]
    if (field === undefined) continue
    add(draft, before + quoteKey(key))
    if (!(yield* writeInSteps(draft, field, depth + 1))) return false
    before = ","
  }
  add(draft, before === "{" ? "{}" : "}")
  if (endsStep(draft)) yield
  return true
}

/** Returns the same as `canonical` after `prefix`, in steps. The text is not a concatenation, so reading it is fast. */
export function* canonicalInSteps(value: unknown, prefix = ""): Steps<string> {
  const draft: Draft = { parts: [prefix], room: stepRoom, texts: [] }
  return (yield* writeInSteps(draft, value, 0)) ? [...draft.texts, ...draft.parts].join("") : prefix + beyond
}

/** Returns the same as `of`, in steps. */
export const inSteps = (tool: string, encodedArguments: unknown): Steps<string> =>
  canonicalInSteps(encodedArguments, `${tool} `)

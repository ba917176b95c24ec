/**
 * Reads JSON from models and upstreams: safely, within limits, and with errors that say how to correct the text.
 *
 * - `JSON.parse` reads the text; the checks around it add about a tenth to its time. Only a text that `JSON.parse`
 *   refuses, or that looks suspicious, is scanned again to find the position and the last complete field.
 * - The key `__proto__`, and `prototype` inside `constructor`, are refused. As own keys they do nothing, but a later
 *   merge or assignment in a handler would pollute prototypes.
 * - The last value of a duplicate key counts, as in `JSON.parse`. In arguments the duplicate is reported.
 * - A byte order mark is tolerated. Lone surrogates in strings are kept.
 * - Texts over 64 KB are checked before they are parsed: for their depth, and for their number of objects and arrays,
 *   values and distinct field names (`JsonError`). Ten megabytes of `{},` or of `{"a1":1},{"a2":1}` take 300 MB of
 *   memory.
 *
 * **Gotchas**
 *
 * Numbers are doubles: `9007199254740993` is read as `9007199254740992`, and `1.0` as `1`.
 */
import * as Result from "effect/Result"
import * as FieldPath from "#domain/text/FieldPath"
import {
  explain,
  located,
  maxContainers,
  maxNames,
  maxValues,
  tooMany,
  type Limits,
  type ParseError
} from "./JsonError.ts"

import type { JsonObject } from "./JsonObject.ts"
import * as JsonScan from "./JsonScan.ts"

export type { Limits, ParseError } from "./JsonError.ts"
export { salvage, withRows } from "./JsonSalvage.ts"

/** The limits for arguments: 1,000,000 UTF-16 units and 64 levels. */
export const argumentLimits: Limits = { maxBytes: 1_000_000, maxDepth: 64 }

/** The limits for results: 10,000,000 UTF-16 units and 200 levels. */
export const resultLimits: Limits = { maxBytes: 10_000_000, maxDepth: 200 }

const bom = 0xfeff
const surveyedFrom = 65_536

/** Counts the field names in a value. Returns -1 if the value is nested too deeply or has a forbidden key. */
const inspect = (value: unknown, levels: number): number => {
  if (typeof value !== "object" || value === null) return 0
  if (levels === 0) return -1
  let names = 0
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const inside = inspect(value[i], levels - 1)
      if (inside < 0) return -1
      names += inside
    }
    return names
  }
  const record = value as JsonObject
  for (const key in record) {
    if (key === "__proto__") return -1
    const child = record[key]
    if (key === "constructor" && typeof child === "object" && child !== null && Object.hasOwn(child, "prototype")) {
      return -1
    }
    const inside = inspect(child, levels - 1)
    if (inside < 0) return -1
    names += 1 + inside
  }
  return names
}

/** Counts the field names in JSON text. The number is exact for valid JSON. */
const countNames = (text: string): number => {
  let names = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 0x22) i = endOfString(text, i)
    else if (unit === 0x3a) names++
  }
  return names
}

/** Returns the offset of the closing quote of the string at `start`; the length of the text if the quote is missing. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === 0x5c) before--
    if ((end - before) % 2 === 1) return end
  }
  return text.length
}

/**
 * Returns the limit that a text exceeds, if any. The answer is exact for valid JSON, except that the hashes of distinct
 * names may collide.
 */
const survey = (text: string, levels: number): "depth" | "parts" | undefined => {
  const names = new Set<number>()
  let depth = 0
  let containers = 0
  let fields = 0
  let commas = 0
  let start = 0
  let end = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 0x22) {
      start = i
      i = end = endOfString(text, i)
    } else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > levels) return "depth"
      if (++containers > maxContainers) return "parts"
    } else if (unit === 0x7d || unit === 0x5d) depth--
    else if (unit === 0x2c && ++commas > maxValues) return "parts"
    else if (unit === 0x3a) {
      if (++fields > maxValues || names.add(hashOf(text, start + 1, end)).size > maxNames) return "parts"
    }
  }
  return undefined
}

/** Hashes code units with FNV-1a, in 31 bits. */
const hashOf = (text: string, start: number, end: number): number => {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 1
}

/**
 * Reads a text as one JSON value, within limits.
 *
 * **Details**
 *
 * An `Invalid` text is wrong at `position`. A `Truncated` text is valid as far as it goes and ends early, with or
 * without a mark such as `… [truncated]`.
 */
export const parse = (text: string, limits: Limits): Result.Result<unknown, ParseError> =>
  Result.map(counted(text, limits), ({ value }) => value)

/** A value and the number of its field names. */
interface CountedValue {
  readonly value: unknown
  readonly names: number
}

const counted = (text: string, limits: Limits): Result.Result<CountedValue, ParseError> => {
  if (text.length > limits.maxBytes) {
    const message = `the text has ${text.length} characters; at most ${limits.maxBytes} are read`
    return Result.fail({ _tag: "TooLarge", ...located("", 0), position: limits.maxBytes, message })
  }
  const excess = text.length > surveyedFrom ? survey(text, limits.maxDepth) : undefined
  if (excess === "parts") return Result.fail(tooMany(text))
  if (excess === "depth") return Result.fail(explain(text, limits))
  let value: unknown
  try {
    value = JSON.parse(text.charCodeAt(0) === bom ? text.slice(1) : text)
  } catch {
    return Result.fail(explain(text, limits))
  }
  const names = inspect(value, limits.maxDepth)
  return names < 0 ? Result.fail(explain(text, limits)) : Result.succeed({ value, names })
}

/** The arguments of a call, as the model sent them. */
export interface Arguments {
  readonly value: unknown
  /** True if the text was a JSON string that contained the object. */
  readonly doubleEncoded: boolean
  /** The path of the first duplicate field. The last value of the field counts. */
  readonly duplicate?: string
}

/**
 * Reads the arguments of a call.
 *
 * **Details**
 *
 * - An empty text, or fewer than 64 characters of white space, counts as `{}`, because models call tools without
 *   arguments in this way.
 * - A JSON string that contains an object (`"{\"a\":1}"`) is decoded once. The position of an error inside the string
 *   refers to the decoded string. Any other value that is not an object is returned unchanged, and the parameters
 *   schema refuses it.
 */
export const parseArguments = (text: string, limits: Limits): Result.Result<Arguments, ParseError> => {
  if (text.length < 64 && text.trim() === "") return Result.succeed({ value: {}, doubleEncoded: false })
  const parsed = counted(text, limits)
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  const { value } = parsed.success
  if (typeof value !== "string" || !value.trimStart().startsWith("{")) {
    return Result.succeed(read(text, parsed.success, false))
  }
  const inner = counted(value, limits)
  return Result.isFailure(inner)
    ? Result.fail({ ...inner.failure, message: `inside a JSON string: ${inner.failure.message}` })
    : Result.succeed(read(value, inner.success, true))
}

const read = (text: string, { names, value }: CountedValue, doubleEncoded: boolean): Arguments => {
  if (countNames(text) === names) return { value, doubleEncoded }
  const duplicate = firstDuplicate(text)
  return duplicate === undefined ? { value, doubleEncoded } : { value, doubleEncoded, duplicate }
}

/** Returns the path of the first field whose name occurs earlier in the same object. */
const firstDuplicate = (text: string): string | undefined => {
  const seen = new Map<JsonScan.OpenContainer, Set<string>>()
  const found = JsonScan.scan(text, Infinity, text.charCodeAt(0) === bom ? 1 : 0, (offset, _, open) => {
    const object = open[open.length - 1]!
    const names = seen.get(object) ?? new Set()
    const name = JsonScan.nameAt(text, offset)
    if (names.has(name)) return "duplicate"
    seen.set(object, names.add(name))
    return undefined
  })
  if (found.problem !== "duplicate") return undefined
  return FieldPath.format([...JsonScan.pathOf(text, found.open.slice(0, -1)), JsonScan.nameAt(text, found.position)])
}

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
import { explain, located, tooMany, type Limits, type ParseError } from "./JsonError.ts"
import type { JsonObject } from "./JsonObject.ts"
import * as JsonScan from "./JsonScan.ts"
import * as JsonSurvey from "./JsonSurvey.ts"
import * as Steps from "./Steps.ts"

export type { Limits, ParseError } from "./JsonError.ts"
export { salvage, withRows } from "./JsonSalvage.ts"

/** The limits for arguments: 1,000,000 UTF-16 units and 64 levels. */
export const argumentLimits: Limits = { maxBytes: 1_000_000, maxDepth: 64 }

/** The limits for results: 10,000,000 UTF-16 units and 200 levels. */
export const resultLimits: Limits = { maxBytes: 10_000_000, maxDepth: 200 }

const bom = 0xfeff
const surveyedFrom = 65_536

/** The length from which the value of a text is inspected in steps, which takes more memory for each object. */
const steppedFrom = 1_000_000

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
    if (JsonSurvey.isForbidden(record, key)) return -1
    const inside = inspect(record[key], levels - 1)
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
    if (unit === 0x22) i = JsonSurvey.endOfString(text, i)
    else if (unit === 0x3a) names++
  }
  return names
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
  text.length > surveyedFrom
    ? Steps.whole(parseInSteps(text, limits))
    : Result.map(counted(text, limits), ({ value }) => value)

/** Reads a text like `parse`, in steps if it is large. */
export function* parseInSteps(text: string, limits: Limits): Steps.Steps<Result.Result<unknown, ParseError>> {
  return Result.map(yield* countedInSteps(text, limits, JsonSurvey.mayForbid), ({ value }) => value)
}

/** A value, and the numbers of field names in the value and in its text, which differ if a name is duplicate. */
interface CountedValue {
  readonly value: unknown
  readonly names: number
  readonly written: () => number
}

const counted = (text: string, limits: Limits): Result.Result<CountedValue, ParseError> => {
  if (text.length > surveyedFrom) return Steps.whole(countedInSteps(text, limits))
  if (text.length > limits.maxBytes) return Result.fail(tooLarge(text, limits))
  let value: unknown
  try {
    value = JSON.parse(bare(text))
  } catch {
    return Result.fail(Steps.whole(explain(text, limits)))
  }
  const names = inspect(value, limits.maxDepth)
  return names < 0
    ? Result.fail(Steps.whole(explain(text, limits)))
    : Result.succeed({ value, names, written: () => countNames(text) })
}

/**
 * Reads a text. The names of the value are counted if `isInspected`. If they are not, the caller knows from the text
 * that no key is forbidden, and the survey has measured the depth.
 */
function* countedInSteps(
  text: string,
  limits: Limits,
  isInspected: (text: string) => boolean = () => true
): Steps.Steps<Result.Result<CountedValue, ParseError>> {
  if (text.length <= surveyedFrom) return counted(text, limits)
  if (text.length > limits.maxBytes) return Result.fail(tooLarge(text, limits))
  const written = yield* JsonSurvey.survey(text, limits.maxDepth)
  yield
  if (written === "parts") return Result.fail(tooMany(text))
  if (written === "depth") return Result.fail(yield* explain(text, limits))
  let value: unknown
  try {
    value = JSON.parse(bare(text))
  } catch {
    yield
    return Result.fail(yield* explain(text, limits))
  }
  yield
  const names = !isInspected(text)
    ? written
    : text.length < steppedFrom
      ? inspect(value, limits.maxDepth)
      : yield* JsonSurvey.countNames(value, limits.maxDepth)
  return names < 0
    ? Result.fail(yield* explain(text, limits))
    : Result.succeed({ value, names, written: () => written })
}

const tooLarge = (text: string, { maxBytes }: Limits): ParseError => {
  const message = `the text has ${text.length} characters; at most ${maxBytes} are read`
  return { _tag: "TooLarge", ...located("", 0), position: maxBytes, message }
}

/** Returns a text without its byte order mark. */
const bare = (text: string): string => (text.charCodeAt(0) === bom ? text.slice(1) : text)

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
export const parseArguments = (text: string, limits: Limits): Result.Result<Arguments, ParseError> =>
  Steps.whole(parseArgumentsInSteps(text, limits))

/** Reads arguments like `parseArguments`, in steps if they are large. */
export function* parseArgumentsInSteps(
  text: string,
  limits: Limits
): Steps.Steps<Result.Result<Arguments, ParseError>> {
  if (text.length < 64 && text.trim() === "") return Result.succeed({ value: {}, doubleEncoded: false })
  const parsed = yield* countedInSteps(text, limits)
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  const { value } = parsed.success
  if (typeof value !== "string" || !value.trimStart().startsWith("{")) {
    return Result.succeed(yield* read(text, parsed.success, false))
  }
  const inner = yield* countedInSteps(value, limits)
  return Result.isFailure(inner)
    ? Result.fail({ ...inner.failure, message: `inside a JSON string: ${inner.failure.message}` })
    : Result.succeed(yield* read(value, inner.success, true))
}

function* read(text: string, { names, value, written }: CountedValue, doubleEncoded: boolean): Steps.Steps<Arguments> {
  if (written() === names) return { value, doubleEncoded }
  const duplicate = yield* firstDuplicate(text)
  return duplicate === undefined ? { value, doubleEncoded } : { value, doubleEncoded, duplicate }
}

/** Returns the path of the first field whose name occurs earlier in the same object. */
function* firstDuplicate(text: string): Steps.Steps<string | undefined> {
  const seen = new Map<JsonScan.OpenContainer, Set<string>>()
  const found = yield* JsonScan.scan(text, Infinity, text.charCodeAt(0) === bom ? 1 : 0, (offset, _, open) => {
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

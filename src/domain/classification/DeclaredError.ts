/**
 * Reads an error with the fields of an envelope, or in one of the formats of the same fields [5.1]:
 * `{"error": "VALIDATION_ERROR", "message": …, "fields": […]}`, `{"error": {"code": …, "fields": […]}}`.
 *
 * **Details**
 *
 * - The fields `error_class` (in any spelling), `human_review` and `retryable` decide the class. `partial_data` decides
 *   nothing.
 * - The code of the error is kept in snake_case, unless it is one of the guard's codes, so that an upstream cannot, for
 *   example, create an approval of the guard.
 * - `side_effect` proves nothing. `max_retries` and `attempt` are ignored, because the retry policy of the tool
 *   decides.
 * - An error from the server behind a tool (`QuotedError`) is not read, so that it cannot imitate an envelope.
 *
 * **Gotchas**
 *
 * `of` never throws. The other functions throw if a getter of the answer throws. At most 20 names of fields are read,
 * and a name of more than 120 characters is left out.
 */
import type { FailureTag } from "#domain/failure/Failure"
import { info } from "#domain/failure/FailureCode"
import * as StatedEffect from "#domain/failure/StatedEffect"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { cut } from "#domain/text/Cut"
import { QuotedError } from "./QuotedError.ts"
import * as UpstreamWords from "./UpstreamWords.ts"

/** An error that a tool's answer states in one of these formats, with the words of the answer. */
export class StatedError extends QuotedError {}

/** The statements of an answered error about itself. */
export interface DeclaredError {
  /** The stated class; undefined if the error states none. */
  readonly tag: Exclude<FailureTag, "PartialData"> | undefined
  /** The stated code in snake_case; undefined if there is none, or if it is one of the guard's codes. */
  readonly code: string | undefined
  /** The message without the hint, or else the code. */
  readonly words: string
  readonly hint: string | undefined
  readonly fields: ReadonlyArray<string>
  readonly retryable: boolean | undefined
  /** The address at which a person decides in the tool's system. Never shown to a model. */
  readonly approvalUrl: string | undefined
}

const words = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/))

/** The fields of an error. An object with another field contains data. */
const known = words(
  `
    _tag error error_type error_code error_class type code status success ok message description detail hint fields
    retryable retry_after_ms retry_after max_retries attempt attempts human_review approval_url next_step side_effect
    trace_id request_id
  `
)

/** Fields that only errors have. */
const terms = ["error_class", "fields", "retryable", "retry_after_ms", "max_retries", "human_review"]

const codeNames = ["error", "error_type", "error_code", "code", "type"]

/** The fields in which an error may name its class. */
const classNames = ["error_class", "error_type", "error", "code", "_tag"]

/** The classes by their names, in lower case and without separators. */
const tags: ReadonlyMap<string, DeclaredError["tag"]> = new Map([
  ["toolargerror", "ToolArgError"],
  ["schemamismatch", "SchemaMismatch"],
  ["partialdata", undefined],
  ["semanticgarbage", "SemanticGarbage"],
  ["transient", "Transient"],
  ["resource", "Resource"],
  ["permanent", "Permanent"],
  ["humanreview", "HumanReview"]
])

/** Returns the name of a class in lower case and without separators: `semantic_garbage`, `SemanticGarbage`. */
const plain = (text: string): string => text.toLowerCase().replaceAll(/[ _.-]/g, "")

const token = /^[A-Za-z][A-Za-z0-9]*(?:[ _.-][A-Za-z0-9]+)*$/
const longestCode = 48
const longestHint = 200
const longestField = 120
const longestUrl = 500
const maxFields = 20
/** The longest text that is parsed, in characters. */
const longestText = 16_384

const textIn = (value: JsonObject, name: string): string | undefined => {
  const text = value[name]
  return typeof text === "string" && text.trim() !== "" ? text : undefined
}

/** Returns a code in snake_case; undefined if the text is not a code. */
const snake = (text: string | undefined): string | undefined =>
  text === undefined || text.length > longestCode || !token.test(text)
    ? undefined
    : text
        .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
        .replaceAll(/[ .-]/g, "_")
        .toLowerCase()

const codeIn = (error: JsonObject): string | undefined => {
  for (const name of codeNames) {
    const code = snake(textIn(error, name))
    if (code !== undefined) return code
  }
  const named = snake(textIn(error, "error_class"))
  return named === undefined || tags.has(plain(named)) ? undefined : named
}

/** True if an error names a code or its class, or states that it needs a person. */
const isNamed = (error: JsonObject): boolean =>
  codeIn(error) !== undefined || snake(textIn(error, "error_class")) !== undefined || error["human_review"] === true

const isFlat = (value: JsonObject): boolean =>
  isNamed(value) &&
  Object.keys(value).every((name) => known.has(name)) &&
  (textIn(value, "message") !== undefined || terms.some((name) => value[name] !== undefined))

/**
 * True if a value is an object that JSON can contain: an instance of a class, such as an `Error`, has its own rules.
 */
const isPlain = (value: unknown): value is JsonObject => {
  if (!isJsonObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Returns the object in `error` if it has a message or a code. */
const nestedIn = ({ error }: JsonObject): JsonObject | undefined =>
  isPlain(error) && (textIn(error, "message") !== undefined || codeIn(error) !== undefined) ? error : undefined

/** Returns the object with the fields of the error: the `error` of an envelope, or the flat object itself. */
const errorIn = (value: unknown): JsonObject | undefined => {
  if (!isPlain(value)) return undefined
  return nestedIn(value) ?? (isFlat(value) ? value : undefined)
}

const tagOf = (error: JsonObject, code: string | undefined): DeclaredError["tag"] => {
  if (error["human_review"] === true || code === "requires_human_approval") return "HumanReview"
  for (const name of classNames) {
    const tag = tags.get(plain(textIn(error, name) ?? ""))
    if (tag !== undefined) return tag
  }
  return undefined
}

const fieldOf = (one: unknown): string | undefined => {
  const text = isJsonObject(one) ? (one["field"] ?? one["path"] ?? one["name"]) : one
  if (typeof text !== "string") return undefined
  const path = UpstreamWords.ofText(text)
  return path === "" || path.length > longestField ? undefined : path
}

const fieldsOf = (error: JsonObject): ReadonlyArray<string> => {
  const named = error["fields"]
  const fields = isPlain(named) ? Object.keys(named) : named
  if (!Array.isArray(fields)) return []
  return fields.slice(0, maxFields).flatMap((one) => fieldOf(one) ?? [])
}

const wordsOf = (error: JsonObject): string => {
  const { fields, hint: _, ...rest } = error
  const hasMessage = textIn(rest, "message") !== undefined
  const about = hasMessage && codeIn({ error: rest["error"] }) !== undefined ? { ...rest, error: undefined } : rest
  // the messages of the fields, in a form that `UpstreamWords` reads
  const errors = isJsonObject(fields) || (Array.isArray(fields) && fields.some(isJsonObject)) ? { errors: fields } : {}
  const text = UpstreamWords.ofValue({ error: { ...about, ...errors } })
  return text === "" ? (codeIn(error) ?? "") : text
}

const hintOf = (error: JsonObject): string | undefined => {
  const text = UpstreamWords.ofText(textIn(error, "hint") ?? "")
  return text === "" ? undefined : cut(text, longestHint)
}

const urlOf = (error: JsonObject): string | undefined => {
  const text = textIn(error, "approval_url")
  return text !== undefined && text.length <= longestUrl && /^https?:\/\/[^\s"<>]+$/.test(text) ? text : undefined
}

const parsed = (text: string): unknown => {
  if (text.length > longestText || !/^\s*\{/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const sourceOf = (error: unknown, depth = 0): JsonObject | undefined => {
  if (error instanceof QuotedError) return error instanceof StatedError ? sourceOf(error.evidence, depth) : undefined
  if (typeof error === "string") return errorIn(parsed(error))
  if (!isJsonObject(error)) return undefined
  const found = errorIn(error)
  return found === undefined && depth === 0 && error["headers"] !== undefined ? sourceOf(error["body"], 1) : found
}

const read = (error: JsonObject): DeclaredError => {
  const code = codeIn(error)
  const { retryable } = error
  return {
    tag: tagOf(error, code),
    code: code === undefined || tags.has(plain(code)) || info(code) !== undefined ? undefined : code,
    words: wordsOf(error),
    hint: hintOf(error),
    fields: fieldsOf(error),
    retryable: typeof retryable === "boolean" ? retryable : undefined,
    approvalUrl: urlOf(error)
  }
}

/** Reads the statements of an error about itself. The error is a value, a JSON text, or the body of a response. */
export const of = (error: unknown): DeclaredError | undefined => {
  try {
    const source = sourceOf(StatedEffect.inner(error))
    return source === undefined ? undefined : read(source)
  } catch {
    return undefined // a proxy, or a getter that throws
  }
}

/** The fields that mark a flat answer as an error. */
const marks = ["error", "error_type", "error_class"]

/** The fields of an answer that has nothing but an error. */
const around = new Set(["error", "ok", "success", "trace_id", "request_id"])

/** True if an answer has nothing but an object in `error`, with fields that only errors have. */
const isOnlyError = (answer: JsonObject): boolean => {
  if (!Object.keys(answer).every((name) => around.has(name)) || answer["ok"] === true || answer["success"] === true)
    return false
  const error = nestedIn(answer)
  return error !== undefined && isFlat(error) && terms.some((name) => error[name] !== undefined)
}

/**
 * Returns the name of the field that marks an answer as an error, in a flat format or with the same fields in `error`;
 * undefined for any other answer.
 */
export const markOf = (answer: unknown): string | undefined => {
  if (!isJsonObject(answer)) return undefined
  if (isOnlyError(answer)) return "error"
  return isFlat(answer) ? marks.find((name) => snake(textIn(answer, name)) !== undefined) : undefined
}

/** Returns the error of an answer that declares one, for the classifier; undefined for any other answer. */
export const errorOf = (answer: unknown): StatedError | undefined => {
  const source = errorIn(answer)
  if (source === undefined) return undefined
  const text = wordsOf(source)
  return new StatedError(text === "" ? "The tool reported a failure without a message." : text, answer)
}

/**
 * Recognises answers in the shape of an envelope [5.1]:
 *
 * - a success: `{"status": "success", "data": …}`
 * - an error: `{"status": "error", "error": {"code": …, "message": …}}`. The error may also be a text, or have its
 *   fields next to `status`: `{"status": "error", "error_class": …, "message": …}`.
 * - an incomplete result: `{"status": "partial", "data": …, "error": {"message": …, "next": …}}`
 *
 * The envelope of an error or of an incomplete result may also have fields that describe the exchange, such as
 * `request_id` and `timestamp` (`Payload`). An object with any other field is not an envelope, so that the status of an
 * entity is not mistaken for the status of an answer. A success with a field that describes the exchange is unwrapped
 * only if its contract requires it, so that nothing is lost.
 */
import { isTechnical } from "./Payload.ts"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"

/** The fields of an envelope. */
const names: ReadonlySet<string> = new Set([
  "status",
  "data",
  "error",
  "message",
  "empty",
  "used_fallback",
  "_idempotent",
  "unchanged",
  "executed",
  "notice",
  "trace_id"
])

/** The fields of an error that is not in `error` but next to `status`. */
const errorNames: ReadonlySet<string> = new Set([
  "status",
  "error_class",
  "error_type",
  "error_code",
  "code",
  "message",
  "detail",
  "hint",
  "next_step",
  "fields",
  "details",
  "side_effect",
  "retryable",
  "retry_after_ms",
  "max_retries",
  "attempts",
  "attempt",
  "human_review",
  "approval_url",
  "trace_id"
])

const isEnvelope = (answer: unknown, status: string, allowed: ReadonlySet<string> = names): answer is JsonObject =>
  isJsonObject(answer) &&
  answer["status"] === status &&
  Object.keys(answer).every((name) => allowed.has(name) || isTechnical(name, answer))

/**
 * Returns the data of a success envelope, and any other answer unchanged. If the envelope also has fields that describe
 * the exchange, its data is returned only if `isLossy`.
 */
export const dataOf = (answer: unknown, isLossy = false): unknown =>
  isEnvelope(answer, "success") &&
  Object.hasOwn(answer, "data") &&
  (answer["error"] ?? null) === null &&
  (isLossy || Object.keys(answer).every((name) => names.has(name)))
    ? answer["data"]
    : answer

/** An incomplete result, as its tool describes it. */
export interface PartialEnvelope {
  readonly data: unknown
  /** What is missing, in one line. */
  readonly detail: string | undefined
  /** How to narrow the request, or to continue. */
  readonly hint: string | undefined
  /** The changed arguments with which to continue. */
  readonly next: JsonObject | undefined
}

const partialNames: ReadonlySet<string> = new Set([...names, "next", "hint"])

/** Returns the parts of the envelope of an incomplete result; undefined for any other answer. */
export const partialOf = (answer: unknown): PartialEnvelope | undefined => {
  if (!isEnvelope(answer, "partial", partialNames) || !Object.hasOwn(answer, "data")) return undefined
  const error = isJsonObject(answer["error"]) ? answer["error"] : { message: answer["error"] }
  const next = error["next"] ?? answer["next"]
  return {
    data: answer["data"],
    detail: lineOf(error["message"] ?? answer["message"]),
    hint: lineOf(error["hint"] ?? answer["hint"]),
    next: isJsonObject(next) && Object.keys(next).length > 0 ? next : undefined
  }
}

const longestLine = 200

const lineOf = (text: unknown): string | undefined => {
  if (typeof text !== "string") return undefined
  const line = text
    .slice(0, 4 * longestLine)
    .replaceAll(/\s+/gu, " ")
    .trim()
    .slice(0, longestLine)
  return line === "" ? undefined : line
}

/** The message of an error that states no message. */
const wordless = "The tool states an error without a message"

const maxFields = 5

/**
 * Returns the envelope of an error with an object in `error`; undefined for any other answer.
 *
 * An error without a code gets its class as its code, or `requires_human_approval` if it has only `human_review`. Its
 * `fields` also become the path or the messages that the classifier quotes.
 */
export const errorOf = (answer: unknown): JsonObject | undefined => {
  const error = statedIn(answer)
  if (error === undefined) return undefined
  const code =
    error["code"] ??
    error["error_code"] ??
    error["error_class"] ??
    error["error_type"] ??
    (error["human_review"] === true ? "requires_human_approval" : undefined)
  const { fields } = error
  const message = typeof error["message"] === "string" && error["message"].trim() !== "" ? {} : { message: wordless }
  return {
    status: "error",
    error: { ...error, ...message, ...(code === undefined ? {} : { code }), ...placesOf(fields) }
  }
}

const statedIn = (answer: unknown): JsonObject | undefined => {
  if (isEnvelope(answer, "error", errorNames)) return answer
  if (!isEnvelope(answer, "error")) return undefined
  const { error } = answer
  if (isJsonObject(error)) return error
  return typeof error === "string"
    ? { message: error }
    : (error ?? answer["data"] ?? undefined) === undefined
      ? {}
      : undefined
}

/** Returns the fields of an error under the names that upstreams use: a path, or messages by field. */
const placesOf = (fields: unknown): JsonObject => {
  if (!Array.isArray(fields)) return isJsonObject(fields) ? { errors: fields } : {}
  const paths = fields.filter((field) => typeof field === "string")
  return paths.length === 0 ? { errors: fields } : { path: paths.slice(0, maxFields).join(", ") }
}

/**
 * Recognises answers in the shape of an envelope [5.1]: `{"status": "success", "data": …}` and
 * `{"status": "error", "error": {"code": …, "message": …}}`.
 *
 * An object with any other field is no envelope, so that the status of an entity is never taken for the status of an
 * answer.
 */
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

const isEnvelope = (answer: unknown, status: string): answer is JsonObject =>
  isJsonObject(answer) && answer["status"] === status && Object.keys(answer).every((name) => names.has(name))

/** Returns the data of an envelope of a success; any other answer unchanged. */
export const dataOf = (answer: unknown): unknown =>
  isEnvelope(answer, "success") && Object.hasOwn(answer, "data") && !Object.hasOwn(answer, "error")
    ? answer["data"]
    : answer

/** True if an answer is the envelope of an error, which has a message. */
export const isError = (answer: unknown): boolean => {
  if (!isEnvelope(answer, "error")) return false
  const { error } = answer
  return isJsonObject(error) && typeof error["message"] === "string" && error["message"].trim() !== ""
}

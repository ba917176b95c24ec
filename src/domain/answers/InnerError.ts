/**
 * Recognises answers that are marked as errors, such as MCP results with `isError: true`, even inside a result with
 * `isError: false`.
 *
 * The mark counts on the outermost answer and next to `content`. Elsewhere it is a field of an entity.
 */
import { answersIn } from "./WrappedAnswers.ts"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"

const messageOf = (answer: unknown): string => {
  const text = answersIn(answer)
    .slice(1)
    .find((inner) => typeof inner === "string" && inner.trim() !== "")
  if (typeof text === "string") return text
  const message = isJsonObject(answer) ? (answer["message"] ?? answer["error"]) : undefined
  return typeof message === "string" ? message : "isError is true, without a message"
}

/** Returns the outermost answer that is marked as an error; `undefined` if no answer is. */
export const flaggedIn = (answers: ReadonlyArray<unknown>): JsonObject | undefined =>
  answers.find(
    (answer, index): answer is JsonObject =>
      isJsonObject(answer) &&
      (answer["isError"] === true || answer["is_error"] === true) &&
      (index === 0 || Object.hasOwn(answer, "content"))
  )

/** Returns the message of the outermost answer that is marked as an error; `undefined` if no answer is. */
export const innerErrorIn = (answers: ReadonlyArray<unknown>): string | undefined => {
  const failed = flaggedIn(answers)
  return failed === undefined ? undefined : messageOf(failed)
}

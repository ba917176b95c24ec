/**
 * Whether an answer names an error and holds nothing else: `{"error": "presentation not found"}`, `"status": "error"`
 * with a message, `"success": false`, the problem details of RFC 7807, `"isError": true`.
 *
 * Data outweigh: with rows or a text beside it, an error is a remark, and an entity (it has an id or a name) may have a
 * field of that name.
 */
import { type Fields, isFields } from "#domain/WrappedAnswers"
import { longestMessage, readsAsFailure } from "./ErrorText.ts"

/** Fields that say something about an answer, and hold none of its data. */
const about =
  /^(?:message|messages|msg|error|errors|err|error_?message|error_?code|error_?type|detail|details|code|cod|status|status_?code|status_?text|status_?message|success|ok|title|type|instance|reason|info|hint|trace_?id|request_?id|timestamp|time|date|path|url|method|docs?|documentation_?url|help|headers|version|jsonrpc|id|meta|_meta|param|suggestion)$/i

/** Fields of the question, which failures repeat. */
const echo =
  /^(?:query|q|input|params?|arguments|source|source_?url|file|file_?path|filename|symbol|ticker|city|location|title|name|page|lang(?:uage)?|tool|server|command|exists|found|valid|count|total|total_?results|results_?count|num_?results)$/i

/** Fields of an entity. */
const identity = /^(?:_?id|uuid|key|name|created_?at|updated_?at|created|updated|slug)$/i

/** A field that says nothing. */
export const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === "False" ||
  value === null ||
  value === "" ||
  value === false ||
  (typeof value === "object" && Object.keys(value).length === 0)

/** Nothing, a zero, or what holds nothing else. */
const isEmpty = (value: unknown): boolean =>
  isNothing(value) ||
  value === 0 ||
  (typeof value === "object" &&
    value !== null &&
    Object.values(value).every((inner) => isNothing(inner) || inner === 0))

const field = (answer: Fields, ...names: ReadonlyArray<string>): unknown => {
  for (const name of names) if (!isNothing(answer[name])) return answer[name]
  return undefined
}

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)

/** The text of an error field, where it holds one. */
const textOf = (error: unknown): string | undefined => {
  const first = firstOf(error)
  const text = isFields(first)
    ? firstOf(field(first, "message", "detail", "msg", "error", "reason", "title", "info", "description"))
    : first
  return typeof text === "string" && text.trim() !== "" ? text : undefined
}

const errorOf = (answer: Fields): string | undefined =>
  textOf(field(answer, "error", "Error", "errors", "err", "error_message", "errorMessage", "fault", "exception"))

const messageOf = (answer: Fields): string | undefined =>
  textOf(
    field(
      answer,
      "message",
      "msg",
      "Message",
      "messages",
      "detail",
      "error_description",
      "status_message",
      "errmsg",
      "title",
      "reason",
      "info"
    )
  )

const statusOf = (answer: Fields): number =>
  Number(answer["status"] ?? answer["statusCode"] ?? answer["status_code"] ?? answer["code"] ?? answer["cod"])

const isErrorStatus = (status: number): boolean => status >= 400 && status <= 599

/** Counts of what failed: a red test run is information. */
const counts = /\b\d+ (?:of \d+ |out of \d+ )?(?:tests?|checks?|errors?|assertions?|warnings?|problems?|issues?)\b/i

type Weight = "no" | "words" | "yes"

/** Whether an answer says of itself that it failed. `words`: in a word that entities have too (`"status": "failed"`). */
const says = (answer: Fields): Weight => {
  const { error, success, ok, status, result, Response } = answer
  if (success === false || ok === false || error === true || Response === "False") return "yes"
  const word = typeof status === "string" ? status : result
  return typeof word === "string" && /^(?:error|failed|failure|fail)$/i.test(word) ? "words" : "no"
}

/** The message of an answer that names its error and holds nothing else. */
export const statedIn = (answer: unknown): string | undefined => {
  if (!isFields(answer)) return undefined
  const said = says(answer)
  const error = errorOf(answer)
  const others = Object.entries(answer).filter(([name, value]) => !about.test(name) && !isNothing(value))
  if (said === "yes") {
    const message = error ?? messageOf(answer)
    if (message === undefined || (error === undefined && counts.test(message))) return undefined
    return others.every(([, value]) => typeof value !== "object" || isEmpty(value) || isSmall(value))
      ? message
      : undefined
  }
  if (Object.keys(answer).some((name) => identity.test(name) && name !== "name") && others.length > 0) return undefined
  const isAlone = others.every(([name, value]) => isEmpty(value) || (typeof value !== "object" && echo.test(name)))
  if (!isAlone) return undefined
  if (said === "words") return error ?? messageOf(answer)
  return error
}

const isSmall = (value: unknown): boolean =>
  isFields(value) && Object.values(value).every((inner) => typeof inner !== "object")

/**
 * The message of an answer that holds nothing else, if it tells of a failure: `{"message": "Endpoint does not exist"}`,
 * beside an empty error or without one.
 */
export const messageIn = (answer: unknown): string | undefined => {
  if (!isFields(answer)) return undefined
  const message = messageOf(answer)
  if (message === undefined || message.length > longestMessage) return undefined
  if (Object.entries(answer).some(([name, value]) => !about.test(name) && !isNothing(value))) return undefined
  return isErrorStatus(statusOf(answer)) || readsAsFailure(message) ? message : undefined
}

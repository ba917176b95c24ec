/**
 * Recognises answers that state an error and contain nothing else: `{"error": "presentation not found"}`,
 * `"status": "error"` with a message, `"success": false`, the problem details of RFC 7807.
 *
 * Data takes precedence. In an answer with rows or a text an error is a remark, and an entity (with an id or a name)
 * may have an error field.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { longestMessage, readsAsFailure } from "./ErrorText.ts"

const words = (names: string): ReadonlyArray<string> => names.trim().split(/\s+/)

/** Names of fields that contain an error, in lower case and without separators. */
const errorNames = words("error errors err errormessage errormsg errordescription errordetail fault exception")

/** Names of fields that contain a message, the most reliable first. */
const messageNames = words(
  "message msg messages detail details statusmessage errmsg title reason info information note description result"
)

/** Fields that describe an answer and contain none of its data. */
const about: ReadonlySet<string> = new Set([
  ...errorNames,
  ...messageNames.filter((name) => name !== "result" && name !== "description"),
  ...words(
    `
      errorcode errortype code cod infocode status statuscode statustext success ok type object kind instance hint traceid
      requestid timestamp time date path url method doc docs documentationurl help headers version jsonrpc id meta param
      suggestion stacktrace stack trace traceback
    `
  )
])

/** Fields of the request, which failures repeat, and fields with counts. */
const echo: ReadonlySet<string> = new Set(
  words(
    `
      query q input param params arguments source sourceurl file filepath filename symbol ticker city location title name
      page lang language tool server command get parameters endpoint request exists found valid count total totalresults resultscount numresults needed
      provided
    `
  )
)

/** Fields that identify an entity. */
export const identity: ReadonlySet<string> = new Set(words("id uuid key createdat updatedat created updated slug"))

/** Returns the name of a field in lower case and without separators. */
export const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, "")

/** True if the value of a field is empty or negative. */
export const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === "False" ||
  value === null ||
  value === "" ||
  value === false ||
  (typeof value === "object" && Object.keys(value).length === 0)

/** True if a value is empty, zero, or contains only such values. */
export const isEmpty = (value: unknown): boolean =>
  isNothing(value) ||
  value === 0 ||
  (typeof value === "object" && value !== null && Object.values(value).every((one) => isNothing(one) || one === 0))

const isSmall = (value: unknown): boolean =>
  isJsonObject(value) && Object.values(value).every((inner) => typeof inner !== "object")

const namesOf = (answer: JsonObject): ReadonlyMap<string, unknown> =>
  new Map(Object.entries(answer).map(([name, value]) => [plain(name), value]))

/** Returns the message in a field, which is a text, a list whose first item has the message, or an object. */
const textOf = (value: unknown, depth = 0): string | undefined => {
  const one: unknown = Array.isArray(value) ? value[0] : value
  if (typeof one === "string") return one.trim() === "" || isNothing(one) ? undefined : one
  if (!isJsonObject(one) || depth > 2) return undefined
  return (
    textIn(namesOf(one), [...messageNames, ...errorNames], depth + 1) ??
    Object.values(one)
      .map((inner) => textOf(inner, depth + 1))
      .find((text) => text !== undefined)
  )
}

const textIn = (fields: ReadonlyMap<string, unknown>, names: ReadonlyArray<string>, depth = 0): string | undefined => {
  for (const name of names) {
    const text = textOf(fields.get(name), depth)
    if (text !== undefined) return text
  }
  return undefined
}

/** A count of failures. A text with such a count is information, such as the report of a failed test run. */
const counts = /\b\d+ (?:of \d+ |out of \d+ )?(?:tests?|checks?|errors?|assertions?|warnings?|problems?|issues?)\b/i

/** True if a text counts failures. */
export const countsFailures = (text: string): boolean => counts.test(text)

/** True if a field describes an answer and contains none of its data. */
export const isRemark = (name: string): boolean => about.has(plain(name))

/** How clearly an answer states a failure. With `words`, entities may use the same word (`"status": "failed"`). */
type Weight = "no" | "words" | "yes"

const weightOf = (fields: ReadonlyMap<string, unknown>): Weight => {
  if (fields.get("success") === false || fields.get("ok") === false || fields.get("error") === true) return "yes"
  if (fields.get("response") === "False" || fields.get("object") === "error") return "yes"
  const status = fields.get("status")
  if (status === "0" && fields.get("message") === "NOTOK") return "yes"
  const word = typeof status === "string" ? status : fields.get("result")
  return typeof word === "string" && /^(?:error|failed|failure|fail)$/i.test(word) ? "words" : "no"
}

const statusOf = (fields: ReadonlyMap<string, unknown>): number =>
  Number(fields.get("status") ?? fields.get("statuscode") ?? fields.get("code") ?? fields.get("cod"))

/** Returns the message of an answer that states an error and contains no data; `undefined` for any other answer. */
export const statedIn = (answer: unknown): string | undefined => {
  if (!isJsonObject(answer)) return undefined
  const fields = namesOf(answer)
  const weight = weightOf(fields)
  const error = textIn(fields, errorNames)
  const others = [...fields].filter(([name, value]) => !about.has(name) && !isNothing(value))
  if (weight === "yes") {
    const message = error ?? textIn(fields, fields.get("message") === "NOTOK" ? ["result"] : messageNames)
    if (message === undefined || (error === undefined && counts.test(message))) return undefined
    return others.every(([, value]) => typeof value !== "object" || isEmpty(value) || isSmall(value))
      ? message
      : undefined
  }
  if (others.length > 0 && [...fields.keys()].some((name) => identity.has(name))) return undefined
  if (weight === "no" && error !== undefined && others.length <= 2 && readsAsFailure(error)) {
    if (others.every(([, value]) => typeof value !== "object" && String(value).length <= 60)) return error
  }
  const isAlone = others.every(
    ([name, value]) => isEmpty(value) || (echo.has(name) && (typeof value !== "object" || isSmall(value)))
  )
  if (!isAlone) return undefined
  return weight === "words" ? (error ?? textIn(fields, messageNames)) : error
}

/**
 * Returns the message of an answer that contains only a message, if the message reads as a failure:
 * `{"message": "Endpoint does not exist"}`. The answer may also have an empty error field.
 */
export const messageIn = (answer: unknown): string | undefined => {
  if (!isJsonObject(answer)) return undefined
  const fields = namesOf(answer)
  const message = textIn(fields, messageNames)
  if (message === undefined || message.length > longestMessage) return undefined
  if ([...fields].some(([name, value]) => !about.has(name) && !isNothing(value))) return undefined
  const status = statusOf(fields)
  return (status >= 400 && status <= 599) || (status === 0 && isCode.test(message)) || readsAsFailure(message)
    ? message
    : undefined
}

/** A symbolic code in the message of an answer whose status is 0, which some APIs use for a missing result. */
const isCode = /^[A-Z]{3,}(?:_[A-Z]{2,}){1,8}$/

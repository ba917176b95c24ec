/**
 * Recognises answers that state an error and contain nothing else: `{"error": "presentation not found"}`,
 * `"status": "error"` with a message, `"success": false`, the problem details of RFC 7807.
 *
 * Data takes precedence. In an answer with rows or a text an error is a remark, and an entity (with an id, a key, a
 * slug or a time of creation or update) may have an error field.
 */
import * as UpstreamWords from "#domain/classification/UpstreamWords"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { isFailureCode } from "./CodeWord.ts"
import { errorIn, isStatus, longestMessage, readsAsFailure } from "./ErrorText.ts"
import { isTechnical, plain, saysSuccess } from "./Payload.ts"
import { isAffirmed, reportsSuccess } from "./ReportedSuccess.ts"

const words = (names: string): ReadonlyArray<string> => names.trim().split(/\s+/)

/** Names of fields that contain an error, in lower case and without separators. */
const errorNames = words(
  "error errors err errormessage errormessages errormsg errordescription errordetail errorsummary usererrors fault faultstring exception"
)

/** Names of fields that contain a message, the most reliable first. */
const messageNames = words(
  "message msg messages detail details statusmessage errmsg retmsg resultmsg submsg mensaje mensagem meldung nachricht messaggio title reason info information note description result"
)

/** Names of fields with sentences of the tool. A title, a note or a description can be the name of a thing. */
const sentences = messageNames.filter((name) => !["title", "note", "description"].includes(name))

/** Fields that describe an answer and contain none of its data. */
const about: ReadonlySet<string> = new Set([
  ...errorNames,
  ...messageNames.filter((name) => name !== "result" && name !== "description"),
  ...words(
    `
      errorcode errcode errno errortype faultcode faultactor code codename subcode cod infocode resultcode retcode ret returncode status
      statuscode statustext success issuccess ok type object kind category instance hint retryable retryafter retryafterms global
      debugid traceid requestid timestamp time date path url method doc docs docurl documentationurl moreinfo help headers version
      jsonrpc id meta param suggestion stacktrace stack trace traceback
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

/** Fields that identify an entity, or say when it was created or updated. */
export const identity: ReadonlySet<string> = new Set(words("id uuid key createdat updatedat created updated slug"))

/** True if the value of a field is empty, null or false. */
export const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === "False" ||
  value === null ||
  value === "" ||
  value === false ||
  (typeof value === "object" && Object.keys(value).length === 0)

/** True if a value is empty, null, false or zero, or contains only such values. */
export const isEmpty = (value: unknown): boolean =>
  isNothing(value) ||
  value === 0 ||
  (typeof value === "object" && value !== null && Object.values(value).every((one) => isNothing(one) || one === 0))

/** Returns the fields of an answer that contain its data, and their values. */
const namesOfData = (answer: JsonObject): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(answer).flatMap(([name, value]) =>
    isTechnical(name, answer) || isRemark(name) || isNothing(value) ? [] : [[plain(name), value] as const]
  )

/** True if an answer contains anything but statements about itself. */
export const hasData = (answer: JsonObject): boolean => namesOfData(answer).length > 0

const isSmall = (value: unknown): boolean =>
  isJsonObject(value) && Object.values(value).every((inner) => typeof inner !== "object")

const namesOf = (answer: JsonObject): ReadonlyMap<string, unknown> =>
  new Map(Object.entries(answer).map(([name, value]) => [plain(name), value]))

/** Matches the text of an error field without an error. */
const noError = /^\s*(?:(?:no )?(?:none|null|errors?|n\/a)|no|ok)?\s*$/i

/** True if a value is the fault of SOAP or of a gateway. A fault of a machine, such as `{"code": "P0420"}`, is data. */
export const isFault = (value: unknown): boolean => {
  if (!isJsonObject(value)) return false
  const fields = namesOf(value)
  const code = fields.get("code")
  const says = (name: string): boolean => !isNothing(fields.get(name))
  return (
    says("faultcode") ||
    says("faultstring") ||
    (says("reason") && (typeof code === "object" || (typeof code === "string" && code.includes(":")))) ||
    (says("message") && typeof code === "number" && code >= 100)
  )
}

/** Returns the message in a field, which is a text, a list whose first item has the message, or an object. */
const textOf = (value: unknown, depth = 0): string | undefined => {
  const one: unknown = Array.isArray(value) ? value[0] : value
  if (typeof one === "string") return isNothing(one) || noError.test(one) ? undefined : one
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

/**
 * Matches a count of tests, checks, errors, warnings and the like. A text with such a count is information, such as
 * the report of a failed test run.
 */
const counts = /\b\d+ (?:of \d+ |out of \d+ )?(?:tests?|checks?|errors?|assertions?|warnings?|problems?|issues?)\b/i

/** True if a text counts tests, checks, errors, warnings and the like. */
export const countsFailures = (text: string): boolean => counts.test(text)

/** True if a field describes an answer and contains none of its data. */
export const isRemark = (name: string): boolean => about.has(plain(name))

/** Matches the names of fields that count the errors of a report. */
const counting = /^(?:(?:error|total)_?)?(?:count|errors)$|^total$/i

/**
 * True if an answer reports the errors that a validator, a linter or a compiler found. The tool itself did not fail.
 */
export const isReport = (answer: JsonObject): boolean => {
  const { errors, warnings } = answer
  if (["valid", "isValid", "is_valid", "passed"].some((name) => typeof answer[name] === "boolean")) return true
  if (!Array.isArray(errors)) return false
  const isCounted = Object.entries(answer).some(([name, value]) => counting.test(name) && value === errors.length)
  if (isCounted || ((Array.isArray(warnings) || typeof warnings === "number") && !Object.hasOwn(answer, "data")))
    return true
  const [first]: ReadonlyArray<unknown> = errors
  return (
    isJsonObject(first) &&
    ["line", "lineNumber", "row", "column", "severity", "rule", "ruleId", "file"].some((name) =>
      Object.hasOwn(first, name)
    )
  )
}

/** How clearly an answer states a failure. With `words`, entities may use the same word (`"status": "failed"`). */
type Weight = "no" | "words" | "yes"

const weightOf = (fields: ReadonlyMap<string, unknown>): Weight => {
  if (fields.get("success") === false || fields.get("ok") === false || fields.get("error") === true) return "yes"
  if (fields.get("response") === "False" || fields.get("object") === "error") return "yes"
  if (isErrorType(fields)) return "words"
  const status = fields.get("status")
  if (status === "0" && fields.get("message") === "NOTOK") return "yes"
  return typeof status === "string" && /^(?:error|failed|failure|fail)$/i.test(status) ? "words" : "no"
}

/** True if the type of an answer is an error, and the answer is not a log entry, which has a time or a level. */
const isErrorType = (fields: ReadonlyMap<string, unknown>): boolean => {
  const type = fields.get("type")
  return (
    typeof type === "string" &&
    (/^error$/i.test(type) || /^[\w.#]{1,120}(?:Exception|Fault|Error)$/.test(type)) &&
    !["ts", "time", "timestamp", "date", "level", "severity"].some((name) => fields.has(name))
  )
}

const statusOf = (fields: ReadonlyMap<string, unknown>): number =>
  Number(fields.get("status") ?? fields.get("statuscode") ?? fields.get("code") ?? fields.get("cod"))

const withoutFault = (fields: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> =>
  isJsonObject(fields.get("fault")) ? new Map([...fields].filter(([name]) => name !== "fault")) : fields

/** Returns the message of an answer that states an error and contains no data; `undefined` for any other answer. */
export const statedIn = (answer: unknown): string | undefined => {
  if (!isJsonObject(answer)) return undefined
  const fields = namesOf(answer)
  const weight = weightOf(fields)
  const error = textIn(isFault(fields.get("fault")) ? fields : withoutFault(fields), errorNames)
  const others = namesOfData(answer)
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
 * Returns the message of an answer that contains only a message, if the answer is a failure. The answer may also have
 * an empty error field. A message that reports a success of `tool`, or that contradicts an affirmed success, is not a
 * failure. The answer is a failure if one of these holds:
 *
 * - The message reads as a failure: `{"message": "Endpoint does not exist"}`.
 * - The code alongside the message names a failure: `{"code": "INVALID_DATE", "message": …}`.
 * - The status is 400 to 599, or it is 0 and the message is a symbolic code.
 * - The answer consists of messages on fields.
 */
export const messageIn = (answer: unknown, tool = ""): string | undefined => {
  if (!isJsonObject(answer)) return undefined
  const fields = namesOf(answer)
  const message = textIn(fields, messageNames)
  if (message === undefined || message.length > longestMessage || namesOfData(answer).length > 0) return undefined
  if (isAffirmed(answer) || saysSuccess.test(message) || reportsSuccess(message, tool)) return undefined
  if (isAnswered(answer)) return undefined
  const status = statusOf(fields)
  const isFailure =
    (status >= 400 && status <= 599) ||
    (status === 0 && isCode.test(message)) ||
    UpstreamWords.concernsFields(answer) ||
    (readsAsFailure(message) && textIn(fields, sentences) === message) ||
    hasFailureCode(fields, message, tool)
  return isFailure ? message : undefined
}

/** True if an answer contains a yes or no, which its message explains: `{"available": false, "reason": …}`. */
const isAnswered = (answer: JsonObject): boolean =>
  Object.entries(answer).some(
    ([name, value]) =>
      typeof value === "boolean" &&
      !isRemark(name) &&
      !echo.has(plain(name)) &&
      !/error|fail|succe|^result$/i.test(name)
  )

const hasFailureCode = (fields: ReadonlyMap<string, unknown>, message: string, tool: string): boolean =>
  ["code", "errorcode", "errcode"].some((name) => {
    const code = fields.get(name)
    return typeof code === "string" && isFailureCode(code, message, tool)
  })

/**
 * Returns the same message as `messageIn`, but only if the answer cannot be data. One of these must hold:
 *
 * - The answer has the status or the code of a failure.
 * - The answer consists of messages on fields.
 * - The message is the code of a failure.
 * - The message is in a field for messages, and it is an HTTP status or begins like an error.
 */
export const bareMessageIn = (answer: unknown, tool: string): string | undefined => {
  const message = messageIn(answer, tool)
  if (message === undefined || !isJsonObject(answer)) return undefined
  const fields = namesOf(answer)
  const isStated =
    UpstreamWords.concernsFields(answer) ||
    statusOf(fields) >= 400 ||
    hasFailureCode(fields, message, tool) ||
    isFailureCode(message, "", tool)
  const isMessage = textIn(fields, ["message", "msg", "detail", "errmsg"]) === message
  return isStated || (isMessage && (errorIn(message) !== undefined || isStatus(message))) ? message : undefined
}

/** A symbolic code in the message of an answer whose status is 0, which some APIs use for a missing result. */
const isCode = /^[A-Z]{3,}(?:_[A-Z]{2,}){1,8}$/

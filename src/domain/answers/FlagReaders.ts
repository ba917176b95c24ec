/**
 * Reads the fields that mark an answer as a failure: `"ok": false`, `"errors": […]`, `"errcode": 40013`.
 *
 * A code of an answer counts only alongside a message, in an answer that consists of code, message and data. An
 * alphabetic code counts if one of its words means a failure: `INVALID_ARGUMENT`, but not the voucher `SAVE-10`. A
 * message that reports a success outweighs every code, and an affirmed success (`"status": "ok"`) outweighs an
 * alphabetic code.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { meaningOf } from "./CodeWord.ts"
import { readsAsFailure } from "./ErrorText.ts"
import { isTechnical, plain, saysSuccess } from "./Payload.ts"
import { denies, isAffirmed, reportsSuccess, successNames } from "./ReportedSuccess.ts"
import { isEmpty, isFault, isNothing, isRemark } from "./StatedError.ts"

/** True if the value of a field states a failure. `tool` is the name of the tool that answers. */
type Reader = (value: unknown, answer: JsonObject, tool: string) => boolean

const longestName = 40

/** True if the value denies a success. */
export const isDenied: Reader = (value) => value === false || value === 0 || is(value, "false", "0", "n", "no", "ng")

const isAsserted: Reader = (value) => value === true || is(value, "true")

const isMarked: Reader = (value) => value === true

const is = (value: unknown, ...words: ReadonlyArray<string>): boolean =>
  typeof value === "string" && value.length <= 16 && words.includes(value.trim().toLowerCase())

/** True if the value of an error field is an error: a text, an object or a list that is not empty. */
export const isError = (value: unknown): boolean => {
  if (isEmpty(value) || is(value, "false", "none", "null", "no", "0", "ok", "success", "no error")) return false
  if (Array.isArray(value)) return value.some((item) => !isNothing(item) && item !== 0)
  return !isJsonObject(value) || !(isZero(value["code"]) || isZero(value["errcode"]))
}

/** True if the value of a field for errors is an error. A number is a count of errors, and not an error. */
export const areErrors: Reader = (value) => typeof value !== "number" && isError(value)

const isZero = (value: unknown): boolean => value === 0 || (typeof value === "string" && /^0+$/.test(value))

/** True if the value of an error code is a number other than 0, its text, or a word that does not mean success. */
export const isErrorCode: Reader = (value, answer, tool) =>
  isRefusedCode(value, answer, tool) ||
  (typeof value === "string" && /^[A-Za-z][\w.-]{1,80}$/.test(value) && !isSuccessWord(value) && !isNothing(value))

/** True if a code is a number other than 0, and no message reports a success. */
const isRefusedCode: Reader = (value, answer, tool) =>
  ((typeof value === "number" && value !== 0) ||
    (typeof value === "string" && /^-?\d{1,9}$/.test(value) && !isZero(value))) &&
  !reportsSuccess(messageIn(answer) ?? "", tool)

const isSuccessWord = (value: string): boolean =>
  saysSuccess.test(value) || /^(?:none|null|no_?error|false|no|n\/?a)$/i.test(value)

/** True if a status says that the answer is a failure: a word, `false`, or an HTTP status from 400 to 599. */
const isFailedStatus: Reader = (value) =>
  value === false || is(value, "false", "error", "failed", "failure", "fail") || isHttpError(value)

/** True for an HTTP status from 400 to 599. */
export const isHttpError = (value: unknown): boolean => {
  const status = typeof value === "string" && /^[45]\d\d$/.test(value) ? Number(value) : value
  return typeof status === "number" && Number.isInteger(status) && status >= 400 && status <= 599
}

const isFailedWord: Reader = (value) => is(value, "error", "failed", "failure", "fail", "ng", "nok")

/** True if the status of an answer that the contract refuses is another word for a failure. */
const isRefusedStatus: Reader = (value) =>
  is(
    value,
    "denied",
    "rejected",
    "declined",
    "refused",
    "forbidden",
    "unauthorized",
    "invalid",
    "aborted",
    "timeout",
    "ng"
  )

/**
 * Returns the meaning of an answer's code. Only a code alongside a message counts, in an answer that consists of code,
 * message and data.
 */
const meaningOfCode = (value: unknown, answer: JsonObject, tool: string): ReturnType<typeof meaningOf> => {
  const code = typeof value === "string" && /^-?\d{1,9}$/.test(value) ? Number(value) : value
  const message = messageIn(answer)
  if (message === undefined) return "none"
  if (saysSuccess.test(message)) return isHttpError(code) ? "ambiguous" : "none"
  const meaning =
    typeof code === "number"
      ? meaningOfNumber(code, message, tool)
      : typeof code === "string" && !isAffirmed(answer)
        ? meaningOf(code, message, tool)
        : "none"
  const isWhole = Object.keys(answer).every(
    (name) => isRemark(name) || isTechnical(name, answer) || holders.has(plain(name))
  )
  return isWhole ? meaning : "none"
}

/** The smallest number that only codes of errors have. A smaller number may be data: `{"code": 49, …}`. */
const minVendorCode = 1_000

/**
 * Returns the meaning of a number. 1 means success in many APIs, and other small numbers can be data, so they are
 * ambiguous unless the message reports a failure. An HTTP status of a failure is also ambiguous if the message reports
 * a success.
 */
const meaningOfNumber = (code: number, message: string, tool: string): ReturnType<typeof meaningOf> => {
  if (code === 0 || (code >= 200 && code <= 299) || code === 20_000 || code === 10_000) return "none"
  if (reportsSuccess(message, tool)) return isHttpError(code) ? "ambiguous" : "none"
  const isOfErrors = code < 0 || code >= minVendorCode || isHttpError(code)
  return isOfErrors || readsAsFailure(message) || denies(message) ? "failure" : "ambiguous"
}

/** True if a code says that the answer is a failure. */
const isFailedCode: Reader = (value, answer, tool) => meaningOfCode(value, answer, tool) === "failure"

/** True if a result code says that the answer is a failure. */
const isReturnCode: Reader = (value, answer, tool) => isFailedCode(value, answer, tool)

/** True if a field contains a code that may be a failure or a success. */
export const isAmbiguousCode = (name: string, answer: JsonObject, tool: string): boolean => {
  const read = readerOf(name)
  return (read === isFailedCode || read === isReturnCode) && meaningOfCode(answer[name], answer, tool) === "ambiguous"
}

/** Returns the message of an answer; `undefined` if it has none. */
export const messageIn = (answer: JsonObject): string | undefined => {
  const message = Object.entries(answer).find(([name, text]) => isMessage.test(name) && typeof text === "string")?.[1]
  return typeof message === "string" && message.trim() !== "" ? message : undefined
}

/** Matches the names of fields that contain a message. */
export const isMessage =
  /^(?:msg|message|(?:err|ret|sub|result|return|resp)_?(?:msg|message)|error_?(?:msg|message|description)?|reason|detail)$/i

/** True if the type of an answer is an error, and the answer has its message. */
const isErrorType: Reader = (value, answer) =>
  typeof value === "string" &&
  (is(value, "error") || /^[\w.#]{1,120}(?:Exception|Fault|Error)$/.test(value)) &&
  (messageIn(answer) !== undefined || isJsonObject(answer["error"]))

/** True if the `name` of an answer is a failure code in capitals, as in PayPal's errors. */
const isFailedName: Reader = (value, { name: _, ...rest }, tool) =>
  typeof value === "string" && /^[A-Z]{3,}(?:_[A-Z]+)+$/.test(value) && isFailedCode(value, rest, tool)

/** True if a count of failures is not 0. */
const areCounted: Reader = (value) => typeof value === "number" && value > 0

/** True if `failed` is true, or lists the failed entries of a batch alongside its successful ones. */
const areFailedEntries: Reader = (value, answer) =>
  value === true ||
  is(value, "true") ||
  (Array.isArray(value) && value.length > 0 && Object.keys(answer).some((name) => /^success(?:ful|es)?$/i.test(name)))

/** Fields that contain the data of an answer. */
export const holders: ReadonlySet<string> = new Set(["data", "result", "payload", "body", "content", "extra"])

/** The readers of fields that describe the answer, and never an entity. */
export const outcomes: ReadonlySet<Reader> = new Set([
  isDenied,
  isMarked,
  isFailedCode,
  isReturnCode,
  isFault,
  areCounted
])

/** Replacement readers for answers that the contract refuses: more values count as failures. */
export const looseReaders: ReadonlyMap<Reader, Reader> = new Map([
  [isReturnCode, isRefusedCode],
  [isFailedStatus, isRefusedStatus]
])

/** The readers by the name of the field, in lower case and without separators. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...[...successNames].map((name) => [name, isDenied] as const),
  ...["failure", "isfailed", "isfailure", "haserror", "haserrors"].map((name) => [name, isAsserted] as const),
  ["failed", areFailedEntries],
  ...["failedrecordcount", "failedentrycount", "failedputcount"].map((name) => [name, areCounted] as const),
  ["iserror", isMarked],
  ...["error", "err", "exception"].map((name) => [name, isError] as const),
  ["fault", isFault],
  ["errors", areErrors],
  ...["errcode", "errorcode", "errno"].map((name) => [name, isErrorCode] as const),
  ["status", isFailedStatus],
  ...["result", "ack", "stat"].map((name) => [name, isFailedWord] as const),
  ["type", isErrorType],
  ["name", isFailedName],
  ...["statuscode", "httpstatus", "httpstatuscode"].map((name) => [name, isHttpError] as const),
  ["code", isFailedCode],
  ...["retcode", "ret", "resultcode", "returncode", "respcode"].map((name) => [name, isReturnCode] as const)
])

/** Returns the reader of a field; `undefined` if the field states no failure. */
export const readerOf = (name: string): Reader | undefined => {
  if (name.length > longestName) return undefined
  const field = /[A-Z\s_:.-]/.test(name) ? plain(name) : name
  return readers.get(field) ?? (field.endsWith("usererrors") ? areErrors : undefined)
}

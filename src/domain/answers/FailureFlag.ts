/**
 * Finds the field with which an answer states its own failure, even if data accompanies it: `{"ok": false, "data": …}`,
 * `"errors": […]`, `"status": "error"`, `"errcode": 40013`. Such an answer does not prove that a write was done [3.3].
 *
 * **Details**
 *
 * - Only fields of the answer itself count. If the answer is an object with one field, as in `{"data": {"create": {…}}}`,
 *   the object in that field is read instead, up to four levels deep.
 * - `isState`: an answer with an id and a status, or with an id and an error, is an entity. The field then describes the
 *   entity, such as a failed payment, and perhaps not the call.
 * - A number of errors is a report (`"errors": 3`), and states no failure.
 * - A numeric `code` counts only beside a message, in an answer that consists of code, message and data.
 *
 * **Gotchas**
 *
 * Never throws, unless the answer is a proxy or has a getter that throws.
 */
import { Quoted } from "#domain/classification/Quoted"
import * as UpstreamWords from "#domain/classification/UpstreamWords"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { countsFailures, identity, isEmpty, isNothing, isRemark, plain } from "./StatedError.ts"

/** The field with which an answer states its own failure. */
export interface FailureFlag {
  /** The names of the fields that lead to the field, and its own name. */
  readonly path: ReadonlyArray<string>
  /** The answer that has the field. */
  readonly answer: JsonObject
  /** True if the answer is an entity, which the field may describe. */
  readonly isState: boolean
  /** True if the answer has `ok` or `success`, which are false, and no data. */
  readonly isBare: boolean
}

const deepest = 4

/** Returns the field with which an answer states its own failure; `undefined` if it states none. */
export const flagIn = (value: unknown, depth = 0): FailureFlag | undefined => {
  if (!isJsonObject(value) || ArrayBuffer.isView(value)) return undefined
  const names = Object.keys(value)
  const flag = flagOf(value, names)
  if (flag !== undefined) return flag
  const [name] = names
  if (names.length !== 1 || name === undefined || depth === deepest) return undefined
  const inner = flagIn(value[name], depth + 1)
  return inner === undefined ? undefined : { ...inner, path: [name, ...inner.path] }
}

const flagOf = (answer: JsonObject, names: ReadonlyArray<string>): FailureFlag | undefined => {
  let found: string | undefined
  for (const name of names) {
    const read = readerOf(name)
    if (read?.(answer[name], answer) !== true) continue
    if (outcomes.has(read)) {
      return { path: [name], answer, isState: false, isBare: read === isDenied && !hasData(answer) }
    }
    found ??= name
  }
  if (found === undefined) return undefined
  return { path: [found], answer, isState: names.some((name) => identity.has(plain(name))), isBare: false }
}

const readerOf = (name: string): Reader | undefined =>
  name.length > longestName ? undefined : readers.get(/[A-Z\s_-]/.test(name) ? plain(name) : name)

const hasData = (answer: JsonObject): boolean =>
  Object.values(answer).some(
    (value) => !isNothing(value) && (typeof value === "object" || (typeof value === "string" && countsFailures(value)))
  )

/** True if the value of a field states a failure. */
type Reader = (value: unknown, answer: JsonObject) => boolean

const longestName = 24

const isDenied: Reader = (value) => value === false || value === 0 || is(value, "false", "0")

const isAffirmed: Reader = (value) => value === true || is(value, "true")

const isMarked: Reader = (value) => value === true

const is = (value: unknown, ...words: ReadonlyArray<string>): boolean =>
  typeof value === "string" && value.length <= 16 && words.includes(value.trim().toLowerCase())

/** True if the value of an error field is an error: a text, an object or a list that is not empty. */
const isError: Reader = (value) => {
  if (isEmpty(value) || is(value, "false", "none", "null", "no", "0", "ok", "success", "no error")) return false
  if (Array.isArray(value)) return value.some((item) => !isNothing(item) && item !== 0)
  return !isJsonObject(value) || !(isZero(value["code"]) || isZero(value["errcode"]))
}

/** True if the value of a field for errors is an error. A number counts errors, and is none. */
const areErrors: Reader = (value, answer) => typeof value !== "number" && isError(value, answer)

const isZero = (value: unknown): boolean => value === 0 || (typeof value === "string" && /^0+$/.test(value))

/** True if the value of an error code is a number other than 0, or its text. */
const isErrorCode: Reader = (value) =>
  (typeof value === "number" && value !== 0) ||
  (typeof value === "string" && /^-?\d{1,9}$/.test(value) && !isZero(value))

/** True if a status says that the answer is a failure: a word, `false`, or an HTTP status from 400 to 599. */
const isFailedStatus: Reader = (value) =>
  value === false || is(value, "false", "error", "failed", "failure", "fail") || isHttpError(value)

const isHttpError = (value: unknown): boolean => {
  const status = typeof value === "string" && /^[45]\d\d$/.test(value) ? Number(value) : value
  return typeof status === "number" && Number.isInteger(status) && status >= 400 && status <= 599
}

const isFailedWord: Reader = (value) => is(value, "error", "failed", "failure", "fail")

/** True if a code is a number that no API uses for a success, and the answer consists of code, message and data. */
const isFailedCode: Reader = (value, answer) => {
  const code = typeof value === "string" && /^-?\d{1,9}$/.test(value) ? Number(value) : value
  if (typeof code !== "number" || code === 0 || (code >= 200 && code <= 299) || code === 20_000) return false
  const message = Object.entries(answer).find(([name, text]) => isMessage.test(name) && typeof text === "string")?.[1]
  return (
    typeof message === "string" &&
    message.trim() !== "" &&
    !saysSuccess.test(message) &&
    Object.keys(answer).every((name) => isRemark(name) || holders.has(plain(name)))
  )
}

const isMessage = /^(?:msg|message|err_?msg|error_?message)$/i

/** A message that consists of a word for success. */
const saysSuccess =
  /^\s*(?:ok(?:ay)?|success(?:ful(?:ly)?)?|succeeded|done|completed|成功|操作成功|请求成功|(?:request|operation) (?:ok|success(?:ful)?|succeeded))\s*[.!]?\s*$/iu

const holders: ReadonlySet<string> = new Set(["data", "result", "payload", "body", "content", "extra"])

/** The readers of fields that describe the answer, and never an entity. */
const outcomes: ReadonlySet<Reader> = new Set([isDenied, isMarked, isFailedCode])

/** The readers by the name of the field, in lower case and without separators. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...["ok", "success", "successful", "succeeded"].map((name) => [name, isDenied] as const),
  ...["failed", "failure", "haserror", "haserrors"].map((name) => [name, isAffirmed] as const),
  ["iserror", isMarked],
  ["error", isError],
  ...["errors", "usererrors"].map((name) => [name, areErrors] as const),
  ...["errcode", "errorcode", "errno"].map((name) => [name, isErrorCode] as const),
  ["status", isFailedStatus],
  ["result", isFailedWord],
  ...["statuscode", "httpstatus", "httpstatuscode"].map((name) => [name, isHttpError] as const),
  ["code", isFailedCode]
])

/** Returns a sentence on the field, with its value if that is short. */
export const sentenceOf = ({ answer, path }: FailureFlag): string => {
  const name = path.at(-1) ?? ""
  const value = answer[name]
  const isShort =
    typeof value === "boolean" ||
    typeof value === "number" ||
    (typeof value === "string" && /^[\w -]{1,20}$/.test(value))
  return isShort ? `The answer says that "${name}" is ${JSON.stringify(value)}.` : `The answer has "${name}".`
}

/** Returns the stated failure for the classifier: the words of the answer about itself, without its data. */
export const errorOf = (flag: FailureFlag): Quoted => {
  const about = Object.fromEntries(
    Object.entries(flag.answer).filter(([name, value]) => isRemark(name) && !isNothing(value))
  )
  const words = UpstreamWords.ofValue(about)
  const sentence = sentenceOf(flag)
  return words === "" ? new Quoted(sentence, sentence) : new Quoted(words, about)
}

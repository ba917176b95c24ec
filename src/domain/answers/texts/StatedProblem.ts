/**
 * Recognises answers whose fields, at any depth, say nothing but that the request failed: a status object
 * (`{"status": {"code": 404, "message": …}}`), the codes of vendors (`{"ret": -1, "msg": "sign error"}`), no results
 * beside a stated problem, messages on fields (`{"age": ["Must be greater than 18."]}`), and lists of these.
 *
 * **Details**
 *
 * - A field of an error, a status of a failure or a code counts only in an answer with at most two short fields of data
 *   and without an identity. An entity that failed, an entry of a log, and the finding of a linter are data.
 * - The same rules read JSON, objects as programs print them, and XML, from a list of fields (`Field`).
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { plain } from "#domain/answers/Payload"
import { identity, isRemark } from "#domain/answers/StatedError"
import { isFailure } from "./FailureSentence.ts"

/** A field of an answer that is neither an object nor a list. */
export interface Field {
  /** Its name, in lower case and without separators. */
  readonly name: string
  readonly value: unknown
  /** True if a field of an error contains it. */
  readonly isInError: boolean
  /** True if it is an item of a list of texts. */
  readonly isItem: boolean
}

/** The maximum number of fields, levels and items that are read. */
const maxFields = 40
const deepest = 5
const maxItems = 50

/** Names of fields that contain an error, or its parts. Counts and rates of errors are measures. */
const ofError =
  /^(?:errors?|err|errno|(?:result)?errors?(?:code|type|class|category|name|message|messages|msg|reason|text|description|detail|details|summary|info|list|key|id|status)|errcode|errmsg|errdesc|errinfo|errortext|resulterror|(?:transaction|api|server|validation|query|gateway|response|request|inner|last)errors?|exception(?:code|message|type|class|name)?|fault(?:code|string|actor|reason|detail)|usererrors)$/

/** Names of fields that contain a message. */
const ofMessage =
  /^(?:messages?|msg|detail|details|(?:result|ret|status|sub|err|error|customer|merchant|user|response|exception|gateway)(?:msg|message|text|description|response|reason|info)|faultstring|errortext|reason|problem|desc|description|info|cause|hint|title)$/

/** Message fields that may also hold the name or the text of a thing. */
const doubtful = /^(?:title|description|desc|info|hint|details?|reason|cause|messages?)$/

/** Names of fields that describe the place of an error, and the request. */
const ofPlace =
  /^(?:field|fields|path|loc|location|locations|pointer|property|instancepath|schemapath|datapath|keyword|params|parameter|param|expected|received|missingproperty|additionalproperty|allowedvalues?|comparison|constraint|attribute|in|domain|line|column|source|step|category|stage|stagename|fatal|dependency|extensions|requestid|resulttype|documentationurl|index|timestamp|lang|retryable|request)$/

/** Fields of entries of logs, and of findings of linters. */
const ofLog = /^(?:level|severity|logger|loglevel|ruleid|linenumber|lineno|file|filename|filepath|hostname|service)$/

const statusNames =
  /^(?:status|statuscode|httpstatus|httpstatuscode|httpcode|code|cod|state|stat|result|ack|outcome|responsecode)$/
/** Names of fields whose number is an HTTP status. */
const httpNames = /^(?:status|statuscode|httpstatus|httpstatuscode|httpcode)$/
const successNames = /^(?:success|ok|issuccess|succeeded|successful)$/
const codeNames =
  /^(?:code|ret|retcode|resultcode|returncode|errcode|errorcode|errno|err|cod|respcode|subcode|statuscode|status)$/

/** A text that says that there is no error. */
const emptyText = /^(?:|null|nil|none|false|no|ok|0+|n\/a|undefined|success|no error)$/i

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === "string" && emptyText.test(value.trim())) ||
  value === false ||
  value === 0

/** Words and HTTP statuses of a failure. */
const failedStatus = /^(?:error|fail|failed|failure|false|[45]\d\d)$/i

/** Codes: numbers, numbers of a success, and words. */
const numericCode = /^-?\d{1,9}$/
const successCode = /^(?:0+|1|2\d\d)$/
const wordCode = /^[A-Za-z]+(?:[_.-][A-Za-z]+)*$/

/** Names of the codes of vendors: those of errors, and those that are negative in a failure. */
const errorCodeNames = /^(?:errcode|errorcode|errno|err)$/
const resultCodeNames = /^(?:ret|retcode|code|resultcode)$/

/** Names of fields whose number is the code of an error. */
const numberNames = /code|errno|^err$/

/** Fields of lists that explain codes, or of entries of logs. */
const ofLists = /^(?:meaning|ts|time|timestamp|date)$/

/** Returns the fields of a value; `undefined` if it has too many to be only an error. */
const fieldsOf = (value: unknown): ReadonlyArray<Field> | undefined => {
  const found: Array<Field> = []
  const collect = (at: unknown, name: string, isInError: boolean, isItem: boolean, depth: number): boolean => {
    if (found.length > maxFields || depth > deepest) return false
    if (Array.isArray(at)) {
      return (
        at.length <= maxItems && at.every((item) => collect(item, name, isInError, typeof item === "string", depth + 1))
      )
    }
    if (isJsonObject(at)) {
      const entries = Object.entries(at)
      return (
        entries.length <= maxFields &&
        entries.every(([field, inner]) =>
          collect(inner, plain(field), isInError || ofError.test(plain(field)), false, depth + 1)
        )
      )
    }
    found.push({ name, value: at, isInError, isItem })
    return true
  }
  return collect(value, "", false, false, 0) ? found : undefined
}

const isFailedStatus = ({ name, value }: Pick<Field, "name" | "value">): boolean =>
  (successNames.test(name) && (value === false || value === 0 || value === "false" || value === "0")) ||
  (statusNames.test(name) &&
    ((value === false && name !== "result") ||
      (typeof value === "string" && failedStatus.test(value)) ||
      (typeof value === "number" && httpNames.test(name) && Number.isInteger(value) && value >= 400 && value <= 599)))

const isFailedCode = ({ name, value }: Field): boolean =>
  codeNames.test(name) &&
  ((typeof value === "number" && value !== 0 && (value < 0 || value > 1) && (value < 200 || value > 299)) ||
    (typeof value === "string" && numericCode.test(value) && !successCode.test(value)) ||
    (typeof value === "string" && wordCode.test(value) && !isEmpty(value)))

/** True if a field is the code of a vendor, which is 0 after a success. */
const isVendorCode = ({ name, value }: Field): boolean =>
  typeof value === "number" && ((errorCodeNames.test(name) && value !== 0) || (resultCodeNames.test(name) && value < 0))

const longestEcho = 80
const mostEchoes = 2

/** True if a message states a failure. A label such as `title` must do so on its own. */
const isFailedMessage = ({ name, value }: Field): boolean =>
  typeof value === "string" && ofMessage.test(name) && isFailure(value)

/** Returns the message of an answer whose fields say only that the request failed; `undefined` for any other answer. */
export const problemIn = (fields: ReadonlyArray<Field>): string | undefined => {
  const stated = fields.filter(({ value }) => value !== undefined && value !== null && value !== "")
  if (stated.length === 0) return undefined
  const onFields = stated.every(({ isItem, value }) => isItem && typeof value === "string" && isFailure(value))
  if (onFields) return String(stated[0]?.value)
  if (stated.some(({ isInError, name }) => !isInError && ofLog.test(name))) return undefined
  const data = stated.filter(
    (field) =>
      !field.isInError &&
      !isEmpty(field.value) &&
      !isRemark(field.name) &&
      !ofMessage.test(field.name) &&
      !ofPlace.test(field.name) &&
      !ofError.test(field.name) &&
      !isFailedStatus(field) &&
      !isFailedCode(field)
  )
  if (data.length > mostEchoes || data.some(({ value }) => String(value).length > longestEcho)) return undefined
  if (stated.some(({ isInError, name }) => !isInError && identity.has(name)) && data.length > 0) return undefined
  const error = stated.find(
    ({ isInError, name, value }) =>
      (isInError || ofError.test(name)) &&
      !isEmpty(value) &&
      (typeof value === "string" || (typeof value === "number" && numberNames.test(name)) || value === true)
  )
  const messages = stated.filter(
    ({ name, value }) => typeof value === "string" && ofMessage.test(name) && !isEmpty(value)
  )
  const failed = messages.find(isFailedMessage)
  const said = failed ?? messages[0]
  const text = said === undefined ? undefined : String(said.value)
  if (error !== undefined && data.length <= 1) return text ?? String(error.value)
  if (data.length > 0 && stated.some(({ isInError }) => isInError)) return undefined
  if (stated.some(isFailedStatus) && said !== undefined) return text
  if (data.length === 0 && said !== undefined && stated.some(isVendorCode)) return text
  const status = stated.find((field) => isFailedStatus(field) && typeof field.value === "number")
  const isDenied = stated.some(({ name, value }) => successNames.test(name) && value === true)
  if (status !== undefined && data.length === 0 && !isDenied) return `HTTP ${String(status.value)}`
  if (failed === undefined || data.length > 0) return undefined
  return !doubtful.test(failed.name) || stated.some((field) => isFailedCode(field) || ofPlace.test(field.name))
    ? text
    : undefined
}

/** Returns the message of an object, or of the first of a list of objects, that says only that the request failed. */
export const problemOf = (answer: unknown): string | undefined => {
  if (isJsonObject(answer)) return ofObject(answer)
  if (!Array.isArray(answer) || answer.length === 0 || answer.length > maxItems) return undefined
  let first: string | undefined
  for (const item of answer) {
    const message = isJsonObject(item) && isOfList(item) ? ofObject(item) : undefined
    if (message === undefined) return undefined
    first ??= message
  }
  return first
}

const ofObject = (answer: JsonObject): string | undefined => {
  const { data } = answer
  if (
    isJsonObject(data) &&
    !Object.entries(data).every(([name, value]) => value === null || isFailedStatus({ name: plain(name), value }))
  )
    return undefined
  const fields = fieldsOf(answer)
  return fields === undefined ? undefined : problemIn(fields)
}

/** True if an item of a list is an error, and not the description of a code. */
const isOfList = (item: JsonObject): boolean => {
  const names = Object.keys(item).map(plain)
  return (
    names.some((name) => ofError.test(name) || ofPlace.test(name)) &&
    !names.some((name) => identity.has(name) || ofLog.test(name) || ofLists.test(name))
  )
}

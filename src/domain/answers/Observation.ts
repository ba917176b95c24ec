/**
 * Recognises answers of reads whose data is the failure of something else: a broken link (`{"url": …, "statusCode":
 * 404}`), a ping without reply (`{"ok": false, "latency": 12}`), a failed build (`{"result": "failure", "duration":
 * 7}`).
 *
 * A tool that fails says why. An answer is such an observation if a field is marked as failed, if it has neither an
 * error nor a message, and if it has data: a measurement, a target, or any other field that does not describe the
 * exchange. An answer without data is an observation if only a word in `status` or `result` marks it as failed.
 */
import { reasonPhrases } from "#domain/classification/codes/HttpStatus"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { holders, readerOf } from "./FlagReaders.ts"
import { excerptOf, isTechnical, plain } from "./Payload.ts"
import { isRemark } from "./StatedError.ts"

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "))

/** Fields that contain an error or a message. */
const wording =
  /^(?:err|errors?|errormessages?|errormsg|errordescription|errordetail|errorsummary|usererrors|fault|exception|err(?:or)?codes?|errno|code|retcode|ret|resultcode|returncode|messages?|msg|details?|(?:status|err|ret|result|sub)(?:message|msg)|statustext|title|reason|info|information|note|description|hint|trace|stack|stacktrace|traceback)$/

/** Fields that may contain the phrase of a status: `"reason": "Not Found"`. */
const phrasing = set("reason statustext statusmessage")

/** Fields of the exchange that are data if the tool observes other exchanges. */
const observed = set("url headers latency duration durationms elapsed elapsedms took tookms")

const isAbsent = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0)

const isPhrase = (name: string, value: unknown): boolean =>
  phrasing.has(name) && typeof value === "string" && reasonPhrases.has(value.toLowerCase())

/** True if an answer, or the body that it contains, has an error or a message. */
const hasWords = (answer: JsonObject, depth = 0): boolean =>
  Object.entries(answer).some(([field, value]) => {
    const name = plain(field)
    if (holders.has(name)) return depth === 0 && isWorded(value)
    return wording.test(name) && !isAbsent(value) && value !== false && value !== 0 && !isPhrase(name, value)
  })

const longestBody = 16_384

const isWorded = (body: unknown): boolean => {
  if (typeof body !== "string") return isJsonObject(body) && hasWords(body, 1)
  if (body.length > longestBody || !/^\s*\{/.test(body)) return false
  try {
    const parsed: unknown = JSON.parse(body)
    return isJsonObject(parsed) && hasWords(parsed, 1)
  } catch {
    return false
  }
}

/** True if a field is data. A path is a part of the request, and not a target. */
const isData = (field: string, value: unknown, answer: JsonObject): boolean => {
  const name = plain(field)
  if (isAbsent(value) || readerOf(field) !== undefined || holders.has(name)) return false
  if (observed.has(name)) return !(typeof value === "string" && value.startsWith("/"))
  return !isTechnical(field, answer) && !isRemark(field)
}

/** Fields for the state of a thing, which the call may have requested. */
const states = set("status result")

/** True if the data of an answer is the failure of something else. */
export const isObservation = (answer: JsonObject): boolean => {
  const about = excerptOf(answer, (name) => readerOf(name) !== undefined)
  const failed = Object.keys(about).filter((name) => readerOf(name)?.(about[name], about, "") === true)
  if (failed.length === 0 || hasWords(answer)) return false
  return (
    Object.entries(answer).some(([name, value]) => isData(name, value, answer)) ||
    failed.every((name) => states.has(plain(name)) && typeof answer[name] === "string" && /[a-z]/i.test(answer[name]))
  )
}

/**
 * Finds the field that marks an answer as a failure, even if data accompanies it: `{"ok": false, "data": …}`,
 * `"errors": […]`, `"status": "error"`, `"errcode": 40013`. Such an answer does not prove that a write was done [3.3].
 *
 * **Details**
 *
 * - Only fields of the answer itself count. If the answer has a payload (`Payload`), as in `{"data": {"create": {…}},
 *   "extensions": {…}}`, the payload is read instead, up to four levels deep. The `userErrors` of a GraphQL mutation
 *   also count alongside the results of other mutations.
 * - `isState`: an answer with an id and a status, or with an id and an error, is an entity. The field then describes
 *   the entity, such as a failed payment, and perhaps not the call. The same applies to a status or a code alongside
 *   several fields of data and no message, and to a code that may be a failure or a success.
 * - A count of errors (`"errors": 3`) is a report and not a failure.
 * - `isLoose` is for answers that the contract refuses, such as any body of a tool without a result. Then a code needs
 *   no message, and more status words count as failures (`denied`, `rejected`).
 *
 * **Gotchas**
 *
 * Never throws, unless the answer is a proxy or has a getter that throws.
 */
import { QuotedError } from "#domain/classification/QuotedError"
import * as UpstreamWords from "#domain/classification/UpstreamWords"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import {
  areErrors,
  holders,
  isAmbiguousCode,
  isDenied,
  isError,
  isErrorCode,
  isHttpError,
  isMessage,
  looseReaders,
  messageIn,
  outcomes,
  readerOf
} from "./FlagReaders.ts"
import { excerptOf, isTechnical, objectsIn, payloadOf, plain } from "./Payload.ts"
import { isPurpose } from "./ReportedSuccess.ts"
import { countsFailures, identity, isEmpty, isNothing, isRemark, isReport } from "./StatedError.ts"

/** The field that marks an answer as a failure. */
export interface FailureFlag {
  /** The path to the field, which ends with its name. */
  readonly path: ReadonlyArray<string>
  /** The answer that has the field. */
  readonly answer: JsonObject
  /** True if the answer is an entity, which the field may describe. */
  readonly isState: boolean
  /** True if `ok` or `success` of the answer is false, and the answer has no data. */
  readonly isBare: boolean
}

const maxDepth = 4

/** The source of an answer, and how strictly it is read. */
interface Source {
  /** The name of the tool that answers. */
  readonly tool?: string
  readonly isLoose?: boolean
}

/** Returns the field that marks an answer as a failure; `undefined` if there is none. */
export const flagIn = (value: unknown, source: Source = {}, depth = 0): FailureFlag | undefined => {
  if (!isJsonObject(value) || ArrayBuffer.isView(value)) return undefined
  const flag = flagOf(excerptOf(value, canFail, decidesKind), source)
  if (flag !== undefined || depth === maxDepth) return flag
  const payload = payloadOf(value)
  if (payload === undefined) return depth < 2 ? refusedMutationIn(value) : undefined
  const [name, content] = payload
  const inner = flagIn(content, source, depth + 1)
  return inner === undefined ? undefined : { ...inner, path: [name, ...inner.path] }
}

/** Returns the errors of a GraphQL mutation next to the results of other mutations. */
const refusedMutationIn = (value: JsonObject): FailureFlag | undefined => {
  for (const [name, answer] of objectsIn(value)) {
    const errors = Object.keys(answer).find((field) => plain(field).endsWith("usererrors"))
    if (errors !== undefined && isError(answer[errors])) {
      return { path: [name, errors], answer, isState: false, isBare: false }
    }
  }
  return undefined
}

const canFail = (name: string): boolean => readerOf(name) !== undefined

/** True if a field helps to decide whether an answer is an entity, or describes its failure. */
const decidesKind = (name: string): boolean => identity.has(plain(name)) || isRemark(name)

const flagOf = (answer: JsonObject, { isLoose = false, tool = "" }: Source): FailureFlag | undefined => {
  const names = Object.keys(answer)
  let found: string | undefined
  for (const name of names) {
    const read = readerOf(name)
    if (read === undefined || isRequested(name, answer[name], tool)) continue
    const isFailure =
      read(answer[name], answer, tool) || (isLoose && looseReaders.get(read)?.(answer[name], answer, tool) === true)
    if (!isFailure) continue
    if (outcomes.has(read)) {
      return { path: [name], answer, isState: false, isBare: read === isDenied && !hasData(answer) }
    }
    found ??= name
  }
  if (found !== undefined) return { path: [found], answer, isState: isEntity(answer, found), isBare: false }
  const ambiguous = names.find((name) => isAmbiguousCode(name, answer, tool))
  return ambiguous === undefined ? undefined : { path: [ambiguous], answer, isState: true, isBare: false }
}

/** True if a field has the state that the tool brings about: `"status": "failed"` of `fail_job`. */
const isRequested = (name: string, value: unknown, tool: string): boolean =>
  typeof value === "string" && states.has(plain(name)) && isPurpose([value.toLowerCase()], tool)

/** True if an answer identifies an entity, or has several fields of data alongside a status and no message. */
const isEntity = (answer: JsonObject, flag: string): boolean => {
  const names = Object.keys(answer).filter((name) => !isTechnical(name, answer))
  if (names.some((name) => identity.has(plain(name)))) return true
  if (!states.has(plain(flag)) || names.some((name) => isMessage.test(name)))
    return plain(flag) === "type" && isLog(answer)
  return names.filter((name) => !isRemark(name) && !holders.has(plain(name)) && !isNothing(answer[name])).length > 1
}

/** Fields that an entity may also have. */
const states: ReadonlySet<string> = new Set(["status", "errorcode", "errcode", "errno", "result", "type"])

/** True if an answer has a time or a level, like the entry of a log. */
const isLog = (answer: JsonObject): boolean =>
  Object.keys(answer).some((name) => /^(?:ts|time|timestamp|date|level|severity|logger|host|service)$/i.test(name))

const hasData = (answer: JsonObject): boolean =>
  Object.entries(answer).some(
    ([name, value]) =>
      !isTechnical(name, answer) &&
      !isNothing(value) &&
      (typeof value === "object" || (typeof value === "string" && countsFailures(value)))
  )

/**
 * The maximum number of request fields that an error may repeat, and the maximum length of their values, in characters.
 */
const maxEchoes = 2
const longestEcho = 60

/** True if an answer contains only its failure, in place of data. */
export const isAlone = ({ answer, path }: FailureFlag): boolean => {
  const flag = path.at(-1) ?? ""
  const read = readerOf(flag)
  if (isReport(answer) || countsFailures(messageIn(answer) ?? "")) return false
  const others = Object.entries(answer).filter(
    ([name, value]) =>
      name !== flag &&
      !isEmpty(value) &&
      !isRemark(name) &&
      !isTechnical(name, answer) &&
      !(read === isHttpError && holders.has(plain(name)))
  )
  if (others.length === 0) return true
  const isExplained =
    read === isError || read === areErrors || (read === isErrorCode && messageIn(answer) !== undefined)
  return (
    isExplained &&
    typeof answer[flag] !== "boolean" &&
    others.length <= maxEchoes &&
    others.every(([, value]) => typeof value !== "object" && String(value).length <= longestEcho)
  )
}

/** Returns a sentence about the field, with its value if the value is short. */
export const sentenceOf = ({ answer, path }: FailureFlag): string => {
  const name = path.at(-1) ?? ""
  const value = answer[name]
  const isShort =
    typeof value === "boolean" ||
    typeof value === "number" ||
    (typeof value === "string" && /^[\w -]{1,20}$/.test(value))
  return isShort ? `The answer says that "${name}" is ${JSON.stringify(value)}.` : `The answer has "${name}".`
}

/** Returns the stated failure for the classifier: the fields in which the answer describes itself, without its data. */
export const errorOf = (flag: FailureFlag): QuotedError => {
  const about = Object.fromEntries(
    Object.entries(flag.answer).filter(([name, value]) => isRemark(name) && !isNothing(value))
  )
  const words = UpstreamWords.ofValue(about)
  const sentence = sentenceOf(flag)
  return words === "" ? new QuotedError(sentence, sentence) : new QuotedError(words, about)
}

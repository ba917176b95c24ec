/**
 * Finds statements in the answer of a write that do not settle whether the write was done: `{"status": "rejected"}`,
 * `{"success": true, "message": "Payment failed"}`, `{"approved": false}`. Such a write is not a plain success [3.3].
 *
 * **Details**
 *
 * - The purpose of the tool decides: `rejected` raises no doubt about `reject_po`, nor `failed` about `mark_failed`.
 * - In an entity only words of a refusal or a failure count, and only participles of the tool's own verb. Its other
 *   states are data: `{"id": "o-1", "status": "cancelled", "address": …}` of `update_order`. Its messages are data too.
 * - A field that the contract declares is data.
 * - Lists of at most 50 items count if all their items raise a doubt. The first four lists of an answer are read, and
 *   the first list of each item, because a large answer would otherwise block the process.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { deniesAction, isHypothetical } from "./ActionDenial.ts"
import { clausesOf, deniesPossibly, failsOutright } from "#domain/answers/Denial"
import { holders } from "#domain/answers/FlagReaders"
import { flagIn } from "#domain/answers/FailureFlag"
import { excerptOf, isTechnical, payloadOf, plain, saysSuccess } from "#domain/answers/Payload"
import { isFailureField, reportsFailure } from "./FailureField.ts"
import { deniesInRemark, isRemarkField } from "./RemarkDenial.ts"
import { isAffirmed, isDoneIn } from "#domain/answers/ReportedSuccess"
import { countsFailures, hasData, identity, isEmpty, isRemark } from "#domain/answers/StatedError"
import { isFailedState, isStatus } from "./StatedState.ts"
import { reportsAction, undoneIn } from "./UndoneAction.ts"
import { actionOf } from "#domain/text/ToolAction"
import { isParticiple, meantBy, namesIn, stemOf } from "#domain/text/ToolName"

/** The tool that answered, and its contract. */
interface Source {
  readonly tool: string
  /** True if the contract of the results declares the field at a path. */
  readonly declares: (path: ReadonlyArray<string>) => boolean
  /** The number of lists that contain the answer. Default 0. */
  readonly depth?: number
}

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

const maxDepth = 4

/** The number of lists that are read in an answer, and in an item of a list. */
const maxLists = [4, 1]
const maxItems = 50

/** Returns a sentence on the field that raises a doubt about a write; `undefined` if the answer raises none. */
export const doubtIn = (received: unknown, source: Source, path: ReadonlyArray<string> = []): string | undefined => {
  if (path.length > maxDepth) return undefined
  if (Array.isArray(received)) return ofList(received, source, path)
  if (!isJsonObject(received) || ArrayBuffer.isView(received)) return undefined
  const answer = excerptOf(received, isOfFailure, isTelling)
  const isOfEntity = isEntity(answer)
  const undone = undoneIn(received, source.tool, maxDepth)
  if (undone !== undefined && !source.declares([...path, ...undone.path])) {
    const name = undone.path.at(-1) ?? ""
    return sentenceOf(name, undone.answer[name])
  }
  const isOfTool = path.every((name) => holders.has(plain(name)))
  for (const [name, value] of Object.entries(answer)) {
    if (source.declares([...path, name])) continue
    const field = plain(name)
    const isMessage = isOfTool && isWording.test(field) && isDenial(value, answer, source.tool)
    const isRemarked = isOfTool && deniesInRemark(name, answer, isOfEntity, source.tool)
    const isFailure = reportsFailure(name, value, isOfEntity, source.tool)
    const isWithin = !isOfEntity && ofAnswer.test(field) && failsWithin(name, value, source, path)
    if (isMessage || isRemarked || isFailure || isWithin || isDoubtful(name, value, answer, source.tool))
      return sentenceOf(name, value)
  }
  const payload = payloadOf(received)
  if (payload !== undefined) return doubtIn(payload[1], source, [...path, payload[0]])
  for (const [name, value] of Object.entries(answer)) {
    if (!isJsonObject(value) || !describing.test(plain(name))) continue
    const found = stateIn(value, answer, source, [...path, name])
    if (found !== undefined) return found
  }
  return inLists(answer, source, path)
}

/** Returns the sentence on the first list of an answer that raises a doubt. */
const inLists = (answer: JsonObject, source: Source, path: ReadonlyArray<string>): string | undefined => {
  const lists = Object.entries(answer).filter(
    (entry): entry is [string, ReadonlyArray<unknown>] =>
      Array.isArray(entry[1]) && !source.declares([...path, entry[0]])
  )
  for (const [name, list] of lists.slice(0, maxLists[source.depth ?? 0])) {
    const found = ofList(list, source, [...path, name])
    if (found !== undefined) return found
  }
  return undefined
}

/** True if only a failure has a field. */
const isOfFailure = (name: string): boolean => ofFailure.test(plain(name)) || isFailureField(name)

/** True if another field can raise a doubt, or can decide what the answer is. */
const isTelling = (name: string): boolean =>
  isStatus(name) || isRemark(name) || isRemarkField(name) || isIdentity(name) || canDeny(plain(name))

const canDeny = (field: string): boolean =>
  isWording.test(field) || actions.has(field) || foreignSuccess.has(field) || ofAnswer.test(field)

/** Fields in which an answer describes itself, next to its data: `{"order": {…}, "meta": {"success": false}}`. */
const ofAnswer = /^(?:meta|status|result|outcome|response(?:status|meta|info))$/

/**
 * True if a field in which an answer describes itself states a failure. The result of a tool that examines something is
 * its finding.
 */
const failsWithin = (name: string, value: unknown, source: Source, path: ReadonlyArray<string>): boolean => {
  const flag = actionOf(source.tool).examines ? undefined : flagIn(value, source)
  return flag !== undefined && !source.declares([...path, name, ...flag.path])
}

/** Fields that contain the states of the entity that has them: `{"id": …, "properties": {"provisioningState": …}}`. */
const describing = /^(?:properties|attributes|status|state)$/

/** Returns the sentence on a failed state among the properties of an entity. */
const stateIn = (
  properties: JsonObject,
  answer: JsonObject,
  source: Source,
  path: ReadonlyArray<string>
): string | undefined => {
  const holder = { isEntity: isEntity(answer), isBare: false }
  const failed = Object.entries(properties).find(
    ([name, value]) =>
      typeof value === "string" && !source.declares([...path, name]) && isFailedState(name, value, holder, source.tool)
  )
  return failed === undefined ? undefined : sentenceOf(...failed)
}

const ofList = (list: ReadonlyArray<unknown>, source: Source, path: ReadonlyArray<string>): string | undefined => {
  const { depth = 0 } = source
  if (depth === maxLists.length || list.length > maxItems || !list.every(isJsonObject)) return undefined
  let first: string | undefined
  for (const item of list) {
    // a list of entities is data, whatever their states
    const doubt = doubtIn(isEntity(item) ? withoutStates(item) : item, { ...source, depth: depth + 1 }, path)
    if (doubt === undefined) return undefined
    first ??= doubt
  }
  return first
}

/** Returns the sentence on a text that is the result of a write; `undefined` if the text raises no doubt. */
export const doubtOfText = (text: string, tool: string): string | undefined => {
  const line = text.trim()
  if (line.length > longestText || line.includes("\n")) return undefined
  const first = clausesOf(line).slice(0, 1)
  const isDone = first.some((clause) => isDoneIn(clause, tool) || saysSuccess.test(clause))
  const [, label = "", state = ""] = labelled.exec(line) ?? []
  const isFailure =
    (first.some(failsOutright) && deniesDone(line, tool)) ||
    deniesAction(withoutTitle(line, tool), tool, { isDone, isEntity: false }) ||
    isFailedState(label, state, { isEntity: false, isBare: true }, tool)
  return isFailure ? "The answer reads as a failure." : undefined
}

const longestText = 250

/** Matches a text that is a state with its label: `Status: failed`. */
const labelled = /^(\w{2,24})\s?[:=]\s?([\w -]{2,40}?)[.!]?$/

const sentenceOf = (name: string, value: unknown): string => {
  const isShort =
    typeof value === "boolean" ||
    typeof value === "number" ||
    (typeof value === "string" && /^[\w-]{1,24}$/.test(value))
  return isShort
    ? `The answer says that "${name}" is ${JSON.stringify(value)}.`
    : `"${name}" of the answer reads as a failure.`
}

/** Participles that, with the value false, say that the action was not done. */
const actions = set(`
  created updated deleted removed saved stored sent submitted approved accepted authorized authorised allowed permitted
  confirmed applied processed executed delivered granted booked paid charged added placed acknowledged
`)

/** Words of other languages for a success, which deny it with the value false. */
const foreignSuccess = set("exito éxito sucesso succès succes successo erfolg erfolgreich gelukt 成功 成功した")

const isDoubtful = (original: string, value: unknown, answer: JsonObject, tool: string): boolean => {
  const name = plain(original)
  if (value === false) return isUndone(name, answer, tool)
  if (typeof value === "string") {
    if (isFailedState(original, value, { isEntity: isEntity(answer), isBare: isBare(answer) }, tool)) return true
    const [, cause] = ofFailure.exec(name) ?? []
    if (cause !== undefined && !isNoError.test(value)) return !meantBy(tool).has(stemOf(cause))
    return isErrorType(name, value, answer)
  }
  if (isJsonObject(value)) return Object.entries(value).some(([of, type]) => isErrorType(plain(of), type, value))
  return Array.isArray(value) && value.length > 0 && isOfRefused.test(name) && hasNoOther(name, answer)
}

/** True if the value of a field for messages says that the action was not done. */
const isDenial = (value: unknown, answer: JsonObject, tool: string): boolean =>
  typeof value === "string" &&
  !isEntity(answer) &&
  (isAffirmed(answer) || !hasData(answer)) &&
  !countsFailures(value) &&
  deniesDone(value, tool)

/** True if the value false of a field says that the action was not done. */
const isUndone = (name: string, answer: JsonObject, tool: string): boolean => {
  if (foreignSuccess.has(name)) return true
  if (reportsAction(answer, tool)) return false
  const isAction = actions.has(name) || name === "result"
  return isEntity(answer) ? isAction && meantBy(tool).has(stemOf(name)) : isAction
}

const isId = /(?:^|[a-z_-])id$|Id$|^(?:uuid|slug)$/

/** True if an answer identifies an entity. */
const isEntity = (answer: JsonObject): boolean =>
  Object.keys(answer).some((name) => !isTechnical(name, answer) && isIdentity(name))

const isIdentity = (name: string): boolean => identity.has(plain(name)) || isId.test(name)

const withoutStates = (entity: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(entity).filter(([name]) => !isStatus(name)))

/** True if an answer contains only statements about itself. */
const isBare = (answer: JsonObject): boolean =>
  !isEntity(answer) &&
  Object.entries(answer).every(
    ([name, value]) => isRemark(name) || isStatus(name) || isTechnical(name, answer) || isEmpty(value)
  )

/** Fields that only a failure has. */
const ofFailure =
  /^(fail|error|declin|reject|den|refus)(?:ure|ed|e|ion|ial|al)?(?:code|message|msg|reason|text|description|details?)$/

/** Matches the value of such a field in the answer of a success: empty, `0000`, `none`. */
const isNoError = /^\s*(?:0+|ok|none|null|no[ _-]?error|success|n\/?a|-)?\s*$/i

/** Fields with a message of the tool. */
const isWording =
  /^(?:\w{0,16}(?:message|msg)|(?:response|status|error|result|return|info)text|messages|details?|information|info|response|mensaje|mensagem|meldung|nachricht|messaggio|hinweis|сообщение|提示|消息)$/

/** True if a field is the type of a message for an error, as in the messages of SAP: `{"TYPE": "E", "MESSAGE": …}`. */
const isErrorType = (name: string, value: unknown, answer: JsonObject): boolean =>
  /^(?:type|msgty|severity)$/.test(name) &&
  typeof value === "string" &&
  /^(?:[eax]|error|abort)$/i.test(value) &&
  Object.keys(answer).some((other) => /^(?:message|msg|text|number|msgno)$/.test(plain(other)))

/** Fields with the entries that were refused. */
const isOfRefused = /^(?:rejected|failed|failures|refused|unprocessed\w*|bounced|undelivered|invalid)$/

/** True if no other list of an answer has an entry, which means that all entries were refused. */
const hasNoOther = (name: string, answer: JsonObject): boolean =>
  Object.entries(answer).every(([other, value]) => plain(other) === name || !Array.isArray(value) || value.length === 0)

/** Words of other languages for a refusal, which is the purpose of tools that reject something. */
const foreignRefusals =
  /驳回|駁回|拒绝|拒絕|却下|거부|rechazad[oa]|rejeitad[oa]|recusad[oa]|refusée?|rejetée?|abgelehnt|rifiutat[oa]|respint[oa]|отклон[её]н[аоы]?/giu

/** Matches the statement that there was nothing to do. */
const nothingMatched = /^no (?!such\b)[\w' -]{2,60} (?:match(?:ed|ing|es)?|found|to [a-z]+)\b/i

/** Matches a clause with a participle of an action that was done. */
const settled =
  /\b(?:placed|booked|paid|registered|processed|confirmed|accepted|received|issued|opened|assigned|charged|delivered|approved)\b/i

/**
 * True if a message says that the action was not done. After the report of a success, only an outright failure counts.
 * Nouns that the name of the tool contains do not: `Error reported` of `report_error`.
 */
const deniesDone = (message: string, tool: string): boolean => {
  const things = namesIn(tool).filter((name) => !isParticiple(name))
  const named = things.length === 0 ? undefined : new RegExp(`\\b(?:${things.join("|")})s?\\b`, "gi")
  let isDone = false
  const isRefusal = meantBy(tool).has("reject")
  for (const clause of clausesOf(withoutTitle(message, tool))) {
    const own = named === undefined ? clause : clause.replaceAll(named, " x ")
    const words = isRefusal ? own.replaceAll(foreignRefusals, " x ") : own
    if (nothingMatched.test(clause)) continue
    if (isDone && isHypothetical(clause)) continue
    if (isDoneIn(clause, tool) || saysSuccess.test(clause)) isDone = true
    else if (failsOutright(words) || (!isDone && deniesPossibly(words))) return true
    else if (settled.test(words)) isDone = true
  }
  return false
}

/** Returns a message without the title of the thing that it reports: `Issue created: Upload failed`. */
const withoutTitle = (message: string, tool: string): string => {
  const [head = ""] = message.split(/:\s/u)
  return isDoneIn(head, tool) && actionOf(tool).isOfText ? head : message
}

/**
 * Reads what the answer of a tool states about itself: that the call failed, or that it is not settled whether a write
 * was done [3.3].
 *
 * **Details**
 *
 * - If an answer violates the schema and states a failure, the stated failure is passed on.
 * - If the answer of a write states a failure, even in addition to data, the write failed, and its effect is unknown.
 * - An answer of a write that does not settle whether it was done (`Doubt`) is a result that proves nothing.
 * - A text that is only the notice of an outage, such as the page of a gateway, is a failure of a read.
 * - Exceptions are a field that the contract names (`success` declares `ok`), the state of an entity, and the text of a
 *   tool whose result is text. Such an answer is a result whose side effect is unknown, unless it contains only the
 *   failure.
 * - A text that repeats an argument of a write is data, and states nothing.
 */
import { QuotedError } from "#domain/classification/QuotedError"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import type { Access } from "#domain/tool/Access"
import { failedHeadIn } from "./ActionDenial.ts"
import * as AnsweredEnvelope from "#domain/answers/AnsweredEnvelope"
import { countedIn, sentenceOf as countsOf } from "./CountedItems.ts"
import { doubtIn, doubtOfText } from "./Doubt.ts"
import { isUndoneFlag } from "./FailureField.ts"
import * as FailureFlag from "#domain/answers/FailureFlag"
import { holders } from "#domain/answers/FlagReaders"
import { replacedDataIn, statedFailureIn } from "#domain/answers/HiddenFailure"
import * as McpResult from "#domain/answers/McpResult"
import * as Outage from "#domain/answers/Outage"
import { isTechnical, plain } from "#domain/answers/Payload"
import { isRemarkField } from "./RemarkDenial.ts"
import { isAffirmed } from "#domain/answers/ReportedSuccess"
import { identity, isNothing, isRemark } from "#domain/answers/StatedError"
import { undoneIn } from "./UndoneAction.ts"

/** The call that an answer belongs to, and the contract of the tool. */
interface AnsweredCall {
  readonly tool: string
  readonly access: Access
  readonly arguments: unknown
  /** True if the contract of the results declares the field at a path. */
  readonly declares: (path: ReadonlyArray<string>) => boolean
  /** True if the answer matches the contract. */
  readonly conforms: boolean
  /** True if the handler returned a value, and neither a text nor a response. */
  readonly isValue: boolean
}

/** A statement of an answer about itself. */
export type Statement =
  | { readonly _tag: "Failure"; readonly error: QuotedError }
  /** The answer is a result, which does not prove that the write was done. */
  | {
      readonly _tag: "Result"
      readonly sentence: string
      /** True if the answer says that a part of the write failed and another part was done. */
      readonly isPartial: boolean
    }

/** Returns what an answer states about itself; `undefined` if it states neither a failure nor a doubt. */
export const statementOf = (received: unknown, answered: AnsweredCall): Statement | undefined => {
  if (answered.access === "read") {
    return answered.conforms ? replacedIn(received, answered) : ofRefused(received, answered)
  }
  return ofWrite(withoutEchoes(received, answered.arguments), answered)
}

const ofWrite = (received: unknown, answered: AnsweredCall): Statement | undefined => {
  const { conforms, declares, isValue, tool } = answered
  if (!conforms) return ofRefused(received, answered)
  const data = McpResult.dataOf(received)
  const error = data === received ? undefined : statedFailureIn(received, tool)
  if (error !== undefined) return failure(error.error)
  if (typeof data === "string") return ofText(data, answered)
  if (data !== received) {
    return ofWrite(data, { ...answered, declares: (path) => declares(["structuredContent", ...path]) })
  }
  const flag = flagOfWrite(received, tool)
  // the error of an incomplete result describes the missing part, not a failure of the action
  if (isPartial(received, answered)) return undefined
  if (isValue && flag !== undefined && declares(flag.path)) return ofResult(flag)
  if (flag === undefined && isDeclared(received, answered)) return undefined
  const stated = statedByWrite(received, tool)
  if (stated !== undefined) return failure(stated)
  if (flag !== undefined) {
    return flag.isState || declares(flag.path) ? ofResult(flag) : failure(FailureFlag.errorOf(flag))
  }
  return ofHead(messageOf(received), tool) ?? ofPart(received, answered) ?? ofDoubt(doubtIn(received, answered))
}

/** Returns the field of a write's answer that states a failure, or denies its action, or says that all items failed. */
const flagOfWrite = (received: unknown, tool: string): FailureFlag.FailureFlag | undefined => {
  const flag = FailureFlag.flagIn(received, { tool })
  if (flag !== undefined) {
    const rest = withoutPart(received, tool)
    return rest === received ? flag : flagOfWrite(rest, tool)
  }
  const undone = undoneIn(received, tool)
  if (undone !== undefined && !undone.isDoubtful) return undone
  const counted = countedIn(received, tool)
  return counted?.failed === "all" ? { ...counted, isState: identifies(counted.answer), isBare: false } : undefined
}

/** Returns the failure that the answer of a write states, but for the items that it counts as failed beside others. */
const statedByWrite = (received: unknown, tool: string): QuotedError | undefined => {
  const stated = statedFailureIn(received, tool)
  if (stated === undefined) return undefined
  const rest = withoutPart(received, tool)
  return rest === received ? stated.error : statedFailureIn(rest, tool)?.error
}

/** Returns an answer without the number or list of its failed items, if others were done: `errors` beside `sent`. */
const withoutPart = (received: unknown, tool: string): unknown => {
  const counted = countedIn(received, tool)
  return counted?.failed === "some" ? withoutField(received, counted.path) : received
}

const withoutField = (value: unknown, [name, ...below]: ReadonlyArray<string>): unknown => {
  if (!isJsonObject(value) || name === undefined) return value
  const { [name]: field, ...others } = value
  return below.length === 0 ? others : { ...others, [name]: withoutField(field, below) }
}

/** True if an answer identifies an entity, whose items the counts may describe. A number of created items does not. */
const identifies = (answer: JsonObject): boolean =>
  Object.entries(answer).some(([name, value]) => identity.has(plain(name)) && !name.endsWith("ed") && !isNothing(value))

/** Returns the only text of an answer that affirms nothing; `undefined` for any other answer. */
const messageOf = (received: unknown): string | undefined => {
  if (!isJsonObject(received) || isAffirmed(received)) return undefined
  const [first, ...others] = Object.entries(received).filter(
    ([name, value]) => !isTechnical(name, received) && !isNothing(value)
  )
  if (first === undefined || others.length > 0) return undefined
  const [name, text] = first
  return typeof text === "string" && (isRemark(name) || holders.has(plain(name))) ? text : undefined
}

/** Returns the failure of a text that begins with the failure of the action, and explains it after a colon. */
const ofHead = (message: string | undefined, tool: string): Statement | undefined => {
  const head = message === undefined ? undefined : failedHeadIn(message, tool)
  return head === undefined ? undefined : failure(new QuotedError(head, head))
}

/** Returns the statement of an answer that counts failed items, and perhaps others that were done. */
const ofPart = (
  received: unknown,
  { declares, tool }: Pick<AnsweredCall, "declares" | "tool">
): Statement | undefined => {
  const counted = countedIn(received, tool)
  if (counted === undefined || declares(counted.path)) return undefined
  const sentence = countsOf(counted, tool)
  return { _tag: "Result", sentence, isPartial: counted.failed === "some" }
}

/** Returns what a text states that is the result of a write. JSON in the text is read as a value. */
const ofText = (text: string, { arguments: args, tool }: AnsweredCall): Statement | undefined => {
  const { isSilent, value } = readText(text, args, tool)
  if (value === undefined) return ofHead(text, tool) ?? ofDoubt(doubtOfText(text, tool))
  const source = { tool, declares: () => false }
  if (isSilent) return ofDoubt(doubtIn(value, source))
  const flag = flagOfWrite(value, tool)
  return flag === undefined ? (ofPart(value, source) ?? ofDoubt(doubtIn(value, source))) : ofResult(flag)
}

/**
 * Returns the failure that the text, or the result of an MCP tool, states in addition to data, as JSON. Only a write
 * fails because of it.
 */
export const flaggedFailureIn = (
  result: unknown,
  { arguments: args, declares, tool }: Pick<AnsweredCall, "arguments" | "declares" | "tool">
): QuotedError | undefined => {
  const data = McpResult.dataOf(result)
  const read = typeof data === "string" ? readText(data, args, tool) : undefined
  const value = read === undefined ? withoutEchoes(data, args) : (read.value ?? data)
  const flag = read?.isSilent === true ? undefined : flagOfWrite(value, tool)
  if (flag !== undefined) return flag.isState || declares(flag.path) ? undefined : FailureFlag.errorOf(flag)
  const head = ofHead(typeof value === "string" ? value : messageOf(value), tool)
  return head?._tag === "Failure" ? head.error : undefined
}

/** Returns a sentence on the items that failed in a write that was done in part, as the text says. */
export const failedPartIn = (
  text: string,
  { arguments: args, declares, tool }: Pick<AnsweredCall, "arguments" | "declares" | "tool">
): string | undefined => {
  const { isSilent, value } = readText(text, args, tool)
  const part = isSilent ? undefined : ofPart(value, { declares, tool })
  return part?._tag === "Result" && part.isPartial ? part.sentence : undefined
}

/** Returns the failure that is stated by an answer that violates the contract. */
const ofRefused = (received: unknown, answered: AnsweredCall): Statement | undefined => {
  const { access, tool } = answered
  if (isPartial(received, answered)) return undefined
  const stated = statedFailureIn(received, tool)
  if (stated !== undefined) return failure(stated.error)
  if (access === "read") return undefined
  const flag = FailureFlag.flagIn(received, { tool, isLoose: true }) ?? flagOfWrite(received, tool)
  if (flag !== undefined) return failure(FailureFlag.errorOf(flag))
  const doubt = ofPart(received, answered) === undefined ? doubtIn(received, answered) : undefined
  return doubt === undefined ? undefined : failure(new QuotedError(doubt, doubt))
}

const failure = (error: QuotedError): Statement => ({ _tag: "Failure", error })

const ofResult = (flag: FailureFlag.FailureFlag): Statement => ({
  _tag: "Result",
  sentence: FailureFlag.sentenceOf(flag),
  isPartial: false
})

const ofDoubt = (sentence: string | undefined): Statement | undefined =>
  sentence === undefined ? undefined : { _tag: "Result", sentence, isPartial: false }

/** The maximum number of fields of an answer that may be a failure in place of data. */
const maxFields = 16

/** Returns the failure that the answer of a read states in place of the data that its contract declares. */
const replacedIn = (received: unknown, answered: AnsweredCall): Statement | undefined => {
  const { declares, tool } = answered
  if (typeof received === "string") {
    const notice = Outage.outageIn(received)
    return notice === undefined ? undefined : failure(Outage.errorOf(notice))
  }
  if (typeof received !== "object" || received === null || Object.keys(received).length > maxFields) return undefined
  if (isPartial(received, answered) || hasDeclaredData(received, answered)) return undefined
  const flag = FailureFlag.flagIn(received, { tool })
  if (flag !== undefined && (flag.isState || declares(flag.path))) return undefined
  const replaced = replacedDataIn(received, tool)
  return replaced === undefined ? undefined : failure(replaced.error)
}

const isPartial = (received: unknown, { declares }: AnsweredCall): boolean =>
  AnsweredEnvelope.partialOf(received) !== undefined && !declares(["status"])

/** True if an answer, or an item of it, has a value for a field that the contract declares. */
const hasDeclaredData = (received: unknown, answered: AnsweredCall): boolean =>
  Array.isArray(received)
    ? received.some((item) => isJsonObject(item) && hasDeclaredData(item, answered))
    : isJsonObject(received) &&
      Object.entries(received).some(([name, value]) => (value ?? undefined) !== undefined && answered.declares([name]))

/** True if the contract declares every field of an answer, or of its items. */
const isDeclared = (received: unknown, answered: AnsweredCall): boolean =>
  Array.isArray(received)
    ? received.every((item) => isJsonObject(item) && isDeclared(item, answered))
    : isJsonObject(received) && Object.keys(received).every((name) => answered.declares([name]))

/** Returns an answer without the texts about itself, and the flags, that repeat an argument as requested. */
const withoutEchoes = (received: unknown, args: unknown): unknown => {
  if (!isJsonObject(received) || !isJsonObject(args)) return received
  const sent = new Set(Object.values(args).filter((value) => typeof value === "string" && value !== ""))
  const flags = new Set(Object.entries(args).flatMap(([name, value]) => (value === true ? [plain(name)] : [])))
  const isEcho = (name: string, value: unknown): boolean =>
    (sent.has(value) && (isRemark(name) || isRemarkField(name))) ||
    (value === false && args[name] === false) ||
    (value === true && isUndoneFlag(name) && flags.has(plain(name)))
  const entries: ReadonlyArray<readonly [string, unknown]> = Object.entries(received)
  return entries.some(([name, value]) => isEcho(name, value))
    ? (Object.fromEntries(entries.filter(([name, value]) => !isEcho(name, value))) as JsonObject)
    : received
}

/** The JSON of a text without its echoes. */
interface ReadText {
  readonly value: unknown
  /** True if no field of the value states a failure, and no count says that items failed. */
  readonly isSilent: boolean
}

/**
 * The last text whose JSON states no failure, and its value. Several readers ask about the text of one answer. A value
 * that states something is not kept, because it is a part of the error.
 */
let lastSilent: { readonly text: string; readonly tool: string; readonly value: unknown } | undefined

const readText = (text: string, args: unknown, tool: string): ReadText => {
  const known = lastSilent?.text === text && lastSilent.tool === tool ? lastSilent : undefined
  const whole = known === undefined ? parsed(text) : known.value
  const value = withoutEchoes(whole, args)
  if (value === undefined) return { value, isSilent: false }
  if (known !== undefined && value === whole) return { value, isSilent: true }
  const isSilent = flagOfWrite(value, tool) === undefined && countedIn(value, tool) === undefined
  if (isSilent && value === whole) lastSilent = { text, tool, value }
  return { value, isSilent }
}

/** The longest text that is parsed, in characters. */
const longestText = 65_536

/** Returns the object or list that a text contains as JSON; `undefined` for any other text. */
const parsed = (text: string): unknown => {
  if (text.length > longestText || !/^\s*[{[]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

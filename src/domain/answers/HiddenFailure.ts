/**
 * Finds the failure that a tool reports: in an answer that is marked as an error, or inside a success, in the forms that
 * real tools use.
 *
 * **Details**
 *
 * Live tools of MCP and HTTP servers, the recognisers and replay all read answers here, so that an answer has the same
 * class and code everywhere.
 */
import { Quoted } from "#domain/classification/Quoted"
import * as UpstreamWords from "#domain/classification/UpstreamWords"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { errorListIn } from "./ErrorList.ts"
import { errorIn } from "./ErrorText.ts"
import * as FailureFlag from "./FailureFlag.ts"
import { failedItemsIn } from "./FailedItems.ts"
import { flaggedIn, innerErrorIn } from "./InnerError.ts"
import * as McpResult from "./McpResult.ts"
import * as Outage from "./Outage.ts"
import { payloadOf } from "./Payload.ts"
import { bareMessageIn, identity, isReport, messageIn, statedIn } from "./StatedError.ts"
import { errorTitleIn, outageTitleIn } from "./WebPage.ts"
import { answersIn } from "./WrappedAnswers.ts"

/** A failure that a tool reports. */
interface HiddenFailure {
  readonly message: string
  /** The error for the classifier, in the words of the tool. */
  readonly error: Quoted
}

const ofItems = (answer: unknown): string | undefined => {
  const items = failedItemsIn(answer)
  return items !== undefined && items.failed === items.total ? items.message : undefined
}

/** Returns the answer with the message in a field that the classifier reads. */
const withMessage = (answer: JsonObject, message: string): JsonObject =>
  typeof answer["message"] === "string" && answer["message"] !== message
    ? { ...answer, description: message }
    : { ...answer, message }

const failure = (message: string, evidence: unknown, words: string): HiddenFailure => ({
  message,
  error: new Quoted(words === "" ? UpstreamWords.ofText(message) : words, evidence)
})

/** Returns the failure of an object. Its words contain the message even if the field of the message is unusual. */
const ofObject = (answer: JsonObject, message: string): HiddenFailure => {
  const words = UpstreamWords.ofValue(answer)
  const main = UpstreamWords.ofText(message)
  return failure(message, withMessage(answer, message), words.includes(main) ? words : `${main} ${words}`.trim())
}

const ofAnswer = (answer: unknown): HiddenFailure | undefined => {
  if (isJsonObject(answer)) {
    const stated = statedIn(answer) ?? messageIn(answer)
    if (stated !== undefined) return ofObject(answer, stated)
  }
  if (typeof answer === "string") {
    const outage = outageTitleIn(answer)
    if (outage !== undefined) return { message: outage, error: Outage.errorOf(outage) }
    const title = errorTitleIn(answer)
    if (title !== undefined) return failure(title, title, title)
    const text = errorIn(answer)
    if (text !== undefined) return failure(text, text, UpstreamWords.ofText(answer))
  }
  const list = errorListIn(answer)
  if (list !== undefined) return failure(list, answer, UpstreamWords.ofValue(answer))
  const items = ofItems(answer)
  return items === undefined ? undefined : failure(items, items, "")
}

const withoutWords = "The tool reported a failure without a message."

/** Returns the failure of an answer that is marked as an error: its texts, or else its structured content. */
const ofFlagged = (flagged: JsonObject): HiddenFailure => {
  const [, ...inner] = answersIn(flagged)
  const stated = inner
    .filter(isJsonObject)
    .map((answer) => [answer, statedIn(answer) ?? messageIn(answer)] as const)
    .find(([, message]) => message !== undefined)
  const text = McpResult.textOf(flagged)
  const texts = text.trim() === "" ? inner.filter((answer) => typeof answer === "string").join("\n") : text
  if (texts.trim() !== "") {
    const evidence = stated?.[1] === undefined ? texts : withMessage(stated[0], stated[1])
    return failure(texts, evidence, UpstreamWords.ofText(texts))
  }
  const { content: _, isError: __, is_error: ___, ...rest } = flagged
  const structured = rest["structuredContent"] ?? rest
  const words = UpstreamWords.ofValue(structured)
  return words === "" ? failure(withoutWords, withoutWords, withoutWords) : failure(words, structured, words)
}

/** Returns the failure in a result, if any. `answers` are the result and the answers that it wraps, outermost first. */
export const hiddenFailureIn = (answers: ReadonlyArray<unknown>): HiddenFailure | undefined => {
  const flagged = flaggedIn(answers)
  if (flagged !== undefined) return ofFlagged(flagged)
  for (const answer of answers) {
    const found = ofAnswer(answer)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the failure that a result states, such as the result of an MCP tool; `undefined` if it states none. */
export const failureIn = (result: unknown): HiddenFailure | undefined => hiddenFailureIn(answersIn(result))

/**
 * Returns the failure that a result, or its payload, states instead of its data; `undefined` if it states none. Text
 * inside a result can be data, such as the body of a ticket, so only the text inside an error result of MCP is searched.
 */
export const statedFailureIn = (result: unknown): HiddenFailure | undefined => {
  const answers = payloadsOf(result)
  for (const answer of answers) {
    const stated = hiddenFailureIn(innerErrorIn([answer]) === undefined ? [answer] : answersIn(answer))
    if (stated !== undefined) return stated
  }
  return ofBareFlag(result)
}

/**
 * Returns the failure that the answer of a read states instead of its data; `undefined` if it states none.
 *
 * A read may return entities with an error, messages of people and lists of errors, which are data. So an entity states
 * no failure, and a message must begin as errors do.
 */
export const replacedDataIn = (result: unknown): HiddenFailure | undefined => {
  for (const answer of payloadsOf(result)) {
    if (innerErrorIn([answer]) !== undefined) return hiddenFailureIn(answersIn(answer))
    if (isJsonObject(answer)) {
      if (isEntity(answer) || isReport(answer)) return undefined
      const stated = statedIn(answer) ?? bareMessageIn(answer)
      if (stated !== undefined) return ofObject(answer, stated)
    }
    const list = errorListIn(answer)
    if (list !== undefined) return failure(list, answer, UpstreamWords.ofValue(answer))
  }
  const flag = FailureFlag.flagIn(result)
  return flag !== undefined && !flag.isState && !isEntity(flag.answer) && FailureFlag.isAlone(flag)
    ? ofFlag(flag)
    : undefined
}

/** True if an answer identifies an entity, or is an operation that is `done` or not. The id of JSON-RPC is a request's. */
const isEntity = (answer: JsonObject): boolean =>
  !Object.hasOwn(answer, "jsonrpc") &&
  Object.keys(answer).some((name) => name === "done" || identity.has(name.toLowerCase()))

const mostLevels = 4

/** Returns a result and the payloads inside it, outermost first. */
const payloadsOf = (result: unknown): ReadonlyArray<unknown> => {
  const answers = [result]
  for (let at = result; isJsonObject(at) && answers.length <= mostLevels;) {
    const payload = payloadOf(at)
    if (payload === undefined) break
    at = payload[1]
    if (isJsonObject(at)) answers.push(at)
  }
  return answers
}

const ofBareFlag = (result: unknown): HiddenFailure | undefined => {
  const flag = FailureFlag.flagIn(result)
  return flag?.isBare === true ? ofFlag(flag) : undefined
}

const ofFlag = (flag: FailureFlag.FailureFlag): HiddenFailure => {
  const error = FailureFlag.errorOf(flag)
  return { message: error.message, error }
}

/**
 * Finds the failure that a tool reports: in an answer that is marked as an error, or inside a success, in the forms
 * that real tools use.
 *
 * **Details**
 *
 * Live tools of MCP and HTTP servers, the recognisers and replay all read answers here, so that an answer has the same
 * class and code everywhere.
 */
import { QuotedError } from "#domain/classification/QuotedError"
import * as UpstreamWords from "#domain/classification/UpstreamWords"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { errorListIn } from "./ErrorList.ts"
import { errorIn } from "./ErrorText.ts"
import * as FailureFlag from "./FailureFlag.ts"
import { failedItemsIn } from "./FailedItems.ts"
import { flaggedIn, innerErrorIn } from "./InnerError.ts"
import * as McpResult from "./McpResult.ts"
import { isObservation } from "./Observation.ts"
import * as Outage from "./Outage.ts"
import { payloadOf } from "./Payload.ts"
import { isErrorRead, isTextRead } from "./ReadSubject.ts"
import { reportsSuccess } from "./ReportedSuccess.ts"
import { bareMessageIn, identity, isReport, messageIn, statedIn } from "./StatedError.ts"
import { errorTitleIn, outageTitleIn } from "./WebPage.ts"
import { answersIn } from "./WrappedAnswers.ts"

/** A failure that a tool reports. */
export interface HiddenFailure {
  readonly message: string
  /** The error for the classifier, in the words of the tool. */
  readonly error: QuotedError
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

/** Creates the failure of a message. `words` are those of the upstream, if they say more. */
export const failure = (message: string, evidence: unknown, words: string): HiddenFailure => ({
  message,
  error: new QuotedError(words === "" ? UpstreamWords.ofText(message) : words, evidence)
})

/** Returns the failure of an object. The failure contains the message, even if the message is in an unusual field. */
const ofObject = (answer: JsonObject, message: string): HiddenFailure => {
  const words = UpstreamWords.ofValue(answer)
  const main = UpstreamWords.ofText(message)
  const evidence = withMessage(answer, message)
  const isOfArguments = UpstreamWords.concernsFields(answer) && answer["code"] === undefined
  return failure(
    message,
    isOfArguments ? { ...evidence, code: "VALIDATION_ERROR" } : evidence,
    words.includes(main) ? words : `${main} ${words}`.trim()
  )
}

const ofAnswer = (answer: unknown, tool: string): HiddenFailure | undefined => {
  if (isJsonObject(answer) && !isReport(answer) && !isObservation(answer)) {
    const stated = statementIn(answer, tool, messageIn)
    if (stated !== undefined) return ofObject(answer, stated)
  }
  if (typeof answer === "string") {
    const outage = outageTitleIn(answer)
    if (outage !== undefined) return { message: outage, error: Outage.errorOf(outage) }
    const title = errorTitleIn(answer)
    if (title !== undefined) return failure(title, title, title)
    const text = errorIn(answer)
    if (text !== undefined && !reportsSuccess(text, tool) && !isErrorRead(answer, text, tool)) {
      return failure(text, text, UpstreamWords.ofText(answer))
    }
  }
  const list = listIn(answer, tool)
  if (list !== undefined) return failure(list, answer, UpstreamWords.ofValue(answer))
  const items = ofItems(answer)
  return items === undefined ? undefined : failure(items, items, "")
}

/** Returns the message of an answer that states an error, unless the tool reads errors or messages. */
const statementIn = (
  answer: JsonObject,
  tool: string,
  bare: (answer: JsonObject, tool: string) => string | undefined
): string | undefined => {
  const stated = statedIn(answer)
  if (stated !== undefined) return isErrorRead(answer, stated, tool) ? undefined : stated
  const message = bare(answer, tool)
  return message === undefined || isTextRead(answer, message, tool) ? undefined : message
}

/** Returns the message of the first error of an answer that consists of errors, unless the tool reads errors. */
const listIn = (answer: unknown, tool: string): string | undefined => {
  const list = errorListIn(answer, tool)
  return list === undefined || isErrorRead(answer, list, tool) ? undefined : list
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

/**
 * Returns the failure in a result, if any. `answers` are the result and the answers that it wraps, outermost first.
 * `tool` is the name of the tool, which determines the words that report its success.
 */
export const hiddenFailureIn = (answers: ReadonlyArray<unknown>, tool = ""): HiddenFailure | undefined => {
  const flagged = flaggedIn(answers)
  if (flagged !== undefined) return ofFlagged(flagged)
  for (const answer of answers) {
    const found = ofAnswer(answer, tool)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the failure that a result states, such as the result of an MCP tool; `undefined` if it states none. */
export const failureIn = (result: unknown, tool = ""): HiddenFailure | undefined =>
  hiddenFailureIn(answersIn(result), tool)

/**
 * Returns the failure that a result, or its payload, states instead of its data; `undefined` if it states none. Text
 * inside a result can be data, such as the body of a ticket, so only the text inside an error result of MCP is
 * searched.
 */
export const statedFailureIn = (result: unknown, tool = ""): HiddenFailure | undefined => {
  const answers = payloadsOf(result)
  for (const answer of answers) {
    const stated = hiddenFailureIn(innerErrorIn([answer]) === undefined ? [answer] : answersIn(answer), tool)
    if (stated !== undefined) return stated
  }
  return ofBareFlag(result, tool)
}

/**
 * Returns the failure that the answer of a read states instead of its data; `undefined` if it states none.
 *
 * Entities with an error, messages of people, lists of errors, and observed failures can be the data of a read. So an
 * entity, a report or an observation states no failure, and a message counts only if it cannot be data
 * (`bareMessageIn`).
 */
export const replacedDataIn = (result: unknown, tool: string): HiddenFailure | undefined => {
  for (const answer of payloadsOf(result)) {
    if (innerErrorIn([answer]) !== undefined) return hiddenFailureIn(answersIn(answer), tool)
    if (isJsonObject(answer)) {
      if (isEntity(answer) || isReport(answer) || isObservation(answer)) return undefined
      const stated = statementIn(answer, tool, bareMessageIn)
      if (stated !== undefined) return ofObject(answer, stated)
    }
    const list = listIn(answer, tool)
    if (list !== undefined) return failure(list, answer, UpstreamWords.ofValue(answer))
  }
  const flag = FailureFlag.flagIn(result, { tool })
  if (flag === undefined || flag.isState || isEntity(flag.answer) || !FailureFlag.isAlone(flag)) return undefined
  const found = ofFlag(flag)
  return isErrorRead(flag.answer, found.message, tool) ? undefined : found
}

/**
 * True if an answer identifies an entity, or is an operation with a field `done`. The `id` in JSON-RPC identifies a
 * request.
 */
const isEntity = (answer: JsonObject): boolean =>
  !Object.hasOwn(answer, "jsonrpc") &&
  Object.keys(answer).some((name) => name === "done" || identity.has(name.toLowerCase()))

const maxLevels = 4

/** Returns a result and the payloads inside it, outermost first. */
const payloadsOf = (result: unknown): ReadonlyArray<unknown> => {
  const answers = [result]
  for (let at = result; isJsonObject(at) && answers.length <= maxLevels;) {
    const payload = payloadOf(at)
    if (payload === undefined) break
    at = payload[1]
    if (isJsonObject(at)) answers.push(at)
  }
  return answers
}

const ofBareFlag = (result: unknown, tool: string): HiddenFailure | undefined => {
  const flag = FailureFlag.flagIn(result, { tool })
  return flag?.isBare === true ? ofFlag(flag) : undefined
}

const ofFlag = (flag: FailureFlag.FailureFlag): HiddenFailure => {
  const error = FailureFlag.errorOf(flag)
  return { message: error.message, error }
}

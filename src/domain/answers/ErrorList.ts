/**
 * Recognises answers that are a list of errors and nothing else: the errors of Salesforce
 * (`[{"errorCode": "REQUIRED_FIELD_MISSING", "message": …}]`), the responses of a batch of requests that all failed
 * (JSON-RPC, OData, `compositeResponse`), and records that were all refused.
 *
 * A list of entities with an error field, such as jobs, is data.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { isFailureCode } from "./CodeWord.ts"
import { isTechnical, payloadOf, plain } from "./Payload.ts"
import { isNothing, isRemark } from "./StatedError.ts"

const maxItems = 50

const textIn = (value: unknown, ...names: ReadonlyArray<string>): string | undefined => {
  if (!isJsonObject(value)) return undefined
  const found = Object.entries(value).find(
    ([name, text]) => names.includes(plain(name)) && typeof text === "string" && text.trim() !== ""
  )
  return typeof found?.[1] === "string" ? found[1] : undefined
}

const messageOf = (value: unknown): string | undefined => textIn(value, "message", "msg", "detail", "errormessage")

const statusNames: ReadonlySet<string> = new Set(["status", "statuscode", "httpstatuscode", "code"])

/** Returns the message of a failed response in a batch: an object with a status and a body. */
const ofResponse = (item: JsonObject): string | undefined => {
  const status = Object.entries(item).find(([name, value]) => statusNames.has(plain(name)) && typeof value === "number")
  if (!Object.hasOwn(item, "body") || typeof status?.[1] !== "number" || status[1] < 400 || status[1] > 599) {
    return undefined
  }
  const body = parsed(item["body"])
  const first: unknown = Array.isArray(body) ? body[0] : body
  const error = isJsonObject(first) ? first["error"] : undefined
  return messageOf(first) ?? messageOf(error) ?? (typeof error === "string" ? error : `HTTP ${status[1]}`)
}

const longestBody = 16_384

const parsed = (body: unknown): unknown => {
  if (typeof body !== "string" || body.length > longestBody) return body
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

/** Returns the message of an error that is alone in its item. */
const ofError = (item: JsonObject): string | undefined => {
  const { error } = item
  return Object.keys(item).every((name) => name === "error" || isTechnical(name, item)) && isJsonObject(error)
    ? (messageOf(error) ?? messageOf(error["json"]))
    : undefined
}

/** Fields with details about an error. */
const details: ReadonlySet<string> = new Set(["fields", "details", "extensions", "parameters"])

/** Returns the message of an item that consists of an alphabetic code, a message, and details. */
const ofCode = (item: JsonObject, tool: string): string | undefined => {
  const message = messageOf(item)
  const code = textIn(item, "errorcode", "statuscode", "code")
  if (message === undefined || code === undefined || !isFailureCode(code, message, tool)) return undefined
  return Object.entries(item).every(([name, value]) => isNothing(value) || isRemark(name) || details.has(plain(name)))
    ? message
    : undefined
}

/** Returns the message of the first error of an answer that consists of errors; `undefined` for any other answer. */
export const errorListIn = (answer: unknown, tool: string): string | undefined => {
  const list = isJsonObject(answer) ? payloadOf(answer)?.[1] : answer
  if (!Array.isArray(list) || list.length === 0 || list.length > maxItems) return undefined
  let first: string | undefined
  for (const item of list) {
    const message = isJsonObject(item) ? (ofResponse(item) ?? ofError(item) ?? ofCode(item, tool)) : undefined
    if (message === undefined) return undefined
    first ??= message
  }
  return first
}

/**
 * Reads JSON-RPC 2.0 messages from text, and keeps the original text so that it can be passed on unchanged.
 *
 * A text may contain a list of messages (protocol 2025-03-26). An invalid message becomes an error with its place.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as PartCount from "#domain/json/PartCount"
import * as JsonText from "#domain/json/JsonText"
import * as Result from "effect/Result"
import { broken, type McpError } from "./McpError.ts"
import * as Spelling from "./Spelling.ts"

export type Id = string | number

interface ReceivedMessage {
  /** The whole message. */
  readonly value: JsonObject
  /** The original text, in one line. */
  readonly text: string
  /** The place of the message, such as `line 3`. */
  readonly place: string
}

export interface Request extends ReceivedMessage {
  readonly _tag: "Request"
  readonly id: Id
  readonly method: string
  readonly params: JsonObject
}

export interface Notification extends ReceivedMessage {
  readonly _tag: "Notification"
  readonly method: string
  readonly params: JsonObject
}

/** `id` is null in an answer to an unreadable message. */
export interface Response extends ReceivedMessage {
  readonly _tag: "Response"
  readonly id: Id | null
  readonly result: unknown
  /** Undefined in a successful answer. */
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined
}

export type Message = Request | Notification | Response

/** Limits of a message: 16 million UTF-16 units, 500 levels of nesting. */
export const limits: JsonText.Limits = { maxBytes: 16_000_000, maxDepth: 500 }

const uncapitalised = (sentence: string): string => sentence.replace(/^It has/u, "it has").replace(/\.$/u, "")

/** The maximum number of messages in a list. */
const maxMessages = 1_000

/** Reads a text. Each broken message of a list becomes an error, without affecting the others. */
export const read = (text: string, place: string): ReadonlyArray<Result.Result<Message, McpError>> => {
  const excess = PartCount.excess(text)
  if (excess !== undefined)
    return [Result.fail(broken(`it takes too much memory, ${uncapitalised(excess)}`, place, text))]
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const parsed = JsonText.parse(text, limits)
    const what = Result.isFailure(parsed) ? `not valid JSON, ${parsed.failure.message}` : "not valid JSON"
    return [Result.fail(broken(what, place, text))]
  }
  if (!Array.isArray(value)) return [of(value, /[\r\n]/u.test(text) ? text.replaceAll(/[\r\n]/gu, " ") : text, place)]
  if (value.length === 0) return [Result.fail(broken("an empty list of messages", place, text))]
  if (value.length > maxMessages)
    return [Result.fail(broken(`a list of more than ${maxMessages} messages`, place, text))]
  return value.map((one, index) => {
    const where = `${place}, message ${index + 1}`
    try {
      return of(one, JSON.stringify(one), where)
    } catch {
      return Result.fail(broken("it is nested too deeply", where, ""))
    }
  })
}

const isId = (value: unknown): value is Id =>
  typeof value === "string" || (typeof value === "number" && Number.isFinite(value))

const fields: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params", "result", "error"])

const of = (value: unknown, text: string, place: string): Result.Result<Message, McpError> => {
  const wrong = (what: string) => Result.fail(broken(what, place, text))
  if (!isJsonObject(value)) return wrong("not a message, expected an object")
  const { error, id, jsonrpc, method, params } = value
  const variant = Spelling.variantOf(Object.keys(value), fields)
  if (variant !== undefined) return wrong(`its field ${JSON.stringify(variant)} can be mistaken for another`)
  if (jsonrpc !== "2.0") return wrong('not a JSON-RPC message, "jsonrpc" is not "2.0"')
  if (typeof method === "string") {
    if (params !== undefined && !isJsonObject(params)) return wrong("its `params` is not an object")
    const received = { value, text, place, method, params: params ?? {} }
    if (id === undefined) return Result.succeed({ _tag: "Notification", ...received })
    return isId(id)
      ? Result.succeed({ _tag: "Request", ...received, id })
      : wrong("its `id` is neither a string nor a number")
  }
  if (method !== undefined) return wrong("its `method` is not a string")
  if (id !== undefined && id !== null && !isId(id)) return wrong("its `id` is neither a string nor a number")
  const response = { _tag: "Response", value, text, place, id: id ?? null } as const
  if (error !== undefined) {
    if (!isJsonObject(error) || typeof error["code"] !== "number" || typeof error["message"] !== "string")
      return wrong("its `error` has no `code` and `message`")
    const { code, data, message } = error
    return Result.succeed({
      ...response,
      result: undefined,
      error: { code, message, ...(data === undefined ? {} : { data }) }
    })
  }
  if (!Object.hasOwn(value, "result")) return wrong("neither a request nor an answer")
  return id === undefined || id === null
    ? wrong("an answer without an `id`")
    : Result.succeed({ ...response, result: value["result"], error: undefined })
}

/** Guesses the id of the request that a broken message answers, so that the request can fail immediately. */
export const guessId = (text: string): number | undefined => {
  if (/^[\s[{]*"(?:jsonrpc"\s*:\s*"2\.0"\s*,\s*"method|method)"/u.test(text.slice(0, 200))) return undefined
  const [, digits] = /"id"\s*:\s*(\d{1,15})\b/u.exec(text.slice(0, 10_000)) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** Returns a request as text. */
export const request = (id: Id, method: string, params: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) })

/** Returns a notification as text. */
export const notification = (method: string, params?: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) })

/** Returns an answer as text. */
export const answer = (id: Id, result: unknown): string => JSON.stringify({ jsonrpc: "2.0", id, result })

/** Returns an error answer as text. */
export const refusal = (id: Id | null, code: number, message: string, data?: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } })

/**
 * The headers of a call: idempotency key, conversation and turn.
 *
 * According to the draft, `Idempotency-Key` is a Structured Fields string (`"8e03978e-…"`). The unquoted value that
 * most clients send is accepted too.
 */
import type { Headers } from "effect/http/Headers"
import * as Result from "effect/Result"

export const idempotencyHeader = "idempotency-key"
export const conversationHeader = "toolguard-conversation"
export const turnHeader = "toolguard-turn"

/** The descriptions of the headers in the document. */
export const descriptions: Readonly<Record<string, string>> = {
  [idempotencyHeader]:
    "Identifies one action: a repeated key with the same arguments returns the stored result (_idempotent). " +
    "At most 255 characters.",
  [conversationHeader]: "Id of the call's conversation, within which loops are detected. Default: a new conversation.",
  [turnHeader]:
    "Id of the turn within the conversation. Calls of a turn share budgets and recalled failures, until 10 minutes " +
    "without a call. Default: a new turn.",
  traceparent: "W3C Trace Context: the span of the call becomes a child of it."
}

/** The values of a request's headers. */
interface CallHeaders {
  readonly key: string | undefined
  readonly conversation: string | undefined
  readonly turn: string | undefined
}

const id = /^[\x21-\x7e]{1,255}$/
const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/

/** Reads the headers, or returns a sentence that names the invalid header. */
export const read = (headers: Headers): Result.Result<CallHeaders, string> => {
  const quotedKey = headers[idempotencyHeader]
  const key = quotedKey === undefined ? undefined : unquoted(quotedKey.trim())
  for (const [name, value] of [
    ["Idempotency-Key", key],
    ["Toolguard-Conversation", headers[conversationHeader]],
    ["Toolguard-Turn", headers[turnHeader]]
  ] as const) {
    if (value !== undefined && !id.test(value)) {
      return Result.fail(`${name} is not an id of 1 to 255 visible ASCII characters.`)
    }
  }
  return Result.succeed({ key, conversation: headers[conversationHeader], turn: headers[turnHeader] })
}

const unquoted = (text: string): string => {
  const inner = quoted.exec(text)?.[1]
  return inner === undefined ? text : inner.replaceAll(/\\(["\\])/g, "$1")
}

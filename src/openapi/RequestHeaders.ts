/**
 * What a request may say beside its arguments: the key of its action, its conversation and its turn.
 *
 * `Idempotency-Key` is a string of Structured Fields (`"8e03978e-…"`) by the draft; the bare value that most clients send is
 * taken as well.
 */
import type { Headers } from "effect/http/Headers"
import * as Result from "effect/Result"

export const idempotencyHeader = "idempotency-key"
export const conversationHeader = "toolguard-conversation"
export const turnHeader = "toolguard-turn"

/** The headers as the document describes them. */
export const descriptions: Readonly<Record<string, string>> = {
  [idempotencyHeader]:
    "Names one action: the same key with the same arguments is done once, and then answered from memory (_idempotent). " +
    "At most 255 characters.",
  [conversationHeader]:
    "Id of the conversation that the call belongs to: loops are seen within one. Absent: a new one.",
  [turnHeader]:
    "Id of the turn within the conversation: calls of one turn share budgets and memory of failures, until it is silent for " +
    "10 minutes. Absent: the call is a turn of its own.",
  traceparent: "W3C Trace Context: the span of the call becomes a child of it."
}

/** What a request says of itself. */
export interface Said {
  readonly key: string | undefined
  readonly conversation: string | undefined
  readonly turn: string | undefined
}

const id = /^[\x21-\x7e]{1,255}$/
const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/

/** Reads the headers, or says in one sentence which is wrong. */
export const read = (headers: Headers): Result.Result<Said, string> => {
  const given = headers[idempotencyHeader]
  const key = given === undefined ? undefined : unquoted(given.trim())
  for (const [name, value] of [
    ["Idempotency-Key", key],
    ["Toolguard-Conversation", headers[conversationHeader]],
    ["Toolguard-Turn", headers[turnHeader]]
  ] as const) {
    if (value !== undefined && !id.test(value)) {
      return Result.fail(`${name} is no id: 1 to 255 visible ASCII characters.`)
    }
  }
  return Result.succeed({ key, conversation: headers[conversationHeader], turn: headers[turnHeader] })
}

const unquoted = (text: string): string => {
  const inner = quoted.exec(text)?.[1]
  return inner === undefined ? text : inner.replaceAll(/\\(["\\])/g, "$1")
}

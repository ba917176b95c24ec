/**
 * Whether a request goes on with a conversation: by all that was said before, else by the last answer.
 *
 * Ids of calls alone do not tell: some providers give `call_0` in every request of every conversation.
 */
import { canonical } from "effect-toolguard/internal/domain/call/CallKey"
import * as Content from "./Content.ts"
import type { RecordedMessage } from "./Conversation.ts"

/** What is known of a conversation. */
interface Held {
  readonly messages: ReadonlyArray<RecordedMessage>
  /** Index of the last answer, or -1. */
  readonly last: number
}

/** What a request sent, and was answered. */
interface Sent {
  readonly messages: ReadonlyArray<RecordedMessage>
  readonly answer: RecordedMessage | undefined
  readonly isNews: boolean
}

/** How a request shows that it goes on with a thread: the index of its first message that the thread does not have. */
type From = (held: Held, sent: Sent) => number

/** Past the messages where the thread has the answer too; -1 where the request is of another thread. */
const historyFrom: From = ({ last, messages: held }, { answer, messages }) => {
  const { length } = messages
  if (last === -1) return hasHistory(held, messages, held.length) ? held.length : -1
  if (hasHistory(held, messages, last + 1)) return last + 1
  return isSame(answer, held[length]) && hasHistory(held, messages, length) ? length + 1 : -1
}

/** True where the first messages are the same; instructions may change. */
const hasHistory = (
  held: ReadonlyArray<RecordedMessage>,
  messages: ReadonlyArray<RecordedMessage>,
  count: number
): boolean => {
  if (messages.length < count) return false
  for (let i = count - 1; i >= 0; i--) {
    if (!isSame(held[i], messages[i]) && !(held[i]?.role === "system" && messages[i]?.role === "system")) return false
  }
  return true
}

/** For a request that shortens what was said before: by the last answer, and what it answered, in their place. */
const placedFrom: From = ({ last, messages: held }, { messages }) =>
  last > 0 && isSame(held[last], messages[last]) && isSame(held[last - 1], messages[last - 1]) ? last + 1 : -1

/** For a request that leaves out what was said before: the same, wherever it stands. A call needs nothing before it. */
const searchedFrom: From = ({ last, messages: held }, { answer, isNews, messages }) => {
  const anchor = held[last]
  if (anchor?.role !== "assistant") return -1
  const isCall = anchor.calls.length > 0
  for (let i = messages.length - 1; i >= 0; i--) {
    if (isSame(anchor, messages[i]) && (isCall || isSame(held[last - 1], messages[i - 1]))) return i + 1
  }
  return !isNews && isRepeated(held, answer) ? messages.length + 1 : -1
}

/** Messages among which a repeated answer is looked for. */
const longAgo = 1_000

/** True where a thread has an answer already, by the ids of its calls. */
const isRepeated = (held: ReadonlyArray<RecordedMessage>, answer: RecordedMessage | undefined): boolean =>
  answer?.role === "assistant" &&
  answer.calls.length > 0 &&
  answer.calls.every(({ id }) => id !== "") &&
  held.slice(-longAgo).some((message) => isSame(answer, message))

/** Calls are the same by their ids, names and arguments, however these are written; everything else by its text. */
const isSame = (one: RecordedMessage | undefined, other: RecordedMessage | undefined): boolean => {
  if (one === undefined || other === undefined || one.role !== other.role) return false
  if (one.role !== "assistant" || other.role !== "assistant") return one.text === other.text
  const { calls } = other
  if (one.calls.length !== calls.length) return false
  if (calls.length === 0) return one.text === other.text
  return one.calls.every(({ arguments: args, id, name }, i) => {
    const call = calls[i]
    return call !== undefined && id === call.id && name === call.name && isEqual(args, call.arguments)
  })
}

const isEqual = (one: unknown, other: unknown): boolean =>
  one === other || canonical(Content.parsed(one)) === canonical(Content.parsed(other))

/** The ways, the surest first: each is to be tried on all conversations before the next. */
export const ways: ReadonlyArray<From> = [historyFrom, placedFrom, searchedFrom]

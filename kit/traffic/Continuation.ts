/**
 * Decides whether a request continues a conversation: by its whole history, otherwise by its last answer.
 *
 * The ids of calls do not suffice, because some providers send `call_0` in every request of every conversation.
 */
import { canonical } from "effect-toolguard/internal/domain/call/CallKey"
import * as Content from "./Content.ts"
import type { RecordedMessage } from "./Conversation.ts"

/** A conversation as read so far. */
interface Thread {
  readonly messages: ReadonlyArray<RecordedMessage>
  /** The index of the last answer, or -1. */
  readonly last: number
}

/** The messages of a request, and the answer to it. */
interface Request {
  readonly messages: ReadonlyArray<RecordedMessage>
  readonly answer: RecordedMessage | undefined
  readonly isIncremental: boolean
}

/**
 * Returns the index of the request's first message that the thread does not have, or -1 if the request belongs to
 * another thread. The index exceeds the number of messages if the thread also has the answer.
 */
type FirstNew = (thread: Thread, request: Request) => number

/** Matches a request that repeats the whole history. */
const afterHistory: FirstNew = ({ last, messages: known }, { answer, messages }) => {
  const { length } = messages
  if (last === -1) return hasHistory(known, messages, known.length) ? known.length : -1
  if (hasHistory(known, messages, last + 1)) return last + 1
  return isSame(answer, known[length]) && hasHistory(known, messages, length) ? length + 1 : -1
}

/** Returns true if the first `count` messages are the same. System messages may differ. */
const hasHistory = (
  known: ReadonlyArray<RecordedMessage>,
  messages: ReadonlyArray<RecordedMessage>,
  count: number
): boolean => {
  if (messages.length < count) return false
  for (let i = count - 1; i >= 0; i--) {
    if (!isSame(known[i], messages[i]) && !(known[i]?.role === "system" && messages[i]?.role === "system")) return false
  }
  return true
}

/**
 * Matches a request that shortens its messages: the thread's last answer and the message before it have the same index
 * in the request.
 */
const afterPlacedAnswer: FirstNew = ({ last, messages: known }, { messages }) =>
  last > 0 && isSame(known[last], messages[last]) && isSame(known[last - 1], messages[last - 1]) ? last + 1 : -1

/**
 * Matches a request that drops parts of its history: the last answer and the message before it may be at any index. An
 * answer with calls suffices without the message before it.
 */
const afterFoundAnswer: FirstNew = ({ last, messages: known }, { answer, isIncremental, messages }) => {
  const anchor = known[last]
  if (anchor?.role !== "assistant") return -1
  const isCall = anchor.calls.length > 0
  for (let i = messages.length - 1; i >= 0; i--) {
    if (isSame(anchor, messages[i]) && (isCall || isSame(known[last - 1], messages[i - 1]))) return i + 1
  }
  return !isIncremental && isRepeated(known, answer) ? messages.length + 1 : -1
}

/** The maximum number of latest messages that are searched for a repeated answer. */
const maxSearched = 1_000

/** Returns true if a thread already has an answer with the same calls. Answers without ids do not count. */
const isRepeated = (known: ReadonlyArray<RecordedMessage>, answer: RecordedMessage | undefined): boolean =>
  answer?.role === "assistant" &&
  answer.calls.length > 0 &&
  answer.calls.every(({ id }) => id !== "") &&
  known.slice(-maxSearched).some((message) => isSame(answer, message))

/** Compares calls by id, name and the value of their arguments, and other messages by text. */
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

/** The matchers, the most reliable first. Try each matcher on every thread before the next matcher. */
export const matchers: ReadonlyArray<FirstNew> = [afterHistory, afterPlacedAnswer, afterFoundAnswer]

/**
 * Matches a request that repeats all messages of the thread. Without further messages it is the same request, logged
 * again, if ids of its calls show that.
 */
const afterAll: FirstNew = (thread, request) => {
  const { last, messages: known } = thread
  if (!hasHistory(known, request.messages, known.length)) return -1
  if (last === -1) return request.messages.length > known.length ? known.length : -1
  const answer = known[last]
  const isIdentified = answer?.role === "assistant" && answer.calls.some(({ id }) => id !== "")
  return request.messages.length > known.length || isIdentified ? last + 1 : -1
}

/** The matcher of requests that may be other conversations with the same beginning. */
export const wholeMatchers: ReadonlyArray<FirstNew> = [afterAll]

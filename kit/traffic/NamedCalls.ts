/**
 * Leaves out calls without a readable name, with their answers, and reports them. Without names, different calls would
 * look identical, and be stopped as repetitions.
 */
import * as AnswerMatcher from "./AnswerMatcher.ts"
import type { Conversation, RecordedCall, RecordedMessage } from "./Conversation.ts"
import { type Item, mapConversations, type Reader, skipped } from "./Reader.ts"

/** Wraps the constructor of a reader, so that its conversations have only calls with names. */
export const withNamedCalls = (make: () => Reader) => mapConversations(make, (conversation) => namedOf(conversation))

const isNamed = ({ name }: RecordedCall): boolean => name !== ""

const namedOf = (conversation: Conversation): ReadonlyArray<Item> => {
  const { messages, place } = conversation
  const first = messages.findIndex((message) => message.role === "assistant" && !message.calls.every(isNamed))
  if (first === -1) return [conversation]
  const matcher = AnswerMatcher.make<RecordedCall>(({ id }) => id)
  let count = 0
  const kept = messages.flatMap((message): ReadonlyArray<RecordedMessage> => {
    if (message.role === "assistant") {
      if (message.calls.length > 0) matcher.open(message.calls)
      const calls = message.calls.filter(isNamed)
      count += message.calls.length - calls.length
      return [{ ...message, calls }]
    }
    const call = message.role === "tool" ? matcher.take(message.callId) : undefined
    return call === undefined || isNamed(call) ? [message] : []
  })
  const what =
    count === 1
      ? "A call has no readable name and was skipped"
      : `${count} calls have no readable name and were skipped`
  const where = `${count === 1 ? "" : "the first "}after ${first} readable message${first === 1 ? "" : "s"}`
  return [{ ...conversation, messages: kept }, skipped(place, `${what}, ${where}.`)]
}

/**
 * Reads the answers that older programs sent as user messages, as `Transcript.repair` does (`UserResults`): each of them
 * becomes a message of the role `tool` that is marked `isFromUser`. An answer whose call cannot be identified by its
 * id stays a user message.
 */
import * as UserResults from "effect-toolguard/internal/domain/transcript/UserResults"
import * as AnswerMatcher from "./AnswerMatcher.ts"
import type { Conversation, RecordedCall, RecordedMessage } from "./Conversation.ts"
import type { Item, Reader } from "./Reader.ts"

/** Wraps the constructor of a reader, so that the reader also reads the answers in user messages. */
export const withUserAnswers = (make: () => Reader) => (): Reader => {
  const reader = make()
  const bound = (item: Item): Item => (item._tag === "Conversation" ? inConversation(item) : item)
  return {
    read: (value, place) => reader.read(value, place).map(bound),
    end: () => reader.end().map(bound)
  }
}

/**
 * Returns the conversation with its answers as messages of the role `tool`. The answers of a round replace the first of
 * their user messages, in the order of the calls.
 */
const inConversation = (conversation: Conversation): Conversation => {
  const { messages } = conversation
  const rounds = openRounds(messages)
  if (rounds.length === 0) return conversation
  const found = new Map(UserResults.find(messages.map(view), rounds).map((answer) => [answer.call, answer]))
  if (found.size === 0) return conversation
  const places = new Map<number, ReadonlyArray<RecordedMessage>>()
  for (const { waiting } of rounds) {
    const sure = firstOfTheirIds(waiting, found)
    for (const { message } of sure) places.set(message, [])
    const first = sure.reduce((least, { message }) => Math.min(least, message), Infinity)
    if (sure.length > 0) places.set(first, sure.map(answerOf))
  }
  if (places.size === 0) return conversation
  return { ...conversation, messages: messages.flatMap((message, index) => places.get(index) ?? [message]) }
}

/**
 * Returns the answers of the calls whose earlier calls with the same id are all answered. Otherwise an earlier call would
 * get the answer.
 */
const firstOfTheirIds = <Answer>(
  waiting: ReadonlyArray<RecordedCall>,
  answers: ReadonlyMap<RecordedCall, Answer>
): ReadonlyArray<Answer> => {
  const unanswered = new Set<string>()
  return waiting.flatMap((call) => {
    const answer = answers.get(call)
    if (answer === undefined) unanswered.add(call.id)
    return answer === undefined || unanswered.has(call.id) ? [] : [answer]
  })
}

const answerOf = ({ call, text }: { readonly call: RecordedCall; readonly text: string }): RecordedMessage => ({
  role: "tool",
  callId: call.id,
  text,
  isFromUser: true
})

/** Returns the rounds with a call that no message of the role `tool` answers. */
const openRounds = (messages: ReadonlyArray<RecordedMessage>): ReadonlyArray<UserResults.OpenRound<RecordedCall>> => {
  const answered = new Set<RecordedCall>()
  const matcher = AnswerMatcher.make<RecordedCall>(({ id }) => id)
  for (const message of messages) {
    if (message.role === "assistant" && message.calls.length > 0) matcher.open(message.calls)
    const call = message.role === "tool" ? matcher.take(message.callId) : undefined
    if (call !== undefined) answered.add(call)
  }
  return messages.flatMap((round, message) => {
    if (round.role !== "assistant" || round.calls.length === 0) return []
    const waiting = round.calls.filter((call) => !answered.has(call))
    return waiting.length === 0 ? [] : [{ message, waiting, isWhole: waiting.length === round.calls.length }]
  })
}

const view = (message: RecordedMessage) => ({
  role: message.role,
  texts: message.role === "user" ? (message.texts ?? [message.text]) : [],
  waitsForApproval: false
})

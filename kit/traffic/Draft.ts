/** Builds a conversation while its log is read, and counts the messages that cannot be read. */
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import * as Content from "./Content.ts"
import type { Place, RecordedCall, RecordedMessage } from "./Conversation.ts"
import { type Item, nothing, skipped } from "./Reader.ts"

/** The state of a conversation that is being read. */
export interface Draft {
  readonly messages: Array<RecordedMessage>
  /** The number of skipped messages and parts of messages. */
  skippedCount: number
  /** The reason why the first message or part was skipped. */
  reason: string
  /** The number of messages that were read before the first skipped message or part. */
  before: number
  /** The answer of the model that `extendAnswer` has started. */
  answer?: OpenAnswer
}

/** An answer of the model that is read part by part. */
interface OpenAnswer {
  readonly role: "assistant"
  text: string
  readonly calls: Array<RecordedCall>
}

/** Creates an empty draft. */
export const make = (): Draft => ({ messages: [], skippedCount: 0, reason: "", before: 0 })

/**
 * Adds a part of an answer, for formats that store the parts of an answer one after the other. Parts without another
 * message between them become one message.
 */
export const extendAnswer = (draft: Draft, text: string, call?: RecordedCall): void => {
  const last = draft.messages.at(-1)
  let answer = draft.answer
  if (answer === undefined || answer !== last) {
    answer = { role: "assistant", text: "", calls: [] }
    draft.answer = answer
    draft.messages.push(answer)
  }
  if (text !== "") answer.text = answer.text === "" ? text : `${answer.text}\n${text}`
  if (call !== undefined) answer.calls.push(call)
}

/** Sets the time of the results from an index on. Results that have a time keep it. */
export const stamp = ({ messages }: Draft, from: number, at: number | undefined): void => {
  for (let index = from; at !== undefined && index < messages.length; index++) {
    const added = messages[index]! // the index is in range
    if (added.role === "tool" && added.at === undefined) messages[index] = { ...added, at }
  }
}

/** Counts a skipped message or part. Only the first reason is kept. */
export const skip = (draft: Draft, reason: string): void => {
  if (draft.skippedCount === 0) {
    draft.reason = reason
    draft.before = draft.messages.length
  }
  draft.skippedCount += 1
}

/** Skips a message because of its role. */
export const skipRole = (draft: Draft, role: unknown): void =>
  skip(draft, role === undefined ? "it has no role" : `its role is ${quoted(role)}`)

/** Adds a message of the system or the developer. Skips a message with any other role. */
export const addInstructions = (draft: Draft, role: unknown, content: unknown): void => {
  if (role === "system" || role === "developer") draft.messages.push({ role: "system", text: Content.textOf(content) })
  else skipRole(draft, role)
}

/** Quotes a value of the log in a sentence: at most 40 characters, without control characters. */
export const quoted = (value: unknown): string =>
  typeof value === "string" ? `"${shown(value.slice(0, 40))}"` : value === null ? "null" : `of type ${typeof value}`

/** Reports the skipped messages, if any. */
export const skippedItems = ({ before, reason, skippedCount }: Draft, place: Place): ReadonlyArray<Item> => {
  if (skippedCount === 0) return nothing
  const where = `after ${before} readable message${before === 1 ? "" : "s"}`
  const what =
    skippedCount === 1 ? `A message was skipped ${where}` : `${skippedCount} messages were skipped, the first ${where}`
  return [skipped(place, `${what}: ${reason}.`)]
}

/** Reports that no message of a conversation was read. */
export const unreadable = ({ reason, skippedCount }: Draft, place: Place): Item =>
  skipped(
    place,
    skippedCount === 0
      ? "The conversation has no messages."
      : `No message of the conversation can be read. Reason for the first message: ${reason}.`
  )

/** A conversation in the making: the messages read so far, and what of them could not be. */
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import type { Conversation, Place, RecordedMessage } from "./Conversation.ts"
import { type Item, nothing, skipped } from "./Reader.ts"

export interface Draft {
  readonly messages: Array<RecordedMessage>
  /** How many messages, or parts of them, were left out. */
  lost: number
  /** Why the first one was, and how many messages were read before it. */
  reason: string
  before: number
}

export const make = (): Draft => ({ messages: [], lost: 0, reason: "", before: 0 })

/** Leaves something out. Only the first reason is kept. */
export const lose = (draft: Draft, reason: string): void => {
  if (draft.lost === 0) {
    draft.reason = reason
    draft.before = draft.messages.length
  }
  draft.lost += 1
}

/** Leaves a message out for its role. */
export const loseRole = (draft: Draft, role: unknown): void =>
  lose(draft, role === undefined ? "it has no role" : `its role is ${word(role)}`)

/** A value of the log for a sentence: short, and nothing that a terminal obeys. */
export const word = (value: unknown): string =>
  typeof value === "string" ? `"${shown(value.slice(0, 40))}"` : value === null ? "null" : `of type ${typeof value}`

/** Tells what was left out; nothing where nothing was. */
export const losses = ({ before, lost, reason }: Draft, place: Place): ReadonlyArray<Item> => {
  if (lost === 0) return nothing
  const where = `after ${before} that ${before === 1 ? "was" : "were"} read`
  const what = lost === 1 ? `A message was left out, ${where}` : `${lost} messages were left out, the first ${where}`
  return [skipped(place, `${what}: ${reason}.`)]
}

/** The conversation, where there is any, and what was left out of it. */
export const items = (draft: Draft, conversation: Conversation): ReadonlyArray<Item> => {
  if (draft.messages.length === 0) {
    const why = draft.lost === 0 ? "there is none" : draft.reason
    return [skipped(conversation.place, `A conversation without messages: ${why}.`)]
  }
  return draft.lost === 0 ? [conversation] : [conversation, ...losses(draft, conversation.place)]
}

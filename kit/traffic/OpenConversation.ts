/** A conversation whose messages are in several lines of a log, until it is closed. */
import type { Place, RecordedTool } from "./Conversation.ts"
import * as Draft from "./Draft.ts"
import { type Item, nothing } from "./Reader.ts"

export interface OpenConversation {
  readonly id: string
  readonly place: Place
  readonly draft: Draft.Draft
  model: string | undefined
  tools: ReadonlyArray<RecordedTool>
}

/** Opens a conversation at the place of its first line. */
export const make = (id: string, place: Place): OpenConversation => ({
  id,
  place,
  draft: Draft.make(),
  model: undefined,
  tools: nothing
})

/** Returns the conversation; nothing if it has no message. */
export const itemsOf = ({ draft, id, model, place, tools }: OpenConversation): ReadonlyArray<Item> =>
  draft.messages.length === 0
    ? nothing
    : [{ _tag: "Conversation", id, place, ...(model === undefined ? {} : { model }), tools, messages: draft.messages }]

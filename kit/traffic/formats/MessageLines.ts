/**
 * Reads logs with one message per line: messages of OpenAI, Anthropic, the AI SDK, Gemini and LangChain, and items of
 * OpenAI's Responses API. The message is the line itself, or its `message`, as an object or as JSON text.
 *
 * **Details**
 *
 * - Lines with the same `conversation_id`, `session_id` or similar id form a conversation, in the order of the file.
 *   Lines without an id form one conversation of the file.
 * - `timestamp`, `created_at`, `createdAt`, `time` or `created` is the time of a result.
 * - A conversation is closed at the end of the file, or when the window of open conversations is full.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as ChatLog from "#kit/traffic/ChatLog"
import * as Content from "#kit/traffic/Content"
import * as Draft from "#kit/traffic/Draft"
import * as OpenConversation from "#kit/traffic/OpenConversation"
import { nothing, type Reader, skipped } from "#kit/traffic/Reader"
import * as RecordedTools from "#kit/traffic/RecordedTools"
import * as Time from "#kit/traffic/Time"
import * as Window from "#kit/traffic/Window"
import * as AnyChat from "./AnyChat.ts"

/** Reads lines with one message each. */
export const reader = (): Reader => {
  const window = Window.make<OpenConversation.OpenConversation>()
  const toolsOf = RecordedTools.make()
  return {
    read: (value, place) => {
      const line = Fields.of(value)
      const inner = Content.parsed(line["message"])
      const message = isJsonObject(inner) ? inner : line
      if (!AnyChat.isMessage(message)) return [ChatLog.otherFormat("message-lines", value, place)]
      const id = ChatLog.conversationIdOf(line) ?? ChatLog.conversationIdOf(message)
      const key = id ?? ""
      const known = window.get(key)
      const open = known ?? OpenConversation.make(id ?? place.file, place)
      const isSplit = known === undefined && window.open(key, open)
      const model = line["model"] ?? message["model"]
      if (typeof model === "string") open.model ??= model
      if (line["tools"] !== undefined) open.tools = toolsOf(line["tools"])
      const problem = addTo(open.draft, message, Time.ofMessage(line) ?? Time.ofMessage(message))
      window.grow(key, Window.sizeOf(message))
      const closed = window.overflow().flatMap(OpenConversation.itemsOf)
      return [
        ...closed,
        ...(isSplit ? [Window.split(open.id, place)] : nothing),
        ...(problem === undefined ? nothing : [skipped(place, `The message was skipped: ${problem}.`)])
      ]
    },
    end: () => window.all().flatMap(OpenConversation.itemsOf)
  }
}

/** Adds a message, with the time of its results. Returns the reason why a part of it was skipped. */
const addTo = (draft: Draft.Draft, message: JsonObject, at: number | undefined): string | undefined => {
  const before = draft.messages.length
  draft.skippedCount = 0
  AnyChat.add(draft, message)
  Draft.stamp(draft, before, at)
  return draft.skippedCount === 0 ? undefined : draft.reason
}

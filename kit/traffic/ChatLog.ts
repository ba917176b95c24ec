/**
 * Reads logs of chat messages, whatever their dialect: a whole conversation a line (`{"messages": […], "tools": […]}`, or
 * the bare list), or a request and its response (`{"request": {messages, tools}, "response": {…}}`).
 *
 * **Details**
 *
 * - Requests of one conversation become one (`Talks`): those of one `conversation_id`, `session_id` or the like, else
 *   those that begin with the same user message. A line without a response is a whole conversation.
 * - A line that is of another format than its file is `Skipped`.
 */
import * as Fields from "effect-toolguard/internal/domain/transcript/Fields"
import type { Place, RecordedMessage } from "./Conversation.ts"
import * as Draft from "./Draft.ts"
import { type Item, type Reader, skipped } from "./Reader.ts"
import * as RecordedTools from "./RecordedTools.ts"
import * as Shape from "./Shape.ts"
import * as Talks from "./Talks.ts"

/** How one kind of chat messages is read. */
export interface Dialect {
  readonly name: Shape.FormatName
  /** Reads messages; `undefined` where they are of another dialect. */
  readonly messages: (messages: ReadonlyArray<unknown>, request: Fields.Fields) => Draft.Draft | undefined
  /** Adds what the model answered. */
  readonly answer: (draft: Draft.Draft, response: Fields.Fields) => void
}

/** Makes the reader of a dialect. */
export const reader = (dialect: Dialect): Reader => {
  const toolsOf = RecordedTools.make()
  const talks = Talks.make()

  const readRequest = (value: unknown, line: Fields.Fields, place: Place): ReadonlyArray<Item> => {
    const request = Shape.requestOf(line)
    const response = Shape.responseOf(line)
    if (!Array.isArray(request["messages"])) return [other(dialect.name, value, place)]
    const draft = dialect.messages(request["messages"], request)
    if (draft === undefined) return [other(dialect.name, value, place)]
    const asked = draft.messages.length
    dialect.answer(draft, response)
    const { messages } = draft
    if (messages.length === 0) return Draft.losses(draft, place)
    const answer = messages.length > asked && messages.at(-1)?.role === "assistant" ? messages.pop() : undefined
    const model = Fields.string(request["model"]) || Fields.string(response["model"])
    const talk = conversationIdOf(line) ?? conversationIdOf(request)
    const given = talks.take({
      key: talk ?? `\n${beginning(messages)}`,
      id: talk ?? idOf(line) ?? placeName(place),
      place,
      model: model === "" ? undefined : model,
      tools: toolsOf(request["tools"] ?? request["functions"]),
      messages,
      answer,
      isNews: false
    })
    return draft.lost === 0 ? given : [...given, ...Draft.losses(draft, place)]
  }

  return {
    read: (value, place) => {
      if (typeof value !== "object" || value === null) return [other(dialect.name, value, place)]
      const line: Fields.Fields = Array.isArray(value) ? { messages: value } : (value as Fields.Fields)
      const { choices, messages, response } = line
      if (!Array.isArray(messages) || response !== undefined || choices !== undefined) {
        return readRequest(value, line, place)
      }
      const draft = dialect.messages(messages, line)
      if (draft === undefined) return [other(dialect.name, value, place)]
      const { model } = line
      return Draft.items(draft, {
        _tag: "Conversation",
        id: idOf(line) ?? placeName(place),
        place,
        ...(typeof model === "string" ? { model } : {}),
        tools: toolsOf(line["tools"] ?? line["functions"]),
        messages: draft.messages
      })
    },
    end: talks.end
  }
}

/** Says that a line is not of its file's format, and what it looks like. */
export const other = (name: Shape.FormatName, value: unknown, place: Place): Item => {
  const shape = Shape.of(value)
  const title = Shape.titles[name]
  return shape === undefined || shape === "messages" || shape === name
    ? skipped(place, `The line is not of its file's format, ${title}: ${kindOf(value)}.`)
    : skipped(place, `The line is of another format than its file, ${title}: ${Shape.titles[shape]}.`)
}

/** What a value is, for people: its type, or the names of its first fields. */
export const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (typeof value !== "object") return `a ${typeof value}`
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`
  const fields = Object.keys(value)
  if (fields.length === 0) return "an object without fields"
  return `an object with ${fields.slice(0, 5).map(Draft.word).join(", ")}${fields.length > 5 ? ", …" : ""}`
}

/** The name of a place, for a conversation without an id. */
export const placeName = ({ file, line }: Place): string => `${file}:${line}`

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined

const idOf = (line: Fields.Fields): string | undefined => text(line["id"]) ?? conversationIdOf(line)

const conversationIdOf = (line: Fields.Fields): string | undefined =>
  text(line["conversation_id"]) ??
  text(line["conversationId"]) ??
  text(line["session_id"]) ??
  text(line["sessionId"]) ??
  text(line["thread_id"]) ??
  text(line["threadId"]) ??
  text(line["chat_id"]) ??
  text(line["chatId"])

/** What the requests of a conversation have in common where they have no id: what the user said first. */
const beginning = (messages: ReadonlyArray<RecordedMessage>): string =>
  (messages.find(({ role }) => role === "user") ?? messages[0])?.text ?? ""

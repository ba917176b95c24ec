/**
 * Reads logs of chat messages in any dialect. A line holds a whole conversation (`{"messages": […], "tools": […]}`, or
 * just the list of messages), or a request and its response (`{"request": {messages, tools}, "response": {…}}`).
 *
 * **Details**
 *
 * - Requests of one conversation are merged (`Assembler`): requests with the same `conversation_id`, `session_id` or
 *   similar id; without an id, requests that start with the same user message.
 * - A line without a response is a whole conversation, or a request whose answer is in the next one. Without a
 *   conversation id it continues only one of the latest conversations, whose messages it repeats completely.
 * - `timestamp`, `created_at`, `createdAt`, `time` or `created` of a message is the time of its results.
 * - Rig's field names `chat_history` and `preamble` are read too.
 * - A line whose format differs from its file's is `Skipped`.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as ChatRequest from "effect-toolguard/internal/domain/transcript/ChatRequest"
import type { Place, RecordedMessage } from "./Conversation.ts"
import * as Draft from "./Draft.ts"
import { type Item, type Reader, skipped } from "./Reader.ts"
import * as RecordedTools from "./RecordedTools.ts"
import * as Format from "./Format.ts"
import * as Assembler from "./Assembler.ts"
import * as Time from "./Time.ts"

/** Reads one kind of chat messages. */
export interface Dialect {
  readonly name: Format.FormatName
  /** The messages of a request; undefined if it has none. Default: `messages`. */
  readonly messagesOf?: (request: JsonObject) => ReadonlyArray<unknown> | undefined
  /** The response of a line; an empty object if the line has none. Default: `Format.responseOf`. */
  readonly responseOf?: (line: JsonObject) => JsonObject
  /** The tools of a request, as logged. Default: `tools`, or `functions`. */
  readonly toolsOf?: (request: JsonObject) => unknown
  /** The link of a request whose history the server keeps. */
  readonly linkOf?: (request: JsonObject, response: JsonObject) => Link
  /** The instructions that a request stores separately from its messages. */
  readonly instructions?: (request: JsonObject) => string | undefined
  /** Adds a message. Returns false if it has another format. */
  readonly add: (draft: Draft.Draft, message: JsonObject) => boolean
  /** Adds the model's answer from a response. */
  readonly answer: (draft: Draft.Draft, response: JsonObject) => void
}

/** Says how a request belongs to earlier requests if its server keeps the history. */
interface Link {
  /** The id of the conversation. */
  readonly conversation?: string | undefined
  /** The id of the answer that the request continues. */
  readonly continues?: string | undefined
  /** The id of the request's own answer. */
  readonly answerId?: string | undefined
}

/** Creates the reader of a dialect. */
export const reader = (dialect: Dialect): Reader => {
  const toolsOf = RecordedTools.make()
  const assembler = Assembler.make()
  const wholes = Assembler.make(maxWholes)
  const { messagesOf = ChatRequest.messagesOf, responseOf = Format.responseOf } = dialect
  const listedTools = dialect.toolsOf ?? (({ functions, tools = functions }: JsonObject) => tools)
  /** The keys of conversations by the ids of their answers. */
  const answers = new Map<string, string>()

  const keep = (answerId: string, key: string): void => {
    if (answers.size >= maxAnswers) answers.clear()
    answers.set(answerId, key)
  }

  const readRequest = (value: unknown, line: JsonObject, place: Place): ReadonlyArray<Item> => {
    const request = Format.requestOf(line)
    const response = responseOf(line)
    const sent = messagesOf(request)
    if (sent === undefined) return [otherFormat(dialect.name, value, place)]
    const draft = draftOf(dialect, sent, request)
    if ("foreign" in draft) return [otherFormat(dialect.name, value, place, draft)]
    const requestLength = draft.messages.length
    delete draft.answer
    dialect.answer(draft, response)
    const { messages } = draft
    if (messages.length === 0) return Draft.skippedItems(draft, place)
    const answer = messages.length > requestLength && messages.at(-1)?.role === "assistant" ? messages.pop() : undefined
    const model = Fields.string(request["model"]) || Fields.string(response["model"])
    const link = dialect.linkOf?.(request, response) ?? {}
    const { answerId, continues } = link
    const conversation = conversationIdOf(line) ?? conversationIdOf(request) ?? link.conversation
    const before = continues === undefined ? undefined : answers.get(continues)
    const key = conversation ?? before ?? `\n${openingOf(messages)}`
    if (answerId !== undefined) keep(answerId, key)
    const closed = assembler.take({
      key,
      id: conversation ?? idOf(line) ?? placeName(place),
      place,
      model: model === "" ? undefined : model,
      tools: toolsOf(listedTools(request)),
      messages,
      answer,
      isIncremental: link.conversation !== undefined,
      ...(continues === undefined ? {} : { continues }),
      ...(answerId === undefined ? {} : { answerId })
    })
    const isLost = continues !== undefined && before === undefined
    const lost = isLost
      ? [skipped(place, `The request continues ${Draft.quoted(continues)}, which is not in the file before it.`)]
      : []
    return [...closed, ...lost, ...Draft.skippedItems(draft, place)]
  }

  return {
    read: (value, place) => {
      if (typeof value !== "object" || value === null) return [otherFormat(dialect.name, value, place)]
      const line: JsonObject = Array.isArray(value) ? { messages: value } : Fields.of(value)
      const messages = messagesOf(line)
      const isAnswered = line["response"] !== undefined || Object.keys(responseOf(line)).length > 0
      const { continues, conversation: linked } = dialect.linkOf?.(line, {}) ?? {}
      if (messages === undefined || isAnswered || continues !== undefined || linked !== undefined) {
        return readRequest(value, line, place)
      }
      const draft = draftOf(dialect, messages, line)
      if ("foreign" in draft) return [otherFormat(dialect.name, value, place, draft)]
      if (draft.messages.length === 0) return [Draft.unreadable(draft, place)]
      const { model } = line
      const conversation = conversationIdOf(line)
      const id = idOf(line)
      const closed = (conversation === undefined ? wholes : assembler).take({
        key: conversation ?? id ?? `\n${openingOf(draft.messages)}`,
        id: id ?? placeName(place),
        place,
        model: typeof model === "string" ? model : undefined,
        tools: toolsOf(listedTools(line)),
        messages: draft.messages,
        answer: undefined,
        isIncremental: false,
        isWhole: conversation === undefined
      })
      return [...closed, ...Draft.skippedItems(draft, place)]
    },
    end: () => [...wholes.end(), ...assembler.end()]
  }
}

/** The maximum number of conversations without a conversation id that are kept open in case a line repeats them. */
const maxWholes = 256

/** The maximum number of answers whose conversation is known by their ids. Beyond it, all are forgotten. */
const maxAnswers = 100_000

/** A message whose format differs from its file's. */
interface ForeignMessage {
  /** The number of the message in its line, from 1. */
  readonly number: number
  readonly foreign: unknown
}

/** Reads messages; returns the first message that has another format, if any. */
const draftOf = (
  { add, instructions }: Dialect,
  messages: ReadonlyArray<unknown>,
  request: JsonObject
): Draft.Draft | ForeignMessage => {
  const draft = Draft.make()
  const text = instructions?.(request)
  if (text !== undefined) draft.messages.push({ role: "system", text })
  const index = messages.findIndex((message) => !addAny(add, draft, message))
  return index === -1 ? draft : { number: index + 1, foreign: messages[index] }
}

/** Adds any item of a list of messages, with its time. An item that is not an object is skipped. */
export const addAny = (add: Dialect["add"], draft: Draft.Draft, message: unknown): boolean => {
  if (typeof message !== "object" || message === null) {
    Draft.skip(draft, "it is not an object")
    return true
  }
  const before = draft.messages.length
  const fields = message as JsonObject // any object
  const isAdded = add(draft, fields)
  if (draft.messages.length > before) Draft.stamp(draft, before, Time.ofMessage(fields))
  return isAdded
}

/** Skips a line that does not have its file's format, and describes the line, or its first message of another format. */
export const otherFormat = (name: Format.FormatName, value: unknown, place: Place, message?: ForeignMessage): Item => {
  const isOther = (found: Format.FormatName | "messages" | undefined) =>
    found !== undefined && found !== "messages" && found !== name ? found : undefined
  const found = isOther(Format.of(value))
  if (found !== undefined)
    return skipped(place, `The file holds ${Format.titles[name]}, but this line looks like ${Format.titles[found]}.`)
  if (message === undefined) return unexpected(name, kindOf(value), place)
  const inner = isOther(Format.of([message.foreign]))
  const what = inner === undefined ? "mixes two formats" : `looks like ${Format.titles[inner]}`
  return skipped(place, `The file holds ${Format.titles[name]}, but message ${message.number} of this line ${what}.`)
}

/** Skips a line that has no known format. `kind` describes the line (`kindOf`). */
export const unexpected = (name: Format.FormatName, kind: string, place: Place): Item =>
  skipped(place, `The file holds ${Format.titles[name]}, but this line is ${kind}.`)

/** Describes a value for people: its type, or the names of its first five fields. */
export const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (typeof value !== "object") return `a ${typeof value}`
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`
  const fields = Object.keys(value)
  if (fields.length === 0) return "an object without fields"
  return `an object with ${fields.slice(0, 5).map(Draft.quoted).join(", ")}${fields.length > 5 ? ", …" : ""}`
}

/** Returns `FILE:LINE`, the id of a conversation without an id in the log. */
export const placeName = ({ file, line }: Place): string => `${file}:${line}`

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined

const idOf = (line: JsonObject): string | undefined => text(line["id"]) ?? conversationIdOf(line)

/** Returns the id of the conversation that a line or a message states. */
export const conversationIdOf = (line: JsonObject): string | undefined =>
  text(line["conversation_id"]) ??
  text(line["conversationId"]) ??
  text(line["session_id"]) ??
  text(line["sessionId"]) ??
  text(line["thread_id"]) ??
  text(line["threadId"]) ??
  text(line["chat_id"]) ??
  text(line["chatId"])

/** Returns the first user message, which the requests of a conversation without an id have in common. */
const openingOf = (messages: ReadonlyArray<RecordedMessage>): string =>
  (messages.find(({ role }) => role === "user") ?? messages[0])?.text ?? ""

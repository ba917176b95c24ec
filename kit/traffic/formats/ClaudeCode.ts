/**
 * Reads Claude Code sessions, one event per line, from the files of its projects and from its streamed output.
 *
 * **Details**
 *
 * - A session is a conversation, identified by the session id, otherwise by the file. A sub-agent's work
 *   (`isSidechain`) is a separate conversation, identified by its `agentId`, by the call that started it, or by its
 *   events' `parentUuid`.
 * - An answer of the model can span several lines, each with one part of the answer or with everything so far. Lines
 *   with the same message id become one message, even if results come between them.
 * - Titles, summaries, file snapshots, hooks and similar events contain no messages. If a file has no message and events
 *   of unknown types, these are reported, because it may be the log of another program.
 * - A session is closed at the end of the file, or when the window of open conversations is full.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as Anthropic from "./AnthropicMessages.ts"
import * as ChatLog from "#kit/traffic/ChatLog"
import * as Content from "#kit/traffic/Content"
import type { Conversation, Place, RecordedCall, RecordedMessage } from "#kit/traffic/Conversation"
import * as Draft from "#kit/traffic/Draft"
import * as Format from "#kit/traffic/Format"
import { nothing, type Reader, skipped } from "#kit/traffic/Reader"
import * as Window from "#kit/traffic/Window"

type Assistant = Extract<RecordedMessage, { readonly role: "assistant" }>
type Mutable<A> = { -readonly [Field in keyof A]: A[Field] }

/** An answer that later lines may extend. */
interface Answer {
  readonly message: Mutable<Assistant> & { readonly calls: Array<RecordedCall> }
  readonly texts: Array<string>
}

interface Session {
  readonly id: string
  readonly place: Place
  model: string | undefined
  readonly draft: Draft.Draft
  readonly answers: Map<string, Answer>
}

/** The maximum number of sub-agent events whose keys are kept. When the number is reached, all keys are dropped. */
const maxEvents = 100_000

/** Reads the events of sessions. */
export const reader = (): Reader => {
  const window = Window.make<Session>()
  /** The keys of sub-agents' conversations, by the ids of their events. */
  const chains = new Map<string, string>()

  let hasMessage = false
  let firstUnknown: Place | undefined
  /** Unknown types of events, for the report of a file that has nothing else. */
  const unknown = new Set<string>()

  const keyOf = (line: JsonObject, place: Place): string => {
    const session = Fields.string(line["sessionId"]) || Fields.string(line["session_id"]) || place.file
    const parent = Fields.string(line["parent_tool_use_id"])
    if (line["isSidechain"] !== true && parent === "") return session
    const agent = Fields.string(line["agentId"]) || parent
    if (agent !== "") return `${session}/${agent}`
    const uuid = Fields.string(line["uuid"])
    const key = chains.get(Fields.string(line["parentUuid"])) ?? `${session}/${uuid}`
    if (chains.size >= maxEvents) chains.clear()
    chains.set(uuid, key)
    return key
  }

  return {
    read: (value, place) => {
      const line = Fields.of(value)
      const { message, type } = line
      if (typeof type !== "string") return [ChatLog.otherFormat("claude-code", value, place)]
      if (!Format.eventTypes.has(type) && unknown.size < maxTypes) {
        firstUnknown ??= place
        unknown.add(type)
      }
      if (typeof message !== "object" || message === null) {
        return type === "user" || type === "assistant"
          ? [skipped(place, `The event of the type ${type} has no message.`)]
          : nothing
      }
      if (type !== "user" && type !== "assistant") return nothing
      hasMessage = true
      const key = keyOf(line, place)
      const open = window.get(key)
      const session = open ?? start(key, place)
      const isSplit = open === undefined && window.open(key, session)
      const fields = Fields.of(message)
      if (type === "user") Anthropic.addUser(session.draft, fields["content"], timeOf(line["timestamp"]))
      else addAnswer(session, fields)
      window.grow(key, Window.sizeOf(fields["content"]))
      const closed = window.overflow()
      if (closed.length === 0 && !isSplit) return nothing
      return [...closed.map(conversationOf), ...(isSplit ? [Window.split(key, place)] : [])]
    },
    end: () => {
      if (hasMessage || firstUnknown === undefined) return window.all().map(conversationOf)
      const types = [...unknown].map(Draft.quoted).join(", ")
      return [
        skipped(firstUnknown, `No event has a message of the user or the model. The events have the types ${types}.`)
      ]
    }
  }
}

/** The maximum number of unknown types that a report names. */
const maxTypes = 5

const start = (id: string, place: Place): Session => ({
  id,
  place,
  model: undefined,
  draft: Draft.make(),
  answers: new Map()
})

const conversationOf = ({ draft, id, model, place }: Session): Conversation => ({
  _tag: "Conversation",
  id,
  place,
  ...(model === undefined ? {} : { model }),
  tools: [],
  messages: draft.messages
})

const addAnswer = (session: Session, message: JsonObject): void => {
  const { content, id, model, stop_reason: stop, usage } = message
  const known = typeof id === "string" ? session.answers.get(id) : undefined
  const answer = known ?? { message: { role: "assistant", text: "", calls: [] }, texts: [] }
  if (known === undefined) {
    session.draft.messages.push(answer.message)
    if (typeof id === "string") session.answers.set(id, answer)
  }
  if (typeof model === "string" && !model.startsWith("<")) session.model ??= model
  for (const call of Anthropic.callsOf(content)) addCall(answer.message.calls, call)
  for (const block of Array.isArray(content) ? content : [content]) addText(answer.texts, Content.textOf(block))
  answer.message.text = answer.texts.join("\n")
  if (stop === "max_tokens") answer.message.isCut = true
  const used = Anthropic.usageOf(usage)
  if (used !== undefined) answer.message.usage = used
}

/** Adds a call, or replaces the call with its id: the later line is the complete one. */
const addCall = (calls: Array<RecordedCall>, call: RecordedCall): void => {
  const index = call.id === "" ? -1 : calls.findIndex(({ id }) => id === call.id)
  if (index === -1) calls.push(call)
  else calls[index] = call
}

/** Adds a text, or replaces the last text if the new text extends the last text. */
const addText = (texts: Array<string>, text: string): void => {
  if (text === "" || texts.includes(text)) return
  const last = texts.at(-1)
  if (last !== undefined && text.startsWith(last)) texts[texts.length - 1] = text
  else texts.push(text)
}

const timeOf = (timestamp: unknown): number | undefined => {
  const at = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

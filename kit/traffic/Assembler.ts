/**
 * Assembles conversations from requests. Each request repeats the whole history, so a log of ten requests would otherwise
 * show the first call ten times.
 *
 * **Details**
 *
 * - A request continues an open conversation of its key if its messages show that it does (`Continuation`). The messages
 *   after that conversation's last answer are new, and so is the request's own answer.
 * - A request whose server keeps the history sends only new messages (`isIncremental`): they are appended.
 * - Any other request starts a separate conversation, for example a subtask that was delegated to another model.
 * - A request that names the answer which it continues is appended to that answer's conversation. If that conversation
 *   has continued already, the request starts a separate one without its history, so that each call counts once.
 * - A retried request, and a request that was logged twice, count once.
 * - Messages keep the order of the file.
 */
import type { Conversation, Place, RecordedMessage, RecordedTool } from "./Conversation.ts"
import * as Continuation from "./Continuation.ts"
import { type Item, nothing } from "./Reader.ts"
import * as ToolExecutions from "./ToolExecutions.ts"
import * as Window from "./Window.ts"

/** One request to a model, with its answer. */
export interface Exchange {
  /** The key, which is equal for all requests of a conversation. Several conversations can share a key. */
  readonly key: string
  /** The id of the conversation. */
  readonly id: string
  readonly place: Place
  readonly model: string | undefined
  readonly tools: ReadonlyArray<RecordedTool>
  /** The messages as sent. */
  readonly messages: ReadonlyArray<RecordedMessage>
  /** The answer; undefined if the request failed. */
  readonly answer: RecordedMessage | undefined
  /** True if the request may contain only new messages, without the history. */
  readonly isIncremental: boolean
  /** True if only a conversation whose messages it repeats completely can be continued. */
  readonly isWhole?: boolean
  /** The agent, if several agents share a conversation: new messages are appended to this agent's conversation. */
  readonly speaker?: string
  /** The id of the answer that the request continues, if the server keeps the history: the messages are new ones. */
  readonly continues?: string
  /** The id of the answer. An answer with a known id is the same answer, logged again. */
  readonly answerId?: string
}

/** Collects requests, and returns the conversations that they form. */
interface Assembler {
  /** Adds a request. Returns the conversations that the limits closed. */
  readonly take: (exchange: Exchange) => ReadonlyArray<Item>
  /** Adds a tool execution that the log stores separately from the messages. */
  readonly takeExecution: (key: string, execution: ToolExecutions.ToolExecution) => ReadonlyArray<Item>
  /** Closes and returns all conversations. */
  readonly end: () => ReadonlyArray<Item>
}

interface Thread {
  readonly id: string
  readonly speaker: string | undefined
  readonly place: Place
  readonly model: string | undefined
  tools: ReadonlyArray<RecordedTool>
  readonly messages: Array<RecordedMessage>
  /** The index of the last answer, or -1. */
  last: number
  /** The ids of the answers, in order. */
  readonly answerIds: Set<string>
  /** The id of the last answer; empty if it has none. */
  lastId: string
}

/** The open conversations and tool executions of one key. */
interface Group {
  /** The id of the group's first conversation. */
  readonly id: string
  readonly threads: Array<Thread>
  readonly executions: Array<ToolExecutions.ToolExecution>
  /** The number of conversations with this id so far. */
  count: number
}

/** The maximum number of open conversations of one key. Beyond this number, the oldest conversation is closed. */
const maxThreads = 512

/** Creates an empty assembler, for one file. It keeps `limit` keys open. */
export const make = (limit?: number): Assembler => {
  const window = Window.make<Group>(limit)

  /** Returns the open group of a key, and a report if the key was closed before. */
  const groupOf = (key: string, id: string, place: Place, isWhole = false): readonly [Group, ReadonlyArray<Item>] => {
    const open = window.get(key)
    if (open !== undefined) return [open, nothing]
    const group: Group = { id, threads: [], executions: [], count: 0 }
    return [group, window.open(key, group) && !isWhole ? [Window.split(id, place)] : nothing]
  }

  const withOverflow = (reports: ReadonlyArray<Item>, oldest?: Thread): ReadonlyArray<Item> => {
    const over = window.overflow()
    if (oldest === undefined && over.length === 0) return reports
    const first = oldest === undefined ? [] : [conversationOf(oldest, oldest.messages)]
    return [...first, ...over.flatMap(itemsOf), ...reports]
  }

  return {
    take: (exchange) => {
      const { id, isWhole, key, place } = exchange
      const [group, reports] = groupOf(key, id, place, isWhole)
      window.grow(key, continueThread(group.threads, exchange) ?? startThread(group, exchange))
      return withOverflow(reports, group.threads.length > maxThreads ? group.threads.shift() : undefined)
    },
    takeExecution: (key, execution) => {
      const [group, reports] = groupOf(key, execution.conversation, execution.place)
      group.executions.push(execution)
      window.grow(key, execution.text.length + Window.sizeOf(execution.arguments))
      return withOverflow(reports)
    },
    end: () => window.all().flatMap(itemsOf)
  }
}

/**
 * Adds a request to the latest conversation that it continues. Returns the added size, or `undefined` if there is no
 * such conversation.
 */
const continueThread = (threads: ReadonlyArray<Thread>, exchange: Exchange): number | undefined => {
  const { answerId, continues } = exchange
  if (answerId !== undefined && threads.some(({ answerIds }) => answerIds.has(answerId))) return 0
  if (continues !== undefined) {
    const continued = threads.find(({ lastId }) => lastId === continues)
    return continued === undefined ? undefined : extend(continued, withoutSystem(exchange), 0)
  }
  for (const firstNew of exchange.isWhole === true ? Continuation.wholeMatchers : Continuation.matchers) {
    for (let i = threads.length - 1; i >= 0; i--) {
      const thread = threads[i]! // the index is in range
      const from = firstNew(thread, exchange)
      if (from !== -1) return extend(thread, exchange, from)
    }
  }
  const own = exchange.isIncremental ? threads.findLast(({ speaker }) => speaker === exchange.speaker) : undefined
  if (own === undefined) return undefined
  own.last = own.messages.length - 1
  return extend(own, withoutSystem(exchange), 0)
}

const withoutSystem = (exchange: Exchange): Exchange => ({
  ...exchange,
  messages: exchange.messages.filter(({ role }) => role !== "system")
})

/** Starts a conversation with a request. Returns the added size. */
const startThread = (group: Group, exchange: Exchange): number => {
  const { id, model, place, speaker, tools } = exchange
  if (id === group.id) group.count += 1
  const name = id === group.id && group.count > 1 ? `${id}#${group.count}` : id
  const thread: Thread = {
    id: name,
    speaker,
    place,
    model,
    tools,
    messages: [],
    last: -1,
    answerIds: new Set(),
    lastId: ""
  }
  group.threads.push(thread)
  return extend(thread, exchange, 0)
}

/** Adds the messages from an index on, and the answer. Returns their size in characters. A `from` past the end adds nothing. */
const extend = (thread: Thread, { answer, answerId, messages, tools }: Exchange, from: number): number => {
  if (tools !== thread.tools) thread.tools = union(thread.tools, tools)
  if (from > messages.length) return 0
  if (thread.last !== -1) thread.messages.length = thread.last + 1
  let size = 0
  const add = (message: RecordedMessage): void => {
    if (message.role === "assistant") thread.last = thread.messages.length
    thread.messages.push(message)
    size += message.text.length
    if (message.role === "assistant") for (const call of message.calls) size += Window.sizeOf(call.arguments)
  }
  for (let i = from; i < messages.length; i++) add(messages[i]!) // the index is in range
  if (answer === undefined) return size
  add(answer)
  thread.lastId = answerId ?? ""
  if (answerId !== undefined) thread.answerIds.add(answerId)
  return size
}

const union = (one: ReadonlyArray<RecordedTool>, other: ReadonlyArray<RecordedTool>): ReadonlyArray<RecordedTool> => {
  if (one.length === 0) return other
  const names = new Set(one.map(({ name }) => name))
  const more = other.filter(({ name }) => !names.has(name))
  return more.length === 0 ? one : [...one, ...more]
}

const conversationOf = (
  { id, model, place, tools }: Thread,
  messages: ReadonlyArray<RecordedMessage>
): Conversation => ({
  _tag: "Conversation",
  id,
  place,
  ...(model === undefined ? {} : { model }),
  tools,
  messages
})

const itemsOf = ({ executions, threads }: Group): ReadonlyArray<Item> => {
  if (executions.length === 0) return threads.map((thread) => conversationOf(thread, thread.messages))
  const unmatched = ToolExecutions.unmatched(executions)
  const conversations = threads.map((thread) =>
    conversationOf(thread, ToolExecutions.matched(thread.messages, unmatched))
  )
  return [...conversations, ...ToolExecutions.remaining(unmatched, threads.length > 0)]
}

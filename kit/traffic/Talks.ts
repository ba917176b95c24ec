/**
 * Puts requests together that belong to one conversation: each of them sends the whole history once more, so a log of ten
 * requests would else show the first call ten times.
 *
 * **Details**
 *
 * - A request goes on with what is open under its key where its messages show that (`History`). What comes after the last
 *   answer that was given there is new, and so is the request's own answer.
 * - A request whose server keeps the history sends news alone (`isNews`): they are added.
 * - Any other request begins a conversation of its own, as a part of the work that was given to another model does.
 * - A request that failed and was made again, and one that was logged twice, are one.
 * - Messages are taken in the order of the file.
 */
import type { Conversation, Place, RecordedMessage, RecordedTool } from "./Conversation.ts"
import * as History from "./History.ts"
import { type Item, nothing } from "./Reader.ts"
import * as Runs from "./ToolRuns.ts"
import * as Window from "./Window.ts"

/** One request to a model, and its answer. */
export interface Exchange {
  /** Equal for the requests of a conversation; others may have it too. */
  readonly key: string
  /** Of the conversation. */
  readonly id: string
  readonly place: Place
  readonly model: string | undefined
  readonly tools: ReadonlyArray<RecordedTool>
  /** As they were sent. */
  readonly messages: ReadonlyArray<RecordedMessage>
  /** Absent where the request failed. */
  readonly answer: RecordedMessage | undefined
  /** May hold what is new alone. */
  readonly isNews: boolean
  /** Who asked, where several agents share a conversation: only their own news goes on with theirs. */
  readonly speaker?: string
}

export interface Talks {
  readonly take: (exchange: Exchange) => ReadonlyArray<Item>
  /** Takes what a tool was asked and answered, where the log has it apart from the messages. */
  readonly takeRun: (key: string, run: Runs.ToolRun) => ReadonlyArray<Item>
  readonly end: () => ReadonlyArray<Item>
}

interface Thread {
  readonly id: string
  readonly speaker: string | undefined
  readonly place: Place
  readonly model: string | undefined
  tools: ReadonlyArray<RecordedTool>
  readonly messages: Array<RecordedMessage>
  /** Index of the last answer, or -1. */
  last: number
}

interface Talk {
  /** Of its first conversation. */
  readonly id: string
  readonly threads: Array<Thread>
  readonly runs: Array<Runs.ToolRun>
  /** Conversations that had its id. */
  count: number
}

/** Most conversations that are open under one key; past that the oldest is closed. */
const mostThreads = 512

export const make = (): Talks => {
  const window = Window.make<Talk>()

  /** What is open under a key, and what is to be told of it. */
  const opened = (key: string, id: string, place: Place): readonly [Talk, ReadonlyArray<Item>] => {
    const open = window.get(key)
    if (open !== undefined) return [open, nothing]
    const talk: Talk = { id, threads: [], runs: [], count: 0 }
    return [talk, window.open(key, talk) ? [Window.torn(id, place)] : nothing]
  }

  const closed = (told: ReadonlyArray<Item>, full?: Thread): ReadonlyArray<Item> => {
    const over = window.overflow()
    if (full === undefined && over.length === 0) return told
    return [...(full === undefined ? [] : [conversationOf(full, full.messages)]), ...over.flatMap(itemsOf), ...told]
  }

  return {
    take: (exchange) => {
      const { id, key, place } = exchange
      const [talk, told] = opened(key, id, place)
      window.grow(key, goneOnWith(talk.threads, exchange) ?? begun(talk, exchange))
      return closed(told, talk.threads.length > mostThreads ? talk.threads.shift() : undefined)
    },
    takeRun: (key, run) => {
      const [talk, told] = opened(key, run.conversation, run.place)
      talk.runs.push(run)
      window.grow(key, run.text.length + Window.weigh(run.arguments))
      return closed(told)
    },
    end: () => window.all().flatMap(itemsOf)
  }
}

/** Adds a request to the conversation that it goes on with, the latest first; gives its size, or `undefined`. */
const goneOnWith = (threads: ReadonlyArray<Thread>, exchange: Exchange): number | undefined => {
  for (const newFrom of History.ways) {
    for (let i = threads.length - 1; i >= 0; i--) {
      const from = newFrom(threads[i]!, exchange)
      if (from !== -1) return extend(threads[i]!, exchange, from)
    }
  }
  const own = exchange.isNews ? threads.findLast(({ speaker }) => speaker === exchange.speaker) : undefined
  if (own === undefined) return undefined
  own.last = own.messages.length - 1
  return extend(own, { ...exchange, messages: exchange.messages.filter(({ role }) => role !== "system") }, 0)
}

/** Begins a conversation with a request; gives its size. */
const begun = (talk: Talk, exchange: Exchange): number => {
  const { id, model, place, speaker, tools } = exchange
  if (id === talk.id) talk.count += 1
  const name = id === talk.id && talk.count > 1 ? `${id}#${talk.count}` : id
  const thread: Thread = { id: name, speaker, place, model, tools, messages: [], last: -1 }
  talk.threads.push(thread)
  return extend(thread, exchange, 0)
}

/** Adds what is new; gives its size in characters. A `from` past the messages adds nothing. */
const extend = (thread: Thread, { answer, messages, tools }: Exchange, from: number): number => {
  if (tools !== thread.tools) thread.tools = union(thread.tools, tools)
  if (from > messages.length) return 0
  if (thread.last !== -1) thread.messages.length = thread.last + 1
  let size = 0
  const add = (message: RecordedMessage): void => {
    if (message.role === "assistant") thread.last = thread.messages.length
    thread.messages.push(message)
    size += message.text.length
    if (message.role === "assistant") for (const call of message.calls) size += Window.weigh(call.arguments)
  }
  for (let i = from; i < messages.length; i++) add(messages[i]!)
  if (answer !== undefined) add(answer)
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

const itemsOf = ({ runs, threads }: Talk): ReadonlyArray<Item> => {
  if (runs.length === 0) return threads.map((thread) => conversationOf(thread, thread.messages))
  const open = Runs.open(runs)
  const conversations = threads.map((thread) => conversationOf(thread, Runs.filled(thread.messages, open)))
  return [...conversations, ...Runs.alone(open, threads.length > 0)]
}

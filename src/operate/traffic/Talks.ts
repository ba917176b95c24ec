/**
 * Puts requests together that belong to one conversation: each of them sends the whole history once more, so a log of ten
 * requests would else show the first call ten times.
 *
 * **Details**
 *
 * - A request goes on with what is open under its key where its messages hold the last answer that was given there. What
 *   comes after that answer is new, and so is the request's own answer.
 * - A request whose server keeps the history sends news alone (`isNews`): they are added.
 * - Any other request begins a conversation of its own, as a part of the work that was given to another model does.
 * - A request that failed and was made again, and one that was logged twice, are one.
 * - Messages are taken in the order of the file.
 */
import type { Conversation, Place, RecordedMessage, RecordedTool } from "./Conversation.ts"
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
  readonly threads: Array<Thread>
  readonly runs: Array<Runs.ToolRun>
}

/** Most conversations that are open under one key; past that the oldest is closed. */
const mostThreads = 32

export const make = (): Talks => {
  const window = Window.make<Talk>()

  const talkOf = (key: string): Talk => {
    const open = window.get(key)
    if (open !== undefined) return open
    const talk: Talk = { threads: [], runs: [] }
    window.open(key, talk)
    return talk
  }

  return {
    take: (exchange) => {
      const talk = talkOf(exchange.key)
      window.grow(exchange.key, goneOnWith(talk.threads, exchange) ?? begun(talk.threads, exchange))
      const full = talk.threads.length > mostThreads ? talk.threads.shift() : undefined
      const closed = window.overflow()
      if (full === undefined && closed.length === 0) return nothing
      return [...(full === undefined ? [] : [conversationOf(full, full.messages)]), ...closed.flatMap(itemsOf)]
    },
    takeRun: (key, run) => {
      talkOf(key).runs.push(run)
      window.grow(key, run.text.length)
      const closed = window.overflow()
      return closed.length === 0 ? nothing : closed.flatMap(itemsOf)
    },
    end: () => window.all().flatMap(itemsOf)
  }
}

/** Adds a request to the conversation that it goes on with, the latest first; gives its size, or `undefined`. */
const goneOnWith = (threads: ReadonlyArray<Thread>, exchange: Exchange): number | undefined => {
  for (let i = threads.length - 1; i >= 0; i--) {
    const thread = threads[i]!
    const from = newFrom(thread, exchange)
    if (from !== -1) return extend(thread, exchange, from)
  }
  const own = exchange.isNews ? threads.findLast(({ speaker }) => speaker === exchange.speaker) : undefined
  if (own === undefined) return undefined
  own.last = own.messages.length - 1
  return extend(own, { ...exchange, messages: exchange.messages.filter(({ role }) => role !== "system") }, 0)
}

/** Begins a conversation with a request; gives its size. */
const begun = (threads: Array<Thread>, exchange: Exchange): number => {
  const { id, model, place, speaker, tools } = exchange
  const name = threads.length === 0 ? id : `${id}#${threads.length + 1}`
  const thread: Thread = { id: name, speaker, place, model, tools, messages: [], last: -1 }
  threads.push(thread)
  return extend(thread, exchange, 0)
}

/**
 * Index of the first message that a thread does not have; past the messages where it has the answer too; -1 where the
 * request is of another thread. Ids of calls may stand again and again, so places count first.
 */
const newFrom = ({ last, messages: held }: Thread, { answer, isNews, messages }: Exchange): number => {
  const anchor = held[last]
  if (anchor === undefined) return isSame(held.at(-1), messages[held.length - 1]) ? held.length : -1
  if (isSame(anchor, messages[last])) return last + 1
  const { length } = messages
  if (isSame(answer, held[length]) && isSame(messages[length - 1], held[length - 1])) return length + 1
  if (isSilent(anchor)) return -1
  for (let i = length - 1; i >= 0; i--) if (isSame(anchor, messages[i])) return i + 1
  return !isNews && isRepeated(held, answer) ? length + 1 : -1
}

/** Messages among which a repeated answer is looked for. */
const longAgo = 1_000

/** True where a thread has an answer already, by the ids of its calls. */
const isRepeated = (held: ReadonlyArray<RecordedMessage>, answer: RecordedMessage | undefined): boolean =>
  answer?.role === "assistant" &&
  answer.calls.length > 0 &&
  answer.calls.every(({ id }) => id !== "") &&
  held.slice(-longAgo).some((message) => isSame(answer, message))

const isSilent = (message: RecordedMessage): boolean =>
  message.role === "assistant" && message.calls.length === 0 && message.text === ""

/** Calls are the same by their ids and names; everything else by its text. */
const isSame = (one: RecordedMessage | undefined, other: RecordedMessage | undefined): boolean => {
  if (one === undefined || other === undefined || one.role !== other.role) return false
  if (one.role !== "assistant" || other.role !== "assistant") return one.text === other.text
  const { calls } = other
  if (one.calls.length !== calls.length) return false
  if (calls.length === 0) return one.text === other.text
  return one.calls.every(({ arguments: args, id, name }, i) => {
    const call = calls[i]
    return call !== undefined && id === call.id && name === call.name && (id !== "" || args === call.arguments)
  })
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

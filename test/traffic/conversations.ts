/** Reads recorded conversations of real models, split into turns, with the recorded result of each call. */
import { join } from "node:path"
import { data } from "../support/data.ts"
import { linesOf } from "../support/recordings.ts"

interface RecordedCall {
  readonly id: string
  readonly type: "function"
  readonly function: { readonly name: string; readonly arguments: string }
}

export interface Message {
  readonly role: "system" | "user" | "assistant" | "tool"
  readonly content: string | null
  readonly tool_calls?: ReadonlyArray<RecordedCall>
  readonly tool_call_id?: string
  readonly is_error?: boolean
}

interface Line {
  readonly id: string
  readonly messages: ReadonlyArray<Message>
}

/** The recorded result of a call. */
export interface RecordedResult {
  readonly tool: string
  readonly arguments: string
  readonly text: string
  readonly isError: boolean
}

/** One or more user messages, and the number of model answers before them. */
export interface Turn {
  readonly userMessages: ReadonlyArray<Message>
  readonly firstAnswer: number
}

export interface Conversation {
  readonly id: string
  readonly source: string
  readonly messages: ReadonlyArray<Message>
  readonly turns: ReadonlyArray<Turn>
  /** By the id of the call, which is unique in the conversation. */
  readonly results: ReadonlyMap<string, RecordedResult>
}

/** The names of the recorded sources. */
export const sources = [
  "coding",
  "livemcpbench",
  "openhands",
  "recorded-tests",
  "tau-bench-airline",
  "tau2-airline",
  "tau2-telecom",
  "toolbench"
] as const

/** Converts a tool name to snake_case. */
const nameOf = (name: string): string => name.toLowerCase().replaceAll("-", "_")

/** Gives each call and its result a unique id, because some logs use an id for several calls. */
const withUniqueIds = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> => {
  const waiting = new Map<string, Array<string>>()
  const used = new Set<string>()
  return messages.map((message): Message => {
    if (message.tool_calls !== undefined) {
      const calls = message.tool_calls.map((call) => {
        const id = used.has(call.id) ? `${call.id}_${used.size}` : call.id
        used.add(id)
        waiting.set(call.id, [...(waiting.get(call.id) ?? []), id])
        return { ...call, id, function: { ...call.function, name: nameOf(call.function.name) } }
      })
      return { ...message, tool_calls: calls }
    }
    const uniqueId = message.tool_call_id === undefined ? undefined : waiting.get(message.tool_call_id)?.shift()
    return uniqueId === undefined ? message : { ...message, tool_call_id: uniqueId }
  })
}

/** Returns the result of each call. A call without a result counts as interrupted. */
const resultsOf = (messages: ReadonlyArray<Message>): ReadonlyMap<string, RecordedResult> => {
  const results = new Map(messages.map((message) => [message.tool_call_id, message]))
  return new Map(
    messages.flatMap(({ tool_calls = [] }) =>
      tool_calls.map((call) => {
        const { content, is_error } = results.get(call.id) ?? { content: "interrupted", is_error: true }
        const { arguments: text, name } = call.function
        return [call.id, { tool: name, arguments: text, text: content ?? "", isError: is_error === true }] as const
      })
    )
  )
}

const hasCalls = ({ tool_calls = [] }: Message): boolean => tool_calls.length > 0

/** Splits messages into turns. Omits user messages within a turn, which the agent loop does not accept. */
const turnsOf = (messages: ReadonlyArray<Message>): ReadonlyArray<Turn> => {
  const turns: Array<Turn> = []
  let userMessages: Array<Message> = []
  let answers = 0
  let isOpen = false
  for (const message of messages) {
    if (message.role === "assistant") {
      if (!isOpen) turns.push({ userMessages, firstAnswer: answers })
      userMessages = []
      answers += 1
      isOpen = hasCalls(message)
    } else if (message.role !== "tool") userMessages.push(message)
  }
  return turns
}

const end: Message = { role: "assistant", content: "(the log ends here)" }

const conversation = (source: string, { id, messages: logged }: Line): Conversation => {
  const unique = withUniqueIds(logged)
  const last = unique.findLast(({ role }) => role === "assistant")
  const messages = last !== undefined && hasCalls(last) ? [...unique, end] : unique
  return { id, source, messages, turns: turnsOf(messages), results: resultsOf(unique) }
}

/** Returns the conversations of a source, in the order of the file. */
export const read = (source: string): ReadonlyArray<Conversation> =>
  linesOf(join(data, "traffic", `${source}.jsonl.gz`)).map((line) => conversation(source, line))

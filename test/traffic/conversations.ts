/** Recorded conversations of real models, cut into turns, with what each of their calls was answered. */
import { join } from "node:path"
import { data } from "../support/data.ts"
import { linesOf } from "../support/recorded.ts"

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

/** What a tool answered when the conversation was recorded. */
export interface Recorded {
  readonly tool: string
  readonly arguments: string
  readonly text: string
  readonly isError: boolean
}

/** A user's message, or several, and how many answers the model had given before. */
export interface Turn {
  readonly asked: ReadonlyArray<Message>
  readonly firstAnswer: number
}

export interface Conversation {
  readonly id: string
  readonly source: string
  readonly messages: ReadonlyArray<Message>
  readonly turns: ReadonlyArray<Turn>
  /** By the id of the call, which no other call of the conversation has. */
  readonly results: ReadonlyMap<string, Recorded>
}

/** Every recorded source. */
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

/** Tools have names in snake_case here. */
const nameOf = (name: string): string => name.toLowerCase().replaceAll("-", "_")

/** Gives each call an id of its own, in call and result: some logs use one id for several calls. */
const withOwnIds = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> => {
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
    const own = message.tool_call_id === undefined ? undefined : waiting.get(message.tool_call_id)?.shift()
    return own === undefined ? message : { ...message, tool_call_id: own }
  })
}

/** What each call was answered. One without a result was interrupted. */
const resultsOf = (messages: ReadonlyArray<Message>): ReadonlyMap<string, Recorded> => {
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

const calls = ({ tool_calls = [] }: Message): boolean => tool_calls.length > 0

/** What a user says in the middle of a turn, the model of the log heard, and ours does not. */
const turnsOf = (messages: ReadonlyArray<Message>): ReadonlyArray<Turn> => {
  const turns: Array<Turn> = []
  let asked: Array<Message> = []
  let answers = 0
  let isOpen = false
  for (const message of messages) {
    if (message.role === "assistant") {
      if (!isOpen) turns.push({ asked, firstAnswer: answers })
      asked = []
      answers += 1
      isOpen = calls(message)
    } else if (message.role !== "tool") asked.push(message)
  }
  return turns
}

const end: Message = { role: "assistant", content: "(the log ends here)" }

const conversation = (source: string, { id, messages: logged }: Line): Conversation => {
  const own = withOwnIds(logged)
  const last = own.findLast(({ role }) => role === "assistant")
  const messages = last !== undefined && calls(last) ? [...own, end] : own
  return { id, source, messages, turns: turnsOf(messages), results: resultsOf(own) }
}

/** The conversations of a source, in the order of the file. */
export const read = (source: string): ReadonlyArray<Conversation> =>
  linesOf(join(data, "traffic", `${source}.jsonl.gz`)).map((line) => conversation(source, line))

/**
 * Matches the tool executions that a log stores separately from its messages with the calls in the messages.
 *
 * An execution belongs to the call with its id; an execution without an id belongs to the first call of its name that
 * has no result. Executions in a file without messages form a separate conversation.
 */
import type { Conversation, Place, RecordedMessage } from "./Conversation.ts"
import { quoted } from "./Draft.ts"
import { type Item, skipped } from "./Reader.ts"

/** One execution of a tool. */
export interface ToolExecution {
  /** The id of the execution's conversation. */
  readonly conversation: string
  readonly place: Place
  /** The id of the execution's call; empty if the log does not have it. */
  readonly callId: string
  readonly name: string
  /** The arguments; absent if the log does not contain them. */
  readonly arguments?: unknown
  /** The result. */
  readonly text: string
  readonly isError: boolean
  /** False if the log contains neither a result nor an error; then only `at` is useful. */
  readonly isAnswered: boolean
  /** When the execution ended, in epoch milliseconds; 0 if the log does not have the time. */
  readonly at: number
}

/** The executions of a conversation that are not matched with a call yet, in reverse order: the earliest is last. */
interface UnmatchedExecutions {
  readonly byId: ReadonlyMap<string, Array<ToolExecution>>
  /** Executions without a call id. */
  readonly byName: ReadonlyMap<string, Array<ToolExecution>>
}

/** Indexes the executions of a conversation. */
export const unmatched = (executions: ReadonlyArray<ToolExecution>): UnmatchedExecutions => {
  const byId = new Map<string, Array<ToolExecution>>()
  const byName = new Map<string, Array<ToolExecution>>()
  for (const execution of [...executions].sort((one, other) => other.at - one.at)) {
    const [index, key] = execution.callId === "" ? [byName, execution.name] : [byId, execution.callId]
    const list = index.get(key)
    if (list === undefined) index.set(key, [execution])
    else list.push(execution)
  }
  return { byId, byName }
}

/** Removes and returns the earliest execution of a call. */
const take = ({ byId, byName }: UnmatchedExecutions, id: string, name: string | undefined): ToolExecution | undefined =>
  (id === "" ? undefined : byId.get(id)?.pop()) ?? (name === undefined ? undefined : byName.get(name)?.pop())

type ToolMessage = Extract<RecordedMessage, { readonly role: "tool" }>

const messageOf = (
  { at, isAnswered, isError, text }: ToolExecution,
  callId: string,
  logged?: ToolMessage
): ToolMessage => ({
  ...(logged ?? { role: "tool", callId, text }),
  ...(isAnswered && (isError || logged?.isError !== undefined) ? { isError } : {}),
  ...(at === 0 ? {} : { at })
})

/** Adds the results of executions to the messages, and removes them from `executions`. */
export const matched = (
  messages: ReadonlyArray<RecordedMessage>,
  executions: UnmatchedExecutions
): ReadonlyArray<RecordedMessage> => {
  const completed: Array<RecordedMessage> = []
  /** Calls that have no result yet. */
  let waiting: Array<{ readonly id: string; readonly name: string }> = []
  const answer = (): void => {
    for (const { id, name } of waiting) {
      const execution = take(executions, id, name)
      if (execution?.isAnswered === true) completed.push(messageOf(execution, id))
    }
    waiting = []
  }
  for (const message of messages) {
    if (message.role === "tool") {
      const index = waiting.findIndex(({ id }) => id === message.callId)
      const [call] = index === -1 ? [] : waiting.splice(index, 1)
      const execution = take(executions, message.callId, call?.name)
      completed.push(execution === undefined ? message : messageOf(execution, message.callId, message))
      continue
    }
    answer()
    completed.push(message)
    if (message.role === "assistant") waiting = [...message.calls]
  }
  answer()
  return completed
}

/**
 * Returns the executions that match no call: as a separate conversation if their file has no messages, otherwise as
 * skipped.
 */
export const remaining = ({ byId, byName }: UnmatchedExecutions, hasMessages: boolean): ReadonlyArray<Item> => {
  const left = [...byId.values(), ...byName.values()].flat().sort((one, other) => one.at - other.at)
  const [first] = left
  if (first === undefined) return []
  if (hasMessages) {
    return left.map(({ name, place }) =>
      skipped(place, `The execution of ${quoted(name)} does not match any call of its conversation.`)
    )
  }
  const whole = left.filter((execution) => execution.isAnswered && execution.arguments !== undefined)
  const conversation: Conversation = {
    _tag: "Conversation",
    id: first.conversation,
    place: first.place,
    tools: [],
    messages: whole.flatMap((execution): ReadonlyArray<RecordedMessage> => [
      {
        role: "assistant",
        text: "",
        calls: [{ id: execution.callId, name: execution.name, arguments: execution.arguments }]
      },
      messageOf(execution, execution.callId)
    ])
  }
  const empty = left.filter((execution) => !execution.isAnswered || execution.arguments === undefined)
  return [
    ...(whole.length === 0 ? [] : [conversation]),
    ...empty.map(({ name, place }) =>
      skipped(place, `The execution of ${quoted(name)} was recorded without its arguments or its result.`)
    )
  ]
}

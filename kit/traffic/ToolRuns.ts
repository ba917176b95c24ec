/**
 * What tools were asked and answered, where a log has it apart from the messages: put behind the calls they belong to.
 *
 * A run belongs to the call with its id; one without an id to the first call of its name that has no result. Runs in a
 * file without messages make a conversation of their own.
 */
import type { Conversation, Place, RecordedMessage } from "./Conversation.ts"
import { word } from "./Draft.ts"
import { type Item, skipped } from "./Reader.ts"

/** One execution of a tool. */
export interface ToolRun {
  /** Of the conversation. */
  readonly conversation: string
  readonly place: Place
  /** Of the call; empty where the log does not have it. */
  readonly callId: string
  readonly name: string
  /** Absent where the log does not hold them. */
  readonly arguments?: unknown
  /** The result. */
  readonly text: string
  readonly isError: boolean
  /** False where the log holds neither a result nor an error: then only `at` is of use. */
  readonly isAnswered: boolean
  /** Epoch milliseconds of its end; 0 where the log does not have it. */
  readonly at: number
}

/** The runs of a conversation that no call has yet, by what they are found by. */
export interface Open {
  readonly byId: ReadonlyMap<string, Array<ToolRun>>
  /** Those without an id. */
  readonly byName: ReadonlyMap<string, Array<ToolRun>>
}

export const open = (runs: ReadonlyArray<ToolRun>): Open => {
  const byId = new Map<string, Array<ToolRun>>()
  const byName = new Map<string, Array<ToolRun>>()
  for (const run of [...runs].sort((one, other) => other.at - one.at)) {
    const [index, key] = run.callId === "" ? [byName, run.name] : [byId, run.callId]
    const list = index.get(key)
    if (list === undefined) index.set(key, [run])
    else list.push(run)
  }
  return { byId, byName }
}

/** Takes the earliest run of a call. */
const take = ({ byId, byName }: Open, id: string, name: string | undefined): ToolRun | undefined =>
  (id === "" ? undefined : byId.get(id)?.pop()) ?? (name === undefined ? undefined : byName.get(name)?.pop())

type ToolMessage = Extract<RecordedMessage, { readonly role: "tool" }>

const messageOf = ({ at, isAnswered, isError, text }: ToolRun, callId: string, logged?: ToolMessage): ToolMessage => ({
  ...(logged ?? { role: "tool", callId, text }),
  ...(isAnswered && (isError || logged?.isError !== undefined) ? { isError } : {}),
  ...(at === 0 ? {} : { at })
})

/** Messages with the runs that belong to them; takes these from `runs`. */
export const filled = (messages: ReadonlyArray<RecordedMessage>, runs: Open): ReadonlyArray<RecordedMessage> => {
  const made: Array<RecordedMessage> = []
  /** Calls that have no result yet. */
  let waiting: Array<{ readonly id: string; readonly name: string }> = []
  const answer = (): void => {
    for (const { id, name } of waiting) {
      const run = take(runs, id, name)
      if (run?.isAnswered === true) made.push(messageOf(run, id))
    }
    waiting = []
  }
  for (const message of messages) {
    if (message.role === "tool") {
      const index = waiting.findIndex(({ id }) => id === message.callId)
      const [call] = index === -1 ? [] : waiting.splice(index, 1)
      const run = take(runs, message.callId, call?.name)
      made.push(run === undefined ? message : messageOf(run, message.callId, message))
      continue
    }
    answer()
    made.push(message)
    if (message.role === "assistant") waiting = [...message.calls]
  }
  answer()
  return made
}

/** What is left of the runs: a conversation of their own where their file has no messages, and else left out. */
export const alone = ({ byId, byName }: Open, hasMessages: boolean): ReadonlyArray<Item> => {
  const left = [...byId.values(), ...byName.values()].flat().sort((one, other) => one.at - other.at)
  const [first] = left
  if (first === undefined) return []
  if (hasMessages) {
    return left.map(({ name, place }) =>
      skipped(place, `The run of ${word(name)} belongs to no call of its conversation.`)
    )
  }
  const whole = left.filter((run) => run.isAnswered && run.arguments !== undefined)
  const conversation: Conversation = {
    _tag: "Conversation",
    id: first.conversation,
    place: first.place,
    tools: [],
    messages: whole.flatMap((run): ReadonlyArray<RecordedMessage> => [
      {
        role: "assistant",
        text: "",
        calls: [{ id: run.callId, name: run.name, arguments: run.arguments }]
      },
      messageOf(run, run.callId)
    ])
  }
  const empty = left.filter((run) => !run.isAnswered || run.arguments === undefined)
  return [
    ...(whole.length === 0 ? [] : [conversation]),
    ...empty.map(({ name, place }) =>
      skipped(place, `The run of ${word(name)} was recorded without its arguments or its result.`)
    )
  ]
}

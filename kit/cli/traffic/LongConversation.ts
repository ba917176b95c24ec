/**
 * Cuts conversations that are too long to be held in memory, and reports the omitted parts.
 *
 * A conversation is kept in memory as a whole, so its number of calls and tools must have a limit. Recorded
 * conversations have up to a few thousand calls.
 */
import type { Conversation, RecordedMessage, RecordedTool } from "#kit/traffic/Conversation"
import { type Item, skipped } from "#kit/traffic/Reader"

/** The maximum number of calls of a conversation. Further calls are left out. */
const maxCalls = 20_000

/** The maximum number of listed tools of a conversation. Further tools are left out. */
const maxTools = 2_000

/** Creates a function that cuts the conversations of one file. */
export const make = (): ((item: Item) => ReadonlyArray<Item>) => {
  // conversations share lists, and replay compares them by identity
  const lists = new WeakMap<ReadonlyArray<RecordedTool>, ReadonlyArray<RecordedTool>>()
  const cutTools = (tools: ReadonlyArray<RecordedTool>): ReadonlyArray<RecordedTool> => {
    const cut = lists.get(tools) ?? tools.slice(0, maxTools)
    lists.set(tools, cut)
    return cut
  }
  return (item) => {
    if (item._tag === "Skipped") return [item]
    const calls = callsOf(item)
    const areToolsCut = item.tools.length > maxTools
    if (calls <= maxCalls && !areToolsCut) return [item]
    return [
      {
        ...item,
        tools: areToolsCut ? cutTools(item.tools) : item.tools,
        messages: calls > maxCalls ? cutMessages(item.messages) : item.messages
      },
      ...(calls > maxCalls
        ? [skipped(item.place, `A conversation has ${calls} calls: only the first ${maxCalls} are read.`)]
        : []),
      ...(areToolsCut
        ? [skipped(item.place, `A conversation lists ${item.tools.length} tools: only the first ${maxTools} are read.`)]
        : [])
    ]
  }
}

const callsOf = ({ messages }: Conversation): number => {
  let calls = 0
  for (const message of messages) if (message.role === "assistant") calls += message.calls.length
  return calls
}

/** Returns the messages before the call that exceeds the limit, and the results that follow the last round. */
const cutMessages = (messages: ReadonlyArray<RecordedMessage>): ReadonlyArray<RecordedMessage> => {
  const cut: Array<RecordedMessage> = []
  let calls = 0
  for (const message of messages) {
    if (message.role === "assistant") {
      if (calls >= maxCalls) break
      const rest = message.calls.slice(0, maxCalls - calls)
      calls += rest.length
      cut.push(rest.length === message.calls.length ? message : { ...message, calls: rest })
    } else if (calls < maxCalls || message.role === "tool") cut.push(message)
  }
  return cut
}

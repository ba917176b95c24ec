/**
 * Reads JSON lines of any form by a mapping (`Mapping`): a message per line, or a list of messages per line.
 *
 * **Details**
 *
 * - Messages with the same conversation id form a conversation, in the order of the file. Without an id, the messages of
 *   a line with a list form a conversation, and otherwise those of the file.
 * - Consecutive calls that are messages themselves form one answer of the model.
 * - A conversation is closed at the end of the file, or when the window of open conversations is full.
 */
import * as ChatLog from "#kit/traffic/ChatLog"
import * as Content from "#kit/traffic/Content"
import * as Draft from "#kit/traffic/Draft"
import * as Mapping from "#kit/traffic/Mapping"
import * as OpenConversation from "#kit/traffic/OpenConversation"
import { nothing, type Reader, skipped } from "#kit/traffic/Reader"
import * as RecordedTools from "#kit/traffic/RecordedTools"
import * as Time from "#kit/traffic/Time"
import * as Window from "#kit/traffic/Window"

/** Reads lines by a mapping. */
export const reader = (mapping: Mapping.Mapping): Reader => {
  const window = Window.make<OpenConversation.OpenConversation>()
  const toolsOf = RecordedTools.make()
  return {
    read: (value, place) => {
      const listed = mapping.messages === undefined ? [value] : Content.parsed(Mapping.at(value, mapping.messages))
      if (!Array.isArray(listed)) {
        return [
          skipped(place, `The path messages of the mapping leads to no list: the line is ${ChatLog.kindOf(value)}.`)
        ]
      }
      const stated = textOf(Mapping.at(value, mapping.conversation))
      const id = stated || (mapping.messages === undefined ? place.file : ChatLog.placeName(place))
      const known = window.get(id)
      const open = known ?? OpenConversation.make(id, place)
      const isSplit = known === undefined && window.open(id, open)
      open.model ??= textOf(Mapping.at(value, mapping.model)) || undefined
      const tools = Content.parsed(Mapping.at(value, mapping.tools))
      if (tools !== undefined) open.tools = toolsOf(tools)
      const scratch: Draft.Draft = { ...open.draft, skippedCount: 0, reason: "" }
      const before = scratch.messages.length
      for (const message of listed) add(mapping, scratch, message)
      if (scratch.answer !== undefined) open.draft.answer = scratch.answer
      const reports = Draft.skippedItems({ ...scratch, before: Math.max(0, scratch.before - before) }, place)
      window.grow(id, Window.sizeOf(value))
      const closed = window.overflow().flatMap(OpenConversation.itemsOf)
      return [...closed, ...(isSplit ? [Window.split(id, place)] : nothing), ...reports]
    },
    end: () => window.all().flatMap(OpenConversation.itemsOf)
  }
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : ""

const add = (mapping: Mapping.Mapping, draft: Draft.Draft, message: unknown): void => {
  const role = Mapping.roleOf(mapping, message)
  const content = Mapping.at(message, mapping.text)
  switch (role) {
    case undefined:
      Draft.skipRole(draft, Mapping.at(message, mapping.role))
      return
    case "ignore":
      return
    case "assistant":
      addAnswer(mapping, draft, message, content)
      return
    case "tool":
      if (addResults(mapping, draft, message) === 0) Draft.skip(draft, "it has the role tool, but no result")
      return
    case "system":
      draft.messages.push({ role, text: Content.textOf(content) })
      return
    case "user": {
      const results = mapping.results?.list === undefined ? 0 : addResults(mapping, draft, message)
      const user = Content.user(content)
      if (user.text !== "" || results === 0) draft.messages.push(user)
    }
  }
}

/** Adds an answer of the model. Consecutive messages that are calls themselves become one answer. */
const addAnswer = (mapping: Mapping.Mapping, draft: Draft.Draft, message: unknown, content: unknown): void => {
  const { calls } = mapping
  if (calls === undefined || calls.list !== undefined) delete draft.answer
  Draft.extendAnswer(draft, Content.textOf(content))
  if (calls === undefined) return
  for (const call of listOf(message, calls.list)) {
    const name = textOf(Mapping.at(call, calls.name))
    if (name === "") continue
    const args = Mapping.at(call, calls.arguments)
    Draft.extendAnswer(draft, "", { id: textOf(Mapping.at(call, calls.id)), name, arguments: args ?? "" })
  }
}

/** Adds the results of a message. Returns their number. */
const addResults = ({ results, text, time }: Mapping.Mapping, draft: Draft.Draft, message: unknown): number => {
  const found = results ?? (text === undefined ? undefined : { text })
  if (found === undefined) return 0
  const at = Time.millisOf(Mapping.at(message, time))
  const list = listOf(message, found.list)
  for (const result of list) {
    const error = Mapping.at(result, results?.error)
    const isError =
      error === true || (typeof error === "string" && error !== "") || (typeof error === "object" && error !== null)
    const content = Mapping.at(result, found.text)
    draft.messages.push({
      role: "tool",
      callId: textOf(Mapping.at(result, results?.call)),
      text: Content.resultOf(isError && (content === undefined || content === null) ? error : content),
      ...(results?.error === undefined ? {} : { isError }),
      ...(at === undefined ? {} : { at })
    })
  }
  return list.length
}

/** Returns the items at a path, or the message itself without a path. */
const listOf = (message: unknown, path: Mapping.Path | undefined): ReadonlyArray<unknown> => {
  if (path === undefined) return [message]
  const list = Content.parsed(Mapping.at(message, path))
  return Array.isArray(list) ? list : nothing
}

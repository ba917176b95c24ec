/**
 * Reads JSON lines of any form by a mapping (`Mapping`): a message per line, or a list of messages per line.
 *
 * **Details**
 *
 * - Messages with the same conversation id form a conversation, in the order of the file. Without an id, the messages of
 *   a line with a list form a conversation, and otherwise those of the file.
 * - Consecutive calls that are messages themselves form one answer of the model, unless they have their results.
 * - A call and its result can be one item: a message, or an item of a list. Such a result needs no id.
 * - A conversation is closed at the end of the file, or when the window of open conversations is full.
 */
import * as ChatLog from "#kit/traffic/ChatLog"
import * as Content from "#kit/traffic/Content"
import type { RecordedCall, RecordedMessage } from "#kit/traffic/Conversation"
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
  if (mapping.role === undefined && mapping.calls?.list === undefined) {
    if (textOf(Mapping.at(message, mapping.calls?.name)) === "") return Draft.skip(draft, "it has no name of a tool")
  }
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

/**
 * Adds an answer of the model, with the results that are in the same message. Consecutive messages that are calls
 * themselves become one answer.
 */
const addAnswer = (mapping: Mapping.Mapping, draft: Draft.Draft, message: unknown, content: unknown): void => {
  const { calls, results } = mapping
  if (calls === undefined || calls.list !== undefined) delete draft.answer
  Draft.extendAnswer(draft, Content.textOf(content))
  const made = calls === undefined ? nothing : callsOf(mapping, calls, draft, message)
  for (const { call } of made) Draft.extendAnswer(draft, "", call)
  if (results === undefined) return
  const at = Time.millisOf(Mapping.at(message, mapping.time))
  if (hasOwnResults(mapping)) {
    for (const { call, item } of made)
      if (isResult(results, item)) draft.messages.push(resultOf(results, item, call.id, at))
  } else if (results.list !== undefined) addResults(mapping, draft, message)
  else if (made.length > 0 && !isText(mapping, results) && isResult(results, message)) {
    const id = textOf(Mapping.at(message, results.call))
    if (made.length > 1 && id === "")
      Draft.skip(draft, `it has ${made.length} calls, and a result without the id of its call`)
    else draft.messages.push(resultOf(results, message, id || made[0]!.call.id, at)) // there is a call
  }
}

/** True if a call and its result are the same item: the message, or an item of one list. */
const hasOwnResults = (mapping: Mapping.Mapping): boolean => {
  const { calls, results } = mapping
  if (calls === undefined || results === undefined || !isSame(calls.list, results.list)) return false
  return results.list !== undefined || !isText(mapping, results)
}

/** True if the text of a result has the path of the text of any message, so that it does not say which one is a result. */
const isText = ({ text }: Mapping.Mapping, results: Mapping.Results): boolean =>
  results.list === undefined && isSame(text, results.text)

const isSame = (one: Mapping.Path | undefined, other: Mapping.Path | undefined): boolean =>
  one === other || (one?.length === other?.length && one?.every((step, index) => step === other?.[index]) === true)

interface MappedCall {
  readonly call: RecordedCall
  readonly item: unknown
}

/** Returns the number of calls of the last message, to which the next call may be added. */
const callCountOf = ({ messages }: Draft.Draft): number => {
  const last = messages.at(-1)
  return last?.role === "assistant" ? last.calls.length : 0
}

/** Returns the calls of a message. A call with its own result has an id even if the log has none. */
const callsOf = (
  mapping: Mapping.Mapping,
  calls: Mapping.Calls,
  draft: Draft.Draft,
  message: unknown
): ReadonlyArray<MappedCall> =>
  listOf(message, calls.list).flatMap((item, index) => {
    const name = textOf(Mapping.at(item, calls.name))
    if (name === "" && calls.list === undefined) return []
    const own = hasOwnResults(mapping) ? `${draft.messages.length}.${callCountOf(draft) + index + 1}` : ""
    const id = textOf(Mapping.at(item, calls.id)) || own
    return [{ call: { id, name, arguments: Mapping.at(item, calls.arguments) ?? "" }, item }]
  })

/** Adds the results of a message. Returns their number. */
const addResults = ({ results, text, time }: Mapping.Mapping, draft: Draft.Draft, message: unknown): number => {
  const found = results ?? (text === undefined ? undefined : { text })
  if (found === undefined) return 0
  const at = Time.millisOf(Mapping.at(message, time))
  const list = listOf(message, found.list)
  for (const item of list) draft.messages.push(resultOf(found, item, textOf(Mapping.at(item, found.call)), at))
  return list.length
}

const isError = (error: unknown): boolean =>
  error === true || (typeof error === "string" && error !== "") || (typeof error === "object" && error !== null)

/** True if an item has a result: its text, even if it is null, or an error. */
const isResult = (results: Mapping.Results, item: unknown): boolean =>
  Mapping.at(item, results.text) !== undefined || isError(Mapping.at(item, results.error))

const resultOf = (results: Mapping.Results, item: unknown, callId: string, at: number | undefined): RecordedMessage => {
  const content = Mapping.at(item, results.text)
  const error = Mapping.at(item, results.error)
  const hasFailed = isError(error)
  return {
    role: "tool",
    callId,
    text: Content.resultOf(hasFailed && (content === undefined || content === null) ? error : content),
    ...(results.error === undefined ? {} : { isError: hasFailed }),
    ...(at === undefined ? {} : { at })
  }
}

/** Returns the items at a path, or the message itself without a path. */
const listOf = (message: unknown, path: Mapping.Path | undefined): ReadonlyArray<unknown> => {
  if (path === undefined) return [message]
  const list = Content.parsed(Mapping.at(message, path))
  return Array.isArray(list) ? list : nothing
}

/**
 * Reads Anthropic messages: `tool_use` and `tool_result` blocks, `is_error`, `system`, tools with `input_schema`, and the
 * response with its `stop_reason`.
 *
 * **Gotchas**
 *
 * Tools that the provider runs itself (`server_tool_use` and its results) never pass a guard, so they do not count as calls.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as ChatLog from "#kit/traffic/ChatLog"
import * as Content from "#kit/traffic/Content"
import type { RecordedCall, RecordedMessage } from "#kit/traffic/Conversation"
import * as Draft from "#kit/traffic/Draft"
import type { Reader } from "#kit/traffic/Reader"

/** Creates the dialect of the format. */
export const dialect = (): ChatLog.Dialect => ({
  name: "anthropic",
  instructions: ({ system }) => (system === undefined || system === null ? undefined : Content.textOf(system)),
  add,
  answer: (draft, response) => {
    if (response["content"] === undefined) return
    const usage = usageOf(response["usage"])
    draft.messages.push(assistantOf(response["content"], response["stop_reason"], usage))
  }
})

/** Reads Anthropic messages and request logs. */
export const reader = (): Reader => ChatLog.reader(dialect())

/** Adds a message. Returns false if it has another format. */
const add = (draft: Draft.Draft, fields: JsonObject): boolean => {
  const { content, role } = fields
  switch (role) {
    case "user":
      if (isForeign(fields)) return false
      addUser(draft, content)
      return true
    case "assistant":
      if (isForeign(fields)) return false
      draft.messages.push(assistantOf(content, fields["stop_reason"], undefined))
      return true
    case "system":
      draft.messages.push({ role: "system", text: Content.textOf(content) })
      return true
    case "tool":
    case "function":
      return false
    default:
      Draft.skipRole(draft, role)
      return true
  }
}

/**
 * Returns true if a message has fields of another format: Anthropic puts calls and results into blocks of the content.
 * Some programs repeat these calls in `tool_calls`.
 */
const isForeign = ({ content, parts, tool_calls: listed, toolInvocations }: JsonObject): boolean =>
  (Array.isArray(listed) && listed.length > callsOf(content).length) ||
  Array.isArray(parts) ||
  Array.isArray(toolInvocations) ||
  Content.partsOf(content).some(({ type }) => type === "tool-call")

/** Adds the contents of a user message: its results in order, then its text. */
export const addUser = (draft: Draft.Draft, content: unknown, at?: number): void => {
  let results = 0
  for (const { content: result, is_error: isError, tool_use_id: id, type } of Content.partsOf(content)) {
    if (type !== "tool_result") continue
    results += 1
    draft.messages.push({
      role: "tool",
      callId: Fields.string(id),
      text: Content.resultOf(result),
      ...(typeof isError === "boolean" ? { isError } : {}),
      ...(at === undefined ? {} : { at })
    })
  }
  const isOwn = (block: unknown) => Fields.of(block)["type"] !== "tool_result"
  const own = results === 0 ? content : Array.isArray(content) ? content.filter(isOwn) : ""
  const message = Content.user(own)
  if (message.text !== "" || results === 0) draft.messages.push(message)
}

/** Returns the calls in the content of an assistant message. */
export const callsOf = (content: unknown): ReadonlyArray<RecordedCall> => {
  const calls: Array<RecordedCall> = []
  for (const { id, input, name, type } of Content.partsOf(content)) {
    if (type === "tool_use") calls.push({ id: Fields.string(id), name: Fields.string(name), arguments: input ?? "" })
  }
  return calls
}

/** Returns the tokens of a response. Tokens read from or written to a cache count as input. */
export const usageOf = (usage: unknown): { readonly input: number; readonly output: number } | undefined => {
  const fields = Fields.of(usage)
  const input = Fields.count(fields["input_tokens"])
  const output = Fields.count(fields["output_tokens"])
  if (input === undefined || output === undefined) return undefined
  const cached = Fields.count(fields["cache_read_input_tokens"]) ?? 0
  return { input: input + cached + (Fields.count(fields["cache_creation_input_tokens"]) ?? 0), output }
}

const assistantOf = (
  content: unknown,
  stop: unknown,
  usage: { readonly input: number; readonly output: number } | undefined
): RecordedMessage => ({
  role: "assistant",
  text: Content.textOf(content),
  calls: callsOf(content),
  ...(stop === "max_tokens" || stop === "model_context_window_exceeded" ? { isCut: true } : {}),
  ...(usage === undefined ? {} : { usage })
})

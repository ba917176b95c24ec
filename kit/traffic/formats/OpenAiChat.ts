/**
 * Reads OpenAI chat messages in current and older forms: `tool_calls` and the role `tool`; `function_call`, the role `function` and
 * `functions`; `custom` tools; content as parts; the role `developer`; arguments that a log contains in parsed form;
 * `{"function": "name", "args": {…}}`, as some programs write a call.
 *
 * The messages of Rig are read too: its calls and results are parts of the content (`RigParts`).
 *
 * Only the first of several `choices` is read.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as ChatRequest from "effect-toolguard/internal/domain/transcript/ChatRequest"
import * as RigParts from "effect-toolguard/internal/domain/transcript/RigParts"
import * as ChatLog from "#kit/traffic/ChatLog"
import * as Content from "#kit/traffic/Content"
import type { RecordedCall, RecordedMessage } from "#kit/traffic/Conversation"
import * as Draft from "#kit/traffic/Draft"
import type { Reader } from "#kit/traffic/Reader"

/** Creates the dialect of the format. */
export const dialect = (): ChatLog.Dialect => ({
  name: "openai",
  instructions: ChatRequest.preambleOf,
  add,
  answer: (draft, response) => {
    const [choice] = Fields.list(response["choices"])
    const { finish_reason: finish, message } = choice ?? {}
    if (typeof message !== "object" || message === null) return
    draft.messages.push(assistantOf(draft, Fields.of(message), finish, usageOf(response["usage"])))
  }
})

/** Reads OpenAI chat messages and request logs. */
export const reader = (): Reader => ChatLog.reader(dialect())

/** Adds a message. Returns false if it has another format. */
export const add = (draft: Draft.Draft, fields: JsonObject): boolean => {
  const { content, role } = fields
  if (typeof content !== "string" && isForeign(fields, content)) return false
  switch (role) {
    case "assistant":
      if (fields["toolInvocations"] !== undefined) return false
      draft.messages.push(assistantOf(draft, fields, fields["finish_reason"], undefined))
      return true
    case "tool":
    case "function":
      draft.messages.push(resultOf(fields, content))
      return true
    case "user":
      if (typeof fields["tool_call_id"] === "string") draft.messages.push(resultOf(fields, content))
      else addUser(draft, content)
      return true
    default:
      Draft.addInstructions(draft, role, content)
      return true
  }
}

/** Adds a user message: the results of Rig's form in order, then the text. */
const addUser = (draft: Draft.Draft, content: unknown): void => {
  const results = Content.partsOf(content).filter(RigParts.isResult)
  for (const part of results) {
    draft.messages.push({
      role: "tool",
      callId: RigParts.resultIds(part).id,
      text: Content.resultOf(isJsonObject(part["content"]) ? [part["content"]] : part["content"])
    })
  }
  const list: ReadonlyArray<unknown> = Array.isArray(content) ? content : [content]
  const message = Content.user(
    results.length === 0 ? content : list.filter((part) => !RigParts.isResult(Fields.of(part)))
  )
  if (message.text !== "" || results.length === 0) draft.messages.push(message)
}

/**
 * Returns true if a message has fields of another format: OpenAI does not put calls and results into parts of the
 * content. Some programs keep such parts beside `tool_calls`, which repeat them.
 */
const isForeign = (message: JsonObject, content: unknown): boolean => {
  if (Array.isArray(message["parts"])) return true
  const { role, tool_calls: listed } = message
  // an object in a message of the role `tool` is the result itself
  const parts = role === "tool" ? Fields.list(content) : Content.partsOf(content)
  const foreign = parts.filter(({ type }) => foreignParts.has(type))
  const isRepeated = foreign.every(({ type }) => type === "tool_use" || type === "tool-call")
  return foreign.length > (isRepeated && Array.isArray(listed) ? listed.length : 0)
}

const foreignParts: ReadonlySet<unknown> = new Set(["tool_use", "tool_result", "tool-call", "tool-result"])

type Usage = { readonly input: number; readonly output: number }

const usageOf = (usage: unknown): Usage | undefined => {
  const { completion_tokens, prompt_tokens } = Fields.of(usage)
  const input = Fields.count(prompt_tokens)
  const output = Fields.count(completion_tokens)
  return input === undefined || output === undefined ? undefined : { input, output }
}

const assistantOf = (
  draft: Draft.Draft,
  message: JsonObject,
  finish: unknown,
  usage: Usage | undefined
): RecordedMessage => {
  const { content, refusal } = message
  const text = typeof content === "string" ? content : Content.textOf(content) || Fields.string(refusal)
  const calls = callsOf(draft, message)
  if (finish !== "length" && usage === undefined) return { role: "assistant", text, calls }
  return {
    role: "assistant",
    text,
    calls,
    ...(finish === "length" ? { isCut: true } : {}),
    ...(usage === undefined ? {} : { usage })
  }
}

/** Returns the calls of a message. */
export const callsOf = (draft: Draft.Draft, message: JsonObject): ReadonlyArray<RecordedCall> => {
  const { content, function_call: old, tool_calls: listed } = message
  if (Array.isArray(listed)) return listedCallsOf(draft, listed)
  if (typeof old === "object" && old !== null) return [callOf("", Fields.of(old))]
  return Content.partsOf(content).filter(RigParts.isCall).map(rigCallOf)
}

const listedCallsOf = (draft: Draft.Draft, listed: ReadonlyArray<unknown>): ReadonlyArray<RecordedCall> => {
  const calls: Array<RecordedCall> = []
  for (const entry of listed) {
    if (typeof entry !== "object" || entry === null) {
      Draft.skip(draft, "one of its calls is not an object")
      continue
    }
    const fields = Fields.of(entry)
    const { custom, function: called, id } = fields
    // some programs write the name in place of the object
    const isName = typeof called === "string"
    calls.push(callOf(id, isName ? { ...fields, name: called } : Fields.of(called ?? custom ?? fields)))
  }
  return calls
}

const rigCallOf = (part: JsonObject): RecordedCall =>
  callOf(Fields.string(part["id"]) || part["call_id"], Fields.of(part["function"]))

const callOf = (id: unknown, called: JsonObject): RecordedCall => {
  const { name } = called
  return {
    id: typeof id === "string" ? id : "",
    name: typeof name === "string" ? name : "",
    arguments: called["arguments"] ?? called["input"] ?? called["args"] ?? ""
  }
}

const resultOf = (message: JsonObject, content: unknown): RecordedMessage => {
  const { is_error: isError, tool_call_id: id } = message
  const callId = typeof id === "string" ? id : ""
  const text = typeof content === "string" ? content : Content.resultOf(content)
  return typeof isError === "boolean" ? { role: "tool", callId, text, isError } : { role: "tool", callId, text }
}

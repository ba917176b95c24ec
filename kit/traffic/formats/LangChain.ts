/**
 * Reads dumps of LangChain: the messages of `messages_to_dict` (`{"type": "ai", "data": {…}}`), the constructor form of
 * `dumpd` (`{"lc": 1, "type": "constructor", "id": […, "AIMessage"], "kwargs": {…}}`), and messages with plain fields,
 * as LangGraph's server writes them. A line or document holds a list of messages, or an object with `messages`.
 *
 * **Details**
 *
 * - Calls are in `tool_calls`, in `invalid_tool_calls` if their arguments are not JSON, and in older dumps in
 *   `additional_kwargs` in OpenAI's form.
 * - The status `error` of a tool message marks an error.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as ChatRequest from "effect-toolguard/internal/domain/transcript/ChatRequest"
import * as ChatLog from "#kit/traffic/ChatLog"
import * as Content from "#kit/traffic/Content"
import type { RecordedCall } from "#kit/traffic/Conversation"
import * as Draft from "#kit/traffic/Draft"
import type { Reader } from "#kit/traffic/Reader"
import * as Shape from "#kit/traffic/Shape"
import { usageOf } from "./AnthropicMessages.ts"
import * as OpenAiChat from "./OpenAiChat.ts"
import { isLength } from "./OtlpParts.ts"

/** Creates the dialect of the format. */
export const dialect = (): ChatLog.Dialect => ({
  name: "langchain",
  messagesOf,
  add,
  answer: (draft, response) => {
    const message = answerOf(response)
    if (message !== undefined) add(draft, message)
  }
})

/** Reads lists of messages, states of LangGraph, and requests with their answers. */
export const reader = (): Reader => ChatLog.reader(dialect())

/** Returns the messages of an object; the first list of a batch. */
const messagesOf = (line: JsonObject): ReadonlyArray<unknown> | undefined => {
  const messages = ChatRequest.messagesOf(line) ?? Fields.of(line["values"])["messages"]
  const [first] = Array.isArray(messages) ? messages : []
  return Array.isArray(first) ? first : Array.isArray(messages) ? messages : undefined
}

/** Returns the answer in a response: a message, or the first of its generations. */
const answerOf = (response: JsonObject): JsonObject | undefined => {
  if (Shape.isLangChainMessage(response)) return response
  const { generations, message } = response
  const [batch] = Array.isArray(generations) ? generations : []
  const [generation] = Fields.list(Array.isArray(batch) ? batch : [batch])
  const found = message ?? generation?.["message"] ?? Fields.of(generation?.["kwargs"])["message"]
  return isJsonObject(found) ? found : undefined
}

/** Adds a message. Returns false if it has another format. */
const add = (draft: Draft.Draft, message: JsonObject): boolean => {
  if (!Shape.isLangChainMessage(message)) return message["parts"] === undefined && OpenAiChat.add(draft, message)
  const { fields, type } = opened(message)
  const { content, role } = fields
  const speaker = type === "chat" ? role : type
  switch (speaker) {
    case "human":
    case "user":
      draft.messages.push(Content.user(content))
      return true
    case "ai":
    case "assistant":
      addAnswer(draft, fields)
      return true
    case "tool":
    case "function":
      draft.messages.push({
        role: "tool",
        callId: Fields.string(fields["tool_call_id"]),
        text: Content.resultOf(content),
        ...(typeof fields["status"] === "string" ? { isError: fields["status"] === "error" } : {})
      })
      return true
    default:
      Draft.addInstructions(draft, speaker, content)
      return true
  }
}

/** Returns the fields of a message, and its type in lower case: `ai`, `human` …. */
const opened = (message: JsonObject): { readonly type: string; readonly fields: JsonObject } => {
  const { data, id, kwargs, lc } = message
  const name = lc === 1 && Array.isArray(id) ? id.at(-1) : message["type"]
  const fields = lc === 1 ? kwargs : isJsonObject(data) ? data : message
  return {
    type: Fields.string(name)
      .replace(/Message(?:Chunk)?$/u, "")
      .toLowerCase(),
    fields: Fields.of(fields)
  }
}

const addAnswer = (draft: Draft.Draft, fields: JsonObject): void => {
  const { additional_kwargs: older, content, invalid_tool_calls: invalid, tool_calls: listed } = fields
  const calls = [...Fields.list(listed), ...Fields.list(invalid)].map(callOf)
  const {
    finish_reason: finish,
    finishReason = finish,
    stop_reason: stop = finishReason
  } = Fields.of(fields["response_metadata"])
  const usage = usageOf(fields["usage_metadata"])
  draft.messages.push({
    role: "assistant",
    text: Content.textOf(content),
    calls: calls.length > 0 ? calls : OpenAiChat.callsOf(draft, Fields.of(older)),
    ...(isLength(stop) ? { isCut: true } : {}),
    ...(usage === undefined ? {} : { usage })
  })
}

const callOf = ({ args, id, name }: JsonObject): RecordedCall => ({
  id: Fields.string(id),
  name: Fields.string(name),
  arguments: args ?? ""
})

/**
 * Reads requests and responses of Gemini: `contents` with the parts `functionCall` and `functionResponse`, `candidates`,
 * `tools` with `functionDeclarations`. The names in snake case of the Python SDK are read too.
 *
 * **Details**
 *
 * - Calls without an id are identified by their name: the responses of a name belong to its calls in order.
 * - A response that is only `{"error": …}` is an error; `{"result": …}` and `{"output": …}` are unwrapped.
 * - Only the first of several `candidates` is read.
 *
 * **Gotchas**
 *
 * Code that the provider runs itself (`executableCode`) never passes a guard, so it does not count as a call.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as ChatLog from "#kit/traffic/ChatLog"
import * as Content from "#kit/traffic/Content"
import type { RecordedCall, RecordedMessage } from "#kit/traffic/Conversation"
import * as Draft from "#kit/traffic/Draft"
import * as FieldCase from "#kit/traffic/FieldCase"
import type { Reader } from "#kit/traffic/Reader"
import * as Declarations from "./GeminiDeclarations.ts"
import { isLength } from "./OtlpParts.ts"

/** Creates the dialect of the format. */
export const dialect = (): ChatLog.Dialect => ({
  name: "gemini",
  messagesOf: contentsOf,
  responseOf: (line) => {
    const response = Fields.of(line["response"])
    const inner = Array.isArray(response["candidates"]) ? response : Fields.of(response["body"])
    return Array.isArray(inner["candidates"]) ? inner : Array.isArray(line["candidates"]) ? line : {}
  },
  toolsOf: (request) => Declarations.of(request["tools"] ?? Fields.of(request["config"])["tools"]),
  instructions: (request) => {
    const config = Fields.of(request["config"])
    const found = FieldCase.either(request, "systemInstruction") ?? FieldCase.either(config, "systemInstruction")
    return Content.textOf(Fields.of(found)["parts"] ?? found) || undefined
  },
  add,
  answer: (draft, response) => {
    const [candidate] = Fields.list(response["candidates"])
    if (candidate === undefined) return
    const usage = usageOf(Fields.of(FieldCase.either(response, "usageMetadata")))
    draft.messages.push({
      ...assistantOf(partsOf(Fields.of(candidate["content"]))),
      ...(isLength(FieldCase.either(candidate, "finishReason")) ? { isCut: true } : {}),
      ...(usage === undefined ? {} : { usage })
    })
  }
})

/** Reads lists of contents, requests and responses. */
export const reader = (): Reader => ChatLog.reader(dialect())

/** Returns the contents of a request, which may be one text or one content. A response without its request has none. */
const contentsOf = ({ candidates, contents, messages = contents }: JsonObject): ReadonlyArray<unknown> | undefined => {
  if (messages === undefined || messages === null) return candidates === undefined ? undefined : []
  const list: ReadonlyArray<unknown> = Array.isArray(messages) ? messages : [messages]
  return list.map((one) => (typeof one === "string" ? { role: "user", parts: [{ text: one }] } : one))
}

const partsOf = ({ parts }: JsonObject): ReadonlyArray<JsonObject> =>
  Fields.list(Array.isArray(parts) ? parts : [parts])

/** Adds a content. Returns false if it has another format. */
const add = (draft: Draft.Draft, content: JsonObject): boolean => {
  const { parts, role } = content
  if (content["content"] !== undefined || content["tool_calls"] !== undefined) return false
  if (parts === undefined && role === undefined) {
    Draft.skip(draft, "it has neither a role nor parts")
    return true
  }
  const list = partsOf(content)
  if (list.some(({ type }) => type !== undefined)) return false
  switch (role) {
    case "model":
      draft.messages.push(assistantOf(list))
      return true
    case undefined:
    case "user":
    case "function":
    case "tool":
      addUser(draft, list)
      return true
    case "system":
      draft.messages.push({ role, text: Content.textOf(list) })
      return true
    default:
      Draft.skipRole(draft, role)
      return true
  }
}

const assistantOf = (parts: ReadonlyArray<JsonObject>): Extract<RecordedMessage, { role: "assistant" }> => ({
  role: "assistant",
  text: Content.textOf(parts.filter(({ thought }) => thought !== true)),
  calls: parts.flatMap((part): ReadonlyArray<RecordedCall> => {
    const call = FieldCase.either(part, "functionCall")
    if (call === undefined || call === null) return []
    const { args, id, name } = Fields.of(call)
    return [{ id: Fields.string(id) || Fields.string(name), name: Fields.string(name), arguments: args ?? {} }]
  })
})

/** Adds the results of a content in order, then its text. */
const addUser = (draft: Draft.Draft, parts: ReadonlyArray<JsonObject>): void => {
  const others: Array<JsonObject> = []
  for (const part of parts) {
    const response = FieldCase.either(part, "functionResponse")
    if (response === undefined || response === null) others.push(part)
    else draft.messages.push(resultOf(Fields.of(response)))
  }
  const message = Content.user(others)
  if (message.text !== "" || others.length === parts.length) draft.messages.push(message)
}

const resultOf = ({ id, name, response }: JsonObject): RecordedMessage => {
  const [only = "", ...others] = Object.keys(Fields.of(response))
  const isWrapped = others.length === 0 && (only === "error" || only === "result" || only === "output")
  return {
    role: "tool",
    callId: Fields.string(id) || Fields.string(name),
    text: Content.resultOf(isWrapped ? Fields.of(response)[only] : response),
    ...(isWrapped && only === "error" ? { isError: true } : {})
  }
}

const usageOf = (usage: JsonObject): { readonly input: number; readonly output: number } | undefined => {
  const input = Fields.count(FieldCase.either(usage, "promptTokenCount"))
  if (input === undefined) return undefined
  const answered = Fields.count(FieldCase.either(usage, "candidatesTokenCount")) ?? 0
  return { input, output: answered + (Fields.count(FieldCase.either(usage, "thoughtsTokenCount")) ?? 0) }
}

/**
 * Reads logs in the chat completions format, current and legacy, and in Rig's format (`RigParts`).
 *
 * - Results are recognised in messages of the role `tool` or `function`, in user messages with a `tool_call_id`, and as
 *   `tool_result` or `toolresult` parts. Calls are recognised in `tool_calls`, `function_call`, and parts of the content.
 * - The names of authors are kept in the options of their messages (`MessageOptions`).
 * - The images of an `images` list become parts of their message. Images of a system message become a user message
 *   after it, because a system message is only a text.
 * - A part of an unknown type becomes a text with its JSON. An invalid entry of an `images` list is left out.
 *   `Transcript.repair` reports both, and moved images.
 * - Reading never fails, regardless of the log. `Transcript.repair` corrects damaged conversations afterwards.
 * - Argument texts are kept byte for byte.
 */
import * as Prompt from "effect/ai/Prompt"
import * as CallArguments from "./CallArguments.ts"
import * as ChatRequest from "./ChatRequest.ts"
import * as ChatParts from "./ChatParts.ts"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import * as LogDraft from "./LogDraft.ts"
import * as MessageOptions from "./MessageOptions.ts"
import * as RigParts from "./RigParts.ts"

const call = (id: unknown, name: unknown, args: unknown): Prompt.ToolCallPart => {
  const { options, params } = CallArguments.read(args === undefined || args === null ? "" : CallArguments.textOf(args))
  return Prompt.toolCallPart({
    id: Fields.string(id),
    name: Fields.string(name),
    params,
    options,
    providerExecuted: false
  })
}

/** Removes empty texts, and joins consecutive texts with line breaks. */
const joined = (parts: ReadonlyArray<Prompt.AssistantMessagePart>): ReadonlyArray<Prompt.AssistantMessagePart> => {
  const out: Array<Prompt.AssistantMessagePart> = []
  for (const part of parts) {
    const last = out.at(-1)
    if (part.type === "text" && part.text === "") continue
    if (part.type !== "text" || last?.type !== "text") out.push(part)
    else out.splice(-1, 1, Prompt.textPart({ text: `${last.text}\n${part.text}` }))
  }
  return out
}

/** Reads a part of an assistant's content that is not a result. */
const assistantPart = (part: JsonObject): ReadonlyArray<Prompt.AssistantMessagePart> => {
  if (part["type"] === "tool_use") return [call(part["id"], part["name"], part["input"])]
  if (RigParts.isCall(part)) return [RigParts.call(part)]
  const thoughts = ChatParts.reasoning(part)
  return thoughts.length > 0 ? thoughts : [ChatParts.read(part)]
}

const assistantParts = (
  message: JsonObject,
  parts: ReadonlyArray<JsonObject>
): ReadonlyArray<Prompt.AssistantMessagePart> => {
  const reasoning = Fields.string(message["reasoning_content"]) || Fields.string(message["reasoning"])
  const spoken = Fields.string(Fields.of(message["audio"])["transcript"])
  const texts = [Fields.string(message["refusal"]), spoken].filter((text) => text !== "")
  return [
    ...(reasoning === "" ? [] : [Prompt.reasoningPart({ text: reasoning })]),
    ...joined(parts.flatMap(assistantPart)),
    ...texts.map((text) => Prompt.textPart({ text })),
    ...ChatParts.images(message),
    ...listedCalls(message)
  ]
}

/** Returns the calls that a message lists outside of its content. The arguments of a custom tool are a text. */
const listedCalls = (message: JsonObject): ReadonlyArray<Prompt.ToolCallPart> => {
  const legacy = Fields.of(message["function_call"])
  return [
    ...Fields.list(message["tool_calls"]).map((entry) => {
      const custom = Fields.of(entry["custom"])
      const { arguments: args = custom["input"], name = custom["name"] } = Fields.of(entry["function"])
      return call(entry["id"], name, args)
    }),
    ...(typeof legacy["name"] === "string" ? [call("", legacy["name"], legacy["arguments"])] : [])
  ]
}

const isCall = (part: JsonObject): boolean => part["type"] === "tool_use" || RigParts.isCall(part)
const isResult = (part: JsonObject): boolean => part["type"] === "tool_result" || RigParts.isResult(part)

/** Reads the content of a result: its text, and its parts if some are files. */
const resultOf = (content: unknown, images: ReadonlyArray<ChatParts.Content> = []) => {
  const parts = [...ChatParts.result(content), ...images]
  const result = ChatParts.textOf(parts)
  return parts.some(({ type }) => type === "file") ? { result, modelOutput: parts } : { result }
}

/** Reads a result in the content of a message. */
const resultPart = (part: JsonObject): LogDraft.Result =>
  RigParts.isResult(part)
    ? { ...RigParts.resultIds(part), isFailure: false, ...resultOf(part["content"]) }
    : { id: Fields.string(part["tool_use_id"]), isFailure: part["is_error"] === true, ...resultOf(part["content"]) }

const leftOut = (message: JsonObject): ReadonlyArray<MessageOptions.Note> =>
  ChatParts.imagesLeftOut(message) ? ["ImageLeftOut"] : []

/** Returns the notes on the reading of a message, which the next repair reports. */
const notesOf = (message: JsonObject, parts: ReadonlyArray<JsonObject>): ReadonlyArray<MessageOptions.Note> => [
  ...(ChatParts.images(message).length > 0 ? (["ImagesMoved"] as const) : []),
  ...leftOut(message),
  ...(parts.some((part) => !isCall(part) && ChatParts.reasoning(part).length === 0 && ChatParts.isUnknown(part))
    ? (["PartKeptAsText"] as const)
    : [])
]

/** The text before the files of a system message, which are in a user message after it. */
const systemFilesText = "[Files of the system message:]"

const addSystem = (draft: LogDraft.Draft, message: JsonObject, parts: ReadonlyArray<JsonObject>): void => {
  const contents = [...parts.map(ChatParts.read), ...ChatParts.images(message)]
  const files = contents.filter(({ type }) => type === "file")
  const name = Fields.string(message["name"])
  const kept = notesOf(message, parts).filter((note) => note !== "ImagesMoved")
  draft.add(Prompt.systemMessage({ content: ChatParts.textOf(contents), options: MessageOptions.make(name, kept) }))
  if (files.length === 0) return
  const content = [Prompt.textPart({ text: systemFilesText }), ...files]
  draft.add(Prompt.userMessage({ content, options: MessageOptions.make("", ["ImagesMoved"]) }))
}

/** Adds a message in the chat completions format. */
export const add = (draft: LogDraft.Draft, message: JsonObject): void => {
  const { content, role } = message
  const name = Fields.string(message["name"])
  if (role === "tool" || role === "function" || typeof message["tool_call_id"] === "string") {
    const id = Fields.string(message["tool_call_id"])
    const found = resultOf(content, ChatParts.images(message))
    draft.addResult({ id, name, isFailure: message["is_error"] === true, ...found }, leftOut(message))
    return
  }
  const parts = ChatParts.list(content)
  if (role === "system" || role === "developer") return addSystem(draft, message, parts)
  const results = parts.filter(isResult)
  const own = parts.filter((part) => !isResult(part))
  const options = MessageOptions.make(name, notesOf(message, own))
  if (role === "assistant") {
    draft.add(Prompt.assistantMessage({ content: assistantParts(message, own), options }))
    for (const part of results) draft.addResult(resultPart(part))
    return
  }
  const rest = own.filter((part) => !isCall(part))
  const said = rest.flatMap((part) => (ChatParts.reasoning(part).length > 0 ? [] : [ChatParts.read(part)]))
  const contents = [...said, ...ChatParts.images(message)]
  const hasMessage = contents.length > 0 || parts.length === 0
  const resultOptions = hasMessage ? [] : leftOut(message)
  for (const part of results) draft.addResult(resultPart(part), resultOptions)
  if (hasMessage) draft.add(Prompt.userMessage({ content: contents, options }))
  // Only an assistant calls tools and thinks, regardless of the role in the log.
  const misplaced = [
    ...own.flatMap((part) => (isCall(part) || ChatParts.reasoning(part).length > 0 ? assistantPart(part) : [])),
    ...listedCalls(message)
  ]
  if (misplaced.length > 0)
    draft.add(
      Prompt.assistantMessage({
        content: misplaced,
        options: MessageOptions.make("", results.length > 0 ? [] : resultOptions)
      })
    )
}

/**
 * Reads a conversation from chat messages, or from a request that contains them (`messages`, or Rig's `chat_history`
 * and `preamble`). Never fails.
 */
export const fromOpenAi = (
  log:
    | ReadonlyArray<unknown>
    | { readonly messages: ReadonlyArray<unknown> }
    | { readonly chat_history: ReadonlyArray<unknown>; readonly preamble?: string }
): Prompt.Prompt => {
  const draft = LogDraft.make()
  const request = Fields.of(log)
  const messages = Array.isArray(log) ? log : ChatRequest.messagesOf(request)
  const preamble = ChatRequest.preambleOf(request)
  if (preamble !== undefined) draft.add(Prompt.systemMessage({ content: preamble }))
  for (const message of LogDraft.messagesOf(messages)) add(draft, message)
  return draft.prompt()
}

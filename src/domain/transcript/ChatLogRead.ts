/**
 * Reads chat logs in the chat completions format, as it is and as older programs wrote it.
 *
 * - Results are recognised in messages of the role `tool` or `function`, in user messages with a `tool_call_id`, and
 *   as `tool_result` parts; calls in `tool_calls`, `function_call` and `tool_use` parts. Whatever else a message
 *   holds is kept as text where it is text, and left out where it is not.
 * - Total: nothing that a log holds is an error. What is damaged stays so; `Transcript.repair` mends it.
 * - Argument texts are kept byte for byte.
 */
import * as Prompt from "effect/ai/Prompt"
import * as CallArguments from "./CallArguments.ts"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import * as LogDraft from "./LogDraft.ts"

/** What a part says: its text, or why a model refused. */
const saidBy = (part: JsonObject): string => Fields.string(part["text"]) || Fields.string(part["refusal"])

/** The text of a content that is a string, a list of parts, or nothing. */
const textOf = (content: unknown): string => {
  if (content === null || content === undefined) return ""
  if (!Array.isArray(content)) return CallArguments.textOf(content)
  return content
    .map((part) => (typeof part === "string" ? part : saidBy(Fields.of(part))))
    .filter((text) => text !== "")
    .join("\n")
}

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

const mediaTypes = /^data:([^;,]+)[;,]/u

const file = (part: JsonObject): ReadonlyArray<Prompt.FilePart> => {
  const address = Fields.string(Fields.of(part["image_url"])["url"]) || Fields.string(part["image_url"])
  if (address !== "") return [Prompt.filePart({ mediaType: mediaTypes.exec(address)?.[1] ?? "image/*", data: address })]
  const { data, format } = Fields.of(part["input_audio"])
  if (typeof data === "string") {
    return [Prompt.filePart({ mediaType: format === "mp3" ? "audio/mpeg" : "audio/wav", data })]
  }
  const { file_data, filename } = Fields.of(part["file"])
  if (typeof file_data !== "string") return []
  const mediaType = mediaTypes.exec(file_data)?.[1] ?? "application/octet-stream"
  return [Prompt.filePart({ mediaType, data: file_data, ...(filename ? { fileName: Fields.string(filename) } : {}) })]
}

/** A message that is not a result: its parts, without those that are results. */
const userParts = (content: unknown): ReadonlyArray<Prompt.UserMessagePart> =>
  Array.isArray(content)
    ? content.flatMap((told): ReadonlyArray<Prompt.UserMessagePart> => {
        const part: JsonObject = typeof told === "string" ? { text: told } : Fields.of(told)
        if (part["type"] === "tool_result" || part["type"] === "tool_use") return []
        const text = part["text"] ?? part["refusal"]
        return typeof text === "string" ? [Prompt.textPart({ text })] : file(part)
      })
    : [Prompt.textPart({ text: textOf(content) })]

const assistantParts = (message: JsonObject): ReadonlyArray<Prompt.AssistantMessagePart> => {
  const reasoning = Fields.string(message["reasoning_content"]) || Fields.string(message["reasoning"])
  const texts = [textOf(message["content"]), Fields.string(message["refusal"])].filter((text) => text !== "")
  return [
    ...(reasoning === "" ? [] : [Prompt.reasoningPart({ text: reasoning })]),
    ...texts.map((text) => Prompt.textPart({ text })),
    ...calls(message)
  ]
}

/** The calls of a message, in whatever shape; those of a custom tool have a text for arguments. */
const calls = (message: JsonObject): ReadonlyArray<Prompt.ToolCallPart> => {
  const old = Fields.of(message["function_call"])
  return [
    ...Fields.list(message["tool_calls"]).map((entry) => {
      const custom = Fields.of(entry["custom"])
      const { arguments: args = custom["input"], name = custom["name"] } = Fields.of(entry["function"])
      return call(entry["id"], name, args)
    }),
    ...Fields.list(message["content"]).flatMap((part) =>
      part["type"] === "tool_use" ? [call(part["id"], part["name"], part["input"])] : []
    ),
    ...(typeof old["name"] === "string" ? [call("", old["name"], old["arguments"])] : [])
  ]
}

/** Adds a message in the chat completions format. */
export const add = (draft: LogDraft.Draft, message: JsonObject): void => {
  const { content, role } = message
  if (role === "tool" || role === "function" || typeof message["tool_call_id"] === "string") {
    const id = Fields.string(message["tool_call_id"])
    const name = Fields.string(message["name"])
    draft.addResult({ id, name, isFailure: message["is_error"] === true, result: textOf(content) })
    return
  }
  if (role === "assistant") {
    draft.add(Prompt.assistantMessage({ content: assistantParts(message) }))
    return
  }
  if (role === "system" || role === "developer") {
    draft.add(Prompt.systemMessage({ content: textOf(content) }))
    return
  }
  for (const part of Fields.list(content)) {
    if (part["type"] !== "tool_result") continue
    const id = Fields.string(part["tool_use_id"])
    draft.addResult({ id, isFailure: part["is_error"] === true, result: textOf(part["content"]) })
  }
  const parts = userParts(content)
  if (parts.length > 0 || !Array.isArray(content) || content.length === 0) {
    draft.add(Prompt.userMessage({ content: parts }))
  }
  // calls are an assistant's, whatever role the log gave them
  const strange = calls(message)
  if (strange.length > 0) draft.add(Prompt.assistantMessage({ content: strange }))
}

/** Reads chat messages, or a request that holds them, into a conversation. */
export const fromOpenAi = (
  log: ReadonlyArray<unknown> | { readonly messages: ReadonlyArray<unknown> }
): Prompt.Prompt => {
  const draft = LogDraft.make()
  const messages = Array.isArray(log) ? log : Fields.of(log)["messages"]
  for (const message of LogDraft.messagesOf(messages)) add(draft, message)
  return draft.prompt()
}

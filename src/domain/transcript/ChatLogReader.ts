/**
 * Reads logs in the chat completions format, current and legacy.
 *
 * - Results are recognised in messages of the role `tool` or `function`, in user messages with a `tool_call_id`, and as
 *   `tool_result` parts. Calls are recognised in `tool_calls`, `function_call` and `tool_use` parts.
 * - Texts and files are kept. Other content is left out.
 * - Reading never fails, whatever the log contains. `Transcript.repair` corrects damaged conversations afterwards.
 * - Argument texts are kept byte for byte.
 */
import * as Prompt from "effect/ai/Prompt"
import * as CallArguments from "./CallArguments.ts"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import * as LogDraft from "./LogDraft.ts"

/** Returns the text of a part, or of a model's refusal. */
const partText = (part: JsonObject): string => Fields.string(part["text"]) || Fields.string(part["refusal"])

/** Returns the text of a content, which is a string, a list of parts, or absent. */
const textOf = (content: unknown): string => {
  if (content === null || content === undefined) return ""
  if (!Array.isArray(content)) return CallArguments.textOf(content)
  return content
    .map((part) => (typeof part === "string" ? part : partText(Fields.of(part))))
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

/** Returns the texts and files of a user message. */
const userParts = (content: unknown): ReadonlyArray<Prompt.UserMessagePart> =>
  Array.isArray(content)
    ? content.flatMap((entry): ReadonlyArray<Prompt.UserMessagePart> => {
        const part: JsonObject = typeof entry === "string" ? { text: entry } : Fields.of(entry)
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

/** Returns the calls of a message, in any supported form. The arguments of a custom tool are a text. */
const calls = (message: JsonObject): ReadonlyArray<Prompt.ToolCallPart> => {
  const legacy = Fields.of(message["function_call"])
  return [
    ...Fields.list(message["tool_calls"]).map((entry) => {
      const custom = Fields.of(entry["custom"])
      const { arguments: args = custom["input"], name = custom["name"] } = Fields.of(entry["function"])
      return call(entry["id"], name, args)
    }),
    ...Fields.list(message["content"]).flatMap((part) =>
      part["type"] === "tool_use" ? [call(part["id"], part["name"], part["input"])] : []
    ),
    ...(typeof legacy["name"] === "string" ? [call("", legacy["name"], legacy["arguments"])] : [])
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
  // Only an assistant calls tools, whatever role the log states.
  const misplaced = calls(message)
  if (misplaced.length > 0) draft.add(Prompt.assistantMessage({ content: misplaced }))
}

/** Reads a conversation from chat messages, or from a request that contains them. Never fails. */
export const fromOpenAi = (
  log: ReadonlyArray<unknown> | { readonly messages: ReadonlyArray<unknown> }
): Prompt.Prompt => {
  const draft = LogDraft.make()
  const messages = Array.isArray(log) ? log : Fields.of(log)["messages"]
  for (const message of LogDraft.messagesOf(messages)) add(draft, message)
  return draft.prompt()
}

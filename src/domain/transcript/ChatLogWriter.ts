/**
 * Writes a conversation as chat completions messages, for the API and for logs.
 *
 * - A text result is written verbatim, any other value as JSON. A tool message cannot contain images or files, so the
 *   envelope names each image and file with its link.
 * - Arguments are written byte for byte as the model wrote them, if that text was kept.
 * - Files of an assistant message follow it in a user message, because the API accepts them only there.
 * - Content that the format does not support is left out: reasoning, approvals, and calls that the provider ran itself.
 */
import type * as Prompt from "effect/ai/Prompt"
import * as ShownPart from "#domain/parts/ShownPart"
import * as AssistantFiles from "./AssistantFiles.ts"
import * as CallArguments from "./CallArguments.ts"
import type * as Chat from "./ChatMessage.ts"
import * as FileAddress from "./FileAddress.ts"
import * as MessageOptions from "./MessageOptions.ts"

const text = (content: string): Chat.ContentPart => ({ type: "text", text: content })

const audioFormats: ReadonlyMap<string, "wav" | "mp3"> = new Map([
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"]
])

const file = (part: Prompt.FilePart): Chat.ContentPart => {
  const { data, fileName, mediaType } = part
  const address = FileAddress.url(part)
  if (mediaType.startsWith("image/")) return { type: "image_url", image_url: { url: address } }
  if (!address.startsWith("data:")) return text(`[${mediaType} ${address}]`)
  if (mediaType.startsWith("text/") && data instanceof Uint8Array) return text(new TextDecoder().decode(data))
  const format = audioFormats.get(mediaType)
  if (format !== undefined) {
    return { type: "input_audio", input_audio: { data: address.slice(address.indexOf(",") + 1), format } }
  }
  return { type: "file", file: { filename: fileName ?? "file", file_data: address } }
}

/** Writes a user message. Content that is only text becomes a string, because some servers reject a list of parts. */
const user = (content: ReadonlyArray<Prompt.UserMessagePart>): Chat.UserMessage => {
  const parts = content.map((part) => (part.type === "text" ? text(part.text) : file(part)))
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
  return { role: "user", content: texts.length === parts.length ? texts.join("\n") : parts }
}

const assistant = (content: ReadonlyArray<Prompt.AssistantMessagePart>): Chat.AssistantMessage => {
  const calls = content.flatMap((part): ReadonlyArray<Chat.ToolCall> =>
    part.type === "tool-call" && !part.providerExecuted
      ? [{ id: part.id, type: "function", function: { name: part.name, arguments: CallArguments.write(part) } }]
      : []
  )
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []))
  const message = { role: "assistant", content: texts.length === 0 ? null : texts.join("") } as const
  return calls.length === 0 ? message : { ...message, tool_calls: calls }
}

const result = (part: Prompt.ToolResultPart): Chat.ToolMessage => ({
  role: "tool",
  tool_call_id: part.id,
  content: part.modelOutput ? ShownPart.asText(part.modelOutput) : CallArguments.textOf(part.result)
})

/** Adds the name of the author. */
const named = <M extends Chat.ChatMessage>(written: M, message: Prompt.Message): M => {
  const name = MessageOptions.nameOf(message)
  return name === "" ? written : { ...written, name }
}

/** Writes a conversation as chat messages without repairing it. Call `repair` before you send a conversation. */
export const toOpenAi = (prompt: Prompt.Prompt): ReadonlyArray<Chat.ChatMessage> =>
  AssistantFiles.move(prompt.content).flatMap((message): ReadonlyArray<Chat.ChatMessage> => {
    switch (message.role) {
      case "system":
        return [named({ role: "system", content: message.content }, message)]
      case "user":
        return [named(user(message.content), message)]
      case "assistant":
        return [named(assistant(message.content), message)]
      case "tool":
        return message.content.flatMap((part) => (part.type === "tool-result" ? [result(part)] : []))
    }
  })

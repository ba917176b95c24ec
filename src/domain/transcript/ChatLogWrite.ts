/**
 * Writes a conversation as chat completions messages, for the wire and for chat logs.
 *
 * - A result that is text goes verbatim, any other as JSON. Further parts (images, files) do not fit into a tool
 *   message: its envelope says what they are, with the link under which each can be read.
 * - Arguments are the text that the model wrote, byte for byte where it is known.
 * - Reasoning, approvals and what the provider ran itself have no place in the format and are left out.
 */
import * as Base64 from "effect/encoding/Base64"
import type * as Prompt from "effect/ai/Prompt"
import * as ShownPart from "#domain/parts/ShownPart"
import * as CallArguments from "./CallArguments.ts"
import type * as Chat from "./ChatMessage.ts"

const text = (content: string): Chat.ContentPart => ({ type: "text", text: content })

/** The address of a file's content: its own, or a data URL that holds it. */
const url = ({ data, mediaType }: Prompt.FilePart): string => {
  if (data instanceof URL) return data.href
  if (typeof data === "string" && /^(?:https?|data):/u.test(data)) return data
  const type = mediaType === "image/*" ? "image/png" : mediaType
  return `data:${type};base64,${typeof data === "string" ? data : Base64.encode(data)}`
}

const audioFormats: ReadonlyMap<string, "wav" | "mp3"> = new Map([
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"]
])

const file = (part: Prompt.FilePart): Chat.ContentPart => {
  const { data, fileName, mediaType } = part
  const address = url(part)
  if (mediaType.startsWith("image/")) return { type: "image_url", image_url: { url: address } }
  if (!address.startsWith("data:")) return text(`[${mediaType} ${address}]`)
  if (mediaType.startsWith("text/") && data instanceof Uint8Array) return text(new TextDecoder().decode(data))
  const format = audioFormats.get(mediaType)
  if (format !== undefined) {
    return { type: "input_audio", input_audio: { data: address.slice(address.indexOf(",") + 1), format } }
  }
  return { type: "file", file: { filename: fileName ?? "file", file_data: address } }
}

/** Text alone goes as a string: some servers take no list of parts. */
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

/** Writes a conversation as chat completions messages. Damage stays damage: repair first what is to be sent. */
export const toOpenAi = (prompt: Prompt.Prompt): ReadonlyArray<Chat.ChatMessage> =>
  prompt.content.flatMap((message): ReadonlyArray<Chat.ChatMessage> => {
    switch (message.role) {
      case "system":
        return [{ role: "system", content: message.content }]
      case "user":
        return [user(message.content)]
      case "assistant":
        return [assistant(message.content)]
      case "tool":
        return message.content.flatMap((part) => (part.type === "tool-result" ? [result(part)] : []))
    }
  })

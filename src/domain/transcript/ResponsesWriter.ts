/**
 * Writes a conversation as items of OpenAI's Responses API, for the API and for logs.
 *
 * - Reasoning, ids, phases, annotations and items of other types that were kept on reading are written back unchanged.
 *   Texts of one message with the same id are one item.
 * - A text result is written verbatim, any other value as JSON. Images and files of a result become parts of its output.
 * - Arguments are written byte for byte as the model wrote them, if that text was kept.
 * - Files of an assistant message follow it in a user message, because the API accepts them only there.
 * - Content that the format does not support is left out: reasoning of other providers, names of authors, approvals,
 *   and calls that another provider ran. Audio, and images of other types than PNG, JPEG, GIF and WebP, become notes.
 */
import * as Prompt from "effect/ai/Prompt"
import * as Fields from "#domain/json/Fields"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as ShownPart from "#domain/parts/ShownPart"
import * as AssistantFiles from "./AssistantFiles.ts"
import * as CallArguments from "./CallArguments.ts"
import * as FileAddress from "./FileAddress.ts"
import * as ResponsesFields from "./ResponsesFields.ts"
import type * as Responses from "./ResponsesItem.ts"

const inputText = (text: string): Responses.InputText => ({ type: "input_text", text })

const imageTypes = /^(?:\*|png|jpe?g|gif|webp)$/iu

const details = ["low", "high", "original"] as const

const detailOf = ({ options }: Prompt.FilePart): Responses.InputImage["detail"] => {
  const { detail } = ResponsesFields.of(options)
  return details.find((each) => each === detail) ?? "auto"
}

const file = (part: Prompt.FilePart): Responses.InputContent => {
  const { data, fileName, mediaType } = part
  const address = FileAddress.url(part)
  const [kind, subtype = ""] = mediaType.split("/")
  if (kind === "image" && imageTypes.test(subtype)) {
    return { type: "input_image", image_url: address, detail: detailOf(part) }
  }
  const name = fileName === undefined ? {} : { filename: fileName }
  if (/^https?:/iu.test(address) && kind !== "audio") return { type: "input_file", file_url: address, ...name }
  if (!address.startsWith("data:")) return inputText(`[${mediaType} ${address}]`)
  if (kind === "text" && data instanceof Uint8Array) return inputText(new TextDecoder().decode(data))
  if (kind === "image" || kind === "audio" || kind === "video") {
    return inputText(
      ShownPart.hasLink(part) ? JSON.stringify(ShownPart.noteIn(part)) : Prompt.toolModelOutputToText([part])
    )
  }
  return { type: "input_file", filename: fileName ?? "file", file_data: address }
}

/** Returns the part from which a text was read, if its type is unknown and its text has not been changed. */
const unknownPart = ({ options, text }: Prompt.TextPart): Responses.InputContent | undefined => {
  const { part } = ResponsesFields.of(options)
  return isJsonObject(part) && CallArguments.textOf(part) === text
    ? { ...part, type: Fields.string(part["type"]) }
    : undefined
}

const content = (part: Prompt.TextPart | Prompt.FilePart): Responses.InputContent =>
  part.type === "file" ? file(part) : (unknownPart(part) ?? inputText(part.text))

const user = (parts: ReadonlyArray<Prompt.UserMessagePart>): Responses.InputMessage => {
  const contents = parts.map(content)
  const [only] = contents
  const isText = contents.length === 1 && only?.type === "input_text"
  return { type: "message", role: "user", content: isText ? Fields.string(Fields.of(only)["text"]) : contents }
}

const phases = ["commentary", "final_answer"] as const

const phaseOf = ({ phase }: JsonObject): { readonly phase?: Responses.Phase } => {
  const known = phases.find((each) => each === phase)
  return known === undefined ? {} : { phase: known }
}

const outputContent = ({ options, text }: Prompt.TextPart): Responses.OutputText | Responses.Refusal => {
  const { annotations, refusal } = ResponsesFields.of(options)
  return refusal === true
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: Fields.list(annotations) }
}

/** Writes consecutive texts that have the same id. */
const texts = (
  first: Prompt.TextPart,
  all: ReadonlyArray<Prompt.TextPart>
): Responses.OutputMessage | Responses.AssistantMessage => {
  const id = ResponsesFields.idOf(first)
  const fields = ResponsesFields.of(first.options)
  const role = "assistant"
  if (id === "") return { type: "message", role, content: first.text, ...phaseOf(fields) }
  const status = fields["status"] === "incomplete" ? "incomplete" : "completed"
  return { type: "message", id, role, status, content: all.map(outputContent), ...phaseOf(fields) }
}

/** The fields of a call's item that are written back. */
const callFields: ReadonlySet<string> = new Set(["id", "status", "namespace", "caller", "async"])

const call = (part: Prompt.ToolCallPart): Responses.FunctionCall | Responses.CustomToolCall => {
  const { id: call_id, name, options } = part
  const kept = Object.fromEntries(
    Object.entries(ResponsesFields.of(options)).filter(([field]) => callFields.has(field))
  )
  const text = CallArguments.write(part)
  if (ResponsesFields.isCustom(part)) return { type: "custom_tool_call", call_id, name, input: text, ...kept }
  return { type: "function_call", call_id, name, arguments: text, ...kept }
}

const assistant = (parts: ReadonlyArray<Prompt.AssistantMessagePart>): ReadonlyArray<Responses.Item> => {
  const items: Array<Responses.Item> = []
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index]
    if (part?.type === "text") {
      const same = [part]
      const id = ResponsesFields.idOf(part)
      for (let next = parts[index + 1]; id !== "" && next?.type === "text"; next = parts[index + 1]) {
        if (ResponsesFields.idOf(next) !== id) break
        same.push(next)
        index += 1
      }
      items.push(texts(part, same))
    } else if (part?.type === "tool-call" && !part.providerExecuted) {
      items.push(call(part))
    } else if (part?.type === "reasoning") {
      const item = ResponsesFields.itemOf(part)
      if (item !== undefined) items.push(item)
    }
  }
  return items
}

/** Writes a conversation without repairing it. Call `repairForResponses` before you send a conversation. */
export const toResponses = (prompt: Prompt.Prompt): ReadonlyArray<Responses.Item> => {
  const custom = new Set<string>()
  const result = (part: Prompt.ToolResultPart): Responses.CallOutput => ({
    type: custom.has(part.id) ? "custom_tool_call_output" : "function_call_output",
    call_id: part.id,
    output: part.modelOutput === undefined ? CallArguments.textOf(part.result) : part.modelOutput.map(content)
  })
  return AssistantFiles.move(prompt.content).flatMap((message): ReadonlyArray<Responses.Item> => {
    switch (message.role) {
      case "system":
        return [{ type: "message", role: "system", content: message.content }]
      case "user":
        return [user(message.content)]
      case "assistant":
        for (const part of message.content) {
          if (part.type === "tool-call" && ResponsesFields.isCustom(part)) custom.add(part.id)
        }
        return assistant(message.content)
      case "tool":
        return message.content.flatMap((part) => (part.type === "tool-result" ? [result(part)] : []))
    }
  })
}

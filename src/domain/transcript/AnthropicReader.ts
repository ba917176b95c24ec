/**
 * Reads conversations in Anthropic's messages format, current and legacy.
 *
 * - `tool_use` and `tool_result` blocks become calls and results; `thinking` becomes reasoning with its signature.
 * - In a user message, results come before the other content. Calls in a user message move to an assistant message
 *   after it. Calls that the provider ran itself stay in the assistant message.
 * - Blocks of other types are kept as text parts that describe them and contain them (`AnthropicFields`).
 * - Messages of other formats (`tool_calls`, `function_call`, `images`, calls and results of Rig, the roles `tool`,
 *   `function`, `system` and `developer`) are read as chat completions.
 * - Prompts of the text completions API are split at `\n\nHuman:` and `\n\nAssistant:`. Calls written as text are
 *   recognised (`TextCalls`).
 * - Reading never fails, regardless of the log. `Transcript.repair` corrects damaged conversations afterwards.
 */
import * as Prompt from "effect/ai/Prompt"
import * as AnthropicFields from "./AnthropicFields.ts"
import * as AnthropicFile from "./AnthropicFile.ts"
import * as CallArguments from "./CallArguments.ts"
import * as ChatLogReader from "./ChatLogReader.ts"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import * as LogDraft from "./LogDraft.ts"
import * as MessageOptions from "./MessageOptions.ts"
import * as RigParts from "./RigParts.ts"
import * as TextCalls from "./TextCalls.ts"

/** Returns the content of a message as blocks. A text becomes one block. */
const blocksOf = (content: unknown): ReadonlyArray<JsonObject> => {
  if (content === undefined || content === null) return []
  if (!Array.isArray(content)) return [{ type: "text", text: CallArguments.textOf(content) }]
  return content.map((block) => (typeof block === "string" ? { type: "text", text: block } : Fields.of(block)))
}

const isText = (block: JsonObject): boolean =>
  (block["type"] === "text" || block["type"] === undefined) && typeof block["text"] === "string"

const text = (block: JsonObject): Prompt.TextPart =>
  Prompt.textPart({ text: Fields.string(block["text"]), options: AnthropicFields.keep(block, "text") })

/** Block types that are valid only in an assistant message, or only at the top level of a message. */
const structural = /^(?:thinking|redacted_thinking|.*tool_use|.*tool_result)$/u

const isStructural = ({ type }: JsonObject): boolean => structural.test(Fields.string(type))

/** Reads a text, an image or a document. Keeps a block of an unknown type; a damaged block becomes its text. */
const content = (block: JsonObject): Prompt.TextPart | Prompt.FilePart => {
  if (isText(block)) return text(block)
  if (isStructural(block) || Fields.string(block["type"]) === "") return AnthropicFields.toText(block)
  if (block["type"] !== "image" && block["type"] !== "document") return AnthropicFields.unknown(block)
  const isReference = ["file", "content"].includes(Fields.string(Fields.of(block["source"])["type"]))
  return AnthropicFile.read(block) ?? (isReference ? AnthropicFields.unknown(block) : AnthropicFields.toText(block))
}

const isResult = (block: JsonObject): boolean => block["type"] === "tool_result"

const resultOf = (block: JsonObject): LogDraft.Result => {
  const output = block["content"]
  const parts = Array.isArray(output) ? blocksOf(output).map(content) : undefined
  return {
    id: Fields.string(block["tool_use_id"]),
    isFailure: block["is_error"] === true,
    result: parts === undefined ? textOf(output) : Prompt.toolModelOutputToText(parts),
    ...(parts === undefined ? {} : { modelOutput: parts }),
    options: AnthropicFields.keep(block, "tool_use_id", "is_error", "content")
  }
}

const textOf = (value: unknown): string => (value === undefined || value === null ? "" : CallArguments.textOf(value))

/** Calls and results of tools that the provider runs: `server_tool_use`, `web_search_tool_result`, `mcp_tool_use` … */
const providerCall = /_tool_use$/u
const providerResult = /_tool_result$/u

/** Reads a block of an assistant message. */
const assistantPart = (block: JsonObject): Prompt.AssistantMessagePart => {
  const kind = Fields.string(block["type"])
  if (kind === "thinking") {
    return Prompt.reasoningPart({
      text: Fields.string(block["thinking"]),
      options: AnthropicFields.keepKind(block, "thinking")
    })
  }
  if (kind === "redacted_thinking") {
    return Prompt.reasoningPart({ text: "", options: AnthropicFields.keepKind(block) })
  }
  if (kind === "tool_use") {
    return Prompt.toolCallPart({
      id: Fields.string(block["id"]),
      name: Fields.string(block["name"]),
      params: CallArguments.fromObject(block["input"]),
      options: AnthropicFields.keep(block, "id", "name", "input"),
      providerExecuted: false
    })
  }
  if (isResult(block)) {
    return Prompt.toolResultPart({ ...resultOf(block), name: LogDraft.unknownName, providerExecuted: false })
  }
  if (providerCall.test(kind)) {
    return Prompt.toolCallPart({
      id: Fields.string(block["id"]),
      name: Fields.string(block["name"]),
      params: block["input"] ?? {},
      options: AnthropicFields.keepKind(block, "id", "name", "input"),
      providerExecuted: true
    })
  }
  if (providerResult.test(kind)) {
    const found = block["content"] ?? null
    return Prompt.toolResultPart({
      id: Fields.string(block["tool_use_id"]),
      name: kind.replace(providerResult, ""),
      isFailure: block["is_error"] === true || Fields.string(Fields.of(found)["type"]).endsWith("_error"),
      result: found,
      options: AnthropicFields.keepKind(block, "tool_use_id", "content"),
      providerExecuted: true
    })
  }
  return content(block)
}

/** True if a message is in the chat completions format, or in Rig's. */
const isForeign = (message: JsonObject): boolean =>
  ["system", "developer", "tool", "function"].includes(Fields.string(message["role"])) ||
  Array.isArray(message["tool_calls"]) ||
  Fields.of(message["function_call"])["name"] !== undefined ||
  typeof message["tool_call_id"] === "string" ||
  Array.isArray(message["images"]) ||
  Fields.list(message["content"]).some((part) => RigParts.isCall(part) || RigParts.isResult(part))

const add = (draft: LogDraft.Draft, message: JsonObject): void => {
  if (isForeign(message)) return ChatLogReader.add(draft, message)
  const blocks = blocksOf(message["content"])
  const options = MessageOptions.make(Fields.string(message["name"]))
  if (message["role"] === "assistant") {
    draft.add(Prompt.assistantMessage({ content: blocks.map(assistantPart), options }))
    return
  }
  const results = blocks.filter(isResult)
  for (const block of results) draft.addResult(resultOf(block))
  const misplaced = blocks.filter((block) => !isResult(block) && isStructural(block))
  const rest = blocks.filter((block) => !isStructural(block)).map(content)
  if (rest.length > 0 || blocks.length === 0) draft.add(Prompt.userMessage({ content: rest, options }))
  // Only an assistant calls tools and thinks, regardless of the role in the log.
  if (misplaced.length > 0) draft.add(Prompt.assistantMessage({ content: misplaced.map(assistantPart) }))
}

const beforeSpeaker = /\n\n(?=(?:Human|Assistant):)/u

/** Adds the messages of a text completion's prompt. The text before the first message is the system text. */
const addCompletion = (draft: LogDraft.Draft, prompt: string): void => {
  const [before = "", ...turns] = `\n\n${prompt.trimStart()}`.split(beforeSpeaker)
  const system = before.trim()
  if (system !== "") draft.add(Prompt.systemMessage({ content: system }))
  for (const [index, turn] of turns.entries()) {
    const isHuman = turn.startsWith("Human")
    const text = turn.slice(turn.indexOf(":") + 1).trim()
    // The last message is empty, because the model was asked to complete it.
    if (!isHuman && text === "" && index === turns.length - 1) continue
    const content = [Prompt.textPart({ text })]
    draft.add(isHuman ? Prompt.userMessage({ content }) : Prompt.assistantMessage({ content }))
  }
}

/** A request to the messages API or the legacy text completions API, or a list of messages. */
export type Log =
  | ReadonlyArray<unknown>
  | { readonly system?: unknown; readonly messages: ReadonlyArray<unknown> }
  | { readonly prompt: string; readonly completion?: string }

/** Reads a conversation from a request or from its messages. Never fails. */
export const fromAnthropic = (log: Log): Prompt.Prompt => {
  const draft = LogDraft.make()
  const whole: unknown = typeof log === "string" ? { prompt: log } : log
  const fields: JsonObject = Array.isArray(whole) ? { messages: whole } : Fields.of(whole)
  for (const block of blocksOf(fields["system"])) {
    const options = AnthropicFields.keep(block, "text")
    draft.add(Prompt.systemMessage({ content: Fields.string(block["text"]), options }))
  }
  if (typeof fields["prompt"] === "string") addCompletion(draft, fields["prompt"] + Fields.string(fields["completion"]))
  for (const message of LogDraft.messagesOf(fields["messages"])) add(draft, message)
  return TextCalls.read(draft.prompt())
}

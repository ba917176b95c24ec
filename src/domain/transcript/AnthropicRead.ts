/**
 * Reads conversations in Anthropic's messages format, as it is and as older programs wrote it.
 *
 * - `tool_use` and `tool_result` blocks become calls and results, `thinking` reasoning with its signature. Results stand
 *   before what else a user message holds, and calls in it become an assistant's, behind it. Calls that the provider ran itself stay in the assistant message.
 * - Blocks of other kinds are kept whole, as text that says what they are (`AnthropicFields`).
 * - Messages of other shapes (`tool_calls`, `function_call`, the roles `tool`, `function` and `system`) are read as chat
 *   completions, a text of `\n\nHuman:` and `\n\nAssistant:` turns as such, and calls that stand in texts as calls.
 * - Total: nothing that a log holds is an error. What is damaged stays so; `Transcript.repair` mends it.
 */
import * as Prompt from "effect/ai/Prompt"
import * as AnthropicFields from "./AnthropicFields.ts"
import * as AnthropicFile from "./AnthropicFile.ts"
import * as CallArguments from "./CallArguments.ts"
import * as ChatLogRead from "./ChatLogRead.ts"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import * as LogDraft from "./LogDraft.ts"
import * as WrittenCalls from "./WrittenCalls.ts"

/** The blocks of a content; a text is one block. */
const blocksOf = (content: unknown): ReadonlyArray<JsonObject> => {
  if (content === undefined || content === null) return []
  if (!Array.isArray(content)) return [{ type: "text", text: CallArguments.textOf(content) }]
  return content.map((block) => (typeof block === "string" ? { type: "text", text: block } : Fields.of(block)))
}

const isText = (block: JsonObject): boolean =>
  (block["type"] === "text" || block["type"] === undefined) && typeof block["text"] === "string"

const text = (block: JsonObject): Prompt.TextPart =>
  Prompt.textPart({ text: Fields.string(block["text"]), options: AnthropicFields.keep(block, "text") })

/** Kinds that only an assistant says, or only stand directly in a message. */
const structural = /^(?:thinking|redacted_thinking|.*tool_use|.*tool_result)$/u

const isStructural = ({ type }: JsonObject): boolean => structural.test(Fields.string(type))

/** A text, an image, a document, or a block that is kept whole; one that no API would take says what it is. */
const content = (block: JsonObject): Prompt.TextPart | Prompt.FilePart => {
  if (isText(block)) return text(block)
  if (isStructural(block) || Fields.string(block["type"]) === "") return AnthropicFields.said(block)
  if (block["type"] !== "image" && block["type"] !== "document") return AnthropicFields.unknown(block)
  const elsewhere = ["file", "content"].includes(Fields.string(Fields.of(block["source"])["type"]))
  return AnthropicFile.read(block) ?? (elsewhere ? AnthropicFields.unknown(block) : AnthropicFields.said(block))
}

const isResult = (block: JsonObject): boolean => block["type"] === "tool_result"

const resultOf = (block: JsonObject): LogDraft.Result => {
  const told = block["content"]
  const parts = Array.isArray(told) ? blocksOf(told).map(content) : undefined
  return {
    id: Fields.string(block["tool_use_id"]),
    isFailure: block["is_error"] === true,
    result: parts === undefined ? textOf(told) : Prompt.toolModelOutputToText(parts),
    ...(parts === undefined ? {} : { modelOutput: parts }),
    options: AnthropicFields.keep(block, "tool_use_id", "is_error", "content")
  }
}

const textOf = (value: unknown): string => (value === undefined || value === null ? "" : CallArguments.textOf(value))

/** Calls and results of tools that the provider runs: `server_tool_use`, `web_search_tool_result`, `mcp_tool_use` … */
const ownCall = /_tool_use$/u
const ownResult = /_tool_result$/u

/** The part that a block of an assistant message becomes. */
export const assistantPart = (block: JsonObject): Prompt.AssistantMessagePart => {
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
  if (ownCall.test(kind)) {
    return Prompt.toolCallPart({
      id: Fields.string(block["id"]),
      name: Fields.string(block["name"]),
      params: block["input"] ?? {},
      options: AnthropicFields.keepKind(block, "id", "name", "input"),
      providerExecuted: true
    })
  }
  if (ownResult.test(kind)) {
    const found = block["content"] ?? null
    return Prompt.toolResultPart({
      id: Fields.string(block["tool_use_id"]),
      name: kind.replace(ownResult, ""),
      isFailure: block["is_error"] === true || Fields.string(Fields.of(found)["type"]).endsWith("_error"),
      result: found,
      options: AnthropicFields.keepKind(block, "tool_use_id", "content"),
      providerExecuted: true
    })
  }
  return content(block)
}

/** Whether a message is one of chat completions. */
const isForeign = (message: JsonObject): boolean =>
  ["system", "developer", "tool", "function"].includes(Fields.string(message["role"])) ||
  Array.isArray(message["tool_calls"]) ||
  Fields.of(message["function_call"])["name"] !== undefined ||
  typeof message["tool_call_id"] === "string"

const add = (draft: LogDraft.Draft, message: JsonObject): void => {
  if (isForeign(message)) return ChatLogRead.add(draft, message)
  const blocks = blocksOf(message["content"])
  if (message["role"] === "assistant") {
    draft.add(Prompt.assistantMessage({ content: blocks.map(assistantPart) }))
    return
  }
  const results = blocks.filter(isResult)
  for (const block of results) draft.addResult(resultOf(block))
  const strange = blocks.filter((block) => !isResult(block) && isStructural(block))
  const rest = blocks.filter((block) => !isStructural(block)).map(content)
  if (rest.length > 0 || blocks.length === 0) draft.add(Prompt.userMessage({ content: rest }))
  // calls and thinking are an assistant's, whatever role the log gave them
  if (strange.length > 0) draft.add(Prompt.assistantMessage({ content: strange.map(assistantPart) }))
}

const turn = /\n\n(Human|Assistant):/u

/** Adds the turns of a text completion's prompt; what stands before the first is the system text. */
const addTurns = (draft: LogDraft.Draft, prompt: string): void => {
  const [before = "", ...rest] = `\n\n${prompt.trimStart()}`.split(turn)
  if (before.trim() !== "") draft.add(Prompt.systemMessage({ content: before.trim() }))
  for (let index = 0; index < rest.length; index += 2) {
    const said = [Prompt.textPart({ text: (rest[index + 1] ?? "").trim() })]
    const isHuman = rest[index] === "Human"
    // the open turn at the end, which the model was to fill
    if (!isHuman && index + 2 >= rest.length && said[0]?.text === "") continue
    draft.add(isHuman ? Prompt.userMessage({ content: said }) : Prompt.assistantMessage({ content: said }))
  }
}

/** A request of the messages API or of the older text completions, or its messages alone. */
export type Log =
  | ReadonlyArray<unknown>
  | { readonly system?: unknown; readonly messages: ReadonlyArray<unknown> }
  | { readonly prompt: string; readonly completion?: string }

/** Reads a conversation: a whole request, or its messages. */
export const fromAnthropic = (log: Log): Prompt.Prompt => {
  const draft = LogDraft.make()
  const whole: unknown = typeof log === "string" ? { prompt: log } : log
  const fields: JsonObject = Array.isArray(whole) ? { messages: whole } : Fields.of(whole)
  for (const block of blocksOf(fields["system"])) {
    const options = AnthropicFields.keep(block, "text")
    draft.add(Prompt.systemMessage({ content: Fields.string(block["text"]), options }))
  }
  if (typeof fields["prompt"] === "string") addTurns(draft, fields["prompt"] + Fields.string(fields["completion"]))
  for (const message of LogDraft.messagesOf(fields["messages"])) add(draft, message)
  return WrittenCalls.read(draft.prompt())
}

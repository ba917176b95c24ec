/**
 * Writes a conversation in Anthropic's messages format, for the API and for logs.
 *
 * - System messages are written separately, wherever they are in the conversation.
 * - Adjacent messages of one role are merged, and results come first in a user message. Roles therefore alternate, and
 *   the message after a `tool_use` contains its result.
 * - A text result is written verbatim, any other value as JSON. Images and documents of a result become blocks in the
 *   result.
 * - Files of an assistant message follow it in a user message, because the API accepts them only there.
 * - Fields that were kept on reading (`cache_control`, signatures) and blocks of unknown types are written back.
 * - Content that the format does not support is left out: `citations` of a user's text, reasoning without a signature,
 *   names of authors, approvals, and calls that another provider ran.
 */
import type * as Prompt from "effect/ai/Prompt"
import * as AnthropicFields from "./AnthropicFields.ts"
import * as AnthropicFile from "./AnthropicFile.ts"
import type * as Anthropic from "./AnthropicMessage.ts"
import * as AssistantFiles from "./AssistantFiles.ts"
import * as CallArguments from "./CallArguments.ts"
import * as Fields from "#domain/json/Fields"

const text = (part: Prompt.TextPart): Anthropic.Block =>
  AnthropicFields.blockOf(part) ?? { type: "text", text: part.text, ...AnthropicFields.apiFields(part.options) }

/** Writes a block of a user message, without `citations`, which newer versions of the API reject there. */
const content = (part: Prompt.TextPart | Prompt.FilePart): Anthropic.Block => {
  if (part.type === "file") return AnthropicFile.write(part)
  // Every block has string keys, and is still valid without `citations`.
  const { citations: _, ...block } = text(part) as Anthropic.OtherBlock
  return block as Anthropic.Block
}

const reasoning = (part: Prompt.ReasoningPart): ReadonlyArray<Anthropic.Block> => {
  const block = AnthropicFields.blockOf(part)
  if (block !== undefined) return [block]
  const seal = AnthropicFields.seal(part.options)
  if (seal === undefined) return []
  if ("redacted" in seal) return [{ type: "redacted_thinking", data: seal.redacted }]
  return [{ type: "thinking", thinking: part.text, signature: seal.signature }]
}

/** Returns the block type of a call that Anthropic ran, or of its result. Empty if another provider ran the call. */
export const blockTypeOf = ({ options }: Prompt.ToolCallPart | Prompt.ToolResultPart): string =>
  Fields.string(AnthropicFields.extraFields(options)["type"])

const call = (part: Prompt.ToolCallPart): ReadonlyArray<Anthropic.Block> => {
  const { id, name, options, params, providerExecuted } = part
  const fields = AnthropicFields.apiFields(options)
  if (!providerExecuted) return [{ type: "tool_use", id, name, input: CallArguments.toObject(part), ...fields }]
  const kind = blockTypeOf(part)
  return kind === "" ? [] : [{ type: kind, id, name, input: params, ...fields }]
}

const providerResult = (part: Prompt.ToolResultPart): ReadonlyArray<Anthropic.Block> => {
  const kind = blockTypeOf(part)
  if (kind === "") return []
  const { id, options, result } = part
  return [{ type: kind, tool_use_id: id, content: result, ...AnthropicFields.apiFields(options) }]
}

const result = (part: Prompt.ToolResultPart): Anthropic.ToolResultBlock => ({
  type: "tool_result",
  tool_use_id: part.id,
  content: part.modelOutput === undefined ? CallArguments.textOf(part.result) : part.modelOutput.map(content),
  ...(part.isFailure ? { is_error: true } : {}),
  ...AnthropicFields.apiFields(part.options)
})

const assistant = (part: Prompt.AssistantMessagePart): ReadonlyArray<Anthropic.Block> => {
  switch (part.type) {
    case "text":
      return [text(part)]
    case "reasoning":
      return reasoning(part)
    case "tool-call":
      return call(part)
    case "tool-result":
      return providerResult(part)
    case "file": // moved to a user message
    case "tool-approval-request":
      return []
  }
}

/** The blocks of adjacent messages of one role. */
interface Blocks {
  readonly role: "user" | "assistant"
  readonly blocks: ReadonlyArray<Anthropic.Block>
}

const blocksOf = (message: Prompt.UserMessage | Prompt.AssistantMessage | Prompt.ToolMessage): Blocks => {
  switch (message.role) {
    case "user":
      return { role: "user", blocks: message.content.map(content) }
    case "assistant":
      return { role: "assistant", blocks: message.content.flatMap(assistant) }
    case "tool": {
      const blocks = message.content.flatMap((part) => (part.type === "tool-result" ? [result(part)] : []))
      return { role: "user", blocks }
    }
  }
}

/** Writes the additional fields of a message into its last block, because the API has no such fields for messages. */
const withMessageFields = (written: Blocks, options: Prompt.ProviderOptions): Blocks => {
  const last = written.blocks.at(-1)
  if (last === undefined) return written
  const withFields = { ...AnthropicFields.apiFields(options), ...last }
  return { role: written.role, blocks: [...written.blocks.slice(0, -1), withFields] }
}

const isResult = ({ type }: Anthropic.Block): boolean => type === "tool_result"

const messageOf = ({ blocks, role }: Blocks): Anthropic.Message => {
  const [only] = blocks
  const isPlain = blocks.length === 1 && only?.type === "text" && Object.keys(only).length === 2
  if (isPlain) return { role, content: Fields.string(Fields.of(only)["text"]) }
  return { role, content: [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))] }
}

const systemOf = (messages: ReadonlyArray<Prompt.Message>): Pick<Anthropic.History, "system"> => {
  const blocks = messages.flatMap((message) =>
    message.role === "system"
      ? [{ type: "text" as const, text: message.content, ...AnthropicFields.apiFields(message.options) }]
      : []
  )
  const [first, second] = blocks
  if (first === undefined) return {}
  return { system: second === undefined && Object.keys(first).length === 2 ? first.text : blocks }
}

/** Writes a conversation without repairing it. Call `repairForAnthropic` before you send a conversation. */
export const toAnthropic = ({ content: messages }: Prompt.Prompt): Anthropic.History => {
  const all: Array<Blocks> = []
  for (const message of AssistantFiles.move(messages)) {
    if (message.role === "system") continue
    const written = withMessageFields(blocksOf(message), message.options)
    const { blocks, role } = written
    const last = all.at(-1)
    if (blocks.length === 0) continue
    if (last?.role === role) all.pop()
    all.push(last?.role === role ? { role, blocks: [...last.blocks, ...blocks] } : written)
  }
  return { ...systemOf(messages), messages: all.map(messageOf) }
}

/**
 * Makes the repairs that only Anthropic's messages API requires [9.4]. The rules of the API are:
 *
 * - A text must not be only white space, and an assistant message that is the last message must not end with white space. A failed result
 *   must have a text.
 * - Ids and tool names consist of letters, digits, `_` and `-`.
 * - Reasoning has a signature. A call that another provider ran cannot be sent.
 * - System messages come first, followed by a user message.
 */
import * as Prompt from "effect/ai/Prompt"
import * as AnthropicFields from "./AnthropicFields.ts"
import { blockTypeOf } from "./AnthropicWriter.ts"
import * as CallNames from "./CallNames.ts"
import type { Change } from "./Change.ts"

/** The text of the user message that is added to a conversation that does not start with a user message. */
const firstUserText = "(the conversation begins)"

/** The text for a failed result without a text. */
const noResultText = "(no message)"

const rules: CallNames.Rules = { isId: (id) => /^[a-zA-Z0-9_-]*$/u.test(id), maxNameLength: 128 }

const isBlank = (text: string): boolean => text.trim() === ""

/** True for a call that another provider ran, and for its result. */
const isForeign = (part: Prompt.ToolCallPart | Prompt.ToolResultPart): boolean =>
  part.providerExecuted && blockTypeOf(part) === ""

type Part = Prompt.AssistantMessagePart | Prompt.ToolMessagePart | Prompt.UserMessagePart

/** Repairs or removes single parts. Run this function before `Transcript.repair`, which handles empty messages. */
export const repairParts = (messages: ReadonlyArray<Prompt.Message>) => {
  const changes: Array<Change> = []
  const names = CallNames.renamer(messages, rules, changes)

  const result = (part: Prompt.ToolResultPart, message: number): Prompt.ToolResultPart => {
    const { modelOutput, ...rest } = part
    const nonBlank = modelOutput?.filter((each) => each.type !== "text" || !isBlank(each.text)) ?? []
    const isSilent = part.isFailure && nonBlank.length === 0 && (modelOutput !== undefined || part.result === "")
    if (!isSilent && nonBlank.length === (modelOutput?.length ?? 0)) return part
    changes.push({ _tag: "EmptyContentRemoved", message })
    return isSilent ? { ...rest, result: noResultText } : { ...part, modelOutput: nonBlank }
  }

  const repairPart = (part: Part, message: number): ReadonlyArray<Part> => {
    switch (part.type) {
      case "text":
        return [isBlank(part.text) ? { ...part, text: "" } : part]
      case "reasoning":
        if (AnthropicFields.seal(part.options) !== undefined || AnthropicFields.blockOf(part) !== undefined)
          return [part]
        changes.push({ _tag: "PartLeftOut", message, part: "reasoning" })
        return []
      case "tool-call":
        if (!isForeign(part)) return [names.part(part, message)]
        changes.push({ _tag: "PartLeftOut", message, part: "provider call" })
        return []
      case "tool-result":
        return isForeign(part) ? [] : [names.part(result(part, message), message)]
      case "tool-approval-request":
        return [names.approval(part)]
      default:
        return [part]
    }
  }

  const repaired = CallNames.mapParts(messages, (parts, index) => parts.flatMap((part) => repairPart(part, index))).map(
    (message) => (message.role === "system" && isBlank(message.content) ? { ...message, content: "" } : message)
  )
  return { messages: repaired, changes }
}

/** Orders the messages of a repaired conversation as the API requires, and trims the end of the conversation. */
export const arrange = (repaired: Prompt.Prompt, original: Prompt.Prompt) => {
  const changes: Array<Change> = []
  const { content } = repaired
  const isSystem = ({ role }: Prompt.Message) => role === "system"
  let messages = content
  const systemFirst = [...content.filter(isSystem), ...content.filter((message) => !isSystem(message))]
  if (systemFirst.some((message, index) => message !== content[index])) {
    messages = systemFirst
    const start = original.content.findIndex((message) => !isSystem(message))
    original.content.forEach((message, index) => {
      if (message.role === "system" && index > start && !isBlank(message.content))
        changes.push({ _tag: "SystemMoved", message: index })
    })
  }
  const begin = messages.findIndex((message) => !isSystem(message))
  if (messages[begin]?.role !== "user") {
    const first = Prompt.userMessage({ content: [Prompt.textPart({ text: firstUserText })] })
    messages = messages.toSpliced(begin < 0 ? messages.length : begin, 0, first)
    changes.push({ _tag: "FirstMessageAdded", message: 0 })
  }
  const end = trimmed(messages.at(-1))
  if (end !== undefined) {
    messages = [...messages.slice(0, -1), end]
    const message = original.content.findLastIndex(({ role }) => role === "assistant")
    changes.push({ _tag: "TrailingSpaceRemoved", message })
  }
  return { messages, changes }
}

/** Returns an assistant message without its trailing white space, or undefined if nothing changes. */
const trimmed = (message: Prompt.Message | undefined): Prompt.Message | undefined => {
  if (message?.role !== "assistant") return undefined
  const last = message.content.at(-1)
  if (last?.type !== "text" || last.text.trimEnd() === last.text) return undefined
  return { ...message, content: [...message.content.slice(0, -1), { ...last, text: last.text.trimEnd() }] }
}

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
import * as CallIds from "./CallIds.ts"
import type { Change } from "./Change.ts"

/** The text of the user message that is added to a conversation that does not start with a user message. */
const firstUserText = "(the conversation begins)"

/** The text for a failed result without a text. */
const noResultText = "(no message)"

const maxNameLength = 128

const nameFor = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_-]/gu, "_").slice(0, maxNameLength) || "_"

const isId = (id: string): boolean => /^[a-zA-Z0-9_-]*$/u.test(id)

const callsIn = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Prompt.ToolCallPart> =>
  messages.flatMap((message) =>
    message.role === "assistant"
      ? message.content.filter((part) => part.type === "tool-call").filter((part) => !part.providerExecuted)
      : []
  )

/** Returns a replacement for each id that the API rejects. `Transcript.repair` replaces empty ids. */
const idsFor = (calls: ReadonlyArray<Prompt.ToolCallPart>, known: ReadonlySet<string>): ReadonlyMap<string, string> => {
  const taken = new Set(known)
  const invalid = new Set(calls.map(({ id }) => id).filter((id) => !isId(id)))
  return new Map(
    [...invalid].map((id) => {
      const next = CallIds.next(taken)
      taken.add(next)
      return [id, next]
    })
  )
}

const isBlank = (text: string): boolean => text.trim() === ""

/** True for a call that another provider ran, and for its result. */
const isForeign = (part: Prompt.ToolCallPart | Prompt.ToolResultPart): boolean =>
  part.providerExecuted && blockTypeOf(part) === ""

type Part = Prompt.AssistantMessagePart | Prompt.ToolMessagePart | Prompt.UserMessagePart

/** Repairs or removes single parts. Run this function before `Transcript.repair`, which handles empty messages. */
export const repairParts = (messages: ReadonlyArray<Prompt.Message>) => {
  const changes: Array<Change> = []
  const calls = callsIn(messages)
  const ids = idsFor(calls, CallIds.callIds(Prompt.fromMessages(messages)))
  const names = new Map(calls.map(({ name }) => [name, nameFor(name)]))

  const renamed = <P extends Prompt.ToolCallPart | Prompt.ToolResultPart>(part: P, message: number): P => {
    if (part.providerExecuted) return part
    const name = names.get(part.name) ?? part.name
    const id = ids.get(part.id) ?? part.id
    if (name === part.name && id === part.id) return part
    if (part.type === "tool-call") {
      if (name !== part.name) changes.push({ _tag: "ToolNameReplaced", message, name, was: part.name })
      if (id !== part.id) changes.push({ _tag: "CallIdReplaced", message, callId: id, was: part.id })
    }
    return { ...part, id, name }
  }

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
        if (!isForeign(part)) return [renamed(part, message)]
        changes.push({ _tag: "PartLeftOut", message, part: "provider call" })
        return []
      case "tool-result":
        return isForeign(part) ? [] : [renamed(result(part, message), message)]
      case "tool-approval-request": {
        const id = ids.get(part.toolCallId)
        return [id === undefined ? part : { ...part, toolCallId: id }]
      }
      default:
        return [part]
    }
  }

  const repaired = messages.map((message, index): Prompt.Message => {
    if (message.role === "system") return isBlank(message.content) ? { ...message, content: "" } : message
    const before = message.content as ReadonlyArray<Part>
    const after = before.flatMap((part) => repairPart(part, index))
    const isSame = after.length === before.length && after.every((part, place) => part === before[place])
    // Each part keeps its type, so it still fits its message.
    return isSame ? message : ({ ...message, content: after } as Prompt.Message)
  })
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

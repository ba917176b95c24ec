/**
 * Makes the repairs that only OpenAI's Responses API requires [9.4]. The rules of the API are:
 *
 * - Reasoning has an item of this API with its encrypted content (or its text, for servers that show it), and an item of
 *   the same answer follows it.
 * - Ids of items are unique, and begin with the prefix of their type. An item whose reasoning is not sent has no id.
 * - Tool names have at most 64 letters, digits, `_` and `-`, and call ids at most 64 characters.
 * - A call that the caller must run has an output. A call that another provider ran cannot be sent.
 */
import type * as Prompt from "effect/ai/Prompt"
import * as Fields from "#domain/json/Fields"
import * as CallNames from "./CallNames.ts"
import type { Change } from "./Change.ts"
import * as ResponsesFields from "./ResponsesFields.ts"

const rules: CallNames.Rules = { isId: (id) => id.length <= 64, maxNameLength: 64 }

const prefixes = { text: "msg", "tool-call": ["fc", "ctc"], reasoning: "rs" } as const

/** Calls of the API's own tools that the caller must run. Their outputs are items that are kept, too. */
const runByCaller = /^(?:local_shell|shell|apply_patch|computer)_call$/u

type Part = Prompt.AssistantMessagePart | Prompt.ToolMessagePart | Prompt.UserMessagePart

/** True if a part is an item that can follow reasoning. */
const isItem = (part: Part): boolean =>
  (part.type === "text" && part.text !== "") || (part.type === "tool-call" && !part.providerExecuted)

/** True for reasoning that the API can read without having stored it. */
const isReadable = (item: ResponsesFields.Item): boolean =>
  Fields.string(item["id"]).startsWith(prefixes.reasoning) &&
  (Fields.string(item["encrypted_content"]) !== "" || Fields.list(item["content"]).length > 0)

const isOutput = ({ type }: ResponsesFields.Item): boolean => type.endsWith("_output")

/** Returns a function that is true for a call without its output, and for an output without its call. */
const unpaired = (messages: ReadonlyArray<Prompt.Message>): ((item: ResponsesFields.Item) => boolean) => {
  const calls = new Set<unknown>()
  const outputs = new Set<unknown>()
  for (const message of messages) {
    if (message.role !== "assistant") continue
    for (const part of message.content) {
      const item = part.type === "reasoning" ? ResponsesFields.itemOf(part) : undefined
      if (item !== undefined && runByCaller.test(item.type)) calls.add(item["call_id"])
      if (item !== undefined && isOutput(item)) outputs.add(item["call_id"])
    }
  }
  return (item) =>
    (runByCaller.test(item.type) && !outputs.has(item["call_id"])) || (isOutput(item) && !calls.has(item["call_id"]))
}

/** Repairs or removes single parts. Run this function before `Transcript.repair`, which handles results. */
export const repairParts = (messages: ReadonlyArray<Prompt.Message>) => {
  const changes: Array<Change> = []
  const names = CallNames.renamer(messages, rules, changes)
  const isUnpaired = unpaired(messages)
  const seen = new Set<string>()

  const leaveOut = (message: number, part: "reasoning" | "provider call"): ReadonlyArray<never> => {
    changes.push({ _tag: "PartLeftOut", message, part })
    return []
  }

  const repairAnswer = (parts: ReadonlyArray<Part>, message: number): ReadonlyArray<Part> => {
    // false after reasoning that was left out: items that belong to it are sent without an id, or not at all
    let hasReasoning = true
    let lastId = ""

    const withoutId = <P extends Prompt.TextPart | Prompt.ToolCallPart>(part: P): P => {
      const id = ResponsesFields.idOf(part)
      const isNext = part.type === "text" && id === lastId
      lastId = part.type === "text" ? id : ""
      if (id === "" || (isNext && seen.has(id))) return part
      const isIssued = [prefixes[part.type]].flat().some((prefix) => id.startsWith(prefix))
      if (hasReasoning && isIssued && !seen.has(id)) {
        seen.add(id)
        return part
      }
      lastId = ""
      changes.push({ _tag: "ItemIdLeftOut", message, id })
      return { ...part, options: ResponsesFields.without(part.options, "id") }
    }

    const reasoning = (part: Prompt.ReasoningPart, isFollowed: boolean): ReadonlyArray<Part> => {
      lastId = ""
      const item = ResponsesFields.itemOf(part)
      const id = Fields.string(item?.["id"])
      const isFirst = id === "" || !seen.has(id)
      if (item !== undefined && item.type !== "reasoning") {
        if (!hasReasoning || isUnpaired(item) || !isFirst) return leaveOut(message, "provider call")
      } else if (item === undefined || !isFirst || !isReadable(item) || !isFollowed) {
        hasReasoning = false
        return leaveOut(message, "reasoning")
      } else hasReasoning = true
      if (id !== "") seen.add(id)
      return [part]
    }

    const follows = (part: Part): boolean => {
      const item = part.type === "reasoning" ? ResponsesFields.itemOf(part) : undefined
      return isItem(part) || (item !== undefined && item.type !== "reasoning" && !isOutput(item) && !isUnpaired(item))
    }

    const lastItem = parts.findLastIndex(follows)
    return parts.flatMap((part, index): ReadonlyArray<Part> => {
      switch (part.type) {
        case "text":
          return [withoutId(part)]
        case "reasoning":
          return reasoning(part, index < lastItem)
        case "tool-call":
          return part.providerExecuted ? leaveOut(message, "provider call") : [withoutId(names.part(part, message))]
        case "tool-result":
          return part.providerExecuted ? [] : [names.part(part, message)]
        case "tool-approval-request":
          return [names.approval(part)]
        default:
          return [part]
      }
    })
  }

  const repaired = CallNames.mapParts(messages, (parts, index) =>
    messages[index]?.role === "assistant"
      ? repairAnswer(parts, index)
      : parts.map((part) => (part.type === "tool-result" ? names.part(part, index) : part))
  )
  return { messages: repaired, changes }
}

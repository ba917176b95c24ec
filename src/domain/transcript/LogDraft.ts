/** A conversation in the making, while a log is read. Consecutive results share one message of the role `tool`. */
import * as Prompt from "effect/ai/Prompt"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"

/** A result as a log holds it: without the name of its tool, as a rule. */
export type Result = Omit<Parameters<typeof Prompt.toolResultPart>[0], "name" | "providerExecuted"> & {
  readonly name?: string
}

/** The name of a result whose call the log does not hold. */
export const unknownName = "unknown"

/** The messages of a log by their fields; a text alone is what a user said. */
export const messagesOf = (list: unknown): ReadonlyArray<JsonObject> =>
  Array.isArray(list)
    ? list.map((message) => (typeof message === "string" ? { role: "user", content: message } : Fields.of(message)))
    : []

export interface Draft {
  readonly add: (message: Prompt.Message) => void
  /** Adds a result, with the name of its call where the log does not tell it. */
  readonly addResult: (result: Result) => void
  readonly prompt: () => Prompt.Prompt
}

export const make = (): Draft => {
  const messages: Array<Prompt.Message> = []
  const names = new Map<string, string>()
  return {
    add: (message) => {
      if (message.role !== "assistant") {
        messages.push(message)
        return
      }
      for (const part of message.content) if (part.type === "tool-call") names.set(part.id, part.name)
      const isNameless = (part: Prompt.AssistantMessagePart) => part.type === "tool-result" && part.name === unknownName
      const content = message.content.map((part) =>
        part.type === "tool-result" && isNameless(part) ? { ...part, name: names.get(part.id) ?? unknownName } : part
      )
      messages.push(message.content.some(isNameless) ? { ...message, content } : message)
    },
    addResult: ({ name = "", ...result }) => {
      const known = name === "" ? (names.get(result.id) ?? unknownName) : name
      const part = Prompt.toolResultPart({ ...result, name: known, providerExecuted: false })
      const last = messages.at(-1)
      const before = last?.role === "tool" ? last.content : []
      if (last?.role === "tool") messages.pop()
      messages.push(Prompt.toolMessage({ content: [...before, part] }))
    },
    prompt: () => Prompt.fromMessages(messages)
  }
}

/** Builds a conversation while a log is read. Consecutive results share one message of the role `tool`. */
import * as Prompt from "effect/ai/Prompt"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import * as MessageOptions from "./MessageOptions.ts"

/** A result in a log, where it usually has no tool name. */
export type Result = Omit<Parameters<typeof Prompt.toolResultPart>[0], "name" | "providerExecuted"> & {
  readonly name?: string
}

/** The tool name of a result whose call is not in the log. */
export const unknownName = "unknown"

/** Returns the messages of a log as objects. A string is a user message. A log that is not an array has no messages. */
export const messagesOf = (list: unknown): ReadonlyArray<JsonObject> =>
  Array.isArray(list)
    ? list.map((message) => (typeof message === "string" ? { role: "user", content: message } : Fields.of(message)))
    : []

/** A conversation under construction. */
export interface Draft {
  readonly add: (message: Prompt.Message) => void
  /** Adds a result, and notes to its message. A missing tool name is taken from the call. */
  readonly addResult: (result: Result, notes?: ReadonlyArray<MessageOptions.Note>) => void
  readonly prompt: () => Prompt.Prompt
}

/**
 * Returns the tool names of the calls that were read last under each id. If calls of one message share an id, or have
 * none, their results take their names in the order of the calls.
 */
const openNames = () => {
  const names = new Map<string, ReadonlyArray<string>>()
  return {
    open: (calls: ReadonlyArray<Prompt.ToolCallPart>): void => {
      for (const [id, same] of Map.groupBy(calls, (call) => call.id)) {
        names.set(
          id,
          same.map(({ name }) => name)
        )
      }
    },
    /** Returns the name of a result: its own, or that of its call. */
    take: (id: string, own = ""): string | undefined => {
      const open = names.get(id) ?? []
      const index = own === "" ? 0 : open.indexOf(own)
      if (open.length > 1 && index >= 0) names.set(id, open.toSpliced(index, 1))
      return own === "" ? open[0] : own
    }
  }
}

/** Returns an empty draft. */
export const make = (): Draft => {
  const messages: Array<Prompt.Message> = []
  const names = openNames()
  return {
    add: (message) => {
      if (message.role !== "assistant") {
        messages.push(message)
        return
      }
      names.open(message.content.filter((part) => part.type === "tool-call"))
      const isNameless = (part: Prompt.AssistantMessagePart) => part.type === "tool-result" && part.name === unknownName
      const content = message.content.map((part) =>
        part.type === "tool-result" && isNameless(part) ? { ...part, name: names.take(part.id) ?? unknownName } : part
      )
      messages.push(message.content.some(isNameless) ? { ...message, content } : message)
    },
    addResult: ({ name = "", ...result }, notes = []) => {
      const known = names.take(result.id, name) ?? unknownName
      const part = Prompt.toolResultPart({ ...result, name: known, providerExecuted: false })
      const last = messages.at(-1)
      const before = last?.role === "tool" ? last.content : []
      const earlier = last?.role === "tool" ? MessageOptions.notesOf(last) : []
      if (last?.role === "tool") messages.pop()
      const options = MessageOptions.make("", [...earlier, ...notes])
      messages.push(Prompt.toolMessage({ content: [...before, part], options }))
    },
    prompt: () => Prompt.fromMessages(messages)
  }
}

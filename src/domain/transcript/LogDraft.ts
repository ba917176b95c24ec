/** A conversation in the making, while a log is read. Consecutive results share one message of the role `tool`. */
import * as Prompt from "effect/ai/Prompt"

/** A result as a log holds it: without the name of its tool, as a rule. */
export type Result = Omit<Parameters<typeof Prompt.toolResultPart>[0], "name" | "providerExecuted"> & {
  readonly name?: string
}

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
      if (message.role === "assistant") {
        for (const part of message.content) if (part.type === "tool-call") names.set(part.id, part.name)
      }
      messages.push(message)
    },
    addResult: ({ name = "", ...result }) => {
      const known = name === "" ? (names.get(result.id) ?? "unknown") : name
      const part = Prompt.toolResultPart({ ...result, name: known, providerExecuted: false })
      const last = messages.at(-1)
      const before = last?.role === "tool" ? last.content : []
      if (last?.role === "tool") messages.pop()
      messages.push(Prompt.toolMessage({ content: [...before, part] }))
    },
    prompt: () => Prompt.fromMessages(messages)
  }
}

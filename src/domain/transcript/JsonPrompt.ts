/** Converts the values in a conversation to JSON, because hosts and layers can put any value into a conversation. */
import * as Prompt from "effect/ai/Prompt"

/**
 * Returns a conversation with its arguments and results converted to JSON values.
 *
 * A bigint becomes a string. A value that cannot be serialised becomes null.
 */
export const make = ({ content }: Prompt.Prompt): Prompt.Prompt =>
  Prompt.fromMessages(
    content.map((message): Prompt.Message => {
      switch (message.role) {
        case "assistant":
          return { ...message, content: message.content.map(toJsonPart) }
        case "tool":
          return { ...message, content: message.content.map(toJsonPart) }
        case "system":
        case "user":
          return message
      }
    })
  )

const toJsonPart = <Part extends Prompt.AssistantMessagePart | Prompt.ToolMessagePart>(part: Part): Part => {
  if (part.type === "tool-call") return { ...part, params: asJson(part.params) }
  return part.type === "tool-result" ? { ...part, result: asJson(part.result) } : part
}

const asJson = (value: unknown): unknown => {
  try {
    return JSON.parse(JSON.stringify(value, bigints) ?? "null")
  } catch {
    return null
  }
}

const bigints = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value)

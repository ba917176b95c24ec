/** Conversations whose values are JSON: what hosts and layers put into them may be anything. */
import * as Prompt from "effect/ai/Prompt"

/** A conversation with what JSON makes of the arguments and results in it; what it cannot hold is null. */
export const plain = ({ content }: Prompt.Prompt): Prompt.Prompt =>
  Prompt.fromMessages(
    content.map((message): Prompt.Message => {
      switch (message.role) {
        case "assistant":
          return { ...message, content: message.content.map(plainPart) }
        case "tool":
          return { ...message, content: message.content.map(plainPart) }
        case "system":
        case "user":
          return message
      }
    })
  )

const plainPart = <Part extends Prompt.AssistantMessagePart | Prompt.ToolMessagePart>(part: Part): Part => {
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

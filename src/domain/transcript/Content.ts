/**
 * What of a message goes into a repaired conversation: everything but empty texts and the results, which are put back
 * behind their calls.
 */
import * as Prompt from "effect/ai/Prompt"

/** Stands in for an empty user message: the turn happened, and some providers refuse empty texts. */
export const emptyUserText = "(empty message)"

const isEmptyText = (part: { readonly type: string; readonly text?: unknown }): boolean =>
  part.type === "text" && part.text === ""

/** Whether a message holds nothing, or a text that holds nothing. Reasoning alone is nothing: it cannot be sent. */
export const hasEmpty = (message: Prompt.Message): boolean => {
  switch (message.role) {
    case "system":
      return message.content === ""
    case "assistant":
      return message.content.some(isEmptyText) || message.content.every((part) => part.type === "reasoning")
    case "user":
    case "tool":
      return message.content.length === 0 || message.content.some(isEmptyText)
  }
}

/** A message without its empty texts and without results; absent where nothing is left. An empty user turn is marked. */
export const withoutResults = (message: Prompt.Message): Prompt.Message | undefined => {
  switch (message.role) {
    case "system":
      return message.content === "" ? undefined : message
    case "user": {
      const content = message.content.filter((part) => !isEmptyText(part))
      if (content.length > 0) return content.length === message.content.length ? message : { ...message, content }
      return { ...message, content: [Prompt.textPart({ text: emptyUserText })] }
    }
    case "assistant": {
      const content = message.content.filter(
        (part) => !isEmptyText(part) && (part.type !== "tool-result" || part.providerExecuted)
      )
      if (content.every((part) => part.type === "reasoning")) return undefined
      return content.length === message.content.length ? message : { ...message, content }
    }
    case "tool": {
      const content = message.content.filter((part) => part.type !== "tool-result")
      return content.length === 0 ? undefined : { ...message, content }
    }
  }
}

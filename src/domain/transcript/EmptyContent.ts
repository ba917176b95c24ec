/**
 * Removes empty texts, and tool results that the provider did not execute, from a message, for `Transcript.repair`, which
 * adds the results after their calls.
 */
import * as Prompt from "effect/ai/Prompt"

/** The text for an empty user message. The message is kept, but some providers reject empty texts. */
const emptyUserText = "(empty message)"

const isEmptyText = (part: { readonly type: string; readonly text?: unknown }): boolean =>
  part.type === "text" && part.text === ""

/** True if a message is empty or contains an empty text. Reasoning counts as empty, because it cannot be sent alone. */
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

/**
 * Returns a message without empty texts and without results, except those that the provider executed. Returns undefined
 * if only reasoning or nothing remains. An empty user message gets a text.
 */
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

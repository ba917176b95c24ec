/**
 * Validates a conversation against the rules that every provider accepts [9.1].
 *
 * - Each call has a unique id and exactly one result. The result is in a message of the role `tool` directly after the
 *   call, and the results of a round are in the order of its calls.
 * - No message and no text part is empty, and each result has a value. The value may be an empty text.
 * - The name of an author has at most 64 characters, and contains no white space, `<`, `>`, `|`, `/` or `\`.
 * - Calls that the provider ran itself, and their results, are in the assistant message and are not checked.
 *
 * Tests check the results of `Transcript.repair` against this module. `repair` itself uses the module only to recognise
 * valid conversations.
 */
import type * as Prompt from "effect/ai/Prompt"

/** A broken rule. */
export interface Violation {
  readonly rule: Rule
  /**
   * The index of the message that violates the rule. For a call without a result, the index of the first message after
   * its round, or the number of messages if the conversation ends there.
   */
  readonly message: number
  /** The id of the call or result, if the rule concerns one. */
  readonly callId?: string
}

/** The rules. Each name describes the violation. */
export type Rule =
  | "call without a result"
  | "result without a call"
  | "second result of a call"
  | "result apart from its call"
  | "results out of order"
  | "result in the wrong role"
  | "empty or repeated call id"
  | "empty content"
  | "result without a value"
  | "invalid name"

/** True if a message may consist of only this part. Reasoning or an empty text is not enough. */
const isSubstance = (part: Prompt.AssistantMessagePart): boolean =>
  part.type === "text" ? part.text !== "" : part.type !== "reasoning"

/** Lists the violations of a conversation in the order of its messages. The list is empty for a valid conversation. */
export const validate = (prompt: Prompt.Prompt): ReadonlyArray<Violation> => {
  const found: Array<Violation> = []
  const called = new Set<string>()
  const answered = new Set<string>()
  let waiting: Array<string> = []

  const report = (rule: Rule, message: number, callId?: string) =>
    found.push(callId === undefined ? { rule, message } : { rule, message, callId })
  const endRound = (message: number) => {
    for (const id of waiting) report("call without a result", message, id)
    waiting = []
  }
  const onResult = (part: Prompt.ToolResultPart, message: number) => {
    const place = waiting.indexOf(part.id)
    if (place > 0) report("results out of order", message, part.id)
    if (place >= 0) waiting.splice(place, 1)
    else if (answered.has(part.id)) report("second result of a call", message, part.id)
    else report(called.has(part.id) ? "result apart from its call" : "result without a call", message, part.id)
    answered.add(part.id)
    if (part.result === undefined) report("result without a value", message, part.id)
  }
  const onAssistant = (parts: ReadonlyArray<Prompt.AssistantMessagePart>, message: number) => {
    if (!parts.some(isSubstance) || parts.some((part) => part.type === "text" && part.text === "")) {
      report("empty content", message)
    }
    for (const part of parts) {
      if (part.type === "tool-result" && !part.providerExecuted) report("result in the wrong role", message, part.id)
      if (part.type !== "tool-call" || part.providerExecuted) continue
      if (part.id === "" || called.has(part.id)) report("empty or repeated call id", message, part.id)
      called.add(part.id)
      waiting.push(part.id)
    }
  }

  prompt.content.forEach((message, index) => {
    if (message.role !== "tool") endRound(index)
    const { name } = Object(message.options["openai"])
    if (typeof name === "string" && !/^[^\s<|\\/>]{0,64}$/u.test(name)) report("invalid name", index)
    switch (message.role) {
      case "system":
        if (message.content === "") report("empty content", index)
        break
      case "user":
        if (message.content.length === 0 || message.content.some((part) => part.type === "text" && part.text === "")) {
          report("empty content", index)
        }
        break
      case "assistant":
        onAssistant(message.content, index)
        break
      case "tool":
        if (message.content.length === 0) report("empty content", index)
        for (const part of message.content) if (part.type === "tool-result") onResult(part, index)
    }
  })
  endRound(prompt.content.length)
  return found
}

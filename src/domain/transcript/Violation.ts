/**
 * What makes a conversation one that every provider accepts, checked message by message (SPEC 9.1).
 *
 * - Each call has an id that no other call has, and directly behind its message stands exactly one result for it, of
 *   the role `tool`; the results of a round stand in the order of its calls.
 * - Nothing is empty: no message, no text part, no result without a value. A result that is the empty text may be.
 * - Calls and results that the provider ran itself stand in the assistant message and are its own business.
 *
 * This is the oracle of `Transcript.repair`; it shares no code with it.
 */
import type * as Prompt from "effect/ai/Prompt"

/** A rule that a conversation breaks, and where: the index of the message. */
export interface Violation {
  readonly rule: Rule
  readonly message: number
  /** The id of the call or result concerned, where it is about one. */
  readonly callId?: string
}

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

/** Whether an assistant part can stand alone in a message: reasoning cannot. */
const isSubstance = (part: Prompt.AssistantMessagePart): boolean =>
  part.type === "text" ? part.text !== "" : part.type !== "reasoning"

/** Lists every rule that a conversation breaks, in the order of its messages. An empty list: it can be sent. */
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

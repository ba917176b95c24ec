/**
 * What a model remembers of its requests: the answers that the server has stored, and what the server refused.
 *
 * - A request continues a stored answer (`previous_response_id`) if its messages are the messages of the earlier
 *   request, that answer, and new messages. Messages are compared by identity, so a compacted, resumed or edited
 *   conversation is sent as a whole.
 * - Reasoning that the server could not read (from another account or provider) is not sent again, and `include` not to
 *   a model that refused it.
 */
import type * as AiError from "effect/ai/AiError"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as ModelFailure from "#domain/classification/ModelFailure"
import * as Fields from "#domain/json/Fields"
import * as ResponsesFields from "#domain/transcript/ResponsesFields"

/** An answer that the server has stored. */
interface StoredAnswer {
  readonly responseId: string
  /** The messages of the request. */
  readonly messages: ReadonlyArray<Prompt.Message>
  readonly text: string
  readonly callIds: ReadonlyArray<string>
}

/** The stored answer that a request continues. */
interface Continued {
  readonly responseId: string
  /** The number of messages that the server knows. */
  readonly known: number
}

/** The maximum number of remembered ids of unreadable reasoning, so that a long-lived model needs bounded memory. */
const maxUnreadable = 10_000

/** The key of the details in the metadata of errors. */
export const errorKey = "openai"

const detailsOf = (reason: AiError.AiErrorReason) =>
  Fields.of("metadata" in reason ? Fields.of(reason.metadata)[errorKey] : undefined)

/** True if the server refused what a request says, for a reason other than its length. */
export const isWrongRequest = (reason: AiError.AiErrorReason): boolean =>
  reason._tag === "InvalidRequestError" && reason.constraint !== ModelFailure.contextLength

const isAnswer = (message: Prompt.Message | undefined, { callIds, text }: StoredAnswer): boolean => {
  if (message?.role !== "assistant") return false
  const texts = message.content.map((part) => (part.type === "text" ? part.text : "")).join("")
  const calls = message.content.flatMap((part) => (part.type === "tool-call" ? [part.id] : []))
  return texts === text && calls.length === callIds.length && calls.every((id, index) => id === callIds[index])
}

/** Creates an empty memory. */
export const make = () => {
  const answers = new WeakMap<Prompt.Message, StoredAnswer>()
  const unreadable = new Set<string>()
  const withoutInclude = new Set<string>()

  return {
    /** Returns the stored answer that a conversation continues. */
    continued: ({ content }: Prompt.Prompt): Continued | undefined => {
      const last = content.findLastIndex(({ role }) => role === "assistant")
      const before = content[last - 1]
      const stored = before === undefined ? undefined : answers.get(before)
      if (stored === undefined || stored.messages.length !== last || last === content.length - 1) return undefined
      if (!stored.messages.every((message, index) => message === content[index])) return undefined
      return isAnswer(content[last], stored) ? { responseId: stored.responseId, known: last + 1 } : undefined
    },

    /** Returns the observer of the answer to a conversation, which remembers the answer when it is complete. */
    observer: ({ content: messages }: Prompt.Prompt): ((part: Response.AnyPartEncoded) => void) => {
      let responseId = ""
      let text = ""
      const callIds: Array<string> = []
      return (part) => {
        if (part.type === "response-metadata") responseId = part.id ?? ""
        else if (part.type === "text") text += part.text
        else if (part.type === "text-delta") text += part.delta
        else if (part.type === "tool-call") callIds.push(part.id)
        const last = messages.at(-1)
        if (part.type !== "finish" || responseId === "" || last === undefined) return
        answers.set(last, { responseId, messages, text, callIds })
      }
    },

    /** Returns whether `include` can be sent to a model. */
    canInclude: (model: string): boolean => !withoutInclude.has(model),

    /** Remembers that a model refused `include`. Returns false for any other refusal. */
    refusesInclude: (reason: AiError.AiErrorReason, model: string): boolean => {
      if (!Fields.string(detailsOf(reason)["param"]).startsWith("include")) return false
      withoutInclude.add(model)
      return true
    },

    /** Remembers the reasoning of a conversation that the server could not read. Returns false for any other refusal. */
    refusesReasoning: (reason: AiError.AiErrorReason, prompt: Prompt.Prompt): boolean => {
      if (detailsOf(reason)["code"] !== "invalid_encrypted_content") return false
      for (const id of reasoningIds(prompt)) {
        if (unreadable.size >= maxUnreadable) unreadable.clear()
        unreadable.add(id)
      }
      return true
    },

    /** Returns a conversation without the reasoning that the server could not read. */
    readable: (prompt: Prompt.Prompt): Prompt.Prompt => {
      const isUnreadable = (part: Prompt.Part) => part.type === "reasoning" && unreadable.has(reasoningId(part))
      if (unreadable.size === 0) return prompt
      return Prompt.fromMessages(
        prompt.content.map((message) =>
          message.role === "assistant" && message.content.some(isUnreadable)
            ? { ...message, content: message.content.map((part) => (isUnreadable(part) ? withoutItem(part) : part)) }
            : message
        )
      )
    }
  }
}

const withoutItem = (part: Prompt.AssistantMessagePart): Prompt.AssistantMessagePart => ({
  ...part,
  options: ResponsesFields.without(part.options, "item")
})

/** The memory of one model. */
export type Memory = ReturnType<typeof make>

const reasoningId = (part: Prompt.ReasoningPart): string => {
  const item = ResponsesFields.itemOf(part)
  return item?.type === "reasoning" ? Fields.string(item["id"]) : ""
}

const reasoningIds = ({ content }: Prompt.Prompt): ReadonlyArray<string> =>
  content.flatMap((message) =>
    message.role === "assistant"
      ? message.content
          .flatMap((part) => (part.type === "reasoning" ? [reasoningId(part)] : []))
          .filter((id) => id !== "")
      : []
  )

/**
 * Writes a conversation as the messages of a request.
 *
 * Servers refuse some of the messages that models write, so without repairs every later request of the conversation
 * would fail. These repairs are made only in the request:
 *
 * - the conversation is repaired [9.4], and the changes are returned;
 * - arguments that are not a JSON object are wrapped into one (vLLM, llama.cpp and Ollama parse the whole history);
 * - names are limited to the characters that OpenAI allows (`^[a-zA-Z0-9_-]{1,64}$`);
 * - ids of more than 40 characters, which other providers create, are replaced in call and result;
 * - roles, empty contents and reasoning follow the server's profile.
 */
import type * as Prompt from "effect/ai/Prompt"
import * as Transcript from "#domain/transcript/Transcript"
import * as CallArguments from "#domain/transcript/CallArguments"
import type { Profile } from "./Profile.ts"

const longestName = 64
const longestId = 40

/** Returns a name with only the characters that the API allows. */
export const nameOnWire = (name: string): string =>
  name.replaceAll(/[^a-zA-Z0-9_-]/gu, "_").slice(0, longestName) || "_"

/** Returns a function that replaces ids that are too long. Equal ids get equal replacements. */
const shortenIds = (prompt: Prompt.Prompt): ((id: string) => string) => {
  const taken = new Set(Transcript.callIds(prompt))
  const short = new Map<string, string>()
  for (const id of Transcript.callIds(prompt)) {
    if (id.length <= longestId) continue
    const next = Transcript.nextId(taken)
    taken.add(next)
    short.set(id, next)
  }
  return (id) => short.get(id) ?? id
}

/** A message of a request; some servers expect another role for system messages. */
export type WireMessage =
  | Exclude<Transcript.ChatMessage, { readonly role: "system" }>
  | { readonly role: "system" | "developer"; readonly content: string }

/** The messages of a request, and the repairs of the conversation. */
interface WireConversation {
  readonly messages: ReadonlyArray<WireMessage>
  readonly changes: ReadonlyArray<Transcript.Change>
}

/** Writes a conversation as messages that the server accepts. */
export const make = (damaged: Prompt.Prompt, profile: Profile): WireConversation => {
  const { changes, prompt } = Transcript.repair(damaged)
  const idOnWire = shortenIds(prompt)
  const reasoning = prompt.content
    .filter(({ role }) => role === "assistant")
    .map(reasoningOf)
    .values()
  const written = Transcript.toOpenAi(prompt).map((message): WireMessage => {
    if (message.role === "tool") return Object.assign({}, message, { tool_call_id: idOnWire(message.tool_call_id) })
    if (message.role === "system") return { ...message, role: profile.systemRole }
    if (message.role !== "assistant") return message
    const thought = reasoning.next().value ?? ""
    const { tool_calls } = message
    if (tool_calls === undefined) {
      return profile.reasoning.send === "always" && thought !== ""
        ? Object.assign({}, message, { [profile.reasoning.field]: thought })
        : message
    }
    const calls = tool_calls.map(({ function: { arguments: text, name }, id }) => ({
      id: idOnWire(id),
      type: "function" as const,
      function: { name: nameOnWire(name), arguments: CallArguments.writeObject(CallArguments.read(text)) }
    }))
    return Object.assign(
      {},
      message,
      message.content === null && profile.emptyContent === "empty string" ? { content: "" } : {},
      profile.reasoning.send === "never" ? {} : { [profile.reasoning.field]: thought },
      { tool_calls: calls }
    )
  })
  return { messages: written, changes }
}

const reasoningOf = ({ content }: Prompt.Message): string =>
  typeof content === "string" ? "" : content.map((part) => (part.type === "reasoning" ? part.text : "")).join("")

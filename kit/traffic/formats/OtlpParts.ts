/**
 * Reads messages of the GenAI conventions: a role and parts (`text`, `tool_call`, `tool_call_response`). Some libraries
 * write OpenAI's messages into the same attributes; these are read too.
 *
 * **Gotchas**
 *
 * Tools that the provider runs itself (`server_tool_call`) never pass a guard, so they do not count as calls.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as Content from "#kit/traffic/Content"
import type { RecordedCall } from "#kit/traffic/Conversation"
import * as Draft from "#kit/traffic/Draft"
import * as OpenAiChat from "./OpenAiChat.ts"

/** Adds the messages of an attribute. A plain text becomes one message of the given role. */
export const addAll = (draft: Draft.Draft, messages: unknown, role: "user" | "assistant" = "user"): void => {
  if (typeof messages === "string" && messages !== "") add(draft, { role, content: messages })
  if (Array.isArray(messages)) for (const message of messages) add(draft, Fields.of(message))
}

/** Adds one message. */
const add = (draft: Draft.Draft, message: JsonObject): void => {
  const { finish_reason: finish, parts, role } = message
  if (!Array.isArray(parts)) {
    if (!OpenAiChat.add(draft, message)) Draft.skip(draft, "it has neither parts nor OpenAI's fields")
    return
  }
  if (role === "assistant" || role === "model") {
    const isCut = isLength(finish)
    draft.messages.push({ role: "assistant", text: textOf(parts), calls: callsOf(parts), ...(isCut ? { isCut } : {}) })
    return
  }
  let results = 0
  for (const part of parts) {
    const { id, response, result, type } = Fields.of(part)
    if (type !== "tool_call_response") continue
    results += 1
    draft.messages.push({ role: "tool", callId: Fields.string(id), text: Content.resultOf(response ?? result) })
  }
  const text = textOf(parts)
  if (results > 0 && text === "") return
  if (role === "system" || role === "developer") draft.messages.push({ role: "system", text })
  else if (role === "user") draft.messages.push(userOf(parts))
  else if (role === "tool") Draft.skip(draft, "one of its parts is not a known result")
  else Draft.skipRole(draft, role)
}

/** Returns a user message with the parts that are not results. */
const userOf = (parts: ReadonlyArray<unknown>) =>
  Content.user(
    Fields.list(parts)
      .filter(({ type }) => type !== "tool_call_response")
      .map((part) => (part["type"] === "text" ? { text: part["content"] } : { type: part["type"] }))
  )

/**
 * Returns true if a finish reason means that the output was truncated. Libraries pass on the values of their providers.
 */
export const isLength = (reason: unknown): boolean =>
  reason === "length" || reason === "max_tokens" || reason === "MAX_TOKENS" || reason === "LENGTH"

/** Returns the `content` of all text parts, joined by newlines. */
export const textOf = (parts: unknown): string =>
  Fields.list(parts)
    .filter(({ content, type }) => type === "text" && typeof content === "string" && content !== "")
    .map(({ content }) => content)
    .join("\n")

const callsOf = (parts: ReadonlyArray<unknown>): ReadonlyArray<RecordedCall> =>
  Fields.list(parts)
    .filter(({ type }) => type === "tool_call")
    .map(({ arguments: args, id, name }) => ({
      id: Fields.string(id),
      name: Fields.string(name),
      arguments: args ?? ""
    }))

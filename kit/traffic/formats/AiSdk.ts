/**
 * Reads messages of the Vercel AI SDK: `UIMessage`s as applications store them (with `toolInvocations` in version 4, and with the
 * parts `tool-NAME` and `dynamic-tool` since version 5), and `ModelMessage`s.
 *
 * **Gotchas**
 *
 * Tools that the provider runs itself (`providerExecuted`) never pass a guard, so they do not count as calls.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as ChatLog from "#kit/traffic/ChatLog"
import * as Content from "#kit/traffic/Content"
import type { RecordedCall } from "#kit/traffic/Conversation"
import * as Draft from "#kit/traffic/Draft"
import type { Reader } from "#kit/traffic/Reader"
import * as UiMessage from "./UiMessage.ts"

/** Creates the dialect of the format. */
export const dialect = (): ChatLog.Dialect => ({
  name: "ai-sdk",
  instructions: ({ system }) => (typeof system === "string" ? system : undefined),
  add,
  answer: (draft, { messages }) => {
    if (Array.isArray(messages)) for (const message of messages) ChatLog.addAny(add, draft, message)
  }
})

/** Reads lists of UI messages or model messages, and request logs. */
export const reader = (): Reader => ChatLog.reader(dialect())

/** Adds a message. Returns false if it has another format. */
const add = (draft: Draft.Draft, fields: JsonObject): boolean => {
  const { content, role } = fields
  if (isForeign(fields)) return false
  switch (role) {
    case "assistant":
      if (UiMessage.isUiMessage(fields)) UiMessage.add(draft, fields)
      else draft.messages.push({ role, text: Content.textOf(content), calls: callsOf(content) })
      return true
    case "tool":
      for (const part of Content.partsOf(content)) addResult(draft, part)
      return true
    case "user":
      draft.messages.push(Content.user(Content.textOf(fields["parts"]) === "" ? content : fields["parts"]))
      return true
    case "system":
      draft.messages.push({ role, text: Content.textOf(fields["parts"]) || Content.textOf(content) })
      return true
    case "data": // in version 4, data that the model never sees
      return true
    default:
      Draft.skipRole(draft, role)
      return true
  }
}

const isForeign = ({ content, role, tool_calls: listed }: JsonObject): boolean =>
  Array.isArray(listed) ||
  (role === "tool" && !Array.isArray(content) && Fields.of(content)["type"] !== "tool-result") ||
  Content.partsOf(content).some(({ type }) => type === "tool_use" || type === "tool_result")

const callsOf = (content: unknown): ReadonlyArray<RecordedCall> =>
  Content.partsOf(content)
    .filter(({ providerExecuted, type }) => type === "tool-call" && providerExecuted !== true)
    .map((part) => ({
      id: Fields.string(part["toolCallId"]),
      name: Fields.string(part["toolName"]),
      arguments: part["input"] ?? part["args"] ?? ""
    }))

/** Adds a result: `{ type, value }` since version 5, or a value next to `isError` in earlier versions. */
const addResult = (draft: Draft.Draft, part: JsonObject): void => {
  if (part["type"] !== "tool-result") return
  const { isError, output, result, toolCallId } = part
  const { reason, type, value } = Fields.of(output)
  const isTyped = typeof type === "string"
  const text = isTyped
    ? type === "content"
      ? Content.resultOf(value)
      : Content.jsonOf(type === "execution-denied" ? reason : value)
    : Content.jsonOf(result ?? output)
  const failed = type === "error-text" || type === "error-json" || type === "execution-denied"
  draft.messages.push({
    role: "tool",
    callId: Fields.string(toolCallId),
    text,
    ...(isTyped || typeof isError === "boolean" ? { isError: failed || isError === true } : {})
  })
}

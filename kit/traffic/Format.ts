/**
 * Lists the formats of recorded traffic, and recognises a format from the value of one line.
 *
 * User messages and answers without calls look the same in the chat formats of OpenAI, Anthropic and the AI SDK; such a line
 * has the format `messages`. A call, a result, a part or a tool's schema identifies the format.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as ChatRequest from "effect-toolguard/internal/domain/transcript/ChatRequest"
import * as Content from "./Content.ts"
import * as Shape from "./Shape.ts"

/** Every format with its title, which completes "The file holds …". */
export const titles = {
  openai: "OpenAI chat messages",
  "openai-responses": "requests and responses of OpenAI's Responses API",
  anthropic: "Anthropic messages",
  gemini: "Gemini contents",
  langchain: "messages of LangChain",
  "message-lines": "one message per line",
  langfuse: "observations of Langfuse",
  langsmith: "runs of LangSmith",
  otel: "OpenTelemetry GenAI spans (OTLP JSON)",
  "ai-sdk": "Vercel AI SDK messages",
  "claude-code": "a Claude Code session",
  codex: "a session of the Codex CLI",
  toolguard: "toolguard's call records"
} as const

/** The name of a format. */
export type FormatName = keyof typeof titles

/** The names of all formats, as `--format` accepts them. */
export const names = Object.keys(titles) as ReadonlyArray<FormatName> // Object.keys widens names to string

/** The formats in which messages without calls look the same. */
type Chat = "openai" | "anthropic" | "ai-sdk"

/** Returns the format of a line's value; `messages` if the value may be in any of the formats of `Chat`. */
export const of = (value: unknown): FormatName | "messages" | undefined => {
  if (Array.isArray(value)) return ofList(value)
  const line = Fields.of(value)
  if (Array.isArray(line["resourceSpans"]) || Array.isArray(line["resourceLogs"])) return "otel"
  if (Shape.isConsoleSpan(line) || Shape.isConsoleRecord(line)) return "otel"
  if (typeof line["keyDigest"] === "string" && Array.isArray(line["attempts"])) return "toolguard"
  if (Shape.isLangfuse(line)) return "langfuse"
  if (Shape.isLangSmithRun(line)) return "langsmith"
  if (Shape.isMessageLine(line)) return "message-lines"
  if (isSession(line)) return "claude-code"
  if (Shape.isCodexEvent(line)) return "codex"
  const request = requestOf(line)
  const response = responseOf(line)
  if (Shape.isResponses(request, Fields.of(line["response"]))) return "openai-responses"
  if (Shape.some(request["contents"], Shape.isGeminiContent) || Array.isArray(line["candidates"])) return "gemini"
  if (Array.isArray(Fields.of(line["response"])["candidates"])) return "gemini"
  const listed = ChatRequest.messagesOf(request)
  const messages = Array.isArray(listed?.[0]) ? listed[0] : listed
  if (Shape.some(messages ?? Fields.of(line["values"])["messages"], Shape.isLangChainMessage)) return "langchain"
  return messages === undefined ? undefined : ofChat(messages, { ...request, ...response })
}

const ofList = (list: ReadonlyArray<unknown>): FormatName | "messages" | undefined => {
  if (Shape.some(list, Shape.isResponsesItem)) return "openai-responses"
  if (Shape.some(list, Shape.isLangChainMessage)) return "langchain"
  if (Shape.some(list, Shape.isGeminiContent)) return "gemini"
  return list.some((one) => Fields.of(one)["role"] !== undefined) ? ofChat(list, {}) : undefined
}

/** Returns the request of a line: its `request` or `body`, the `body` inside one of these, or the line itself. */
export const requestOf = (line: JsonObject): JsonObject => inside(line["request"]) ?? inside(line["body"]) ?? line

/** Returns the response of a line; an empty object if the line has none. */
export const responseOf = (line: JsonObject): JsonObject =>
  inside(line["response"]) ?? (Array.isArray(line["choices"]) ? line : {})

const inside = (value: unknown): JsonObject | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  const fields = Fields.of(value)
  const { body } = fields
  return typeof body === "object" && body !== null ? Fields.of(body) : fields
}

/**
 * Returns true for an event of a session: it has a session id, or is of a kind that has no id, such as a summary, or its
 * type is the speaker of its message. Events of many programs have a `session_id`, so their type must be known, or they
 * must have a message or an id of their own.
 */
const isSession = (line: JsonObject): boolean => {
  const { message, session_id: session, type, uuid } = line
  if (typeof type !== "string") return false
  if (typeof line["sessionId"] === "string" || type === "file-history-snapshot") return true
  if (type === "summary" && typeof line["leafUuid"] === "string") return true
  if (!isJsonObject(message)) return typeof session === "string" && (eventTypes.has(type) || typeof uuid === "string")
  const { content = null, role = type, tool_calls: listed } = message
  const isSpoken = (type === "user" || type === "assistant") && role === type && content !== null
  return (isSpoken && listed === undefined) || typeof session === "string" || typeof uuid === "string"
}

/** The types of events in a session of Claude Code. Those without a message are ignored. */
export const eventTypes: ReadonlySet<string> = new Set(
  "user assistant system result stream_event rate_limit_event control_request control_response tool_progress tool_use_summary summary progress attachment file-history-snapshot queue-operation custom-title ai-title last-prompt".split(
    " "
  )
)

/** The maximum number of messages, and of parts of one message, that are inspected. */
const maxInspected = 100

const ofChat = (messages: ReadonlyArray<unknown>, around: JsonObject): Chat | "messages" => {
  for (const message of messages.slice(0, maxInspected)) {
    const found = ofMessage(Fields.of(message))
    if (found !== undefined) return found
  }
  if (Array.isArray(around["choices"]) || Array.isArray(around["functions"])) return "openai"
  if (typeof around["stop_reason"] === "string" || around["system"] !== undefined) return "anthropic"
  const [tool] = Array.isArray(around["tools"]) ? around["tools"] : []
  if (Fields.of(tool)["function"] !== undefined) return "openai"
  if (Fields.of(tool)["input_schema"] !== undefined) return "anthropic"
  if (Fields.of(tool)["inputSchema"] !== undefined) return "ai-sdk"
  const [answer] = Array.isArray(around["messages"]) && around["messages"] !== messages ? around["messages"] : []
  return answer === undefined ? "messages" : (ofMessage(Fields.of(answer)) ?? "messages")
}

const ofMessage = (message: JsonObject): Chat | undefined => {
  if (Array.isArray(message["parts"]) || Array.isArray(message["toolInvocations"])) return "ai-sdk"
  const { content, role, tool_calls: listed } = message
  if (Array.isArray(listed) && listed.length > 0) return "openai"
  if (Fields.of(message["function_call"])["name"] !== undefined) return "openai"
  // an object in a message of the role `tool` is the result itself, unless it names its call
  const isResult = role === "tool" && Fields.of(content)["toolCallId"] === undefined
  const parts = isResult ? Fields.list(content) : Content.partsOf(content)
  for (const part of parts.slice(0, maxInspected)) {
    const found = isRigCall(part) ? "openai" : ofPart(part["type"])
    if (found !== undefined) return found
  }
  const isOpenAi = role === "tool" || role === "function" || role === "developer" || Array.isArray(listed)
  return isOpenAi ? "openai" : undefined
}

/** True for a call as Rig writes it: a part with a function, without a type. */
const isRigCall = (part: JsonObject): boolean =>
  part["type"] === undefined && typeof Fields.of(part["function"])["name"] === "string"

const ofPart = (type: unknown): Chat | undefined => {
  switch (type) {
    case "tool_use":
    case "tool_result":
    case "thinking":
      return "anthropic"
    case "tool-call":
    case "tool-result":
      return "ai-sdk"
    case "image_url":
    case "input_audio":
    case "toolresult":
      return "openai"
    default:
      return undefined
  }
}

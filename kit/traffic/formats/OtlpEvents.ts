/**
 * Converts older forms of the GenAI conventions to OpenAI messages: one event per message (`gen_ai.user.message` …,
 * `gen_ai.choice`), one event for all messages (`gen_ai.content.prompt`), and numbered attributes
 * (`gen_ai.prompt.0.content`).
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as Content from "#kit/traffic/Content"
import * as Attributes from "./OtlpAttributes.ts"

/** The messages of an event: a request's messages, or an answer. */
interface EventMessages {
  readonly isAnswer: boolean
  readonly messages: ReadonlyArray<JsonObject>
}

/** Reads an event. Returns `undefined` for other kinds of events and for candidates after the first. */
export const read = (name: string, attributes: Attributes.Attributes, body: unknown): EventMessages | undefined => {
  switch (name) {
    case "gen_ai.content.prompt":
      return { isAnswer: false, messages: listOf(Attributes.text(attributes, "gen_ai.prompt")) }
    case "gen_ai.content.completion":
      return { isAnswer: true, messages: listOf(Attributes.text(attributes, "gen_ai.completion")).slice(0, 1) }
  }
  const role = roles.get(name)
  if (role === undefined) return undefined
  const fields = fieldsOf(attributes, body)
  const isAnswer = name === "gen_ai.choice"
  if ((Fields.count(fields["index"]) ?? 0) > 0) return undefined // only the first candidate is read
  if (!("content" in fields || "tool_calls" in fields || "message" in fields)) return { isAnswer, messages: [] }
  const { id, message } = fields
  const inner = Content.parsed(message)
  return {
    isAnswer,
    messages: [
      {
        ...fields,
        ...(typeof inner === "string" ? { content: inner } : Fields.of(inner)),
        role,
        ...(role === "tool" ? { tool_call_id: id } : {})
      }
    ]
  }
}

const roles: ReadonlyMap<string, string> = new Map([
  ["gen_ai.system.message", "system"],
  ["gen_ai.user.message", "user"],
  ["gen_ai.assistant.message", "assistant"],
  ["gen_ai.tool.message", "tool"],
  ["gen_ai.choice", "assistant"]
])

/** Returns the fields of an event: JSON in `gen_ai.event.content`, otherwise its body, otherwise its attributes. */
const fieldsOf = (attributes: Attributes.Attributes, body: unknown): JsonObject => {
  const content = Attributes.text(attributes, "gen_ai.event.content")
  const parsed = content === "" ? Attributes.plain(body) : Content.parsed(content)
  if (typeof parsed === "object" && parsed !== null && Object.keys(parsed).length > 0) return parsed as JsonObject // any object
  if (typeof parsed === "string" && parsed !== "") return { content: parsed }
  const found: Record<string, unknown> = {}
  for (const key of ["content", "id", "index", "finish_reason", "message", "tool_calls"]) {
    const value = Attributes.value(attributes, key)
    if (value !== undefined) found[key] = key === "tool_calls" ? Content.parsed(value) : value
  }
  return found
}

/** Parses a JSON list of messages. */
const listOf = (text: string): ReadonlyArray<JsonObject> => Fields.list(Content.parsed(text))

/** Returns the messages in numbered attributes below a prefix, in the order of their numbers. */
export const numbered = (attributes: Attributes.Attributes, prefix: string): ReadonlyArray<JsonObject> => {
  const messages: Array<Record<string, unknown>> = []
  const calls: Array<Array<Record<string, unknown>>> = []
  for (const [key, wrapped] of attributes) {
    if (!key.startsWith(prefix)) continue
    const [number = "", field = "", callNumber = "", callField = ""] = key.slice(prefix.length).split(".")
    const at = indexOf(number)
    if (at === undefined) continue
    const message = (messages[at] ??= {})
    const value = Attributes.plain(wrapped)
    if (field !== "tool_calls") {
      message[field] = value
      continue
    }
    const callAt = indexOf(callNumber)
    if (callAt === undefined) continue
    const list = (calls[at] ??= [])
    const call = (list[callAt] ??= {})
    call[callField] = value
    message["tool_calls"] = list
  }
  return messages.filter((message) => message !== undefined).map(withCalls)
}

/** Numbers from this limit on are ignored, because a number would allocate a list of that length. */
const maxNumbered = 10_000

const indexOf = (text: string): number | undefined => {
  const index = text === "" ? Number.NaN : Number(text)
  return Number.isSafeInteger(index) && index >= 0 && index < maxNumbered ? index : undefined
}

const withCalls = (message: Record<string, unknown>): JsonObject => {
  const calls = message["tool_calls"]
  if (!Array.isArray(calls)) return message
  return { ...message, tool_calls: calls.filter((call) => call !== undefined) }
}

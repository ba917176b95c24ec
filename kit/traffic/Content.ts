/** Extracts the text of message contents, which logs store as text, as a list of parts, or as parsed JSON. */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { RecordedMessage } from "./Conversation.ts"

/** Returns the text of a message: the texts of its parts, joined by newlines. Images and other parts are ignored. */
export const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return Fields.string(Fields.of(content)["text"])
  let text = ""
  for (const part of content) {
    const more = typeof part === "string" ? part : Fields.string(Fields.of(part)["text"])
    if (more !== "") text = text === "" ? more : `${text}\n${more}`
  }
  return text
}

/** Returns the parts of a content. Some programs write a single part without a list. */
export const partsOf = (content: unknown): ReadonlyArray<JsonObject> =>
  Array.isArray(content) ? content.map(Fields.of) : isJsonObject(content) ? [content] : []

/** Returns a user message with the given content. */
export const user = (content: unknown): Extract<RecordedMessage, { role: "user" }> => {
  const text = textOf(content)
  if (!Array.isArray(content) || text === "") return { role: "user", text }
  const texts = content.map((part: unknown) => (typeof part === "string" ? part : Fields.of(part)["text"]))
  const isText = texts.every((one) => typeof one === "string")
  return isText && texts.length === 1 ? { role: "user", text } : { role: "user", text, texts: isText ? texts : [] }
}

/**
 * Returns the text of a result, as logged. A result or a part that is not text becomes JSON, so equal texts mean equal
 * results.
 */
export const resultOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (content === undefined || content === null) return ""
  if (!Array.isArray(content) || !content.every(isPart)) return jsonOf(content)
  return content.map((part) => (typeof part["text"] === "string" ? part["text"] : jsonOf(part))).join("\n")
}

const isPart = (value: unknown): value is JsonObject => typeof Fields.of(value)["type"] === "string"

/** Returns a value as JSON, and a string unchanged. Never throws: a value that is nested too deeply becomes a note. */
export const jsonOf = (value: unknown): string => {
  if (typeof value === "string") return value
  try {
    return JSON.stringify(value) ?? ""
  } catch {
    return "(nested too deeply)"
  }
}

/** Parses a string that holds JSON; returns anything else unchanged. */
export const parsed = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

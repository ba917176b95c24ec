/** The texts in the contents of messages, which logs hold as a text, as a list of parts, or parsed. */
import * as Fields from "effect-toolguard/internal/domain/transcript/Fields"

/** The text of what somebody said: the texts of its parts, line by line. Images and the like say nothing. */
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

/**
 * The text of a result, as logged: parts that are no text, and everything else that is no text, as JSON. So equal texts
 * are equal results.
 */
export const resultOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (content === undefined || content === null) return ""
  if (!Array.isArray(content) || !content.every(isPart)) return jsonOf(content)
  return content.map((part) => (typeof part["text"] === "string" ? part["text"] : jsonOf(part))).join("\n")
}

const isPart = (value: unknown): value is Fields.Fields => typeof Fields.of(value)["type"] === "string"

/** A value as JSON: a text verbatim. Total: what is nested too deeply to be written is told as that. */
export const jsonOf = (value: unknown): string => {
  if (typeof value === "string") return value
  try {
    return JSON.stringify(value) ?? ""
  } catch {
    return "(nested too deeply)"
  }
}

/** The value of a text that holds JSON; anything else as it is. */
export const parsed = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

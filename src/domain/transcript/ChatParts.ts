/**
 * Reads the contents of messages in the chat completions format: a text, a part, or a list of both.
 *
 * A part of a type that a `Prompt` cannot represent becomes a text part with its JSON. A list that does not consist of
 * parts becomes a text with its JSON. Only invalid entries of an `images` list are left out (`imagesLeftOut`).
 */
import * as Prompt from "effect/ai/Prompt"
import * as AnthropicFields from "./AnthropicFields.ts"
import * as AnthropicFile from "./AnthropicFile.ts"
import * as CallArguments from "./CallArguments.ts"
import * as Fields from "#domain/json/Fields"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as RigParts from "./RigParts.ts"

/** A part of a message's content, allowed in every message. */
export type Content = Prompt.TextPart | Prompt.FilePart

const isPart = (value: unknown): boolean => {
  if (typeof value === "string") return true
  if (!isJsonObject(value)) return false
  return typeof value["type"] === "string" || typeof value["text"] === "string" || isTypeless(value)
}

/** True for the parts that Rig writes without a type. */
const isTypeless = (part: JsonObject): boolean =>
  RigParts.isCall(part) || (part["type"] === undefined && (RigParts.isReasoning(part) || isRigMedia(part)))

const isRigMedia = (part: JsonObject): boolean => RigParts.media(part) !== undefined

/** Returns the parts of a content. A value that is not a content becomes one text part. */
export const list = (content: unknown): ReadonlyArray<JsonObject> => {
  if (content === null || content === undefined) return []
  const entries: ReadonlyArray<unknown> = Array.isArray(content) ? content : [content]
  if (!entries.every(isPart)) return [{ type: "text", text: CallArguments.textOf(content) }]
  return entries.map((entry) => (typeof entry === "string" ? { type: "text", text: entry } : Fields.of(entry)))
}

const mediaTypes = /^data:([^;,]+)[;,]/u

/** The beginning of the base64 text of each type of image. */
const prefixes: ReadonlyArray<readonly [prefix: string, type: string]> = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"]
]

const picture = (data: string): Prompt.FilePart => {
  const known = prefixes.find(([prefix]) => data.startsWith(prefix))?.[1]
  return Prompt.filePart({ mediaType: mediaTypes.exec(data)?.[1] ?? known ?? "image/*", data })
}

const file = (part: JsonObject): Prompt.FilePart | undefined => {
  const address = Fields.string(Fields.of(part["image_url"])["url"]) || Fields.string(part["image_url"])
  if (address !== "") return picture(address)
  const { data, format } = Fields.of(part["input_audio"])
  if (typeof data === "string") {
    return Prompt.filePart({ mediaType: format === "mp3" ? "audio/mpeg" : "audio/wav", data })
  }
  const { file_data, filename } = Fields.of(part["file"])
  if (typeof file_data === "string") {
    const mediaType = mediaTypes.exec(file_data)?.[1] ?? "application/octet-stream"
    return Prompt.filePart({ mediaType, data: file_data, ...(filename ? { fileName: Fields.string(filename) } : {}) })
  }
  return isJsonObject(part["source"]) ? AnthropicFile.read(part) : RigParts.media(part)
}

/** Reads a text or a file; undefined if the part is neither. */
const known = (part: JsonObject): Content | undefined => {
  const text = part["text"] ?? part["refusal"]
  return typeof text === "string" ? Prompt.textPart({ text }) : file(part)
}

/** True if a part can only be kept as its JSON text. */
export const isUnknown = (part: JsonObject): boolean => known(part) === undefined

/** Reads a text or a file. Any other part becomes a text with its JSON. */
export const read = (part: JsonObject): Content => known(part) ?? Prompt.textPart({ text: CallArguments.textOf(part) })

/** Reads a reasoning part of Anthropic (`thinking`) or Rig; empty for any other part. */
export const reasoning = (part: JsonObject): ReadonlyArray<Prompt.ReasoningPart> => {
  if (part["type"] === "thinking" && typeof part["thinking"] === "string") {
    return [Prompt.reasoningPart({ text: part["thinking"], options: AnthropicFields.keepKind(part, "thinking") })]
  }
  return RigParts.isReasoning(part) && !RigParts.isCall(part) ? RigParts.reasoning(part) : []
}

const addresses = /^(?:https?|data|gs|s3):/iu

/** True for base64 with or without padding. White space between the characters is allowed. */
const isBase64 = (text: string): boolean => {
  const characters = text.replaceAll(/\s/gu, "")
  return /^[A-Za-z0-9+/]+={0,2}$/u.test(characters) && characters.replaceAll("=", "").length % 4 !== 1
}

const isImage = (entry: unknown): boolean =>
  typeof entry === "string" ? addresses.test(entry) || isBase64(entry) : isPart(entry)

/**
 * Reads the `images` list of a message: addresses (`https:`, `http:`, `gs:`, `s3:`), data URLs, base64 texts, or parts.
 * Leaves out every other entry.
 */
export const images = (message: JsonObject): ReadonlyArray<Content> => {
  const { images: listed } = message
  if (!Array.isArray(listed)) return []
  return listed.filter(isImage).map((entry) => (typeof entry === "string" ? picture(entry) : read(Fields.of(entry))))
}

/** True if `images` leaves out an entry of a message, or if the field is not a list. */
export const imagesLeftOut = ({ images: listed }: JsonObject): boolean =>
  Array.isArray(listed) ? !listed.every(isImage) : listed !== undefined && listed !== null

/** The types of parts that results have. A value of another type is a row of data. */
const resultTypes: ReadonlySet<unknown> = new Set(
  (
    "text input_text output_text refusal image image_url input_image input_audio file document audio video " +
    "resource resource_link tool_result tool_use"
  ).split(" ")
)

const isResultPart = (value: unknown): boolean => {
  if (typeof value === "string") return true
  if (!isJsonObject(value)) return false
  return resultTypes.has(value["type"]) || (typeof value["text"] === "string" && Object.keys(value).length === 1)
}

/** Returns the parts of a result's content. A value that does not consist of parts becomes its JSON. */
export const result = (content: unknown): ReadonlyArray<Content> => {
  if (!Array.isArray(content) && !isJsonObject(content)) return list(content).map(read)
  const entries = [content].flat().map(RigParts.untagged)
  return entries.every(isResultPart)
    ? list(entries).map(read)
    : [Prompt.textPart({ text: CallArguments.textOf(content) })]
}

/** Returns the texts of a content, joined by line breaks. Files are left out. */
export const textOf = (parts: ReadonlyArray<Content>): string =>
  parts.flatMap((part) => (part.type === "text" && part.text !== "" ? [part.text] : [])).join("\n")

/**
 * Reads the parts of messages as Rig (a library for Rust) serialises them.
 *
 * - A call is `{ id, call_id, function: { name, arguments } }`, without a type; `arguments` is a value or a text.
 * - A result is `{ type: "toolresult", id, call_id, content: [part, …] }` in a user message.
 * - Reasoning is `{ id, reasoning: [text, …], signature }`, or `{ id, content: [{ type, content }, …] }` in newer
 *   versions, without a type.
 * - An image, a sound, a video or a document has `data` and `media_type` (`png`). `data` is a text with a `format`, or
 *   `{ type: "base64" | "url" | "raw" | "string", value }`.
 *
 * The `call_id`, which some providers need back, and the encrypted parts of reasoning are kept in the options under
 * `rig`.
 */
import * as Prompt from "effect/ai/Prompt"
import * as CallArguments from "./CallArguments.ts"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"

type Options = Prompt.ProviderOptions

/** Creates options with the fields that have a value. */
const keep = (fields: JsonObject): Options => {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
  // The fields come from JSON.
  return kept.length === 0 ? {} : { rig: Object.fromEntries(kept) as NonNullable<Options[string]> }
}

/** True if a part is a call. */
export const isCall = (part: JsonObject): boolean => typeof Fields.of(part["function"])["name"] === "string"

/** Reads a call. */
export const call = (part: JsonObject): Prompt.ToolCallPart => {
  const { arguments: args, name } = Fields.of(part["function"])
  const { call_id, signature, additional_params } = part
  const read = CallArguments.read(args === undefined || args === null ? "" : CallArguments.textOf(args))
  return Prompt.toolCallPart({
    id: Fields.string(part["id"]) || Fields.string(call_id),
    name: Fields.string(name),
    params: read.params,
    options: { ...read.options, ...keep({ call_id, signature, additional_params }) },
    providerExecuted: false
  })
}

/** True if a part is a result. */
export const isResult = (part: JsonObject): boolean => part["type"] === "toolresult"

/** Returns a part of a result from an older version, which wrote `{ "Text": { text } }` and `{ "Image": { data } }`. */
export const untagged = (part: unknown): unknown => {
  const { Image: image, Text: text } = Fields.of(part)
  if (typeof text === "object" && text !== null) return { ...text, type: "text" }
  return typeof image === "object" && image !== null ? { ...image, type: "image" } : part
}

/** Returns the id of a result's call, and the options of the result. */
export const resultIds = (part: JsonObject): { readonly id: string; readonly options: Options } => ({
  id: Fields.string(part["id"]) || Fields.string(part["call_id"]),
  options: keep({ call_id: part["call_id"] })
})

const isTypeless = (part: JsonObject): boolean => part["type"] === undefined || part["type"] === "reasoning"

/** True if a part is reasoning. */
export const isReasoning = (part: JsonObject): boolean =>
  isTypeless(part) &&
  part["text"] === undefined &&
  (Array.isArray(part["reasoning"]) ||
    (Array.isArray(part["content"]) && Fields.list(part["content"]).every(({ type }) => typeof type === "string")))

const thinking = (text: string, signature: unknown): Prompt.ReasoningPart =>
  Prompt.reasoningPart({
    text,
    options: typeof signature === "string" && signature !== "" ? { anthropic: { type: "thinking", signature } } : {}
  })

/** Reads reasoning: one part for the list of texts, or one part for each entry of `content` in newer versions. */
export const reasoning = (part: JsonObject): ReadonlyArray<Prompt.ReasoningPart> => {
  if (Array.isArray(part["reasoning"])) {
    const texts = part["reasoning"].filter((text) => typeof text === "string")
    return [thinking(texts.join("\n"), part["signature"])]
  }
  return Fields.list(part["content"]).map(({ content, type }) => {
    const { data, signature, text } = Fields.of(content)
    if (type === "redacted" && typeof data === "string") {
      return Prompt.reasoningPart({ text: "", options: { anthropic: { type: "redacted_thinking", data } } })
    }
    if (type === "text") return thinking(Fields.string(text), signature)
    if (type === "summary") return thinking(Fields.string(content), undefined)
    return Prompt.reasoningPart({ text: "", options: keep({ [Fields.string(type)]: content }) })
  })
}

const families: ReadonlyMap<string, string> = new Map([
  ["jpeg", "image"],
  ["png", "image"],
  ["gif", "image"],
  ["webp", "image"],
  ["heic", "image"],
  ["heif", "image"],
  ["wav", "audio"],
  ["aiff", "audio"],
  ["aac", "audio"],
  ["ogg", "audio"],
  ["flac", "audio"],
  ["mp4", "video"],
  ["avi", "video"],
  ["mpeg", "video"],
  ["pdf", "application"],
  ["rtf", "text"],
  ["html", "text"],
  ["css", "text"],
  ["markdown", "text"],
  ["csv", "text"],
  ["xml", "text"],
  ["javascript", "text"],
  ["python", "text"]
])

const specialTypes: ReadonlyMap<string, string> = new Map([
  ["svg", "image/svg+xml"],
  ["mp3", "audio/mpeg"],
  ["txt", "text/plain"]
])

const anyType: ReadonlyMap<string, string> = new Map([
  ["image", "image/*"],
  ["audio", "audio/wav"],
  ["video", "video/mp4"],
  ["document", "application/octet-stream"]
])

const mediaTypeOf = (kind: string, declared: string): string => {
  const short = declared.toLowerCase()
  const family = families.get(short)
  return specialTypes.get(short) ?? (family === undefined ? (anyType.get(kind) ?? "image/*") : `${family}/${short}`)
}

const isBytes = (value: unknown): value is ReadonlyArray<number> =>
  Array.isArray(value) && value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255)

/** Reads an image, a sound, a video or a document. Returns undefined for another part, or one without content. */
export const media = (part: JsonObject): Prompt.FilePart | undefined => {
  const kind = Fields.string(part["type"]) || "image"
  if (!anyType.has(kind)) return undefined
  const { data: source, format } = part
  const { type, value } = typeof source === "string" ? { type: format, value: source } : Fields.of(source)
  const mediaType = mediaTypeOf(kind, Fields.string(part["media_type"]))
  if (type === "raw") return isBytes(value) ? Prompt.filePart({ mediaType, data: new Uint8Array(value) }) : undefined
  if (typeof value !== "string" || value === "") return undefined
  if (type !== "string") return Prompt.filePart({ mediaType, data: value })
  const textType = mediaType.startsWith("text/") ? mediaType : "text/plain"
  return Prompt.filePart({ mediaType: textType, data: new TextEncoder().encode(value) })
}

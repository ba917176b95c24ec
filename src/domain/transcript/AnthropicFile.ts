/**
 * Converts images and documents of Anthropic's messages to file parts and back.
 *
 * The format supports JPEG, PNG, GIF, WebP, PDF and plain text. A file of another type becomes a note that names the
 * file and, if the file was stored, has a link to it.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Prompt from "effect/ai/Prompt"
import * as ShownPart from "#domain/parts/ShownPart"
import type * as Anthropic from "./AnthropicMessage.ts"
import * as AnthropicFields from "./AnthropicFields.ts"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"

/** Reads an image or a document. Returns undefined for another kind of source (an uploaded file, a list of blocks). */
export const read = (block: JsonObject): Prompt.FilePart | undefined => {
  const { data, media_type: declared, type: kind, url } = Fields.of(block["source"])
  const isImage = block["type"] === "image"
  const title = Fields.string(block["title"])
  const make = (mediaType: string, content: Prompt.FilePart["data"]) =>
    Prompt.filePart({
      mediaType,
      data: content,
      ...(title === "" ? {} : { fileName: title }),
      options: AnthropicFields.keep(block, "source", "title")
    })
  if (kind === "url" && typeof url === "string" && URL.canParse(url)) {
    return make(isImage ? "image/*" : "application/pdf", new URL(url))
  }
  if (typeof data !== "string") return undefined
  if (kind === "base64") return make(Fields.string(declared) || (isImage ? "image/*" : "application/pdf"), data)
  return kind === "text" ? make("text/plain", new TextEncoder().encode(data)) : undefined
}

const imageTypes: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"])

const longestTitle = 500

/** The beginning of the Base64 text of each image type. */
const prefixes: ReadonlyArray<readonly [prefix: string, type: string]> = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"]
]

const dataUrl = /^data:([^;,]+);base64,/u

/** Returns the registered name of a media type without parameters, as the API expects it. */
const typeOf = (declared: string): string => {
  const type = (declared.split(";")[0] ?? "").trim().toLowerCase()
  return type === "image/jpg" || type === "image/pjpeg" ? "image/jpeg" : type
}

const anyAddress = /^[a-z][a-z\d+.-]*:/iu

/** Returns the media type of a file, and its web address or its content as Base64. Other addresses are left out. */
const contentOf = ({ data, mediaType: declared }: Prompt.FilePart) => {
  const mediaType = typeOf(declared)
  if (data instanceof Uint8Array) return { mediaType, base64: Base64.encode(data) }
  const text = data instanceof URL ? data.href : data
  const inline = dataUrl.exec(text)
  if (inline !== null) return { mediaType: typeOf(inline[1] ?? mediaType), base64: text.slice(inline[0].length) }
  if (/^https?:/iu.test(text)) return { mediaType, url: text }
  return anyAddress.test(text) ? { mediaType } : { mediaType, base64: text }
}

const plainText = (base64: string): string => Result.getOrElse(Base64.decodeString(base64), () => base64)

/** Writes a file as an image or a document if the format supports its type, otherwise as a note. */
export const write = (part: Prompt.FilePart): Anthropic.ImageBlock | Anthropic.DocumentBlock | Anthropic.TextBlock => {
  const fields = AnthropicFields.apiFields(part.options)
  const { base64, mediaType, url } = contentOf(part)
  const name = part.fileName?.trim().slice(0, longestTitle) ?? ""
  const title = name === "" ? {} : { title: name }
  if (mediaType.startsWith("image/")) {
    if (url !== undefined) return { type: "image", source: { type: "url", url }, ...fields }
    const known = prefixes.find(([prefix]) => base64?.startsWith(prefix))?.[1]
    // The API rejects the whole request if an image is not of its declared type.
    const media_type = known ?? (mediaType === "image/*" ? "image/png" : mediaType)
    if (base64 !== undefined && imageTypes.has(media_type)) {
      return { type: "image", source: { type: "base64", media_type, data: base64 }, ...fields }
    }
  }
  if (mediaType === "application/pdf") {
    if (url !== undefined) return { type: "document", source: { type: "url", url }, ...title, ...fields }
    if (base64 !== undefined) {
      return { type: "document", source: { type: "base64", media_type: mediaType, data: base64 }, ...title, ...fields }
    }
  }
  if (mediaType.startsWith("text/") && base64 !== undefined) {
    const source = { type: "text", media_type: "text/plain", data: plainText(base64) } as const
    return { type: "document", source, ...title, ...fields }
  }
  const link = ShownPart.hasLink(part) ? JSON.stringify(ShownPart.noteIn(part)) : Prompt.toolModelOutputToText([part])
  return { type: "text", text: url !== undefined ? `[${mediaType} ${url}]` : link }
}

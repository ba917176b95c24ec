/**
 * The parts that accompany a result: images, files and texts [5.6].
 *
 * A handler may return parts in several forms. `plain` converts them to the form that is stored, compared and sent.
 * This form is JSON: `data` is base64, or an `http:` or `https:` address.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A text. */
export interface TextPart {
  readonly type: "text"
  readonly text: string
}

/** A file, for example an image. */
export interface FilePart {
  readonly type: "file"
  /** The media type, such as `image/png`. */
  readonly mediaType: string
  /** The bytes, their base64, or an `http:`, `https:` or `data:` address. */
  readonly data: Uint8Array | string | URL
  readonly fileName?: string
}

/** A part that a handler can return with its answer. */
export type Part = TextPart | FilePart

const PlainText = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })

const PlainFile = Schema.Struct({
  type: Schema.Literal("file"),
  mediaType: Schema.String,
  data: Schema.String,
  fileName: Schema.optionalKey(Schema.String)
})

/** A part in plain form, which is JSON: `data` is base64, or an `http:` or `https:` address. */
export const PlainPart = Schema.Union([PlainText, PlainFile])
export type PlainPart = typeof PlainPart.Type
export type PlainFile = typeof PlainFile.Type

/** The maximum number of parts that accompany one envelope. */
const maxParts = 100

const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9*][a-z0-9!#$&^_.+-]*(?:\s*;.*)?$/iu
const address = /^https?:\/\//iu
const dataUrl = /^data:[^,]*;base64,/iu
const base64 = /^[A-Za-z0-9+/]*={0,2}$/u

/** Converts parts to their plain form, or fails with one sentence about the first invalid part. Never throws. */
export const plain = (parts: unknown): Result.Result<ReadonlyArray<PlainPart>, string> => {
  if (!Array.isArray(parts)) return Result.fail("The parts are not a list.")
  if (parts.length > maxParts) return Result.fail(`There are ${parts.length} parts; at most ${maxParts} are allowed.`)
  const all: Array<PlainPart> = []
  for (const [index, part] of parts.entries()) {
    const converted = one(part)
    if (typeof converted === "string") return Result.fail(`Part ${index + 1} ${converted}`)
    all.push(converted)
  }
  return Result.succeed(all)
}

type Loose = { readonly [field in "type" | "text" | "mediaType" | "data" | "fileName"]?: unknown }

/** Returns the part in its plain form, or a description of its fault. */
const one = (part: unknown): PlainPart | string => {
  if (typeof part !== "object" || part === null) return "is not an object."
  const { data, fileName, mediaType: type, text, type: kind } = part as Loose
  if (kind === "text") return typeof text === "string" ? { type: "text", text } : "has no `text`."
  if (kind !== "file") return 'is not of type "text" or "file".'
  if (typeof type !== "string" || !mediaType.test(type)) return "has no `mediaType` such as image/png."
  if (fileName !== undefined && typeof fileName !== "string") return "has a `fileName` that is not a string."
  const written = dataOf(data)
  if (written === undefined) return "has `data` that is not bytes (at least one), base64 or an address."
  return { type: "file", mediaType: type, data: written, ...(fileName === undefined ? {} : { fileName }) }
}

const dataOf = (data: unknown): string | undefined => {
  // Providers refuse a request whose conversation contains an empty file.
  if (data instanceof Uint8Array) return data.length === 0 ? undefined : Base64.encode(data)
  const text = data instanceof URL ? data.href : data
  if (typeof text !== "string") return undefined
  if (address.test(text)) return URL.canParse(text) ? text : undefined
  const bytes = text.replace(dataUrl, "").replaceAll(/\s/gu, "")
  return bytes !== "" && bytes.length % 4 === 0 && base64.test(bytes) ? bytes : undefined
}

/** True if a file holds the address of its bytes instead of the bytes. */
export const isAddress = ({ data }: PlainFile): boolean => address.test(data)

/** Returns the number of bytes in a file; 0 for an address. */
export const fileBytes = (file: PlainFile): number => {
  if (isAddress(file)) return 0
  const { data } = file
  return (data.length / 4) * 3 - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0)
}

const textual = /^(?:text\/|application\/(?:json|xml|yaml|x-ndjson|[\w.-]+\+(?:json|xml))(?:;|$))/iu

/** True if a media type is textual. */
export const isTextual = (mediaType: string): boolean => textual.test(mediaType)

/** Returns the text of a file with a textual media type; `undefined` for other files and for addresses. */
export const textOf = (file: PlainFile): string | undefined => {
  if (!isTextual(file.mediaType) || isAddress(file)) return undefined
  const bytes = Base64.decode(file.data)
  return Result.isSuccess(bytes) ? new TextDecoder().decode(bytes.success) : undefined
}

/** Returns the file with another text. */
export const withText = (file: PlainFile, text: string): PlainFile => ({
  ...file,
  data: Base64.encode(new TextEncoder().encode(text))
})

const TypeId = "~effect-toolguard/WithParts"

/** An answer of a handler and the parts that accompany it. Created by `withParts`. */
export interface WithParts<out A> {
  readonly [TypeId]: typeof TypeId
  readonly answer: A
  readonly parts: ReadonlyArray<Part>
}

/** Adds parts to an answer. */
export const withParts = <A>(answer: A, parts: ReadonlyArray<Part>): WithParts<A> => ({
  [TypeId]: TypeId,
  answer,
  parts
})

/** True if `withParts` created the answer. */
export const isWithParts = (value: unknown): value is WithParts<unknown> =>
  typeof value === "object" && value !== null && TypeId in value

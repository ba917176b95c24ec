/**
 * Further parts of a result beside its envelope: pictures, files, texts (SPEC 5.6).
 *
 * A handler gives them in whatever form it has; `plain` brings them into the one form that is kept, compared and sent.
 * That form is JSON: `data` is base64, or an address that begins with `http:` or `https:`.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export interface TextPart {
  readonly type: "text"
  readonly text: string
}

/** A file, a picture above all. */
export interface FilePart {
  readonly type: "file"
  /** Such as `image/png`. */
  readonly mediaType: string
  /** The bytes, their base64, or where they are: an `http:`, `https:` or `data:` address. */
  readonly data: Uint8Array | string | URL
  readonly fileName?: string
}

/** What a handler may give beside its answer. */
export type Part = TextPart | FilePart

const PlainText = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })

const PlainFile = Schema.Struct({
  type: Schema.Literal("file"),
  mediaType: Schema.String,
  data: Schema.String,
  fileName: Schema.optionalKey(Schema.String)
})

/** A part in the form that is kept: `data` is base64, or an `http:` or `https:` address. Plain JSON. */
export const PlainPart = Schema.Union([PlainText, PlainFile])
export type PlainPart = typeof PlainPart.Type
export type PlainFile = typeof PlainFile.Type

/** Most parts beside one envelope. */
const mostParts = 100

const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9*][a-z0-9!#$&^_.+-]*(?:\s*;.*)?$/iu
const address = /^https?:\/\//iu
const dataUrl = /^data:[^,]*;base64,/iu
const base64 = /^[A-Za-z0-9+/]*={0,2}$/u

/** Brings parts into the form that is kept, or says in one sentence what is wrong with one. Total. */
export const plain = (parts: unknown): Result.Result<ReadonlyArray<PlainPart>, string> => {
  if (!Array.isArray(parts)) return Result.fail("The parts are no list.")
  if (parts.length > mostParts) return Result.fail(`There are ${parts.length} parts; at most ${mostParts} are taken.`)
  const all: Array<PlainPart> = []
  for (const [index, part] of parts.entries()) {
    const made = one(part)
    if (typeof made === "string") return Result.fail(`Part ${index + 1} ${made}`)
    all.push(made)
  }
  return Result.succeed(all)
}

type Loose = { readonly [field in "type" | "text" | "mediaType" | "data" | "fileName"]?: unknown }

/** The part in its plain form, or what is wrong with it. */
const one = (part: unknown): PlainPart | string => {
  if (typeof part !== "object" || part === null) return "is no object."
  const { data, fileName, mediaType: type, text, type: kind } = part as Loose
  if (kind === "text") return typeof text === "string" ? { type: "text", text } : "has no `text`."
  if (kind !== "file") return 'is neither of the type "text" nor "file".'
  if (typeof type !== "string" || !mediaType.test(type)) return "has no `mediaType` such as image/png."
  if (fileName !== undefined && typeof fileName !== "string") return "has a `fileName` that is no text."
  const written = dataOf(data)
  if (written === undefined) return "has `data` that is neither bytes, at least one, nor base64, nor an address."
  return { type: "file", mediaType: type, data: written, ...(fileName === undefined ? {} : { fileName }) }
}

const dataOf = (data: unknown): string | undefined => {
  // providers refuse an empty file, and with it the whole conversation
  if (data instanceof Uint8Array) return data.length === 0 ? undefined : Base64.encode(data)
  const text = data instanceof URL ? data.href : data
  if (typeof text !== "string") return undefined
  if (address.test(text)) return URL.canParse(text) ? text : undefined
  const bytes = text.replace(dataUrl, "").replaceAll(/\s/gu, "")
  return bytes !== "" && bytes.length % 4 === 0 && base64.test(bytes) ? bytes : undefined
}

/** Whether a part says where its bytes are, and does not hold them. */
export const isAddress = ({ data }: PlainFile): boolean => address.test(data)

/** Bytes that a file holds; 0 of one that is an address. */
export const fileBytes = (file: PlainFile): number => {
  if (isAddress(file)) return 0
  const { data } = file
  return (data.length / 4) * 3 - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0)
}

const textual = /^(?:text\/|application\/(?:json|xml|yaml|x-ndjson|[\w.-]+\+(?:json|xml))(?:;|$))/iu

/** Whether a media type says that a file is text. */
export const isTextual = (mediaType: string): boolean => textual.test(mediaType)

/** The text of a file whose media type says that it is text; undefined of any other, and of an address. */
export const textOf = (file: PlainFile): string | undefined => {
  if (!isTextual(file.mediaType) || isAddress(file)) return undefined
  const bytes = Base64.decode(file.data)
  return Result.isSuccess(bytes) ? new TextDecoder().decode(bytes.success) : undefined
}

/** The same file with another text in it. */
export const withText = (file: PlainFile, text: string): PlainFile => ({
  ...file,
  data: Base64.encode(new TextEncoder().encode(text))
})

const TypeId = "~effect-toolguard/WithParts"

/** An answer of a handler, and what stands beside it. Made by `withParts`. */
export interface WithParts<out A> {
  readonly [TypeId]: typeof TypeId
  readonly answer: A
  readonly parts: ReadonlyArray<Part>
}

/** Puts parts beside an answer. */
export const withParts = <A>(answer: A, parts: ReadonlyArray<Part>): WithParts<A> => ({
  [TypeId]: TypeId,
  answer,
  parts
})

export const isWithParts = (value: unknown): value is WithParts<unknown> =>
  typeof value === "object" && value !== null && TypeId in value

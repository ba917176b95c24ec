/**
 * The parts of a result as a model receives them: after the envelope, or as notes in the envelope.
 *
 * A part is replaced by a note if the part is too large, or if the provider does not accept it in a tool's result. The
 * notes are in the field `parts` of the envelope. A note has a link to its part if the part was stored.
 */
import * as Prompt from "effect/ai/Prompt"
import * as Utf8 from "#domain/text/Utf8"
import * as Part from "./Part.ts"

/** A part, with a link to its stored copy if it was stored. */
export type ShownPart = Part.PlainPart & { readonly resourceUrl?: string }

/** An envelope's note on a part that was left out. */
export type PartNote =
  | { readonly type: "text"; readonly text?: string; readonly bytes?: number; readonly resource_url?: string }
  | {
      readonly type: "file"
      readonly media_type: string
      readonly file_name?: string
      readonly bytes?: number
      /** The address of the file, if the tool returned an address. */
      readonly url?: string
      readonly resource_url?: string
    }

/** The maximum sizes of the parts that accompany one envelope. */
export interface PartLimits {
  /** The maximum number of UTF-8 bytes of all text parts. Default 10,240. */
  readonly textBytes: number
  /**
   * The maximum number of bytes of all files. Default 3,750,000, which is 5 MB as base64: Anthropic's limit for an
   * image.
   */
  readonly fileBytes: number
}

/** The default limits. */
export const defaultLimits: PartLimits = { textBytes: 10_240, fileBytes: 3_750_000 }

const linkOf = ({ resourceUrl }: ShownPart) => (resourceUrl === undefined ? {} : { resource_url: resourceUrl })

/** Returns the note on a part that is left out. */
export const noteOf = (part: ShownPart): PartNote => {
  if (part.type === "text") return { type: "text", bytes: Utf8.length(part.text), ...linkOf(part) }
  const { data, fileName, mediaType } = part
  return {
    type: "file",
    media_type: mediaType,
    ...(fileName === undefined ? {} : { file_name: fileName }),
    ...(Part.isAddress(part) ? { url: data } : { bytes: Part.fileBytes(part) }),
    ...linkOf(part)
  }
}

/**
 * Returns the value that is stored for a part and read by `read_result`: its text, or its media type, name and base64.
 */
export const artifactOf = (part: Part.PlainPart): unknown => {
  if (part.type === "text") return part.text
  const { data, fileName, mediaType } = part
  return (
    Part.textOf(part) ?? {
      media_type: mediaType,
      ...(fileName === undefined ? {} : { file_name: fileName }),
      base64: data
    }
  )
}

const optionsKey = "toolguard"

/**
 * Returns a tool's result in the form of effect/ai's prompts: the envelope, then its parts. The link to a stored part
 * is in the options of the part, at `toolguard.resource_url`. Returns `undefined` if there are no parts, because the
 * envelope is then only in `result`.
 */
export const modelOutput = (
  envelope: string,
  parts: ReadonlyArray<ShownPart> | undefined
): ReadonlyArray<Prompt.ToolModelOutputPart> | undefined =>
  parts === undefined || parts.length === 0
    ? undefined
    : [Prompt.textPart({ text: envelope }), ...parts.map(promptPart)]

const promptPart = (part: ShownPart): Prompt.ToolModelOutputPart => {
  const options = part.resourceUrl === undefined ? {} : { [optionsKey]: { resource_url: part.resourceUrl } }
  if (part.type === "text") return Prompt.textPart({ text: part.text, options })
  const { data, fileName, mediaType } = part
  return Prompt.filePart({
    mediaType,
    data: Part.isAddress(part) ? new URL(data) : data,
    options,
    ...(fileName === undefined ? {} : { fileName })
  })
}

const linkIn = ({ options }: Prompt.ToolModelOutputPart) => {
  const url = options[optionsKey]
  return typeof url === "object" && url !== null && "resource_url" in url && typeof url["resource_url"] === "string"
    ? { resource_url: url["resource_url"] }
    : {}
}

/** True if a part has a link to a stored copy. */
export const hasLink = (part: Prompt.ToolModelOutputPart): boolean => "resource_url" in linkIn(part)

/**
 * True if one of the parts is a text file with a link, which a model can read even if its provider does not accept
 * files.
 */
export const hasReadable = (parts: ReadonlyArray<Prompt.ToolModelOutputPart>): boolean =>
  parts.some((part) => part.type === "file" && Part.isTextual(part.mediaType) && hasLink(part))

/** Returns the note on a part that a provider does not accept. The note on a text contains the text. */
export const noteIn = (part: Prompt.ToolModelOutputPart): PartNote => {
  if (part.type === "text") return { type: "text", text: part.text }
  const { fileName, mediaType } = part
  const converted = Part.plain([{ type: "file", mediaType, data: part.data }])
  const file = converted._tag === "Success" ? converted.success[0] : undefined
  return {
    type: "file",
    media_type: mediaType,
    ...(fileName === undefined ? {} : { file_name: fileName }),
    ...(file?.type !== "file" ? {} : Part.isAddress(file) ? { url: file.data } : { bytes: Part.fileBytes(file) }),
    ...linkIn(part)
  }
}

/** Appends notes to an envelope, after the notes that it already has. */
export const withNotes = (envelope: string, notes: ReadonlyArray<PartNote>): string => {
  if (notes.length === 0) return envelope
  const own = ownNotes(envelope)
  const end = (all: ReadonlyArray<unknown>) => `,"parts":${JSON.stringify(all)}}`
  return own === undefined
    ? envelope.slice(0, -1) + end(notes)
    : envelope.slice(0, -end(own).length) + end([...own, ...notes])
}

/** Returns the notes at the end of an envelope; `undefined` if there are none. */
const ownNotes = (envelope: string): ReadonlyArray<unknown> | undefined => {
  try {
    const { parts } = JSON.parse(envelope) as { readonly parts?: unknown }
    return Array.isArray(parts) && envelope.endsWith(`,"parts":${JSON.stringify(parts)}}`) ? parts : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns a tool's result for a provider that accepts only text. The result of an unguarded tool has the form that
 * effect/ai gives it.
 */
export const asText = (parts: ReadonlyArray<Prompt.ToolModelOutputPart>): string => {
  const [first, ...rest] = parts
  return first?.type === "text" && isEnvelope(first.text)
    ? withNotes(first.text, rest.map(noteIn))
    : Prompt.toolModelOutputToText(parts)
}

const isEnvelope = (text: string): boolean => /^\{"status":"(?:success|partial)",/u.test(text) && text.endsWith("}")

/**
 * The parts of a result as a model gets them: those that stand beside the envelope, and what the envelope says of those
 * that do not.
 *
 * A part does not stand beside it where it is too large, or where a provider takes none in a tool's result. The envelope
 * then has a note of it in `parts`, with the link under which it can be read, where it was kept.
 */
import * as Prompt from "effect/ai/Prompt"
import * as Utf8 from "#domain/text/Utf8"
import * as Part from "./Part.ts"

/** A part, and the link under which the whole of it is kept; absent where nothing keeps it. */
export type ShownPart = Part.PlainPart & { readonly resourceUrl?: string }

/** What an envelope says of a part that does not stand beside it. */
export type PartNote =
  | { readonly type: "text"; readonly text?: string; readonly bytes?: number; readonly resource_url?: string }
  | {
      readonly type: "file"
      readonly media_type: string
      readonly file_name?: string
      readonly bytes?: number
      /** Where the file is, if the tool said no more than that. */
      readonly url?: string
      readonly resource_url?: string
    }

/** Most bytes of parts beside one envelope. */
export interface PartLimits {
  /** UTF-8 bytes of all text parts. Default 10,240. */
  readonly textBytes: number
  /** Bytes of all files. Default 3,750,000: as base64 they are 5 MB, the most that Anthropic's API takes of one picture. */
  readonly fileBytes: number
}

export const defaultLimits: PartLimits = { textBytes: 10_240, fileBytes: 3_750_000 }

const linkOf = ({ resourceUrl }: ShownPart) => (resourceUrl === undefined ? {} : { resource_url: resourceUrl })

/** A note of a part that is left out. */
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

/** The value under which a part is kept, so that `read_result` can read it: its text, or what it is with its base64. */
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
 * A tool's result as effect/ai's prompts hold it: the envelope first, then its parts. Undefined without parts: the
 * envelope then stands in `result` alone. The link of a part is in its options, `toolguard.resource_url`.
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

/** Whether a part is kept under a link. */
export const hasLink = (part: Prompt.ToolModelOutputPart): boolean => "resource_url" in linkIn(part)

/** Whether a file among the parts is a text, and can be read under a link where the provider does not take it. */
export const hasReadable = (parts: ReadonlyArray<Prompt.ToolModelOutputPart>): boolean =>
  parts.some((part) => part.type === "file" && Part.isTextual(part.mediaType) && hasLink(part))

/** A note of a part that a provider cannot take. A text is written out: it needs no other place. */
export const noteIn = (part: Prompt.ToolModelOutputPart): PartNote => {
  if (part.type === "text") return { type: "text", text: part.text }
  const { fileName, mediaType } = part
  const made = Part.plain([{ type: "file", mediaType, data: part.data }])
  const file = made._tag === "Success" ? made.success[0] : undefined
  return {
    type: "file",
    media_type: mediaType,
    ...(fileName === undefined ? {} : { file_name: fileName }),
    ...(file?.type !== "file" ? {} : Part.isAddress(file) ? { url: file.data } : { bytes: Part.fileBytes(file) }),
    ...linkIn(part)
  }
}

/** An envelope with notes of parts in it, at its end. */
export const withNotes = (envelope: string, notes: ReadonlyArray<PartNote>): string => {
  if (notes.length === 0) return envelope
  const own = ownNotes(envelope)
  const end = (all: ReadonlyArray<unknown>) => `,"parts":${JSON.stringify(all)}}`
  return own === undefined
    ? envelope.slice(0, -1) + end(notes)
    : envelope.slice(0, -end(own).length) + end([...own, ...notes])
}

/** The notes that an envelope ends with. */
const ownNotes = (envelope: string): ReadonlyArray<unknown> | undefined => {
  try {
    const { parts } = JSON.parse(envelope) as { readonly parts?: unknown }
    return Array.isArray(parts) && envelope.endsWith(`,"parts":${JSON.stringify(parts)}}`) ? parts : undefined
  } catch {
    return undefined
  }
}

/** A tool's result for a provider that takes nothing but text there; of a tool that is not ours, as effect/ai writes it. */
export const asText = (parts: ReadonlyArray<Prompt.ToolModelOutputPart>): string => {
  const [first, ...rest] = parts
  return first?.type === "text" && isEnvelope(first.text)
    ? withNotes(first.text, rest.map(noteIn))
    : Prompt.toolModelOutputToText(parts)
}

const isEnvelope = (text: string): boolean => /^\{"status":"(?:success|partial)",/u.test(text) && text.endsWith("}")

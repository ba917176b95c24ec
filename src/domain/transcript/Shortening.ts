/** Shortens an old tool result. Its envelope stays, and a short preview replaces its data. */
import { isJsonObject } from "#domain/json/JsonObject"
import type * as Prompt from "effect/ai/Prompt"
import { noteIn, type PartNote } from "#domain/parts/ShownPart"
import * as Preview from "#domain/envelope/Preview"
import * as Utf8 from "#domain/text/Utf8"

/** A shorter form of a result. */
export interface ShortForm {
  /** The value to store. Absent if the result contains only a preview, which may already have a link. */
  readonly whole?: { readonly value: unknown }
  /**
   * Returns the new result. `url` is the link to `whole`. Without a link, the text tells the model to call the tool
   * again.
   */
  readonly text: (url: string | undefined) => string
}

interface Fields {
  readonly [field: string]: unknown
}

/** The fields of an envelope other than the preview and its link. */
interface OtherFields {
  readonly status?: unknown
  readonly rest?: Fields
}

/** The maximum size of a preview, in bytes. */
const maxBytes = 500

const noteWithLink = "Shortened to save room. Read it with read_result."
const noteWithoutLink = "Shortened to save room. Call the tool again if you need it."

/**
 * Returns the shorter form of a result, or undefined for errors and for values that cannot be serialised. The form of a
 * short result can be longer than the result.
 *
 * Notes replace the images and files of the result. The note on a stored file contains its link.
 */
export const shorten = ({ modelOutput, result }: Prompt.ToolResultPart): ShortForm | undefined => {
  try {
    const value = typeof result === "string" ? parsed(result) : result
    const notes = (modelOutput ?? []).flatMap((part) => (part.type === "file" ? [noteIn(part)] : []))
    if (!isEnvelope(value)) return shortened({ rest: withNotes({}, notes) }, value)
    const { data, preview, resource_url: link, status, ...rest } = value
    if (status === "error") return undefined
    const others = { status, rest: withNotes(rest, notes) }
    return isJsonObject(preview) ? shortenedPreview(others, preview, link) : shortened(others, data)
  } catch {
    // The value is too deep or contains a bigint, which only the conversation of a host can have.
    return undefined
  }
}

/** Adds notes on the files of a result to the fields of its envelope. */
const withNotes = (rest: Fields, notes: ReadonlyArray<PartNote>): Fields => {
  const { parts } = rest
  return notes.length === 0 ? rest : { ...rest, parts: [...(Array.isArray(parts) ? parts : []), ...notes] }
}

const shortened = (fields: OtherFields, value: unknown): ShortForm => {
  const preview = summary(value)
  return { whole: { value }, text: (url) => written(fields, preview, url) }
}

/** Shortens an existing preview, and keeps its link if it has one. */
const shortenedPreview = (fields: OtherFields, preview: Fields, link: unknown): ShortForm => {
  const head = { bytes: preview["bytes"], structure: brief(preview["structure"]) }
  const shorter = { ...head, ...firstOf(head, preview["first"]) }
  return { text: () => written(fields, shorter, typeof link === "string" ? link : undefined) }
}

/** Returns the JSON value of a text, or the text itself. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** True if a value is an envelope, or a result that was shortened before. */
const isEnvelope = (value: unknown): value is Fields => {
  if (!isJsonObject(value)) return false
  const { data, error, preview, status } = value
  if (status === "error") return isJsonObject(error)
  if (status === undefined)
    return isJsonObject(preview) && (preview["note"] === noteWithLink || preview["note"] === noteWithoutLink)
  return (status === "success" || status === "partial") && (data !== undefined || isJsonObject(preview))
}

const summary = (value: unknown): Fields => {
  const head = { bytes: Utf8.length(JSON.stringify(value) ?? ""), structure: Preview.structure(value, maxBytes) }
  return { ...head, ...firstOf(head, value) }
}

const brief = (structure: unknown): unknown =>
  isJsonObject(structure) && !Utf8.fits(JSON.stringify(structure), maxBytes / 3) ? "object" : structure

const firstOf = (head: Fields, value: unknown): Fields => {
  const text = value === undefined ? undefined : Preview.first(value, maxBytes - Utf8.length(JSON.stringify(head)))
  return text === undefined ? {} : { first: JSON.parse(text) as unknown }
}

/** Writes the fields in the order of an envelope. */
const written = ({ rest, status }: OtherFields, preview: Fields, url: string | undefined): string =>
  JSON.stringify({
    status,
    preview: { ...preview, note: url === undefined ? noteWithoutLink : noteWithLink },
    resource_url: url,
    ...rest
  })

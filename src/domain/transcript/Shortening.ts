/** What an old tool result becomes: its own envelope, with a short preview in the place of its data. */
import { isJsonObject } from "#domain/json/JsonObject"
import type * as Prompt from "effect/ai/Prompt"
import { noteIn, type PartNote } from "#domain/parts/ShownPart"
import * as Preview from "#domain/envelope/Preview"
import * as Utf8 from "#domain/text/Utf8"

/** A shorter form of a result. */
export interface Short {
  /** What a link has to lead to; absent where the result holds a link already, or is no more than a preview. */
  readonly whole?: { readonly value: unknown }
  /** The new result. `url`: the link to `whole`; without one the model is told to call again. */
  readonly text: (url: string | undefined) => string
}

interface Fields {
  readonly [field: string]: unknown
}

/** What stands around the preview in an envelope. */
interface Around {
  readonly status?: unknown
  readonly rest?: Fields
}

/** Bytes of a preview. */
const room = 500

const kept = "Shortened to save room. Read it with read_result."
const gone = "Shortened to save room. Call the tool again where you need it."

/**
 * The shorter form of a result. Undefined of an error, which is short, and of what cannot be written. It may be no shorter.
 *
 * Parts beside it go with it: pictures and files are named, with the links under which they were kept.
 */
export const shorten = ({ modelOutput, result }: Prompt.ToolResultPart): Short | undefined => {
  try {
    const value = typeof result === "string" ? parsed(result) : result
    const notes = (modelOutput ?? []).flatMap((part) => (part.type === "file" ? [noteIn(part)] : []))
    if (!isEnvelope(value)) return of({ rest: besides({}, notes) }, value)
    const { data, preview, resource_url: link, status, ...rest } = value
    if (status === "error") return undefined
    const around = { status, rest: besides(rest, notes) }
    return isJsonObject(preview) ? again(around, preview, link) : of(around, data)
  } catch {
    // thousands of levels, a bigint: only a history of others holds such a value
    return undefined
  }
}

/** The other fields of an envelope, with notes of the files that stood beside it. */
const besides = (rest: Fields, notes: ReadonlyArray<PartNote>): Fields => {
  const { parts } = rest
  return notes.length === 0 ? rest : { ...rest, parts: [...(Array.isArray(parts) ? parts : []), ...notes] }
}

const of = (fields: Around, value: unknown): Short => {
  const preview = summary(value)
  return { whole: { value }, text: (url) => written(fields, preview, url) }
}

/** A preview that is shortened has its link already, or none. */
const again = (fields: Around, preview: Fields, link: unknown): Short => {
  const head = { bytes: preview["bytes"], structure: brief(preview["structure"]) }
  const shorter = { ...head, ...firstOf(head, preview["first"]) }
  return { text: () => written(fields, shorter, typeof link === "string" ? link : undefined) }
}

/** A text that is no JSON is its own value. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** An envelope of ours, or what became of a result that was none. */
const isEnvelope = (value: unknown): value is Fields => {
  if (!isJsonObject(value)) return false
  const { data, error, preview, status } = value
  if (status === "error") return isJsonObject(error)
  if (status === undefined) return isJsonObject(preview) && (preview["note"] === kept || preview["note"] === gone)
  return (status === "success" || status === "partial") && (data !== undefined || isJsonObject(preview))
}

const summary = (value: unknown): Fields => {
  const head = { bytes: Utf8.length(JSON.stringify(value) ?? ""), structure: Preview.structure(value, room) }
  return { ...head, ...firstOf(head, value) }
}

const brief = (structure: unknown): unknown =>
  isJsonObject(structure) && !Utf8.fits(JSON.stringify(structure), room / 3) ? "object" : structure

const firstOf = (head: Fields, value: unknown): Fields => {
  const text = value === undefined ? undefined : Preview.first(value, room - Utf8.length(JSON.stringify(head)))
  return text === undefined ? {} : { first: JSON.parse(text) as unknown }
}

/** In the order of the envelope's fields. */
const written = ({ rest, status }: Around, preview: Fields, url: string | undefined): string =>
  JSON.stringify({
    status,
    preview: { ...preview, note: url === undefined ? gone : kept },
    resource_url: url,
    ...rest
  })

/**
 * The envelope: the JSON text that a model reads as a tool's result (SPEC 5).
 *
 * One shape always, its fields in this order:
 *
 * - `{"status":"success","data":…}`, then what applies of `empty`, `used_fallback`, `_idempotent`, `unchanged`, `notice`
 * - `{"status":"success","preview":{…}}`, with the same flags, where the result is larger than the limit; `resource_url`
 *   where the whole was kept
 * - `{"status":"partial","data":…,"error":{…}}`, or with `preview` for `data`; `used_fallback` where an alternative gave it
 * - `{"status":"error","error":{…}}`
 * - `parts` at the end of a success or partial that has parts which do not stand beside it: what they are, and their links
 *
 * **Details**
 *
 * - `empty: true` stands beside `null`, a blank string, `[]` and `{}`, so that nothing found is not taken for a fault;
 *   a result that is `undefined` is `null`.
 * - What the loop detector says of a success is told as `unchanged: true` for an identical call, else as a `notice`; of a
 *   failure it stands first in its `hint`.
 * - A result that JSON cannot hold (a bigint, a cycle, a codec or `toJSON` that throws) becomes a SchemaMismatch; of a
 *   tool that writes it says that the action was done.
 *
 * **Gotchas**
 *
 * Nothing is redacted here: `encode` gives what the model may see.
 */
import type { Access } from "#domain/tool/Access"
import * as EnvelopeError from "./EnvelopeError.ts"
import * as Failure from "#domain/failure/Failure"
import type { Failed, Outcome, Success } from "#domain/call/Outcome"
import { type PartNote, withNotes } from "#domain/parts/ShownPart"
import * as Preview from "./Preview.ts"
import * as Utf8 from "#domain/text/Utf8"

/** A preview as the model reads it. */
export interface EnvelopePreview {
  /** UTF-8 bytes of the whole result as JSON. */
  readonly bytes: number
  /** What the result is, or what its members are: `array of 5000`, `string of 81920 characters`, `number`. */
  readonly structure: string | Readonly<Record<string, string>>
  /** The beginning of the result, in its own shape. Absent where nothing fits. */
  readonly first?: unknown
  readonly note: string
}

/** The preview before it is put together; `first` is JSON text. */
interface Preview {
  readonly bytes: number
  readonly structure: EnvelopePreview["structure"]
  readonly first: string | undefined
  readonly note: string
}

type Result = { readonly data: unknown } | { readonly preview: EnvelopePreview; readonly resource_url?: string }

/** What became of the whole of a result that is larger than the limit: it can be read under a link, or not any more. */
export type Kept = { readonly _tag: "Kept"; readonly url: string } | { readonly _tag: "Lost" }

/** Notes of parts that do not stand beside the envelope. */
interface Noted {
  readonly parts?: ReadonlyArray<PartNote>
}

interface Flags {
  readonly empty?: true
  readonly used_fallback?: string
  readonly _idempotent?: true
  readonly unchanged?: true
  readonly notice?: string
}

/** An envelope as a value. */
export type Envelope =
  | (Result & Flags & Noted & { readonly status: "success" })
  | (Result &
      Noted & {
        readonly status: "partial"
        readonly error: EnvelopeError.EnvelopeError
        readonly used_fallback?: string
      })
  | { readonly status: "error"; readonly error: EnvelopeError.EnvelopeError }

export interface RenderOptions {
  readonly access: Access
  /** Turns a decoded result into what the model sees: the success schema's encoder, then redaction. */
  readonly encode: (value: unknown) => unknown
  /** The JSON text of what `encode` gives, where it has been written already; `encode` is then asked for a preview alone. */
  readonly json?: string | undefined
  /** Most UTF-8 bytes of a result; a larger one is sent as a preview of at most that size. Default 10,240. */
  readonly maxResultBytes?: number | undefined
  /** What became of the whole of a larger one. Absent where nothing keeps it. */
  readonly kept?: Kept | undefined
  /** What the envelope says of parts that do not stand beside it. */
  readonly parts?: ReadonlyArray<PartNote> | undefined
  /** Names the request to a person. */
  readonly approvalUrl?: string | undefined
  /** Name of the tool and id of the call's trace, for a result that turns out not to be JSON. */
  readonly tool?: string | undefined
  readonly traceId?: string | undefined
}

/** Most UTF-8 bytes of a result that a model gets whole. Source: SPEC 2.9. */
export const defaultMaxResultBytes = 10_240

const notes = {
  None: "Only the beginning: the result is too large. Ask for less, or for one part at a time.",
  Kept: "Only the beginning. Read the rest with read_result: page by page, or a part by its path.",
  Lost: "Only the beginning: the result is too large, and the whole cannot be read, since it could not be kept. Ask for less, or for one part at a time."
} as const

/** An encoded result, and the JSON text of `data` or `preview`. */
type Written =
  | { readonly field: "data"; readonly value: unknown; readonly text: string; readonly isText?: true }
  | { readonly field: "preview"; readonly preview: Preview; readonly text: string; readonly url: string | undefined }

const writePreview = (value: unknown, bytes: number, maxBytes: number, kept: Kept | undefined): Written => {
  const note = notes[kept?._tag ?? "None"]
  const structure = Preview.structure(value, maxBytes)
  const head = `{"bytes":${bytes},"structure":${JSON.stringify(structure)},`
  const tail = `"note":${JSON.stringify(note)}}`
  const first = Preview.first(value, maxBytes - Utf8.length(head + tail) - `"first":,`.length)
  const text = head + (first === undefined ? "" : `"first":${first},`) + tail
  const url = kept?._tag === "Kept" ? kept.url : undefined
  return { field: "preview", preview: { bytes, structure, first, note }, text, url }
}

/** Writes a result, or answers `undefined` where JSON cannot hold it. */
const write = (value: unknown, options: RenderOptions): Written | undefined => {
  const maxBytes = options.maxResultBytes ?? defaultMaxResultBytes
  const { json } = options
  if (json !== undefined && Utf8.fits(json, maxBytes)) {
    return { field: "data", value: undefined, text: json, isText: true }
  }
  try {
    const encoded = options.encode(value)
    if (encoded === undefined) return { field: "data", value: null, text: "null" }
    const text = json ?? (JSON.stringify(encoded) as string | undefined)
    if (text === undefined) return undefined
    return Utf8.fits(text, maxBytes)
      ? { field: "data", value: encoded, text }
      : writePreview(encoded, Utf8.length(text), maxBytes, options.kept)
  } catch {
    return undefined
  }
}

const result = (written: Written): Result =>
  written.field === "data"
    ? { data: written.isText === true ? (JSON.parse(written.text) as unknown) : written.value }
    : {
        preview: {
          bytes: written.preview.bytes,
          structure: written.preview.structure,
          ...(written.preview.first === undefined ? {} : { first: JSON.parse(written.preview.first) as unknown }),
          note: written.preview.note
        },
        ...(written.url === undefined ? {} : { resource_url: written.url })
      }

const blank = /^"(?:\s|\\[nrtf])*"$/

const isEmpty = (text: string): boolean =>
  text === "[]" || text === "{}" || text === "null" || (text.charCodeAt(0) === 0x22 && blank.test(text))

/** What stands beside the result; `undefined` on the usual, quick path. */
const flags = ({ idempotent, loop, unchanged, usedFallback }: Success, text: string): Flags | undefined => {
  const empty = isEmpty(text)
  const isTold = loop !== undefined && loop._tag !== "Proceed"
  if (!empty && !isTold && usedFallback === undefined && idempotent === undefined && unchanged === undefined) {
    return undefined
  }
  const isUnchanged = unchanged === true || (isTold && loop.pattern === "identical")
  return {
    ...(empty ? { empty } : {}),
    ...(usedFallback === undefined ? {} : { used_fallback: usedFallback }),
    ...(idempotent === undefined ? {} : { _idempotent: idempotent }),
    ...(isUnchanged ? { unchanged: true } : {}),
    ...(isTold && loop.pattern !== "identical" ? { notice: loop.reason } : {})
  }
}

/** The failure of a result that JSON cannot hold. The handler gave a value, so a write was done. */
const unwritable = (options: RenderOptions): EnvelopeError.EnvelopeError => {
  const done = options.access !== "read"
  const failure = Failure.ofCode(done ? "done_unreadable" : "invalid_result", {
    tool: options.tool ?? "",
    detail: "The tool's result cannot be written as JSON.",
    sideEffect: done ? "committed" : "none",
    traceId: options.traceId
  })
  return EnvelopeError.make(failure, { access: options.access })
}

const error = (outcome: Failed, options: RenderOptions): EnvelopeError.EnvelopeError =>
  EnvelopeError.make(outcome.failure, {
    access: options.access,
    approvalUrl: options.approvalUrl,
    recalled: outcome.recalled,
    remaining: outcome.remaining,
    notice: outcome.loop !== undefined && outcome.loop._tag !== "Proceed" ? outcome.loop.reason : undefined,
    tried: outcome.tried
  })

/** What an outcome holds for the model, before it is put together as text or as a value. */
type Content =
  | { readonly status: "success"; readonly written: Written; readonly flags: Flags | undefined }
  | {
      readonly status: "partial"
      readonly written: Written
      readonly error: EnvelopeError.EnvelopeError
      readonly beside: Pick<Flags, "used_fallback">
    }
  | { readonly status: "error"; readonly error: EnvelopeError.EnvelopeError }

const content = (outcome: Outcome, options: RenderOptions): Content => {
  if (outcome._tag === "Success") {
    const written = write(outcome.value, options)
    if (written === undefined) return { status: "error", error: unwritable(options) }
    return { status: "success", written, flags: flags(outcome, written.text) }
  }
  if (outcome.failure._tag !== "PartialData") return { status: "error", error: error(outcome, options) }
  const written = write(outcome.failure.data, options)
  if (written === undefined) return { status: "error", error: unwritable(options) }
  const beside = outcome.usedFallback === undefined ? {} : { used_fallback: outcome.usedFallback }
  return { status: "partial", written, error: error(outcome, options), beside }
}

/** What an envelope shows: a result (the whole or a part of it), the preview of one, or an error alone. */
export type Shows = Written["field"] | "error"

/** An envelope as text, and what it shows, so that nobody has to look into a text that may be long. */
export interface Rendered {
  readonly text: string
  readonly shows: Shows
}

/** Writes the envelope of an outcome: one JSON text. Total; costs about as much as `JSON.stringify` of the result. */
export const render = (outcome: Outcome, options: RenderOptions): Rendered => {
  const parts = content(outcome, options)
  if (parts.status === "error") return { text: textOf(parts), shows: "error" }
  return { text: withNotes(textOf(parts), options.parts ?? []), shows: parts.written.field }
}

const textOf = (parts: Content): string => {
  if (parts.status === "error") return `{"status":"error","error":${JSON.stringify(parts.error)}}`
  const { field, text } = parts.written
  const url = parts.written.field === "preview" ? parts.written.url : undefined
  const link = url === undefined ? "" : `,"resource_url":${JSON.stringify(url)}`
  if (parts.status === "partial") {
    const rest = JSON.stringify({ error: parts.error, ...parts.beside })
    return `{"status":"partial","${field}":${text}${link},${rest.slice(1)}`
  }
  const beside = parts.flags === undefined ? "}" : "," + JSON.stringify(parts.flags).slice(1)
  return `{"status":"success","${field}":${text}${link}${beside}`
}

/** The same envelope as a value, for hosts that write the JSON themselves. `data` is the encoded result, not a copy. */
export const make = (outcome: Outcome, options: RenderOptions): Envelope => {
  const parts = content(outcome, options)
  switch (parts.status) {
    case "error":
      return parts
    case "partial":
      return { status: "partial", ...result(parts.written), error: parts.error, ...parts.beside, ...noted(options) }
    case "success":
      return { status: "success", ...result(parts.written), ...parts.flags, ...noted(options) }
  }
}

const noted = ({ parts }: RenderOptions): Noted => (parts === undefined || parts.length === 0 ? {} : { parts })

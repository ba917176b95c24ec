/**
 * The envelope: the JSON text that a model reads as a tool's result [5.1].
 *
 * It has one of these shapes, with fields in this order:
 *
 * - `{"status":"success","data":…}`, with any of the flags `empty`, `used_fallback`, `_idempotent`, `unchanged`,
 *   `executed`, `notice`
 * - `{"status":"success","preview":{…}}`, with the same flags, if the result is larger than the limit; with
 *   `resource_url` if the whole result was stored
 * - `{"status":"partial","data":…,"error":{…}}`, or with `preview` instead of `data`; with `used_fallback` if a
 *   fallback answered
 * - `{"status":"error","error":{…}}`
 *
 * If parts of a result were left out, the envelope ends with `parts`: a note on each, with a link if the part was
 * stored.
 *
 * **Details**
 *
 * - `empty: true` marks `null`, a blank string, `[]` and `{}`, so that a model does not mistake an empty result for a
 *   fault. A result of `undefined` is written as `null`.
 * - If the loop detector objects to a success, the envelope has `unchanged: true` for an identical call, and a `notice`
 *   for any other pattern. If the detector objects to a failure, its notice is at the start of the `hint`.
 * - `executed: false` marks a write that was not made again: `data` is the result of the first call, and the `notice`
 *   says so.
 * - If the upstream has only accepted a write, the `notice` says so, and that it is not known whether it is done.
 * - If the result of a write states a failure, the `notice` says so, and that it is not known what was done.
 * - If a result is the status of unfinished work, the `notice` says when to call again.
 * - A result that JSON cannot represent (a bigint, a cycle, a codec or `toJSON` that throws) becomes a SchemaMismatch.
 *   If the tool writes, the SchemaMismatch says that the action was done.
 *
 * **Gotchas**
 *
 * This module redacts nothing. `encode` must return only content that the model may see.
 */
import type { Access } from "#domain/tool/Access"
import * as EnvelopeError from "./EnvelopeError.ts"
import { flagsOf, type SuccessFlags } from "./SuccessFlags.ts"
import * as Failure from "#domain/failure/Failure"
import type { FailedOutcome, Outcome } from "#domain/call/Outcome"
import { type PartNote, withNotes } from "#domain/parts/ShownPart"
import * as Preview from "./Preview.ts"
import * as Utf8 from "#domain/text/Utf8"

/** A preview as the model reads it. */
export interface EnvelopePreview {
  /** The number of UTF-8 bytes of the whole result as JSON. */
  readonly bytes: number
  /** The kind of the result, or of each of its members: `array of 5000`, `string of 81920 characters`, `number`. */
  readonly structure: string | Readonly<Record<string, string>>
  /** The beginning of the result, in the shape of the result. Absent if nothing fits. */
  readonly first?: unknown
  readonly note: string
}

/** A preview whose `first` is still JSON text. */
interface Preview {
  readonly bytes: number
  readonly structure: EnvelopePreview["structure"]
  readonly first: string | undefined
  readonly note: string
}

type Result<Data> = { readonly data: Data } | { readonly preview: EnvelopePreview; readonly resource_url?: string }

/** States that a result above the size limit was stored and can be read at `url`, or could not be stored. */
export type StoredResult = { readonly _tag: "Kept"; readonly url: string } | { readonly _tag: "Lost" }

/** Notes on parts that were left out. */
interface Notes {
  readonly parts?: ReadonlyArray<PartNote>
}

/** An envelope as a value. `Data` is the JSON of the tool's result. */
export type Envelope<Data = unknown> =
  | (Result<Data> & SuccessFlags & Notes & { readonly status: "success" })
  | (Result<Data> &
      Notes & {
        readonly status: "partial"
        readonly error: EnvelopeError.EnvelopeError
        readonly used_fallback?: string
      })
  | { readonly status: "error"; readonly error: EnvelopeError.EnvelopeError }

/** The options with which an outcome is rendered. */
export interface RenderOptions {
  readonly access: Access
  /** Converts a decoded result to the form that the model reads: encodes it by the success schema, then redacts it. */
  readonly encode: (value: unknown) => unknown
  /** The JSON text of the encoded result, if there is one. `encode` is then only called for a preview. */
  readonly json?: string | undefined
  /**
   * The maximum number of UTF-8 bytes of a result. A larger result is replaced by a preview of at most this size.
   * Default 10,240.
   */
  readonly maxResultBytes?: number | undefined
  /** States whether a result above the limit was stored. Absent if results are not stored. */
  readonly kept?: StoredResult | undefined
  /** Notes on parts that were left out. */
  readonly parts?: ReadonlyArray<PartNote> | undefined
  /** The address of the approval request. */
  readonly approvalUrl?: string | undefined
  /** A tool of the model that looks up whether the action of a failed write was done. */
  readonly lookup?: string | undefined
  /** The name of the tool, for the error that reports a result that JSON cannot represent. */
  readonly tool?: string | undefined
  readonly traceId?: string | undefined
}

/** The maximum number of UTF-8 bytes of a result that a model reads whole. Source: [2.9]. */
export const defaultMaxResultBytes = 10_240

const notes = {
  None: "Only the beginning: the result is too large. Ask for less, or for one part at a time.",
  Kept: "Only the beginning. Read the rest with read_result: page by page, or a part by its path.",
  Lost: "Only the beginning: the result is too large, and it could not be stored. Ask for less, or for one part at a time."
} as const

/** An encoded result, and the JSON text of `data` or `preview`. */
type WrittenResult =
  | { readonly field: "data"; readonly value: unknown; readonly text: string; readonly isText?: true }
  | { readonly field: "preview"; readonly preview: Preview; readonly text: string; readonly url: string | undefined }

const writePreview = (
  value: unknown,
  bytes: number,
  maxBytes: number,
  kept: StoredResult | undefined
): WrittenResult => {
  const note = notes[kept?._tag ?? "None"]
  const structure = Preview.structure(value, maxBytes)
  const head = `{"bytes":${bytes},"structure":${JSON.stringify(structure)},`
  const tail = `"note":${JSON.stringify(note)}}`
  const first = Preview.first(value, maxBytes - Utf8.length(head + tail) - `"first":,`.length)
  const text = head + (first === undefined ? "" : `"first":${first},`) + tail
  const url = kept?._tag === "Kept" ? kept.url : undefined
  return { field: "preview", preview: { bytes, structure, first, note }, text, url }
}

/** Writes a result; returns `undefined` if JSON cannot represent it. */
const write = (value: unknown, options: RenderOptions): WrittenResult | undefined => {
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

const result = (written: WrittenResult): Result<unknown> =>
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

/** Returns the failure for a result that JSON cannot represent. The handler returned a value, so a write was done. */
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

const error = (outcome: FailedOutcome, options: RenderOptions): EnvelopeError.EnvelopeError =>
  EnvelopeError.make(outcome.failure, {
    access: options.access,
    approvalUrl: options.approvalUrl,
    recalled: outcome.recalled,
    remaining: outcome.remaining,
    retryAfterMillis: outcome.retryAfterMillis,
    notice: outcome.loop !== undefined && outcome.loop._tag !== "Proceed" ? outcome.loop.reason : undefined,
    tried: outcome.tried,
    lookup: options.lookup
  })

/** The content of an envelope, before it is assembled as text or as a value. */
type Content =
  | { readonly status: "success"; readonly written: WrittenResult; readonly flags: SuccessFlags | undefined }
  | {
      readonly status: "partial"
      readonly written: WrittenResult
      readonly error: EnvelopeError.EnvelopeError
      readonly flags: Pick<SuccessFlags, "used_fallback">
    }
  | { readonly status: "error"; readonly error: EnvelopeError.EnvelopeError }

const content = (outcome: Outcome, options: RenderOptions): Content => {
  if (outcome._tag === "Success") {
    const written = write(outcome.value, options)
    if (written === undefined) return { status: "error", error: unwritable(options) }
    return { status: "success", written, flags: flagsOf(outcome, written.text, options.lookup) }
  }
  if (outcome.failure._tag !== "PartialData") return { status: "error", error: error(outcome, options) }
  const written = write(outcome.failure.data, options)
  if (written === undefined) return { status: "error", error: unwritable(options) }
  const flags = outcome.usedFallback === undefined ? {} : { used_fallback: outcome.usedFallback }
  return { status: "partial", written, error: error(outcome, options), flags }
}

/** The kind of an envelope's content: a result (complete or partial), a preview, or only an error. */
export type ContentKind = WrittenResult["field"] | "error"

/** An envelope as text, and the kind of its content, so that callers need not parse the text. */
export interface RenderedEnvelope {
  readonly text: string
  readonly shows: ContentKind
}

/**
 * Writes the envelope of an outcome as one JSON text. Never throws. Costs about as much as `JSON.stringify` of the
 * result.
 */
export const render = (outcome: Outcome, options: RenderOptions): RenderedEnvelope => {
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
    const rest = JSON.stringify({ error: parts.error, ...parts.flags })
    return `{"status":"partial","${field}":${text}${link},${rest.slice(1)}`
  }
  const ending = parts.flags === undefined ? "}" : "," + JSON.stringify(parts.flags).slice(1)
  return `{"status":"success","${field}":${text}${link}${ending}`
}

/**
 * Returns the envelope as a value, for hosts that write the JSON themselves. `data` is the encoded result itself, or
 * the parsed `json` if that option is set.
 */
export const make = (outcome: Outcome, options: RenderOptions): Envelope => {
  const parts = content(outcome, options)
  switch (parts.status) {
    case "error":
      return parts
    case "partial":
      return { status: "partial", ...result(parts.written), error: parts.error, ...parts.flags, ...notesOf(options) }
    case "success":
      return { status: "success", ...result(parts.written), ...parts.flags, ...notesOf(options) }
  }
}

const notesOf = ({ parts }: RenderOptions): Notes => (parts === undefined || parts.length === 0 ? {} : { parts })

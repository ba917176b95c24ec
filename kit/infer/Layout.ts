/**
 * Formats the calls and lists of a source text on lines of up to 120 characters, as oxfmt does. A call or list that
 * fits is on one line. Otherwise each argument or item gets a separate line. A list or an object that is a call's only
 * argument starts on the line of the call.
 */
import { visibleJson } from "effect-toolguard/internal/domain/text/VisibleText"

/** A piece of source. The suffix of a call follows it, such as `.check(…)`. */
export type Piece =
  | string
  | { readonly call: string; readonly args: ReadonlyArray<Piece>; readonly suffix?: string }
  | { readonly list: ReadonlyArray<Piece> }
  | { readonly fields: ReadonlyArray<Field> }

/** A field of an object, with the lines of a comment above it. Each field is on a separate line. */
interface Field {
  readonly key: string
  readonly piece: Piece
  readonly notes?: ReadonlyArray<string>
}

/** The maximum number of characters of a line. */
export const lineWidth = 120

/** Formats a piece on one line. Returns `undefined` for a piece with fields. */
const flat = (piece: Piece): string | undefined => {
  if (typeof piece === "string") return piece
  if ("fields" in piece) return piece.fields.length === 0 ? "{}" : undefined
  const inner = ("call" in piece ? piece.args : piece.list).map(flat)
  if (inner.includes(undefined)) return undefined
  return "call" in piece ? `${piece.call}(${inner.join(", ")})${piece.suffix ?? ""}` : `[${inner.join(", ")}]`
}

/**
 * Formats a piece as lines. The first line starts at `column`, and `after` characters follow the last line. All other
 * lines are indented by at least `indent` spaces.
 */
export const lines = (piece: Piece, indent: number, column: number, after: number): ReadonlyArray<string> => {
  const line = flat(piece)
  if (line !== undefined && (typeof piece === "string" || column + line.length + after <= lineWidth)) return [line]
  const margin = " ".repeat(indent)
  if (typeof piece === "string") return [piece]
  if ("fields" in piece) return ["{", ...fieldLines(piece.fields, indent + 2), `${margin}}`]
  if ("list" in piece) return ["[", ...each(piece.list, indent + 2), `${margin}]`]
  const { suffix = "" } = piece
  const [only] = piece.args
  if (piece.args.length === 1 && only !== undefined && typeof only !== "string" && "list" in only) {
    return [`${piece.call}([`, ...each(only.list, indent + 2), `${margin}])${suffix}`]
  }
  if (piece.args.length === 1 && only !== undefined && typeof only !== "string" && "fields" in only) {
    return [`${piece.call}({`, ...fieldLines(only.fields, indent + 2), `${margin}})${suffix}`]
  }
  return [`${piece.call}(`, ...each(piece.args, indent + 2), `${margin})${suffix}`]
}

const each = (pieces: ReadonlyArray<Piece>, indent: number): ReadonlyArray<string> =>
  pieces.flatMap((piece, index) => {
    const comma = index < pieces.length - 1 ? "," : ""
    const own = lines(piece, indent, indent, comma.length)
    return own.map((line, at) => (at === 0 ? " ".repeat(indent) : "") + line + (at === own.length - 1 ? comma : ""))
  })

const fieldLines = (fields: ReadonlyArray<Field>, indent: number): ReadonlyArray<string> =>
  fields.flatMap(({ key, notes = [], piece }, index) => {
    const margin = " ".repeat(indent)
    const comma = index < fields.length - 1 ? "," : ""
    const own = lines(piece, indent, indent + key.length + 2, comma.length)
    const comments = notes.flatMap((note) => wrapped(note, lineWidth - indent - 3)).map((note) => `${margin}// ${note}`)
    return [
      ...comments,
      ...own.map((line, at) => (at === 0 ? `${margin}${key}: ` : "") + line + (at === own.length - 1 ? comma : ""))
    ]
  })

/**
 * Formats a text as a string literal: in double quotes, or in single quotes if these need fewer escapes. Hidden
 * characters are escaped, because they could make the code look different from what the compiler reads.
 */
export const quoted = (text: string): string => {
  const plain = visibleJson(JSON.stringify(text))
  const doubles = text.split('"').length
  if (doubles <= text.split("'").length) return plain
  return `'${plain.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** Wraps a text into lines of at most `width` characters. A longer word gets a separate line. */
export const wrapped = (text: string, width: number): ReadonlyArray<string> => {
  const out: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`
    if (longer.length > width && line !== "") {
      out.push(line)
      line = word
    } else line = longer
  }
  return [...out, line]
}

/** Formats a definition: `start`, followed by one piece. */
export const constant = (start: string, piece: Piece): ReadonlyArray<string> => {
  const [first = "", ...more] = lines(piece, 0, start.length, 0)
  return [start + first, ...more]
}

/** Formats paragraphs as a JSDoc comment. */
export const comment = (paragraphs: ReadonlyArray<string>): ReadonlyArray<string> => {
  const safe = paragraphs.map((paragraph) => paragraph.replaceAll("*/", "*\\/"))
  const [only = "", ...more] = safe
  if (more.length === 0 && only.length + 7 <= lineWidth) return [`/** ${only} */`]
  const text = safe.flatMap((paragraph) => wrapped(paragraph, lineWidth - 3))
  return ["/**", ...text.map((line) => (line === "" ? " *" : ` * ${line}`)), " */"]
}

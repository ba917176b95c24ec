/** The source of a shape as an expression: names of what is defined, else calls of `Schema`. */
import { type Piece, quoted } from "./Layout.ts"
import type { Names } from "./Names.ts"
import type { Format, Kind, Shape } from "./Shape.ts"

/** What is known of the module that is written. */
export interface Written {
  readonly names: Names
  /** Formats that the module must define. */
  readonly formats: Map<string, RegExp>
  /** Whether it reads Python reprs. */
  usesRepr: boolean
}

const call = (name: string, ...args: ReadonlyArray<Piece>): Piece => ({ call: `Schema.${name}`, args })

/** A string that a pattern checks. */
export const patternPiece = (pattern: RegExp): Piece => call("String.check", call("isPattern", String(pattern)))

const formatPiece = ({ name, pattern }: Format, { formats }: Written): Piece => {
  if (name === undefined) return patternPiece(pattern)
  formats.set(name, pattern)
  return name
}

const literals = (texts: ReadonlyArray<string>): Piece =>
  texts.length === 1
    ? call("Literal", quoted(texts[0] ?? ""))
    : call("Literals", { list: texts.toSorted().map(quoted) })

/** A result that is text: the guard takes text as the value of a string or a template alone. */
export const textPiece = (kind: Kind): Piece =>
  kind._tag === "Text" && kind.isChoice
    ? call("TemplateLiteral", { list: [literals(kind.values.map(([text]) => text))] })
    : "Schema.String"

/** The expression of a shape whose objects are defined. */
export const pieceOf = ({ isNullable, kind }: Shape, written: Written): Piece => {
  const piece = kindPiece(kind, written)
  return isNullable ? call("NullOr", piece) : piece
}

const kindPiece = (kind: Kind, written: Written): Piece => {
  switch (kind._tag) {
    case "Unseen":
      return "Schema.Json"
    case "Flag":
      return "Schema.Boolean"
    case "Number":
      return kind.isInteger ? "Schema.Int" : "Schema.Finite"
    case "Text":
      if (kind.isChoice) return literals(kind.values.map(([text]) => text))
      return kind.format === undefined ? "Schema.String" : formatPiece(kind.format, written)
    case "Held":
      if (kind.notation === "json") return call("fromJsonString", pieceOf(kind.inside, written))
      written.usesRepr = true
      return { call: "PythonRepr.fromReprString", args: [pieceOf(kind.inside, written)] }
    case "Again":
      return call("suspend", `(): ${written.names.codec(kind.loop)} => ${written.names.again(kind.loop)}`)
    case "List":
      return call("Array", pieceOf(kind.items, written))
    case "Empty":
      return call("Record", "Schema.String", "Schema.Never")
    case "Entries":
      return call("Record", "Schema.String", pieceOf(kind.values, written))
    case "Fields":
      return written.names.of(kind) ?? "Schema.Json"
    default:
      return written.names.of(kind) ?? call("Union", { list: kind.members.map((member) => pieceOf(member, written)) })
  }
}

/** Converts a shape to an expression: the name of a definition, or a call of a function of `Schema`. */
import { type Piece, quoted } from "./Layout.ts"
import type { Names } from "./Names.ts"
import type { Format, Kind, Shape } from "./Shape.ts"

/** The state of the module that is being printed. */
export interface Module {
  readonly names: Names
  /** Formats that the module must define. */
  readonly formats: Map<string, RegExp>
  /** True if the module decodes Python reprs. */
  usesRepr: boolean
}

const call = (name: string, ...args: ReadonlyArray<Piece>): Piece => ({ call: `Schema.${name}`, args })

/** Returns the schema of a string with a pattern. */
export const patternPiece = (pattern: RegExp): Piece => call("String.check", call("isPattern", String(pattern)))

const formatPiece = ({ name, pattern }: Format, { formats }: Module): Piece => {
  if (name === undefined) return patternPiece(pattern)
  formats.set(name, pattern)
  return name
}

const literals = (texts: ReadonlyArray<string>): Piece =>
  texts.length === 1
    ? call("Literal", quoted(texts[0] ?? ""))
    : call("Literals", { list: texts.toSorted().map(quoted) })

/** Returns the schema of plain-text results, which the guard decodes only with a string or a template literal. */
export const textPiece = (kind: Kind): Piece =>
  kind._tag === "Text" && kind.isChoice
    ? call("TemplateLiteral", { list: [literals(kind.values.map(([text]) => text))] })
    : "Schema.String"

/** Returns the expression of a shape. The shape's objects must already have definitions. */
export const pieceOf = ({ isNullable, kind }: Shape, module: Module): Piece => {
  const piece = kindPiece(kind, module)
  return isNullable ? call("NullOr", piece) : piece
}

const kindPiece = (kind: Kind, module: Module): Piece => {
  switch (kind._tag) {
    case "Unseen":
      return "Schema.Json"
    case "Flag":
      return "Schema.Boolean"
    case "Number":
      return kind.isInteger ? "Schema.Int" : "Schema.Finite"
    case "Text":
      if (kind.isChoice) return literals(kind.values.map(([text]) => text))
      return kind.format === undefined ? "Schema.String" : formatPiece(kind.format, module)
    case "Held":
      if (kind.notation === "json") return call("fromJsonString", pieceOf(kind.inside, module))
      module.usesRepr = true
      return { call: "PythonRepr.fromReprString", args: [pieceOf(kind.inside, module)] }
    case "Recursion":
      return call("suspend", `(): ${module.names.codec(kind.loop)} => ${module.names.ofLoop(kind.loop)}`)
    case "List":
      return call("Array", pieceOf(kind.items, module))
    case "Empty":
      return call("Record", "Schema.String", "Schema.Never")
    case "Entries":
      return call("Record", "Schema.String", pieceOf(kind.values, module))
    case "Fields":
      return module.names.of(kind) ?? "Schema.Json"
    default:
      return module.names.of(kind) ?? call("Union", { list: kind.members.map((member) => pieceOf(member, module)) })
  }
}

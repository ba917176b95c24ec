/**
 * Writes a schema as source: calls of the functions of `Schema`, one field per line, with comments above fields.
 *
 * **Gotchas**
 *
 * - The source describes the JSON of a value. Conversions of the original schema, such as to a date, are not part of
 *   it.
 * - A rule or a type that has no source is written as `Schema.Json`, with a comment.
 */
import { codeOf } from "effect-toolguard/internal/domain/schema/SchemaCode"
import { nodeAt, type Place, resolved } from "effect-toolguard/internal/domain/faults/FaultPlace"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { pascal } from "#kit/infer/FieldNames"
import { comment, constant, type Piece, quoted } from "#kit/infer/Layout"
import { keyOf } from "#kit/infer/TypeDeclaration"

type AST = SchemaAST.AST

/** Comments on fields, by the place of the field as JSON. */
type Notes = ReadonlyMap<string, ReadonlyArray<string>>

/** Returns the key of a place in `Notes`, which is the key of the innermost field that contains it. */
export const noteKey = (place: Place): string => {
  const last = place.findLastIndex(({ _tag }) => _tag === "Field")
  return JSON.stringify(place.slice(0, last + 1))
}

const call = (name: string, ...args: ReadonlyArray<Piece>): Piece => ({ call: `Schema.${name}`, args })

/** A place without comments: the definition of a recursive node, whose comments are where it is used. */
const uncommented: Place = [{ _tag: "Field", name: "\0" }]

/** Writes one schema. */
class Writer {
  readonly #notes: Notes
  readonly #name: string
  readonly #original: AST
  /** The names of the recursive nodes. */
  readonly #names = new Map<AST, string>()
  readonly definitions: Array<string> = []

  /** `original` is the schema without changes, to whose places the comments belong. */
  constructor(name: string, original: AST, notes: Notes) {
    this.#name = name
    this.#original = original
    this.#notes = notes
  }

  /** Returns the expression of a node. */
  write(node: AST, place: Place): Piece {
    switch (node._tag) {
      case "Suspend":
        return call("suspend", `(): Schema.Codec<unknown> => ${this.#recursive(resolved(node))}`)
      case "Objects":
        return this.#completed(this.#objects(node, place), node, Schema.Record(Schema.String, Schema.Json).ast)
      case "Arrays":
        return this.#completed(this.#arrays(node, place), node, Schema.Array(Schema.String).ast)
      case "Union":
        return node.checks === undefined ? this.#union(node, place) : leaf(node)
      default:
        return leaf(node)
    }
  }

  #recursive(node: AST): string {
    const known = this.#names.get(node)
    if (known !== undefined) return known
    const name = `${this.#name}Node${this.#names.size === 0 ? "" : this.#names.size + 1}`
    this.#names.set(node, name)
    const piece = this.write(node, uncommented)
    this.definitions.push(...constant(`const ${name}: Schema.Codec<unknown> = `, piece), "")
    return name
  }

  #objects(node: SchemaAST.Objects, place: Place): Piece {
    const [index] = node.indexSignatures
    const fields = node.propertySignatures.map(({ name, type }) => {
      const at: Place = [...place, { _tag: "Field", name: String(name) }]
      const own = this.write(type, at)
      const piece = SchemaAST.isOptional(type) ? call("optionalKey", own) : own
      return { key: keyOf(String(name)), piece, notes: this.#notes.get(noteKey(at)) ?? [] }
    })
    const struct: Piece = { call: "Schema.Struct", args: [{ fields }] }
    if (index === undefined) return struct
    const values = this.write(index.type, [...place, { _tag: "Values" }])
    const record = call("Record", this.write(index.parameter, []), values)
    return fields.length === 0 ? record : call("StructWithRest", struct, { list: [record] })
  }

  #arrays({ elements, rest }: SchemaAST.Arrays, place: Place): Piece {
    const [items] = rest
    const tuple = elements.map((element, index) => {
      const own = this.write(element, [...place, { _tag: "Element", index }])
      return SchemaAST.isOptional(element) ? call("optionalKey", own) : own
    })
    const more = items === undefined ? undefined : this.write(items, [...place, { _tag: "Items" }])
    if (elements.length === 0 && more !== undefined) return call("Array", more)
    const own = call("Tuple", { list: tuple })
    return more === undefined ? own : call("TupleWithRest", own, { list: [more] })
  }

  #union({ types }: SchemaAST.Union, place: Place): Piece {
    // a change may have wrapped the original node at this place in a union
    const isOriginal = nodeAt(this.#original, place)?._tag === "Union"
    const members = types.map((type, index) => {
      const within: Place = isOriginal ? [...place, { _tag: "Member", index }] : index === 0 ? place : uncommented
      return { type, place: within }
    })
    const others = members.filter(({ type }) => type._tag !== "Null")
    const isNullable = others.length < members.length
    const texts = others.flatMap(({ type }) => (type._tag === "Literal" ? [literal(type)] : []))
    const rest = others.filter(({ type }) => type._tag !== "Literal")
    const pieces = [
      ...(texts.length === 0
        ? []
        : texts.length === 1
          ? [call("Literal", texts[0] ?? "")]
          : [call("Literals", { list: texts })]),
      ...rest.map(({ place: at, type }) => this.write(type, at))
    ]
    const [only] = pieces
    const inner = pieces.length === 1 && only !== undefined ? only : call("Union", { list: pieces })
    if (others.length === 0) return "Schema.Null"
    return isNullable ? call("NullOr", inner) : inner
  }

  /** Appends the rules and descriptions of a node to its source. The rules are written like the rules of `plain`. */
  #completed(piece: Piece, node: AST, plain: AST): Piece {
    const suffix = rulesOf(node, plain) + descriptionOf(node)
    if (suffix === "" || typeof piece === "string" || !("call" in piece)) return piece
    return { ...piece, suffix: `${piece.suffix ?? ""}${suffix}` }
  }
}

/** Returns the rules of a node as calls of `check`. */
const rulesOf = ({ checks }: AST, plain: AST): string => {
  if (checks === undefined) return ""
  const [bare, whole] = [codeOf(plain), codeOf(checkedLike(plain, checks))]
  return bare === undefined || whole === undefined ? "" : whole.slice(bare.length)
}

/** Returns the title and the description of a node as a call of `annotate`. */
const descriptionOf = ({ annotations }: AST): string => {
  const own = ["identifier", "title", "description"].flatMap((name) => {
    const text: unknown = annotations?.[name]
    return typeof text === "string" ? [`${name}: ${quoted(text)}`] : []
  })
  return own.length === 0 ? "" : `.annotate({ ${own.join(", ")} })`
}

/** Returns the lines of a module's definitions of a schema: its recursive parts, then `export const NAME = …`. */
export const definition = (
  name: string,
  schema: AST,
  original: AST,
  notes: Notes,
  about: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const writer = new Writer(name, original, notes)
  const piece = writer.write(schema, [])
  return [...writer.definitions, ...comment(about), ...constant(`export const ${name} = `, piece)]
}

/**
 * Returns the line of a field in its definition, `due: Schema.NullOr(Schema.String)`, after the definitions of its
 * recursive parts. `place` is the place of the field in `original`, the schema without changes.
 */
export const fieldSource = (name: string, type: AST, original: AST, place: Place): string => {
  const writer = new Writer(pascal(name) || "Field", original, new Map())
  const own = writer.write(type, place)
  const piece = SchemaAST.isOptional(type) ? call("optionalKey", own) : own
  return [...writer.definitions, ...constant(`${keyOf(name)}: `, piece)].join("\n")
}

const literal = ({ literal: value }: SchemaAST.Literal): string =>
  typeof value === "string" ? quoted(value) : String(value)

const leaf = (node: AST): Piece => codeOf(node) ?? "Schema.Json"

const checkedLike = (plain: AST, checks: SchemaAST.Checks): AST =>
  plain._tag === "Arrays"
    ? new SchemaAST.Arrays(false, plain.elements, plain.rest, undefined, checks)
    : plain._tag === "Objects"
      ? new SchemaAST.Objects(plain.propertySignatures, plain.indexSignatures, undefined, checks)
      : plain

/**
 * Writes a schema as source: calls of the functions of `Schema`, one field per line, with comments above fields.
 *
 * **Details**
 *
 * A part without source, such as a class, a rule that is a function, or a conversion that Effect does not provide, is
 * left out. All other parts are written, and a comment says what to keep by hand.
 */
import { codeOf, partsOf, type RuleSource, rulesOf } from "effect-toolguard/internal/domain/schema/SchemaCode"
import { expectedByCheck } from "effect-toolguard/internal/domain/schema/Expectation"
import { isClass } from "effect-toolguard/internal/domain/schema/SchemaNode"
import { isNumberForm } from "effect-toolguard/internal/domain/schema/SchemaUnion"
import { formOf, nodeAt, type Place, resolved } from "effect-toolguard/internal/domain/faults/FaultPlace"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { pascal } from "#kit/infer/FieldNames"
import { comment, constant, type Piece, quoted } from "#kit/infer/Layout"
import { keyOf } from "#kit/infer/TypeDeclaration"

type AST = SchemaAST.AST

/** A comment on the innermost field that contains a place. */
interface Note {
  readonly place: Place
  readonly text: string
}

const call = (name: string, ...args: ReadonlyArray<Piece>): Piece => ({ call: `Schema.${name}`, args })

/** The place of nodes to which no comment belongs, such as the definition of a recursive node. */
const uncommented: Place = [{ _tag: "Field", name: "\0" }]

const startsWith = (place: Place, start: Place): boolean =>
  JSON.stringify(place.slice(0, start.length)) === JSON.stringify(start)

/** Writes one schema. */
class Writer {
  #notes: ReadonlyArray<Note>
  readonly #name: string
  readonly #original: AST
  /** The names of the recursive nodes. */
  readonly #names = new Map<AST, string>()
  readonly definitions: Array<string> = []
  /** The parts of the current field that have no source. */
  kept: Array<string> = []

  /** The places of the comments are places in `original`, the schema without changes. */
  constructor(name: string, original: AST, notes: ReadonlyArray<Note>) {
    this.#name = name
    this.#original = original
    this.#notes = notes
  }

  /** Returns the expression of a node. */
  write(node: AST, place: Place): Piece {
    if (node._tag === "Declaration" && isClass(node)) return this.#class(node, place)
    if (node.encoding !== undefined) return this.#leaf(node)
    switch (node._tag) {
      case "Suspend":
        return call("suspend", `(): Schema.Codec<unknown> => ${this.#recursive(resolved(node))}`)
      case "Objects":
        return this.#completed(this.#objects(node, place), node)
      case "Arrays":
        return this.#completed(this.#arrays(node, place), node)
      case "Union":
        return isNumberForm(node) ? "Schema.Number" : this.#completed(this.#union(node, place), node)
      case "Declaration":
        return node.typeParameters.length === 0 ? this.#leaf(node) : this.#declared(node)
      default:
        return this.#leaf(node)
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

  #class(node: SchemaAST.Declaration, place: Place): Piece {
    const name: unknown = node.annotations?.["identifier"]
    this.kept.push(`the class ${typeof name === "string" ? name : ""}`.trimEnd())
    this.#keepRules(rulesOf(node).map(({ rule }) => ({ rule, source: undefined })))
    return this.write(node.typeParameters[0] ?? Schema.Json.ast, [...place, { _tag: "Form" }])
  }

  /** Writes a declared type with type parameters, such as `Schema.Option(Schema.String)`. */
  #declared(node: SchemaAST.Declaration): Piece {
    const plain = node.typeParameters.map(() => Schema.String.ast)
    const simple = codeOf(new SchemaAST.Declaration(plain, node.run, node.annotations))
    const name = /^Schema\.(\w+)\(Schema\.String(?:, Schema\.String)*\)$/u.exec(simple ?? "")?.[1]
    if (name === undefined) return this.#leaf(node)
    return this.#completed(call(name, ...node.typeParameters.map((type) => this.write(type, uncommented))), node)
  }

  #objects(node: SchemaAST.Objects, place: Place): Piece {
    const fields = node.propertySignatures.map(({ name, type }) => {
      const outer = this.kept
      this.kept = []
      const at: Place = [...place, { _tag: "Field", name: String(name) }]
      const own = this.write(type, at)
      const piece = isOptional(type) ? call("optionalKey", own) : own
      const notes = [...this.#claim(at), ...keptNotes(this.kept)]
      this.kept = outer
      return { key: keyOf(String(name)), piece, notes }
    })
    const records = node.indexSignatures.map(({ parameter, type }, index) => {
      const step = { _tag: "Values", ...(index > 0 ? { index } : {}) } as const
      return call("Record", this.write(parameter, uncommented), this.write(type, [...place, step]))
    })
    const [record, ...more] = records
    if (record !== undefined && more.length === 0 && fields.length === 0) return record
    const struct: Piece = { call: "Schema.Struct", args: [{ fields }] }
    return record === undefined ? struct : call("StructWithRest", struct, { list: records })
  }

  /**
   * Returns the comments whose innermost field is at a place. The fields inside have already claimed their comments.
   */
  #claim(place: Place): ReadonlyArray<string> {
    const own = this.#notes.filter((note) => startsWith(note.place, place))
    this.#notes = this.#notes.filter((note) => !own.includes(note))
    return own.map(({ text }) => text)
  }

  #arrays({ elements, rest }: SchemaAST.Arrays, place: Place): Piece {
    const tuple = elements.map((element, index) => {
      const own = this.write(element, [...place, { _tag: "Element", index }])
      return isOptional(element) ? call("optionalKey", own) : own
    })
    const [items, ...last] = rest.map((type, index) =>
      this.write(type, index === 0 ? [...place, { _tag: "Items" }] : uncommented)
    )
    if (elements.length === 0 && items !== undefined && last.length === 0) return call("Array", items)
    const own = call("Tuple", { list: tuple })
    return items === undefined ? own : call("TupleWithRest", own, { list: [items, ...last] })
  }

  #union({ options, types }: SchemaAST.Union, place: Place): Piece {
    // a change may have wrapped the original node at this place in a union
    const isOriginal = nodeAt(this.#original, place)?._tag === "Union"
    const members = types.map((type, index) => {
      const within: Place = isOriginal ? [...place, { _tag: "Member", index }] : index === 0 ? place : uncommented
      return { type, place: within }
    })
    if (options?.mode === "oneOf") {
      const list = members.map(({ place: at, type }) => this.write(type, at))
      return call("Union", { list }, `{ mode: "oneOf" }`)
    }
    const others = members.filter(({ type }) => type._tag !== "Null")
    const isNullable = others.length < members.length
    const literals = others.flatMap(({ type }) => (isPlainLiteral(type) ? [literal(type)] : []))
    const rest = others.filter(({ type }) => !isPlainLiteral(type))
    const written =
      literals.length === 0
        ? []
        : [literals.length === 1 ? call("Literal", literals[0] ?? "") : call("Literals", { list: literals })]
    // the order matters, because the first member that accepts a literal's value converts it
    const isLast = others[0] !== undefined && !isPlainLiteral(others[0].type)
    const more = rest.map(({ place: at, type }) => this.write(type, at))
    const pieces = isLast ? [...more, ...written] : [...written, ...more]
    const [only] = pieces
    const inner = pieces.length === 1 && only !== undefined ? only : call("Union", { list: pieces })
    if (others.length === 0) return "Schema.Null"
    return isNullable ? call("NullOr", inner) : inner
  }

  /** Writes a node without inner nodes. If its type has no source, writes the schema of its JSON. */
  #leaf(node: AST): Piece {
    const parts = partsOf(node)
    if (parts !== undefined) return parts.type + this.#keepRules(parts.rules)
    this.kept.push(node.encoding === undefined ? "the type of this value" : "the conversion of this value")
    const json = SchemaAST.toEncoded(Schema.toCodecJson(Schema.make(node)).ast)
    return formOf(json) !== undefined || json._tag === node._tag ? "Schema.Json" : this.write(json, uncommented)
  }

  /** Appends the rules and annotations of a node to its source. */
  #completed(piece: Piece, node: AST): Piece {
    const suffix = this.#keepRules(rulesOf(node)) + annotationsOf(node)
    if (suffix === "") return piece
    if (typeof piece === "string") return piece + suffix
    return "call" in piece ? { ...piece, suffix: `${piece.suffix ?? ""}${suffix}` } : piece
  }

  /** Returns the source of rules, and adds the rules without source to `kept`. */
  #keepRules(rules: ReadonlyArray<RuleSource>): string {
    for (const { rule, source } of rules) {
      if (source === undefined) this.kept.push(`the rule ${quoted(textOf(rule))}, which is a function`)
    }
    return rules.map(({ source = "" }) => source).join("")
  }
}

/** Returns the comments on the parts without source. */
const keptNotes = (kept: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(kept)].map((what) => `Keep by hand: ${what}.`)

const textOf = (rule: RuleSource["rule"]): string => {
  const message: unknown = rule.annotations?.["message"]
  return (typeof message === "string" ? message : expectedByCheck(rule, undefined).expected).replaceAll(/\s+/gu, " ")
}

/** True if a field may be absent from the JSON that its source describes. */
const isOptional = (type: AST): boolean =>
  SchemaAST.isOptional(type.encoding !== undefined && partsOf(type) === undefined ? SchemaAST.toEncoded(type) : type)

const isPlainLiteral = (type: AST): type is SchemaAST.Literal =>
  type._tag === "Literal" && type.checks === undefined && type.encoding === undefined

/** Returns the identifier, the title, the description and the parse options of a node as a call of `annotate`. */
const annotationsOf = ({ annotations }: AST): string => {
  const own = ["identifier", "title", "description"].flatMap((name) => {
    const text: unknown = annotations?.[name]
    return typeof text === "string" ? [`${name}: ${quoted(text)}`] : []
  })
  const options = annotations?.["parseOptions"]
  const all = [...own, ...(options === undefined ? [] : [`parseOptions: ${JSON.stringify(options)}`])]
  return all.length === 0 ? "" : `.annotate({ ${all.join(", ")} })`
}

/** Returns the lines that define a schema in a module: its recursive parts, then `export const NAME = …`. */
export const definition = (
  name: string,
  schema: AST,
  original: AST,
  notes: ReadonlyArray<Note>,
  about: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const writer = new Writer(name, original, notes)
  const piece = writer.write(schema, [])
  const kept = keptNotes(writer.kept).map((note) => `- ${note}`)
  return [...writer.definitions, ...comment([...about, ...kept]), ...constant(`export const ${name} = `, piece)]
}

/**
 * Returns the line of a field in its definition, `due: Schema.NullOr(Schema.String)`, after the definitions of its
 * recursive parts and comments on the parts without source. `place` is the place of the field in `original`, the schema
 * without changes.
 */
export const fieldSource = (name: string, type: AST, original: AST, place: Place): string => {
  const writer = new Writer(pascal(name) || "Field", original, [])
  const own = writer.write(type, place)
  const piece = isOptional(type) ? call("optionalKey", own) : own
  const kept = keptNotes(writer.kept).map((note) => `// ${note}`)
  return [...writer.definitions, ...kept, ...constant(`${keyOf(name)}: `, piece)].join("\n")
}

const literal = ({ literal: value }: SchemaAST.Literal): string =>
  typeof value === "string" ? quoted(value) : typeof value === "bigint" ? `${value}n` : String(value)

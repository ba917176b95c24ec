/** Prints inferred shapes as a formatted module of Effect Schemas, with a comment on the evidence for each guess. */
import { counted } from "#kit/text/Numbers"
import { visibleJson } from "effect-toolguard/internal/domain/text/VisibleText"
import { acceptable } from "./Certainty.ts"
import type { InferredResults, OmittedTool } from "./infer.ts"
import type { InferredResult } from "./inferResult.ts"
import { comment, constant, lines, lineWidth, type Piece, quoted, wrapped } from "./Layout.ts"
import { Names } from "./Names.ts"
import { type Module, patternPiece, pieceOf, textPiece } from "./Pieces.ts"
import { interfaceOf, keyOf } from "./TypeDeclaration.ts"
import { kindRemark, remark } from "./Remark.ts"
import type { SharedShapes } from "./SharedShapes.ts"
import type { FieldsKind, Kind, Property, Shape } from "./Shape.ts"
import * as FieldNames from "./FieldNames.ts"

/** Prints one module. */
class Printer implements Module {
  readonly names = new Names()
  readonly formats = new Map<string, RegExp>()
  readonly #out: Array<string> = []
  readonly #shared: SharedShapes
  usesRepr = false

  constructor(shared: SharedShapes) {
    this.#shared = shared
  }

  /** Returns the definitions, the formats first. */
  get definitions(): ReadonlyArray<string> {
    const formats = [...this.formats]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, pattern]) => constant(`const ${name} = `, patternPiece(pattern)))
    return formats.length === 0 ? this.#out : [...formats, "", ...this.#out]
  }

  /** Prints the schema of a tool's results. */
  tool(inferred: InferredResult): void {
    const { answers, shape, tool } = inferred
    const { kind } = shape
    const own = kind._tag === "Fields" && this.#shared.placesOf(kind).length === 1 ? kind : undefined
    const title = FieldNames.pascal(tool) || "Tool"
    const name = this.names.reserve(`${title}Success`)
    if (own === undefined) this.#define(shape, title)
    else {
      this.names.set(own, name)
      this.#defineInside(own, title)
    }
    this.#out.push(...comment(aboutTool(inferred)))
    if (own !== undefined) this.#struct(name, own)
    else this.#constant(name, answers === "text" ? textPiece(kind) : pieceOf(shape, this))
  }

  /** Prints the definitions that a shape needs. */
  #define({ kind }: Shape, within: string): void {
    if (kind._tag === "Fields") return this.#fields(kind, within)
    if (kind._tag === "Either" && kind.by !== undefined) return this.#either(kind, within)
    if (kind._tag === "List") this.#define(kind.items, within)
    if (kind._tag === "Entries") this.#define(kind.values, within)
    if (kind._tag === "Held") this.#define(kind.inside, within)
    if (kind._tag === "Either") for (const member of kind.members) this.#define(member, within)
  }

  #defineInside({ properties }: FieldsKind, within: string): void {
    for (const { shape } of properties) this.#define(shape, within)
  }

  #fields(kind: FieldsKind, within: string): void {
    if (this.names.of(kind) !== undefined) return
    const name = this.names.fields(kind, this.#shared.placesOf(kind), within)
    this.#defineInside(kind, name)
    this.#struct(name, kind)
  }

  #either(kind: Extract<Kind, { readonly _tag: "Either" }>, within: string): void {
    if (this.names.of(kind) !== undefined) return
    const places = kind.members.flatMap(({ kind }) => (kind._tag === "Fields" ? this.#shared.placesOf(kind) : []))
    const name = this.names.either(kind, places, within)
    for (const member of kind.members) this.#define(member, within)
    this.#out.push(...comment([`Discriminated by ${quoted(kind.by ?? "")}.`]))
    const list = kind.members.map((member) => pieceOf(member, this))
    this.#constant(name, { call: "Schema.Union", args: [{ list }] })
  }

  #constant(name: string, piece: Piece): void {
    this.#out.push(...constant(`export const ${name} = `, piece), "")
  }

  #struct(name: string, kind: FieldsKind): void {
    const { loop, properties } = kind
    const fields = properties.flatMap((property, index) => this.#field(property, index === properties.length - 1))
    if (loop !== undefined) this.#out.push(...interfaceOf(name, kind, this.names), "")
    const type = loop === undefined ? "" : `: ${this.names.codec(loop)}`
    this.#out.push(`export const ${name}${type} = Schema.Struct({`, ...fields, "})", "")
  }

  #field(property: Property, isLast: boolean): ReadonlyArray<string> {
    const { isOptional, name, shape } = property
    const key = `  ${keyOf(name)}: `
    const end = isLast ? "" : ","
    const own = pieceOf(shape, this)
    const piece = isOptional ? { call: "Schema.optionalKey", args: [own] } : own
    const [first = "", ...more] = lines(piece, 2, key.length, end.length)
    const note = remark(property)
    const line = `${key}${first}${end} // ${note}`
    if (more.length === 0 && line.length <= lineWidth) return [line]
    const above = wrapped(note, lineWidth - 5).map((part) => `  // ${part}`)
    return [...above, ...[key + first, ...more].map((part, at) => (at === more.length ? part + end : part))]
  }
}

const aboutTool = ({ counts, isRepr, shape, tool }: InferredResult): ReadonlyArray<string> => {
  const { conversations, cut, different, failures, text, used } = counts
  const about = kindRemark(shape)
  const unused = [
    ...(failures > 0 ? [counted(failures, "failure")] : []),
    ...(cut > 0 ? [counted(cut, "truncated result")] : []),
    ...(text > 0 ? [`${counted(text, "result")} in plain text`] : [])
  ]
  return [
    `The result of ${quoted(tool)}, from ${counted(used, "result")} (${different} different) in ${counted(conversations, "conversation")}.`,
    ...(about === "" ? [] : [`${about.charAt(0).toUpperCase()}${about.slice(1)}.`]),
    ...(unused.length === 0 ? [] : [`Not used: ${unused.join(", ")}.`]),
    ...(isRepr ? ["The log contains Python reprs; the schema describes the same values as JSON."] : [])
  ]
}

const header = (tools: number, leftOut: ReadonlyArray<OmittedTool>): ReadonlyArray<string> =>
  comment([
    `Schemas for the results of ${counted(tools, "tool")}, proposed by \`toolguard infer\`.`,
    "",
    "**Details**",
    "",
    "- Comments state the evidence for each guess. Only different samples count: a hundred equal results are one.",
    `- An enum, format, pattern or integer is guessed if the chance that the next sample violates it is at most ${100 * acceptable} %.`,
    "- Decoding drops fields that no sample had. Review the comments before you use a schema.",
    ...(leftOut.length === 0 ? [] : ["", "**Gotchas**", "", "Tools without a schema:", ""]),
    ...leftOut.map(({ reason, tool }) => `- ${quoted(tool)}: ${reason}.`)
  ])

/** Returns the text of the module. Hidden characters of the log are escaped, in names and comments too. */
export const source = ({ leftOut, shared, tools }: InferredResults): string => {
  const printer = new Printer(shared)
  for (const tool of tools) printer.tool(tool)
  const imports = [
    `import * as Schema from "effect/Schema"`,
    ...(printer.usesRepr ? [`import { PythonRepr } from "effect-toolguard"`] : [])
  ]
  const text = [...header(tools.length, leftOut), ...imports, "", ...printer.definitions]
  return `${text
    .flatMap((each) => each.split("\n").map(visibleJson))
    .join("\n")
    .trimEnd()}\n`
}

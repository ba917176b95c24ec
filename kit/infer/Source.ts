/** Prints inferred shapes as a module of Effect Schemas: formatted, with a comment on what each guess rests on. */
import { counted } from "#kit/text/Numbers"
import { bearable } from "./Certainty.ts"
import type { Inferred, LeftOut } from "./infer.ts"
import type { InferredResult } from "./inferResult.ts"
import { comment, constant, lines, lineWidth, type Piece, quoted, wrapped } from "./Layout.ts"
import { Names } from "./Names.ts"
import { patternPiece, pieceOf, type Written, textPiece } from "./Pieces.ts"
import { declared, keyOf } from "./Declared.ts"
import { kindRemark, remark } from "./Remark.ts"
import type { Shared } from "./Shared.ts"
import type { FieldsKind, Kind, Property, Shape } from "./Shape.ts"
import * as Words from "./Words.ts"

/** Prints one module. */
class Printer implements Written {
  readonly names = new Names()
  readonly formats = new Map<string, RegExp>()
  readonly #out: Array<string> = []
  readonly #shared: Shared
  usesRepr = false

  constructor(shared: Shared) {
    this.#shared = shared
  }

  /** The definitions, formats first. */
  get definitions(): ReadonlyArray<string> {
    const formats = [...this.formats]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, pattern]) => constant(`const ${name} = `, patternPiece(pattern)))
    return formats.length === 0 ? this.#out : [...formats, "", ...this.#out]
  }

  /** Prints what a tool answers with. */
  tool(inferred: InferredResult): void {
    const { answers, shape, tool } = inferred
    const { kind } = shape
    const own = kind._tag === "Fields" && this.#shared.placesOf(kind).length === 1 ? kind : undefined
    const title = Words.pascal(tool) || "Tool"
    const name = this.names.take(`${title}Success`)
    if (own === undefined) this.#define(shape, title)
    else {
      this.names.set(own, name)
      this.#defineInside(own, title)
    }
    this.#out.push(...comment(aboutTool(inferred)))
    if (own !== undefined) this.#struct(name, own)
    else this.#constant(name, answers === "text" ? textPiece(kind) : pieceOf(shape, this))
  }

  /** Defines what a shape is made of. */
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
    this.#out.push(...comment([`Told apart by ${quoted(kind.by ?? "")}.`]))
    const list = kind.members.map((member) => pieceOf(member, this))
    this.#constant(name, { call: "Schema.Union", args: [{ list }] })
  }

  #constant(name: string, piece: Piece): void {
    this.#out.push(...constant(`export const ${name} = `, piece), "")
  }

  #struct(name: string, kind: FieldsKind): void {
    const { loop, properties } = kind
    const fields = properties.flatMap((property, index) => this.#field(property, index === properties.length - 1))
    if (loop !== undefined) this.#out.push(...declared(name, kind, this.names), "")
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
  const without = [
    ...(failures > 0 ? [counted(failures, "failure")] : []),
    ...(cut > 0 ? [`${counted(cut, "result")} that ${cut === 1 ? "was" : "were"} cut`] : []),
    ...(text > 0 ? [`${counted(text, "result")} in plain text`] : [])
  ]
  return [
    `What ${quoted(tool)} answers with: ${counted(used, "result")}, ${different} different, in ${counted(conversations, "conversation")}.`,
    ...(about === "" ? [] : [`${about.charAt(0).toUpperCase()}${about.slice(1)}.`]),
    ...(without.length === 0 ? [] : [`Left out: ${without.join(", ")}.`]),
    ...(isRepr ? ["The log holds it as a Python client prints it: this is the JSON of that."] : [])
  ]
}

const header = (tools: number, leftOut: ReadonlyArray<LeftOut>): ReadonlyArray<string> =>
  comment([
    `Schemas of what ${counted(tools, "tool")} answer${tools === 1 ? "s" : ""} with, proposed by \`toolguard infer\`.`,
    "",
    "**Details**",
    "",
    "- A comment says what a guess rests on. Counts are of different samples: a hundred equal results are one.",
    `- An enum, format, pattern or integer is guessed where the next sample breaks it in at most ${100 * bearable} % of cases.`,
    "- Fields that no sample had are dropped from a result. Read the comments before you use a schema.",
    ...(leftOut.length === 0 ? [] : ["", "**Gotchas**", "", "Tools without a proposal:", ""]),
    ...leftOut.map(({ reason, tool }) => `- ${quoted(tool)}: ${reason}.`)
  ])

/** The module as text. */
export const source = ({ leftOut, shared, tools }: Inferred): string => {
  const printer = new Printer(shared)
  for (const tool of tools) printer.tool(tool)
  const imports = [
    `import * as Schema from "effect/Schema"`,
    ...(printer.usesRepr ? [`import { PythonRepr } from "effect-toolguard"`] : [])
  ]
  return `${[...header(tools.length, leftOut), ...imports, "", ...printer.definitions].join("\n").trimEnd()}\n`
}

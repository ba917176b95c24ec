/**
 * Writes a suggestion as a line of a schema, in the notation in which the schema is maintained:
 * `orders[].due: Schema.NullOr(Schema.String)`, or `orders[].due: {"type":["string","null"]}`. `…` replaces the current
 * source if the source is long or unknown.
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as ContractPrint from "#domain/schema/ContractPrint"
import { codeOf } from "#domain/schema/SchemaCode"
import { notationOf } from "#domain/schema/SchemaNotation"
import * as FieldPath from "#domain/text/FieldPath"
import * as EnumLiteral from "./EnumLiteral.ts"
import { visibleJson } from "#domain/text/VisibleText"
import type { FaultGroup } from "./FaultGroups.ts"
import { nodeAt, type Place } from "./FaultPlace.ts"
import { movedBound } from "./MovedBound.ts"

/** The parts of a group of faults that a line needs. */
type Change = Pick<FaultGroup<unknown>, "fault" | "suggestion" | "range">

type Node = SchemaAST.AST | undefined

/** The longest source of a node that a line repeats. */
const maxLength = 160

const types: { readonly [type: string]: { readonly source: string; readonly ast: SchemaAST.AST } } = {
  string: { source: "Schema.String", ast: Schema.String.ast },
  number: { source: "Schema.Finite", ast: Schema.Finite.ast },
  boolean: { source: "Schema.Boolean", ast: Schema.Boolean.ast },
  null: { source: "Schema.Null", ast: Schema.Null.ast },
  array: { source: "Schema.Array(Schema.Json)", ast: Schema.Array(Schema.Json).ast },
  object: { source: "Schema.Record(Schema.String, Schema.Json)", ast: Schema.Record(Schema.String, Schema.Json).ast }
}

/** Describes a change whose schema is unknown. */
const withoutCheck = (expected: string): string => `… without the check: ${expected}`

/** Returns the schema of a node with the bound that includes all values, or without the rule. */
const withMovedBound = (node: Node, { fault, range }: Change): Node =>
  node === undefined ? undefined : movedBound(node, fault, range)

/** Returns the Effect source of a node; `…` if the source is long or unknown. */
const sourceOf = (node: Node): string => {
  const source = node === undefined ? undefined : codeOf(node)
  return source === undefined || source.length > maxLength || /\n|suspend/u.test(source) ? "…" : source
}

/** Returns the members of a union without rules; any other node itself. */
const membersOf = (node: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  node._tag === "Union" && node.checks === undefined ? node.types : [node]

/** Returns the values of an enum as source; `…` for any other node. */
const literalsOf = (node: Node): ReadonlyArray<string> => {
  if (node === undefined) return ["…"]
  const members = membersOf(node)
  return members.every((member) => member._tag === "Literal") ? members.map(EnumLiteral.source) : ["…"]
}

const inEffect = (change: Change, node: Node): string | undefined => {
  const { suggestion } = change
  switch (suggestion._tag) {
    case "keep":
    case "by hand":
      return undefined
    case "nullable":
      return `Schema.NullOr(${sourceOf(node)})`
    case "optional":
      return `Schema.optionalKey(${sourceOf(node)})`
    case "wider enum": {
      const more = suggestion.values.map((value) =>
        node === undefined ? JSON.stringify(value) : EnumLiteral.source(EnumLiteral.of(node, value))
      )
      return `Schema.Literals([${[...literalsOf(node), ...more].join(", ")}])`
    }
    case "wider bound": {
      const source = sourceOf(withMovedBound(node, change))
      return source === "…" ? withoutCheck(suggestion.expected) : source
    }
    case "wider type":
      return `Schema.Union([${sourceOf(node)}, ${types[suggestion.type]?.source ?? "Schema.Json"}])`
    case "open object":
      return "… that accepts more fields"
  }
}

const print = (ast: SchemaAST.AST): string => JSON.stringify(ContractPrint.print(ast).jsonSchema2020)

/** True if a JSON Schema is known, short, and complete on one line. */
const isShort = (schema: string | undefined): schema is string =>
  schema !== undefined && schema.length <= maxLength && !schema.includes('"$ref"')

/** Returns the JSON Schema of a node and more members. */
const jsonWith = (node: Node, ...more: ReadonlyArray<SchemaAST.AST>): string => {
  const own = node === undefined ? undefined : print(new SchemaAST.Union([...membersOf(node), ...more], undefined))
  return isShort(own) ? own : `{"anyOf":[{…},${more.map(print).join(",")}]}`
}

const withoutRequired = (step: Place[number] | undefined): string => {
  switch (step?._tag) {
    case "Field":
      return `not in "required" (remove ${JSON.stringify(step.name)} there)`
    case "Element":
      return `not required by "minItems" (at most ${step.index} there)`
    default:
      return 'not in "required"'
  }
}

const inJsonSchema = (change: Change, node: Node): string | undefined => {
  const { suggestion } = change
  switch (suggestion._tag) {
    case "keep":
    case "by hand":
      return undefined
    case "nullable":
      return jsonWith(node, SchemaAST.null)
    case "optional":
      return withoutRequired(change.fault.place?.at(-1))
    case "wider enum":
      return node === undefined
        ? `{"enum":[…,${suggestion.values.map((value) => JSON.stringify(value)).join(",")}]}`
        : jsonWith(node, ...suggestion.values.map((value) => new SchemaAST.Literal(value)))
    case "wider bound": {
      const moved = withMovedBound(node, change)
      const schema = moved === undefined ? undefined : print(moved)
      return isShort(schema) ? schema : withoutCheck(suggestion.expected)
    }
    case "wider type":
      return jsonWith(node, types[suggestion.type]?.ast ?? Schema.Json.ast)
    case "open object":
      return '{…,"additionalProperties":true}'
  }
}

/**
 * Returns the line for the field of a group of faults; undefined if the schema is kept or must be changed by hand. The
 * path `""` is the whole result. `schema` is the schema that the values violated; without it, the line has the notation
 * of Effect, with `…` for the current source.
 */
export const of = (change: Change, schema?: SchemaAST.AST): string | undefined => {
  const { path, place } = change.fault
  const isJson = schema !== undefined && notationOf(schema) === "json-schema"
  const node = schema === undefined || place === undefined ? undefined : nodeAt(schema, place)
  const line = isJson ? inJsonSchema(change, node) : inEffect(change, node)
  const root = isJson ? "outputSchema" : "success"
  return line === undefined ? undefined : `${path === "" ? FieldPath.name(root) : path}: ${visibleJson(line)}`
}

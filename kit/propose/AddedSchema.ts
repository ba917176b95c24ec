/** Creates the schemas that a relaxed schema adds: another type, another form, or more values of an enum. */
import { type OtherForm, textPattern } from "effect-toolguard/internal/domain/faults/OtherForm"
import * as SchemaNode from "effect-toolguard/internal/domain/schema/SchemaNode"
import type { notationOf } from "effect-toolguard/internal/domain/schema/SchemaNotation"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { shapeOf } from "#kit/infer/shapeOf"
import { toSchema } from "#kit/infer/toSchema"

type AST = SchemaAST.AST

/** The notation in which the changed schema is maintained. */
export type Notation = ReturnType<typeof notationOf>

/** Returns a copy of a node that must be present. A node with a conversion is returned unchanged. */
export const required = (node: AST): AST =>
  node.encoding === undefined ? SchemaNode.rebuild(node, { annotations: node.annotations, checks: node.checks }) : node

const types: Readonly<Record<string, AST>> = {
  string: Schema.String.ast,
  number: Schema.Finite.ast,
  boolean: Schema.Boolean.ast,
  array: Schema.Array(Schema.Json).ast,
  object: Schema.Record(Schema.String, Schema.Json).ast
}

/** Returns the schema of values of a JSON type. The schema of objects or lists is inferred from the values. */
export const ofType = (type: string, values: ReadonlyArray<string> | undefined): AST | undefined => {
  if (values === undefined || (type !== "object" && type !== "array")) return types[type]
  const samples = values.map((entity) => ({ value: JSON.parse(entity) as unknown, entity }))
  const inferred = toSchema(shapeOf(samples, { name: "", of: "tool", isRoot: false }))
  return SchemaAST.toEncoded(Schema.toCodecJson(inferred).ast)
}

/** Returns the schema of the values of a form. */
export const ofForm = (
  form: OtherForm,
  node: AST,
  values: ReadonlyArray<string> | undefined,
  notation: Notation
): AST | undefined => {
  const plain = required(node)
  switch (form._tag) {
    case "Type":
      return ofType(form.type, values)
    case "AsText":
      return ofText(form.type, node, notation)
    case "List":
      return new SchemaAST.Arrays(false, [], [plain])
    case "Single":
      return node._tag === "Arrays" ? node.rest[0] : undefined
    case "Wrapped":
      return new SchemaAST.Objects([new SchemaAST.PropertySignature(form.name, plain)], [])
  }
}

/**
 * Returns the schema of texts that contain a number or a Boolean. In Effect, a text with a number is converted, so that the
 * rules of the number still apply. JSON Schema has no conversions.
 */
const ofText = (type: "number" | "boolean", node: AST, notation: Notation): AST => {
  const text = Schema.String.check(Schema.isPattern(textPattern[type]))
  if (type === "boolean" || notation === "json-schema") return text.ast
  const numbers = (node._tag === "Union" && node.checks === undefined ? node.types : [node]).flatMap(
    ({ _tag, checks }) => (_tag === "Number" ? [text.pipe(Schema.decodeTo(withRules(checks))).ast] : [])
  )
  const [only = text.ast, second] = numbers
  return second === undefined ? only : new SchemaAST.Union(numbers, undefined)
}

const withRules = (checks: AST["checks"]) =>
  checks === undefined ? Schema.FiniteFromString : Schema.FiniteFromString.check(...checks)

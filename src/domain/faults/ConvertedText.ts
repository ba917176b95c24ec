/**
 * Distinguishes the texts that a schema cannot read from the values that violate one of its rules: `"n/a"` is not a date at
 * all, but a date in the past may be too early.
 */
import { declared } from "#domain/schema/Expectation"
import * as SchemaNode from "#domain/schema/SchemaNode"
import * as SchemaAST from "effect/SchemaAST"
import { conforms, formOf, resolved, soleParameter } from "./FaultPlace.ts"

type AST = SchemaAST.AST

/** Returns the members of a union at every depth, and the content of a `Redacted`; any other node itself. */
const membersOf = (node: AST): ReadonlyArray<AST> => {
  const own = resolved(node)
  const parameter = soleParameter(own)
  if (parameter !== undefined) return membersOf(parameter)
  return own._tag === "Union" && own.encoding === undefined ? own.types.flatMap(membersOf) : [own]
}

/** True if a node reads a text as something other than this text. */
const readsText = (node: AST): boolean => {
  if (node._tag === "TemplateLiteral" || (node._tag === "BigInt" && node.encoding === undefined)) return true
  const form = formOf(node)
  return form !== undefined && membersOf(form).some((one) => one._tag === "String" || readsText(one))
}

/** Returns a node without the rules that are checked after the conversion. */
const withoutRules = (node: AST): AST =>
  node.checks === undefined
    ? node
    : SchemaNode.rebuild(node, { annotations: node.annotations, encoding: node.encoding })

/** True if a value is a text that no member of a node can read, apart from its rules. */
export const isUnreadText = (node: AST, value: unknown): boolean => {
  if (typeof value !== "string") return false
  const members = membersOf(node)
  return members.some(readsText) && members.every((member) => !conforms(withoutRules(member), value))
}

/** Names the type of the texts that a node reads. */
export const textForm = (node: AST): string => {
  const member = membersOf(node).find(readsText) ?? node
  if (member._tag === "TemplateLiteral") return "a text that matches the template"
  if (member._tag === "Number" || member._tag === "BigInt") return "a number as text"
  const name = member._tag === "Declaration" ? declared(SchemaAST.toType(member)) : undefined
  return name === undefined ? "a text that can be converted" : `a text that can be converted to ${name}`
}

const jsonTypes: Partial<Record<AST["_tag"], string>> = {
  String: "string",
  Number: "number",
  Boolean: "boolean",
  Arrays: "object",
  Objects: "object"
}

/** True if the rules of a node judge a value other than its JSON. */
export const isConverted = (node: AST, value: unknown): boolean => {
  const members = membersOf(node)
  return !members.some((member) => member.encoding === undefined && jsonTypes[member._tag] === typeof value)
}

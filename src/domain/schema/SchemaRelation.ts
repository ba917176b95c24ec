/** Compares the requirements of two nodes of a schema, ignoring transformations. */
import * as SchemaAST from "effect/SchemaAST"
import { children } from "./SchemaNode.ts"

/** `Narrower` if the second node has more checks than the first, and `Wider` if it has fewer. */
type Relation = "Equal" | "Narrower" | "Wider" | "Different"

const join = (a: Relation, b: Relation): Relation => (a === b || b === "Equal" ? a : a === "Equal" ? b : "Different")

const isSameCheck = (a: SchemaAST.Check<never>, b: SchemaAST.Check<never>): boolean =>
  a._tag === "Filter"
    ? b._tag === "Filter" && a.run === b.run
    : b._tag === "FilterGroup" &&
      a.checks.length === b.checks.length &&
      a.checks.every((check, i) => isSameCheck(check, b.checks[i]!))

const relateChecks = (a: SchemaAST.AST, b: SchemaAST.AST): Relation => {
  const ofA: ReadonlyArray<SchemaAST.Check<never>> = a.checks ?? []
  const ofB: ReadonlyArray<SchemaAST.Check<never>> = b.checks ?? []
  const isInB = ofA.every((check) => ofB.some((other) => isSameCheck(check, other)))
  const isInA = ofB.every((check) => ofA.some((other) => isSameCheck(check, other)))
  return isInA && isInB ? "Equal" : isInB ? "Narrower" : isInA ? "Wider" : "Different"
}

/** Returns the requirements of a node besides its checks and its children. */
const identity = (ast: SchemaAST.AST): unknown => {
  switch (ast._tag) {
    case "Literal":
      return ast.literal
    case "Enum":
      return ast.enums
    case "UniqueSymbol":
      return ast.symbol
    case "Declaration":
      return ast.run
    case "Union":
      return ast.options?.mode ?? "anyOf"
    case "Arrays":
      return ast.rest.length
    case "Objects":
      return JSON.stringify(ast.propertySignatures.map(({ name, type }) => [String(name), SchemaAST.isOptional(type)]))
    default:
      return undefined
  }
}

/** Compares two nodes by their structure and by the functions of their checks. Annotations do not count. */
export const relate = (
  a: SchemaAST.AST,
  b: SchemaAST.AST,
  seen = new Map<SchemaAST.AST, SchemaAST.AST>()
): Relation => {
  if (a === b || seen.get(a) === b) return "Equal"
  seen.set(a, b)
  const [inA, inB] = [children(a), children(b)]
  if (a._tag !== b._tag || identity(a) !== identity(b) || inA.length !== inB.length) return "Different"
  return inA.map((child, i) => relate(child, inB[i]!, seen)).reduce(join, relateChecks(a, b))
}

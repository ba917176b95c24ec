/** Moves or removes the rule of a schema that the values of a group broke. */
import { expectedByCheck } from "#domain/schema/Expectation"
import * as SchemaNode from "#domain/schema/SchemaNode"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { Fault } from "./Fault.ts"
import { soleParameter } from "./FaultPlace.ts"
import type { ValueRange } from "./ValueRange.ts"

type AST = SchemaAST.AST
type Check = SchemaAST.Checks[number]

const nameOf = (check: Check): string => check.annotations?.["representation"]?.id.replace("effect/schema/", "") ?? ""

/** Returns the parameters of a rule, such as its bounds. */
const parametersOf = (check: Check) =>
  (check.annotations?.["representation"]?.payload ?? {}) as Readonly<Record<string, unknown>>

/** Returns the range that contains the values and the bounds of a rule that has two. */
const widened = (check: Check, { least, most }: ValueRange): ValueRange => {
  const { maximum, minimum } = parametersOf(check)
  return { least: Math.min(Number(minimum), least), most: Math.max(Number(maximum), most) }
}

/** Returns a range of numbers with the wider bounds. A bound that no value broke stays exclusive. */
const between = (check: Check, range: ValueRange): Check => {
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum } = parametersOf(check)
  const { least, most } = widened(check, range)
  return Schema.isBetween({
    minimum: least,
    maximum: most,
    ...(exclusiveMinimum === true && range.least > Number(minimum) ? { exclusiveMinimum: true } : {}),
    ...(exclusiveMaximum === true && range.most < Number(maximum) ? { exclusiveMaximum: true } : {})
  })
}

/** Returns the rule with bounds that include all values of the range; `undefined` if the rule has no bounds. */
const moved = (check: Check, range: ValueRange): Check | undefined => {
  const { least, most } = range
  const wide = widened(check, range)
  switch (nameOf(check)) {
    case "isMaxLength":
      return Schema.isMaxLength(most)
    case "isMinLength":
      return Schema.isMinLength(least)
    case "isBetweenLength":
      return Schema.isBetweenLength(wide.least, wide.most)
    case "isMaxCodePoints":
      return Schema.isMaxCodePoints(most)
    case "isMinCodePoints":
      return Schema.isMinCodePoints(least)
    case "isBetweenCodePoints":
      return Schema.isBetweenCodePoints(wide.least, wide.most)
    case "isMaxProperties":
      return Schema.isMaxProperties(most)
    case "isMinProperties":
      return Schema.isMinProperties(least)
    case "isBetweenProperties":
      return Schema.isBetweenProperties(wide.least, wide.most)
    case "isLessThan":
    case "isLessThanOrEqualTo":
      return Schema.isLessThanOrEqualTo(most)
    case "isGreaterThan":
    case "isGreaterThanOrEqualTo":
      return Schema.isGreaterThanOrEqualTo(least)
    case "isBetween":
      return between(check, range)
    case "isInt":
      return Schema.isFinite()
    default:
      return undefined
  }
}

/** True if a fault states that this rule is broken. The only rule without a name may compute its message. */
const isBroken = (check: Check, { expected, problem, value }: Fault, isOnlyUnnamed: boolean): boolean => {
  const authored: unknown = check.annotations?.["message"]
  const own = expectedByCheck(check, value).expected
  if (authored === problem || `expected ${own}` === problem) return true
  return isOnlyUnnamed && own === expected
}

const rulesOf = (checks: SchemaAST.Checks | undefined): ReadonlyArray<Check> =>
  (checks ?? []).flatMap((check): ReadonlyArray<Check> => (check._tag === "FilterGroup" ? check.checks : [check]))

/** Identifies equal rules. A rule without a name is equal to no other. */
const identityOf = (check: Check): unknown =>
  nameOf(check) === "" ? check : JSON.stringify(check.annotations?.["representation"])

/**
 * Returns a node without its broken rule, or with wider bounds. Returns `undefined` if the fault states none of its rules,
 * or if several different rules have the stated text.
 */
export const movedBound = (node: AST, fault: Fault, range: ValueRange | undefined): AST | undefined => {
  if (node._tag === "Union" && node.checks === undefined && node.encoding === undefined) {
    const types = firstChanged(node.types, (type) => movedBound(type, fault, range))
    return types === undefined
      ? undefined
      : new SchemaAST.Union(types, node.options, node.annotations, undefined, undefined, node.context)
  }
  const rules = rulesOf(node.checks)
  const isOnlyUnnamed = rules.filter((check) => nameOf(check) === "").length === 1
  const broken = rules.filter((check) => isBroken(check, fault, isOnlyUnnamed))
  if (broken.length === 0) return node._tag === "Declaration" ? inParameter(node, fault, range) : undefined
  if (new Set(broken.map(identityOf)).size > 1) return undefined
  const [first, ...more] = rules.flatMap((check) => {
    if (!broken.includes(check)) return [check]
    const wider = range === undefined ? undefined : moved(check, range)
    return wider === undefined ? [] : [wider]
  })
  return SchemaNode.rebuild(node, {
    annotations: node.annotations,
    checks: first === undefined ? undefined : [first, ...more],
    encoding: node.encoding,
    isOptional: SchemaAST.isOptional(node)
  })
}

const firstChanged = (
  types: ReadonlyArray<AST>,
  change: (type: AST) => AST | undefined
): ReadonlyArray<AST> | undefined => {
  for (const [index, type] of types.entries()) {
    const changed = change(type)
    if (changed !== undefined) return types.with(index, changed)
  }
  return undefined
}

/** Moves a bound of the type parameter whose JSON is also the JSON of the declared type. */
const inParameter = (node: SchemaAST.Declaration, fault: Fault, range: ValueRange | undefined): AST | undefined => {
  const own = soleParameter(node)
  const type = own === undefined ? undefined : movedBound(own, fault, range)
  if (type === undefined) return undefined
  const parameters = node.typeParameters.map((each) => (each === own ? type : each))
  return new SchemaAST.Declaration(parameters, node.run, node.annotations, node.checks, undefined, node.context)
}

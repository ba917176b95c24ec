/** Moves or removes the rule of a schema that the values of a group broke. */
import { expectedByCheck } from "#domain/schema/Expectation"
import * as SchemaNode from "#domain/schema/SchemaNode"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { Fault } from "./Fault.ts"
import { formOf } from "./FaultPlace.ts"
import type { ValueRange } from "./ValueRange.ts"

type AST = SchemaAST.AST
type Check = SchemaAST.Checks[number]

const nameOf = (check: Check): string => check.annotations?.["representation"]?.id.replace("effect/schema/", "") ?? ""

/** Returns the numbers of a rule, such as its bounds. */
const numbersOf = (check: Check): ReadonlyArray<number> =>
  Object.values((check.annotations?.["representation"]?.payload ?? {}) as Record<string, unknown>).filter(
    (value) => typeof value === "number"
  )

/** Returns a range of numbers with the wider bounds. A bound that no value broke stays exclusive. */
const between = (check: Check, { least, most }: ValueRange): Check => {
  const payload = (check.annotations?.["representation"]?.payload ?? {}) as Readonly<Record<string, unknown>>
  const minimum = Number(payload["minimum"])
  const maximum = Number(payload["maximum"])
  return Schema.isBetween({
    minimum: Math.min(minimum, least),
    maximum: Math.max(maximum, most),
    ...(payload["exclusiveMinimum"] === true && least > minimum ? { exclusiveMinimum: true } : {}),
    ...(payload["exclusiveMaximum"] === true && most < maximum ? { exclusiveMaximum: true } : {})
  })
}

/** Returns the rule with bounds that include all values of the range; `undefined` if the rule has no bounds. */
const moved = (check: Check, range: ValueRange): Check | undefined => {
  const { least, most } = range
  const [first = 0, second = first] = numbersOf(check)
  const [low, high] = [Math.min(first, least), Math.max(second, most)]
  switch (nameOf(check)) {
    case "isMaxLength":
      return Schema.isMaxLength(most)
    case "isMinLength":
      return Schema.isMinLength(least)
    case "isBetweenLength":
      return Schema.isBetweenLength(low, high)
    case "isMaxCodePoints":
      return Schema.isMaxCodePoints(most)
    case "isMinCodePoints":
      return Schema.isMinCodePoints(least)
    case "isBetweenCodePoints":
      return Schema.isBetweenCodePoints(low, high)
    case "isMaxProperties":
      return Schema.isMaxProperties(most)
    case "isMinProperties":
      return Schema.isMinProperties(least)
    case "isBetweenProperties":
      return Schema.isBetweenProperties(low, high)
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

/** True if a fault states that this rule is broken. A rule without a name may compute its message. */
const isBroken = (check: Check, { expected, problem, value }: Fault, isOnlyUnnamed: boolean): boolean => {
  const authored: unknown = check.annotations?.["message"]
  const own = expectedByCheck(check, value).expected
  if (authored === problem || `expected ${own}` === problem) return true
  return isOnlyUnnamed && nameOf(check) === "" && own === expected
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

/** Moves a bound of a type parameter whose JSON is also the JSON of the declared type, such as in `Redacted`. */
const inParameter = (node: SchemaAST.Declaration, fault: Fault, range: ValueRange | undefined): AST | undefined => {
  const form = node.encoding === undefined ? formOf(node) : undefined
  const index = form === undefined ? -1 : node.typeParameters.indexOf(form)
  const own = node.typeParameters[index]
  const type = own === undefined ? undefined : movedBound(own, fault, range)
  if (type === undefined) return undefined
  const parameters = node.typeParameters.with(index, type)
  return new SchemaAST.Declaration(parameters, node.run, node.annotations, node.checks, undefined, node.context)
}

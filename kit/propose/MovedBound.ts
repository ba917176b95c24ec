/** Moves or removes the rule of a schema that the values of a group broke. */
import { expectedByCheck } from "effect-toolguard/internal/domain/schema/Expectation"
import type { Fault } from "effect-toolguard/internal/domain/faults/Fault"
import * as SchemaNode from "effect-toolguard/internal/domain/schema/SchemaNode"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

type AST = SchemaAST.AST
type Check = SchemaAST.Checks[number]

interface Range {
  readonly least: number
  readonly most: number
}

const nameOf = (check: Check): string => check.annotations?.["representation"]?.id.replace("effect/schema/", "") ?? ""

/** Returns the numbers of a rule, such as its bounds. */
const numbersOf = (check: Check): ReadonlyArray<number> =>
  Object.values((check.annotations?.["representation"]?.payload ?? {}) as Record<string, unknown>).filter(
    (value) => typeof value === "number"
  )

/** Returns the rule with bounds that include all values of the range; `undefined` if the rule has no bounds. */
const moved = (check: Check, { least, most }: Range): Check | undefined => {
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
      return Schema.isBetween({ minimum: low, maximum: high })
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
  // a group without its own text consists of its rules
  (checks ?? []).flatMap((check): ReadonlyArray<Check> => (check._tag === "FilterGroup" ? check.checks : [check]))

/** Returns a node without its broken rule, or with wider bounds; `undefined` if the fault states none of its rules. */
export const movedBound = (node: AST, fault: Fault, range: Range | undefined): AST | undefined => {
  if (node._tag === "Union" && node.checks === undefined) {
    const types = node.types.map((type) => movedBound(type, fault, range) ?? type)
    return types.every((type, index) => type === node.types[index])
      ? undefined
      : new SchemaAST.Union(types, node.options, node.annotations, undefined, undefined, node.context)
  }
  const rules = rulesOf(node.checks)
  const isOnlyUnnamed = rules.filter((check) => nameOf(check) === "").length === 1
  if (!rules.some((check) => isBroken(check, fault, isOnlyUnnamed))) return undefined
  const [first, ...more] = rules.flatMap((check) => {
    if (!isBroken(check, fault, isOnlyUnnamed)) return [check]
    const wider = range === undefined ? undefined : moved(check, range)
    return wider === undefined ? [] : [wider]
  })
  return SchemaNode.rebuild(node, {
    annotations: node.annotations,
    checks: first === undefined ? undefined : [first, ...more],
    isOptional: SchemaAST.isOptional(node)
  })
}

/**
 * Finds the transformations of a schema that can refuse a value that the advertised schema accepts.
 *
 * Defaults, transformations that change nothing, classes without checks, trimming and changes of case, and plain
 * functions whose result has no checks never refuse a value. All other transformations (dates, URLs, text to number,
 * effects) may refuse a value that the JSON Schema allows.
 *
 * This module imports Effect, because only running a getter shows whether it is a default, and a getter is an Effect.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import { type Finding, mark, mayRefuse } from "./ContractCheck.ts"
import * as SchemaNode from "./SchemaNode.ts"
import { relate } from "./SchemaRelation.ts"

/** The encoded side of a schema, and the problems of advertising it. */
interface Wire {
  /** The node with all requirements on the encoded value. */
  readonly node: SchemaAST.AST
  readonly isOptional: boolean
  /** True if the key may be absent and has a default. */
  readonly hasDefault: boolean
  readonly findings: ReadonlyArray<Finding>
}

type Transformation = NonNullable<SchemaNode.State["by"]>
type AnyGetter = SchemaGetter.Getter<unknown, unknown>

const getterOf = (by: Transformation): AnyGetter | undefined =>
  by._tag === "Transformation" ? (by.decode as AnyGetter) : undefined

/** A value that a default must leave unchanged. */
const sample = Object.freeze({ sample: true })

/** True if a getter yields a default if the key is absent, and changes nothing otherwise. */
const isDefault = (getter: AnyGetter): boolean => {
  if (getter._tag !== "TransformOptionalEffect" && getter._tag !== "TransformOptional") return false
  try {
    const absent = Effect.runSync(SchemaGetter.run(getter, Option.none(), {}))
    const present = Effect.runSync(SchemaGetter.run(getter, Option.some(sample), {}))
    return Option.isSome(absent) && Option.isSome(present) && present.value === sample
  } catch {
    return false
  }
}

/** Removes `undefined` from a union, because JSON writes it as `null`. Returns other nodes unchanged. */
const withoutUndefined = (ast: SchemaAST.AST): SchemaAST.AST => {
  if (ast._tag !== "Union" || ast.checks !== undefined) return ast
  const types = ast.types.filter((type) => type._tag !== "Undefined")
  return types.length === 1 ? types[0]! : new SchemaAST.Union(types, ast.options)
}

const isClass = (ast: SchemaAST.AST): boolean => ast._tag === "Declaration" && "~constructor" in (ast.annotations ?? {})

/** True if a node requires only a type: it never refuses a value that a function of that type returns. */
const isUnchecked = (ast: SchemaAST.AST): boolean => {
  if (ast.checks !== undefined) return false
  switch (ast._tag) {
    case "Arrays":
      return [...ast.elements, ...ast.rest].every(isUnchecked)
    case "Objects":
      return [...ast.propertySignatures, ...ast.indexSignatures].every(({ type }) => isUnchecked(type))
    case "Union":
      return ast.types.every(isUnchecked)
    case "Declaration":
      return isClass(ast)
    case "Suspend":
      return false
    default:
      return true
  }
}

const samples = ["", " ", "\t a B\n", " İstanbul ", "ßx", "ABC", "abc"]

/** True if a function on strings produces texts that the checks accept: trimming, upper and lower case. */
const isNormalisation = (getter: AnyGetter, from: SchemaAST.AST, to: SchemaAST.AST): boolean =>
  getter._tag === "Transform" &&
  from._tag === "String" &&
  to._tag === "String" &&
  (to.checks ?? []).every(
    (check) =>
      /\/is(?:Trimmed|Lowercased|Uppercased|Capitalized|Uncapitalized)$/.test(
        check.annotations?.representation?.id ?? ""
      ) &&
      check._tag === "Filter" &&
      // the types of a getter are known only to the schema that contains it
      samples.every((text) => check.run(getter.transform(text) as never, to, {}) === undefined)
  )

const hiddenCheck: Finding = {
  problem: "a check follows a transformation, so the JSON Schema cannot express it",
  remedy: `move the check before the transformation, or ${mark}`
}

const undecidable: Finding = {
  problem: "two different schemas follow each other",
  remedy: `keep only the narrower one, or ${mark}`
}

/** Follows a value from its encoded side through all transformations. */
export const follow = (ast: SchemaAST.AST): Wire => {
  const [wire, ...later] = SchemaNode.states(ast)
  const findings: Array<Finding> = []
  let node = wire!.ast
  let previous = node
  let isUnchanged = true
  let allowsUndefined = false
  let hasDefault = false
  for (const { ast: to, by } of later) {
    const getter = getterOf(by!)
    const target = SchemaNode.bare(to)
    const isDefaulted =
      getter !== undefined && SchemaAST.isOptional(previous) && !SchemaAST.isOptional(to) && isDefault(getter)
    if (isDefaulted || getter?._tag === "Passthrough") {
      const whole = SchemaNode.bare(previous)
      const from = isDefaulted ? withoutUndefined(whole) : whole
      const relation = relate(SchemaAST.toType(from), SchemaAST.toEncoded(target))
      allowsUndefined ||= from !== whole
      isUnchanged &&= !SchemaNode.isTransformedInside(from)
      if (relation === "Different") findings.push(undecidable)
      else if (isUnchanged && relation !== "Wider") {
        node = allowsUndefined ? new SchemaAST.Union([target, SchemaAST.undefined]) : target
      } else if (relation === "Narrower") findings.push(hiddenCheck)
      else if (SchemaNode.isTransformedInside(target)) findings.push(mayRefuse(target))
      hasDefault ||= isDefaulted
    } else if (getter?._tag === "Transform") {
      isUnchanged = false
      const isSafe = isClass(target) ? target.checks === undefined : isUnchecked(target)
      if (!isSafe && !isNormalisation(getter, previous, target)) {
        findings.push(isClass(target) || target._tag === previous._tag ? hiddenCheck : mayRefuse(target))
      }
    } else {
      isUnchanged = false
      findings.push(mayRefuse(target))
    }
    previous = to
  }
  return { node: SchemaNode.bare(node), isOptional: SchemaAST.isOptional(wire!.ast), hasDefault, findings }
}

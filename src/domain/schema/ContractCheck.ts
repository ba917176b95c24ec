/**
 * Finds the checks of a schema that JSON Schema cannot express exactly, and states the problem and the replacement.
 *
 * Effect marks its approximations. A custom filter counts as exact if it has a `toJsonSchema`.
 */
import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaRepresentation from "effect/SchemaRepresentation"
import { declared } from "./Expectation.ts"
import { reasonsOfCheck } from "./ServerOnly.ts"

/** A problem of a schema, and what to write instead. */
export interface Finding {
  readonly problem: string
  readonly remedy: string
}

/** The remedy that works for every finding: to describe the rule in words. */
export const mark = `mark it with Contract.serverOnly("the rule in words")`

/** Returns the finding that a transformation may refuse a value that the advertised schema accepts. */
export const mayRefuse = (ast: SchemaAST.AST): Finding => {
  const what = ast._tag === "Declaration" ? ` to ${declared(ast)}` : ""
  return {
    problem: `decoding${what} may refuse a value that the JSON Schema allows`,
    remedy: `use a string with a pattern, a number or a struct and convert it in the handler, or ${mark}`
  }
}

/** The JSON type that a check applies to. */
export type JsonType = "string" | "number" | "integer" | "array" | "object" | "boolean" | undefined

const nameOf = (check: SchemaAST.Check<never>): string =>
  check.annotations?.["representation"]?.id.replace("effect/schema/", "") ?? ""

const payloadOf = (check: SchemaAST.Check<never>): Record<string, unknown> =>
  (check.annotations?.["representation"]?.payload ?? {}) as Record<string, unknown>

const codePoints: Record<string, string> = {
  isMinLength: "isMinCodePoints",
  isMaxLength: "isMaxCodePoints",
  isBetweenLength: "isBetweenCodePoints"
}

const inexact = (check: SchemaAST.Check<never>, type: JsonType): Finding => {
  const name = nameOf(check)
  const instead = codePoints[name]
  if (instead !== undefined && type !== "array") {
    const bounds = Object.values(payloadOf(check)).join(", ")
    return {
      problem: `Schema.${name} counts UTF-16 units, JSON Schema counts characters`,
      remedy: `use Schema.${instead}(${bounds})`
    }
  }
  if (name === "isPattern") {
    const { source } = payloadOf(check)
    return {
      problem: "JSON Schema expresses only patterns with the flag u and no other flag",
      remedy: `use Schema.isPattern(/${String(source)}/u)`
    }
  }
  const what = name === "" ? "a filter without toJsonSchema" : `Schema.${name}`
  return {
    problem: `${what} is not part of the JSON Schema`,
    remedy: name === "" ? `give it a toJsonSchema, or ${mark}` : mark
  }
}

/** True if Effect considers the JSON Schema of the check exact. */
const isExact = (check: SchemaAST.Check<never>, type: JsonType): boolean => {
  const print = check.annotations?.["toJsonSchema"] as SchemaRepresentation.ToJsonSchema.Check | undefined
  if (print === undefined) return check._tag === "FilterGroup" && check.checks.every((each) => isExact(each, type))
  const schemas = (check.annotations?.["representation"]?.schemas ?? []).map(() => ({}))
  return !Array.isArray(print({ type, schemas }))
}

/**
 * Returns the findings on a check. If `decoded`, nested transformations change the value before the check runs, and
 * only the length of an array is still the same.
 */
export const findings = (check: SchemaAST.Check<never>, type: JsonType, decoded: boolean): ReadonlyArray<Finding> => {
  if (reasonsOfCheck(check).length > 0) return []
  const name = nameOf(check)
  if (decoded && !(type === "array" && name in codePoints)) {
    return [{ problem: "a check runs on values that were already transformed", remedy: mark }]
  }
  if (check._tag === "FilterGroup" && check.annotations?.["toJsonSchema"] === undefined) {
    return check.checks.flatMap((each) => findings(each, type, decoded))
  }
  if (!isExact(check, type)) return [inexact(check, type)]
  if (name === "isMultipleOf" && !(type === "integer" && Number.isInteger(payloadOf(check)["divisor"]))) {
    return [{ problem: "every validator rounds multiples of fractions differently", remedy: "use Schema.Int" }]
  }
  return []
}

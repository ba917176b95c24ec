/**
 * Describes the requirements of a schema in terms of JSON: `integer`, `string or null`, `at most 5 items`.
 *
 * Effect's messages are not used, because they contain identifiers that a model does not know (`Expected CustomerId`)
 * and print values.
 */
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import { isNumberForm } from "./SchemaUnion.ts"

/** Returns the JSON type of a value; `undefined` if JSON has no such type. */
export const typeName = (value: unknown): string | undefined => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
      return typeof value
    case "object":
      return Object.getPrototypeOf(value) === Object.prototype ? "object" : undefined
    default:
      return undefined
  }
}

/** Returns the name and the parameters of one of Effect's checks. */
const known = (check: SchemaAST.Check<never>): readonly [name: string, payload: Record<string, unknown>] => {
  const representation = check.annotations?.["representation"] as { readonly id: string; readonly payload: unknown }
  return [
    representation?.id?.replace("effect/schema/", "") ?? "",
    (representation?.payload ?? {}) as Record<string, unknown>
  ]
}

/** Returns the JSON type that a schema expects. Of the checks, only `isInt` counts. */
export const expectedType = (schema: SchemaAST.AST): string => {
  const ast = SchemaAST.toEncoded(schema)
  switch (ast._tag) {
    case "String":
    case "TemplateLiteral":
    case "BigInt":
      return "string"
    case "Number":
      return ast.checks?.some((check) => known(check)[0] === "isInt") ? "integer" : "number"
    case "Boolean":
      return "boolean"
    case "Null":
    case "Undefined":
    case "Void":
      return "null"
    case "Literal":
      return JSON.stringify(typeof ast.literal === "bigint" ? String(ast.literal) : ast.literal)
    case "Arrays":
      return "array"
    case "Objects":
      return "object"
    case "Suspend":
      return expectedType(ast.thunk())
    case "Enum":
      return ast.enums.map(([, value]) => JSON.stringify(value)).join(" or ")
    case "Union":
      if (isNumberForm(ast)) return "number"
      return [...new Set(ast.types.map(expectedType))].join(" or ")
    default:
      return declared(ast)
  }
}

/** Returns the name of the expected class or built-in type, such as a date, from Effect's message. */
export const declared = (ast: SchemaAST.AST): string => {
  const text = SchemaIssue.makeFormatterDefault()(new SchemaIssue.InvalidType(ast))
  return text.startsWith("Expected ") ? text.slice("Expected ".length) : "a valid value"
}

const count = (amount: unknown, unit: string): string => `${String(amount)} ${unit}${amount === 1 ? "" : "s"}`

const sizeOf = (input: unknown): number | undefined => {
  if (typeof input === "string") return input.length > 100_000 ? input.length : [...input].length
  if (Array.isArray(input)) return input.length
  return typeof input === "object" && input !== null ? Object.keys(input).length : undefined
}

const bounds = (payload: Record<string, unknown>, unit: string): string => {
  const [first, second] = Object.values(payload)
  return second === undefined || first === second ? count(first, unit) : `${String(first)} to ${count(second, unit)}`
}

/**
 * Returns the requirement of a failed check, and the size or kind of the value if that is more specific than its type.
 */
export const expectedByCheck = (
  check: SchemaAST.Check<never>,
  input: unknown
): { readonly expected: string; readonly got?: string } => {
  const [name, payload] = known(check)
  const [, kind, measure] = /^is(Min|Max|Between)(Length|CodePoints|Properties)$/.exec(name) ?? []
  if (kind !== undefined) {
    const unit = measure === "Properties" ? "field" : Array.isArray(input) ? "item" : "character"
    const size = sizeOf(input)
    const least = kind === "Min" ? "at least " : kind === "Max" ? "at most " : ""
    return { expected: least + bounds(payload, unit), ...(size === undefined ? {} : { got: `${size}` }) }
  }
  if (name === "isFinite") return { expected: "number" }
  if (name === "isInt") {
    if (typeof input !== "number" || !Number.isFinite(input)) return { expected: "integer" }
    return { expected: "integer", got: Number.isInteger(input) ? "a number beyond 2^53" : "a fraction" }
  }
  const expected: unknown = check.annotations?.["expected"]
  return { expected: typeof expected === "string" ? expected : "a valid value" }
}

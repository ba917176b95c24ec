/** Checks the value of a keyword, and finds the schemas inside it. */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import type { JsonPointer } from "#domain/json/JsonPointer"
import type { Kind } from "./Keywords.ts"
import { isValid } from "./Pattern.ts"
import { isType } from "./Types.ts"

const isSchema = (value: unknown): value is JsonObject | boolean => isJsonObject(value) || typeof value === "boolean"

/** True if a schema accepts every value because it has no constraints: `true` and `{}`. */
export const isAnything = (schema: unknown): boolean =>
  schema === true || (isJsonObject(schema) && Object.keys(schema).length === 0)

const isFilled = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value) && value.length > 0

export const isNames = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((name) => typeof name === "string")

/** True if all values differ. The order of the fields of objects does not matter. */
export const isDistinct = (values: ReadonlyArray<unknown>): boolean =>
  new Set(values.map((value) => JSON.stringify(sorted(value)))).size === values.length

/** Returns the value with the fields of its objects sorted by name. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  return isJsonObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .map(([name, each]) => [name, sorted(each)] as const)
          .sort(([a], [b]) => (a < b ? -1 : 1))
      )
    : value
}

/** True if a value has the kind that its keyword requires. Schemas inside the value are not checked. */
export const isOf = (kind: Kind, value: unknown): boolean => {
  switch (kind) {
    case "anything":
      return true
    case "schema":
      return isSchema(value)
    case "schemas":
      return isFilled(value)
    case "schema or schemas":
      return isSchema(value) || isFilled(value)
    case "schemas by name":
    case "schemas or names by name":
      return isJsonObject(value)
    case "names by name":
      return isJsonObject(value) && Object.values(value).every((names) => isNames(names) && isDistinct(names))
    case "text":
      return typeof value === "string"
    case "flag":
      return typeof value === "boolean"
    case "number":
      return typeof value === "number"
    case "positive number":
      return typeof value === "number" && value > 0
    case "count":
      return Number.isInteger(value) && Number(value) >= 0
    case "names":
      return isNames(value) && isDistinct(value)
    case "list":
      return Array.isArray(value)
    case "values":
      return isFilled(value) && isDistinct(value)
    case "type":
      return isType(value) || (isFilled(value) && value.every(isType) && isDistinct(value))
    case "pattern":
      return typeof value === "string" && (isValid(value) || isLegacyPattern(value))
    case "anchor":
      return typeof value === "string" && /^[A-Za-z_][-A-Za-z0-9._]*$/u.test(value)
    case "identifier":
      return typeof value === "string" && /^[^#]*#?$/u.test(value)
    case "vocabulary":
      return isJsonObject(value) && Object.values(value).every((each) => typeof each === "boolean")
  }
}

/** True if a pattern compiles without the flag `u`. ECMA-262 forbids some patterns with the flag, such as `\-`. */
const isLegacyPattern = (pattern: string): boolean => {
  try {
    return new RegExp(pattern) instanceof RegExp
  } catch {
    return false
  }
}

/** A schema inside a keyword's value, and its path. */
type Subschema = readonly [schema: unknown, path: JsonPointer]

/** Returns the schemas inside a keyword's value, in order. They may be invalid if the value is not of the kind. */
export const schemasIn = (kind: Kind, value: unknown): ReadonlyArray<Subschema> => {
  switch (kind) {
    case "schema":
      return [[value, []]]
    case "schemas":
      return Array.isArray(value) ? value.map((each: unknown, index) => [each, [index]]) : []
    case "schema or schemas":
      return Array.isArray(value) ? schemasIn("schemas", value) : [[value, []]]
    case "schemas by name":
      return isJsonObject(value) ? Object.entries(value).map(([name, each]) => [each, [name]]) : []
    case "schemas or names by name":
      return schemasIn("schemas by name", value).filter(([each]) => !isNames(each) || !isDistinct(each))
    default:
      return []
  }
}

/** Returns a keyword's value with each schema inside it replaced. */
export const mapSchemas = (
  kind: Kind,
  value: unknown,
  replace: (schema: unknown, path: JsonPointer) => unknown
): unknown => {
  // large dictionaries of definitions are copied once
  if (kind === "schemas by name" && isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, replace(schema, [name])]))
  const replaced = schemasIn(kind, value).map(([schema, path]) => [path, replace(schema, path)] as const)
  const [first] = replaced
  if (first === undefined) return value
  if (first[0].length === 0) return first[1]
  if (Array.isArray(value)) return replaced.map(([, schema]) => schema)
  return { ...Object(value), ...Object.fromEntries(replaced.map(([[name], schema]) => [String(name), schema])) }
}

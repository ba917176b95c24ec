/**
 * Finds the faults of a JSON Schema according to the meta-schemas of draft-07 and 2020-12.
 *
 * - A schema that declares one of the two dialects (`$schema`) is checked against this dialect. Any other schema is
 *   valid if either dialect accepts it.
 * - Patterns must compile, which the meta-schemas only recommend.
 *
 * A validator with the meta-schemas would report `must be equal to one of the allowed values`. The messages of this
 * module say that `dict` must be `object`. A test compares the results with the results of such a validator.
 */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { Fault } from "./Subject.ts"
import { isDistinct, isNames, isOf, schemasIn } from "effect-toolguard/internal/domain/schema/json/KeywordValue"
import {
  draft07,
  draft2020,
  kindOf,
  type Keywords,
  type Kind
} from "effect-toolguard/internal/domain/schema/json/Keywords"
import { isType, typeNamed } from "effect-toolguard/internal/domain/schema/json/Types"

/** Returns the dialect that a schema declares, or `undefined` if it declares none. */
export const dialectOf = (schema: unknown): "draft-07" | "2020-12" | "other" | undefined => {
  const name = isJsonObject(schema) ? schema["$schema"] : undefined
  if (typeof name !== "string") return undefined
  if (/\/draft-07\/schema#?$/u.test(name)) return "draft-07"
  return /\/2020-12\/schema#?$/u.test(name) ? "2020-12" : "other"
}

/** Returns the faults of a schema at a place. Returns none if the schema is valid. */
export const faultsOf = (schema: unknown, at: JsonPointer): ReadonlyArray<Fault> => {
  const dialect = dialectOf(schema)
  if (dialect === "draft-07") return faultsBy(draft07, schema, at)
  const newer = faultsBy(draft2020, schema, at)
  if (dialect === "2020-12" || newer.length === 0) return newer
  const older = faultsBy(draft07, schema, at)
  return older.length < newer.length ? older : newer
}

/** Returns the faults of a schema in one dialect. */
export const faultsBy = (keywords: Keywords, schema: unknown, at: JsonPointer): ReadonlyArray<Fault> => {
  const faults: Array<Fault> = []
  const report = (at: JsonPointer, message: string) => void faults.push({ at, message })
  const walk = (schema: unknown, at: JsonPointer): void => {
    if (typeof schema === "boolean") return
    if (!isJsonObject(schema)) return report(at, `a schema must be an object, true or false, not ${described(schema)}`)
    for (const [keyword, value] of Object.entries(schema)) {
      const kind = kindOf(keyword, keywords)
      if (kind === undefined) continue
      const place = [...at, keyword]
      const problem = problemOf(kind, value)
      if (problem !== undefined) report(place, `\`${keyword}\` ${problem}`)
      else for (const [inner, path] of schemasIn(kind, value)) walk(inner, [...place, ...path])
    }
  }
  walk(schema, at)
  return faults
}

const described = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  return typeof value === "object"
    ? "an object"
    : typeof value === "string"
      ? "a string"
      : `the ${typeof value} ${value}`
}

const quoted = (value: unknown): string => cut(shown(JSON.stringify(value) ?? "nothing"), 40)

/**
 * Returns the reason why a keyword's value is not of the keyword's kind. Does not check the schemas inside the value.
 */
const problemOf = (kind: Kind, value: unknown): string | undefined => {
  if (kind === "schema" || isOf(kind, value)) return undefined
  switch (kind) {
    case "text":
      return `must be a string, not ${described(value)}`
    case "identifier":
      return "must be a URI without a fragment"
    case "anchor":
      return "must be a plain name"
    case "flag":
      return `must be true or false, not ${described(value)}`
    case "number":
      return `must be a number, not ${typeof value === "boolean" ? `${value} (draft-04)` : described(value)}`
    case "positive number":
      return `must be a number above 0, not ${quoted(value)}`
    case "count":
      return `must be a whole number of at least 0, not ${quoted(value)}`
    case "list":
      return `must be an array, not ${described(value)}`
    case "values":
      if (!Array.isArray(value)) return `must be an array, not ${described(value)}`
      return value.length === 0 ? "is empty" : "has a repeated value"
    case "names":
      if (typeof value === "boolean")
        return `is ${value}; in JSON Schema, the enclosing object lists the names of its required properties`
      if (isNames(value)) return "has a repeated name"
      return Array.isArray(value) ? "must contain only names" : `must be an array of names, not ${described(value)}`
    case "pattern":
      if (typeof value !== "string") return `must be a string, not ${described(value)}`
      return `is not a valid ECMA-262 regular expression: ${quoted(value)}`
    case "type":
      return typeProblem(value)
    case "schemas":
      return Array.isArray(value) ? "is empty" : `must be an array of schemas, not ${described(value)}`
    case "schema or schemas":
      return Array.isArray(value) ? "is empty" : undefined
    case "schemas by name":
    case "schemas or names by name":
      return `must be an object of schemas by name, not ${described(value)}`
    case "names by name":
      return "must be an object whose values are arrays of names"
    case "vocabulary":
      return "must be an object of booleans"
    default:
      return undefined
  }
}

const typeProblem = (value: unknown): string | undefined => {
  if (isType(value)) return undefined
  if (Array.isArray(value)) {
    const wrong = value.find((name) => !isType(name))
    if (wrong !== undefined) return typeProblem(wrong) ?? "has an element that is not a type"
    return value.length === 0 ? "is empty" : isDistinct(value) ? undefined : "has a repeated type"
  }
  const meant = typeNamed(value)
  if (meant !== undefined) return `is ${quoted(value)}, which is not a JSON Schema type; write "${meant}"`
  const isAny = typeof value === "string" && /^(?:any|mixed|unknown)$/iu.test(value)
  return isAny
    ? `is ${quoted(value)}, which is not a JSON Schema type; to allow any value, remove \`type\``
    : `is ${quoted(value)}, which is not a JSON Schema type: string, number, integer, boolean, object, array or null`
}

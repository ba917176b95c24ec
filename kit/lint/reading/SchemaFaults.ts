/**
 * Says where a value is no JSON Schema, by the meta-schemas of draft-07 and 2020-12.
 *
 * - A schema that names its dialect (`$schema`) is judged by it; one that names none, or another dialect, is right where
 *   either of the two takes it.
 * - Patterns have to compile, which the meta-schemas only recommend.
 *
 * It is a check of our own, since a validator says `must be equal to one of the allowed values` where a person needs to
 * read that `dict` means `object`; a test holds it to a validator with the official meta-schemas.
 */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { Fault } from "./Subject.ts"
import { draft07, draft2020, type Keywords, type Kind } from "./SchemaKeywords.ts"
import { isType, typeNamed } from "./Shapes.ts"

/** The dialect that a schema names: one of the two, another one, or none. */
export const dialectOf = (schema: unknown): "draft-07" | "2020-12" | "other" | undefined => {
  const name = isJsonObject(schema) ? schema["$schema"] : undefined
  if (typeof name !== "string") return undefined
  if (/\/draft-07\/schema#?$/u.test(name)) return "draft-07"
  return /\/2020-12\/schema#?$/u.test(name) ? "2020-12" : "other"
}

/** What is wrong with a schema that stands at a place; empty where it is valid. */
export const faultsOf = (schema: unknown, at: JsonPointer): ReadonlyArray<Fault> => {
  const dialect = dialectOf(schema)
  if (dialect === "draft-07") return faultsBy(draft07, schema, at)
  const newer = faultsBy(draft2020, schema, at)
  if (dialect === "2020-12" || newer.length === 0) return newer
  const older = faultsBy(draft07, schema, at)
  return older.length < newer.length ? older : newer
}

/** What one dialect says against a schema. */
export const faultsBy = (keywords: Keywords, schema: unknown, at: JsonPointer): ReadonlyArray<Fault> => {
  const faults: Array<Fault> = []
  const report = (at: JsonPointer, message: string) => void faults.push({ at, message })
  const walk = (schema: unknown, at: JsonPointer): void => {
    if (typeof schema === "boolean") return
    if (!isJsonObject(schema)) return report(at, `a schema is an object, true or false, not ${kindOf(schema)}`)
    for (const [keyword, value] of Object.entries(schema)) {
      if (!Object.hasOwn(keywords, keyword)) continue
      const kind = keywords[keyword]!
      const place = [...at, keyword]
      const problem = problemOf(kind, value)
      if (problem !== undefined) report(place, `\`${keyword}\` ${problem}`)
      else for (const [inner, where] of schemasIn(kind, value, place)) walk(inner, where)
    }
  }
  walk(schema, at)
  return faults
}

const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" ? "an object" : typeof value === "string" ? "a text" : `the ${typeof value} ${value}`
}

const quoted = (value: unknown): string => cut(shown(JSON.stringify(value) ?? "nothing"), 40)

const isDistinct = (values: ReadonlyArray<unknown>): boolean =>
  new Set(values.map((value) => JSON.stringify(sorted(value)))).size === values.length

/** The value with the fields of its objects in one order. */
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

const isNames = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((name) => typeof name === "string")

const compiles = (pattern: string): boolean => {
  try {
    return new RegExp(pattern, "u") instanceof RegExp
  } catch {
    try {
      return new RegExp(pattern) instanceof RegExp
    } catch {
      return false
    }
  }
}

/** Why a keyword's value is none of its kind. */
const problemOf = (kind: Kind, value: unknown): string | undefined => {
  const unless = (isRight: boolean, problem: string) => (isRight ? undefined : problem)
  switch (kind) {
    case "anything":
    case "schema":
      return undefined
    case "text":
      return unless(typeof value === "string", `is a text, not ${kindOf(value)}`)
    case "identifier":
      return unless(typeof value === "string" && /^[^#]*#?$/u.test(value), "is an address without a fragment")
    case "anchor":
      return unless(typeof value === "string" && /^[A-Za-z_][-A-Za-z0-9._]*$/u.test(value), "is a plain name")
    case "flag":
      return unless(typeof value === "boolean", `is true or false, not ${kindOf(value)}`)
    case "number":
      return unless(
        typeof value === "number",
        `is a number, not ${typeof value === "boolean" ? `${value}, as it was in draft-04` : kindOf(value)}`
      )
    case "positive number":
      return unless(typeof value === "number" && value > 0, `is a number above 0, not ${quoted(value)}`)
    case "count":
      return unless(Number.isInteger(value) && (value as number) >= 0, `is a whole number from 0, not ${quoted(value)}`)
    case "list":
      return unless(Array.isArray(value), `is a list, not ${kindOf(value)}`)
    case "values":
      if (!Array.isArray(value)) return `is a list, not ${kindOf(value)}`
      return value.length === 0 ? "is empty" : unless(isDistinct(value), "holds a value twice")
    case "names":
      if (typeof value === "boolean")
        return `is ${value}; in JSON Schema the object around it lists the names of its required properties`
      if (!isNames(value)) return `is a list of names, not ${Array.isArray(value) ? "of other things" : kindOf(value)}`
      return unless(isDistinct(value), "holds a name twice")
    case "pattern":
      if (typeof value !== "string") return `is a text, not ${kindOf(value)}`
      return unless(compiles(value), `is no regular expression of ECMA-262: ${quoted(value)}`)
    case "type":
      return typeProblem(value)
    case "schemas":
      return unless(
        Array.isArray(value) && value.length > 0,
        `is a list of schemas with at least one, not ${Array.isArray(value) ? "empty" : kindOf(value)}`
      )
    case "schema or schemas":
      return unless(!Array.isArray(value) || value.length > 0, "is an empty list")
    case "schemas by name":
    case "schemas or names by name":
      return unless(isJsonObject(value), `is an object of schemas by name, not ${kindOf(value)}`)
    case "names by name":
      return unless(
        isJsonObject(value) && Object.values(value).every((names) => isNames(names) && isDistinct(names)),
        "is an object of lists of names"
      )
    case "vocabulary":
      return unless(
        isJsonObject(value) && Object.values(value).every((each) => typeof each === "boolean"),
        "is an object of flags"
      )
  }
}

const typeProblem = (value: unknown): string | undefined => {
  if (isType(value)) return undefined
  if (Array.isArray(value)) {
    const wrong = value.find((name) => !isType(name))
    if (wrong !== undefined) return typeProblem(wrong) ?? "holds what is no type"
    return value.length === 0 ? "is an empty list" : isDistinct(value) ? undefined : "holds a type twice"
  }
  const meant = typeNamed(value)
  if (meant !== undefined) return `is ${quoted(value)}, which is no type of JSON Schema; write "${meant}"`
  const isAny = typeof value === "string" && /^(?:any|mixed|unknown)$/iu.test(value)
  return isAny
    ? `is ${quoted(value)}, which is no type of JSON Schema; leave \`type\` out where anything goes`
    : `is ${quoted(value)}, which is no type of JSON Schema: string, number, integer, boolean, object, array or null`
}

/** The schemas inside of a keyword's value. */
const schemasIn = (kind: Kind, value: unknown, at: JsonPointer): ReadonlyArray<readonly [unknown, JsonPointer]> => {
  const listed = (list: ReadonlyArray<unknown>) => list.map((each, index) => [each, [...at, index]] as const)
  const named = (fields: JsonObject) => Object.entries(fields).map(([name, each]) => [each, [...at, name]] as const)
  switch (kind) {
    case "schema":
      return [[value, at]]
    case "schemas":
      return listed(value as ReadonlyArray<unknown>)
    case "schema or schemas":
      return Array.isArray(value) ? listed(value) : [[value, at]]
    case "schemas by name":
      return named(value as JsonObject)
    case "schemas or names by name":
      return named(value as JsonObject).filter(([each]) => !isNames(each) || !isDistinct(each))
    default:
      return []
  }
}

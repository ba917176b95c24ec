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
    if (!isJsonObject(schema)) return report(at, `a schema is an object, true or false, not ${named(schema)}`)
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

const named = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" ? "an object" : typeof value === "string" ? "a text" : `the ${typeof value} ${value}`
}

const quoted = (value: unknown): string => cut(shown(JSON.stringify(value) ?? "nothing"), 40)

/** Why a keyword's value is not of its kind. Schemas inside of it are judged by the walk. */
const problemOf = (kind: Kind, value: unknown): string | undefined => {
  if (kind === "schema" || isOf(kind, value)) return undefined
  switch (kind) {
    case "text":
      return `is a text, not ${named(value)}`
    case "identifier":
      return "is an address without a fragment"
    case "anchor":
      return "is a plain name"
    case "flag":
      return `is true or false, not ${named(value)}`
    case "number":
      return `is a number, not ${typeof value === "boolean" ? `${value}, as it was in draft-04` : named(value)}`
    case "positive number":
      return `is a number above 0, not ${quoted(value)}`
    case "count":
      return `is a whole number from 0, not ${quoted(value)}`
    case "list":
      return `is a list, not ${named(value)}`
    case "values":
      if (!Array.isArray(value)) return `is a list, not ${named(value)}`
      return value.length === 0 ? "is empty" : "holds a value twice"
    case "names":
      if (typeof value === "boolean")
        return `is ${value}; in JSON Schema the object around it lists the names of its required properties`
      if (isNames(value)) return "holds a name twice"
      return `is a list of names, not ${Array.isArray(value) ? "of other things" : named(value)}`
    case "pattern":
      if (typeof value !== "string") return `is a text, not ${named(value)}`
      return `is no regular expression of ECMA-262: ${quoted(value)}`
    case "type":
      return typeProblem(value)
    case "schemas":
      return `is a list of schemas with at least one, not ${Array.isArray(value) ? "empty" : named(value)}`
    case "schema or schemas":
      return Array.isArray(value) ? "is an empty list" : undefined
    case "schemas by name":
    case "schemas or names by name":
      return `is an object of schemas by name, not ${named(value)}`
    case "names by name":
      return "is an object of lists of names"
    case "vocabulary":
      return "is an object of flags"
    default:
      return undefined
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

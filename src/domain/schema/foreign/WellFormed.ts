/**
 * Brings a JSON Schema from the wild into well-formed 2020-12, and lists what had to give way.
 *
 * Lists that real users and servers publish hold Python's type names, `required: true` on a property, enums that are no
 * lists, bounds that are texts. What is meant is kept where it is certain; the rest is left out, so that a call is
 * refused only for what the schema certainly says.
 */
import { isJsonObject } from "#domain/json/JsonObject"
import * as JsonPointer from "#domain/json/JsonPointer"
import { isNames, isOf, mapSchemas } from "#domain/schema/json/KeywordValue"
import { kindOf } from "#domain/schema/json/Keywords"
import * as OlderDialect from "#domain/schema/json/OlderDialect"
import * as Pattern from "#domain/schema/json/Pattern"
import { typeNamed } from "#domain/schema/json/Types"
import type * as JsonSchema from "effect/JsonSchema"

/** A constraint that is not checked, and why. */
export interface Unchecked {
  /** JSON Pointer into the schema as it was given. */
  readonly pointer: string
  readonly reason: string
}

type Node = Record<string, unknown>

/** Keywords whose value is checked: one that is not what the keyword takes is left out. */
const checked: ReadonlySet<string> = new Set(
  `$ref $defs definitions additionalItems additionalProperties allOf anyOf contains items not oneOf patternProperties
  prefixItems properties propertyNames required enum pattern maxItems maxLength maxProperties maximum minItems minLength
  minProperties minimum multipleOf uniqueItems`.split(/\s+/)
)

/** Names and values may repeat, which misleads no reader; a pattern must compile as it is applied. */
const isUsable = (keyword: string, value: unknown): boolean => {
  const kind = checked.has(keyword) ? kindOf(keyword) : undefined
  switch (kind) {
    case undefined:
      return true
    case "names":
      return isNames(value)
    case "values":
      return Array.isArray(value) && value.length > 0
    case "pattern":
      return typeof value === "string" && Pattern.compile(value) !== undefined
    default:
      return isOf(kind, value)
  }
}

/** Keywords whose schemas are rewritten, in this order. Those of others (`if`, `dependentSchemas` …) are not compiled. */
const rewritten: ReadonlyArray<string> =
  `additionalProperties propertyNames items contains not anyOf oneOf allOf prefixItems properties patternProperties
  $defs`.split(/\s+/)

/** Deepest nesting that is followed. */
const deepest = 64

/** A copy that can be compiled. `report` hears of each constraint that was left out or read as another one. */
export const wellFormed = (schema: unknown, report: (unchecked: Unchecked) => void): JsonSchema.JsonSchema => {
  const visit = (value: unknown, pointer: string, depth: number): JsonSchema.JsonSchema | boolean => {
    if (typeof value === "boolean") return value
    if (!isJsonObject(value)) {
      report({ pointer, reason: "is no schema" })
      return {}
    }
    if (depth > deepest) {
      report({ pointer, reason: "is nested too deep" })
      return {}
    }
    const out: Node = {}
    for (const [key, given] of Object.entries(value)) {
      if (key === "__proto__" || given === undefined) continue
      if (isUsable(key, given)) out[key] = given
      else report({ pointer: `${pointer}/${JsonPointer.escape(key)}`, reason: `is no value for ${key}` })
    }
    modern(out)
    typed(out, pointer, report)
    OlderDialect.exclusiveBounds(out)
    for (const bound of ["exclusiveMinimum", "exclusiveMaximum"]) if (typeof out[bound] !== "number") delete out[bound]
    if (out["nullable"] === true) OlderDialect.allowNull(out)
    for (const key of rewritten) {
      const kind = Object.hasOwn(out, key) ? kindOf(key) : undefined
      if (kind === undefined) continue
      out[key] = mapSchemas(kind, out[key], (schema, path) =>
        visit(schema, `${pointer}${JsonPointer.format([key, ...path])}`, depth + 1)
      )
    }
    return out
  }
  const made = visit(schema, "", 0)
  return typeof made === "boolean" ? (made ? {} : { not: {} }) : made
}

/** Keywords of draft-07 under their names of 2020-12. */
const modern = (node: Node): void => {
  const { additionalItems, definitions, items } = node
  for (const old of ["$schema", "$id", "id", "definitions", "additionalItems"]) delete node[old]
  if (isJsonObject(definitions)) node["$defs"] = { ...definitions, ...(node["$defs"] as Node | undefined) }
  if (typeof node["$ref"] === "string") node["$ref"] = node["$ref"].replace(/^#\/definitions\//, "#/$defs/")
  if (!Array.isArray(items)) return
  delete node["items"]
  node["prefixItems"] = items
  if (additionalItems !== undefined) node["items"] = additionalItems
}

/** Types under the names that JSON Schema has for them; one that nobody knows is left out. */
const typed = (node: Node, pointer: string, report: (unchecked: Unchecked) => void): void => {
  if (!Object.hasOwn(node, "type")) return
  const given: ReadonlyArray<unknown> = [node["type"]].flat()
  const known = given.map(typeNamed)
  for (const [index, name] of given.entries()) {
    if (known[index] === name) continue
    const read = known[index] === undefined ? "anything" : `"${known[index]}"`
    report({ pointer: `${pointer}/type`, reason: `${JSON.stringify(name)} is no type of JSON: read as ${read}` })
  }
  const all = [...new Set(known)]
  if (all.length === 0 || all.includes(undefined)) delete node["type"]
  else node["type"] = all.length === 1 ? all[0] : all
}

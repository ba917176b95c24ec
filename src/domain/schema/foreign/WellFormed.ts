/**
 * Brings a JSON Schema from the wild into well-formed 2020-12, and lists what had to give way.
 *
 * Lists that real users and servers publish hold Python's type names, `required: true` on a property, enums that are no
 * lists, bounds that are texts. What is meant is kept where it is certain; the rest is left out, so that a call is
 * refused only for what the schema certainly says.
 */
import { isJsonObject } from "#domain/json/JsonObject"
import * as JsonPointer from "#domain/json/JsonPointer"
import type * as JsonSchema from "effect/JsonSchema"

/** A constraint that is not checked, and why. */
export interface Unchecked {
  /** JSON Pointer into the schema as it was given. */
  readonly pointer: string
  readonly reason: string
}

type Node = Record<string, unknown>

/** Names that other languages have for JSON's types. */
const meant: Readonly<Record<string, string>> = {
  str: "string",
  text: "string",
  int: "integer",
  long: "integer",
  float: "number",
  double: "number",
  decimal: "number",
  bool: "boolean",
  dict: "object",
  map: "object",
  hashmap: "object",
  list: "array",
  arraylist: "array",
  tuple: "array",
  set: "array",
  none: "null"
}

const types: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean", "object", "array", "null"])

const isCount = (value: unknown): boolean => typeof value === "number" && Number.isInteger(value) && value >= 0
const isNumber = (value: unknown): boolean => typeof value === "number"
const isSchema = (value: unknown): boolean => isJsonObject(value) || typeof value === "boolean"
const isList = (value: unknown): boolean => Array.isArray(value) && value.length > 0
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === "string")

/** What the value of a keyword must be; others of its name are left out. */
const shapes: Readonly<Record<string, (value: unknown) => boolean>> = {
  required: isTexts,
  enum: isList,
  properties: isJsonObject,
  patternProperties: isJsonObject,
  additionalProperties: isSchema,
  propertyNames: isSchema,
  items: (value) => isSchema(value) || isList(value),
  additionalItems: isSchema,
  prefixItems: isList,
  contains: isSchema,
  not: isSchema,
  anyOf: isList,
  oneOf: isList,
  allOf: isList,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  uniqueItems: (value) => typeof value === "boolean",
  minimum: isNumber,
  maximum: isNumber,
  multipleOf: (value) => typeof value === "number" && value > 0,
  pattern: (value) => typeof value === "string" && compiles(value),
  $ref: (value) => typeof value === "string",
  definitions: isJsonObject,
  $defs: isJsonObject
}

const compiles = (pattern: string): boolean => {
  try {
    return new RegExp(pattern, "u") instanceof RegExp
  } catch {
    return false
  }
}

/** Keywords that hold one schema, a list of schemas, or schemas by name. */
const inside = {
  one: ["additionalProperties", "propertyNames", "items", "contains", "not"],
  list: ["anyOf", "oneOf", "allOf", "prefixItems"],
  map: ["properties", "patternProperties", "$defs"]
} as const

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
      const isFit = shapes[key] ?? (() => true)
      if (isFit(given)) out[key] = given
      else report({ pointer: `${pointer}/${JsonPointer.escape(key)}`, reason: `is no value for ${key}` })
    }
    modern(out)
    typed(out, pointer, report)
    bounded(out)
    nullable(out)
    const at = (key: string) => `${pointer}/${JsonPointer.escape(key)}`
    for (const key of inside.one) if (isSchema(out[key])) out[key] = visit(out[key], at(key), depth + 1)
    for (const key of inside.list) {
      const all = out[key]
      if (Array.isArray(all)) out[key] = all.map((each, index) => visit(each, `${at(key)}/${index}`, depth + 1))
    }
    for (const key of inside.map) {
      const all = out[key]
      if (!isJsonObject(all)) continue
      out[key] = Object.fromEntries(
        Object.entries(all).map(([name, each]) => [
          name,
          visit(each, `${at(key)}/${JsonPointer.escape(name)}`, depth + 1)
        ])
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
  const given = Array.isArray(node["type"]) ? node["type"] : [node["type"]]
  const known = given.map((name) => typeOf(name))
  for (const [index, name] of given.entries()) {
    if (known[index] === name) continue
    const read = known[index] === undefined ? "anything" : `"${known[index]}"`
    report({ pointer: `${pointer}/type`, reason: `${JSON.stringify(name)} is no type of JSON: read as ${read}` })
  }
  const all = [...new Set(known)]
  if (all.length === 0 || all.includes(undefined)) delete node["type"]
  else node["type"] = all.length === 1 ? all[0] : all
}

const typeOf = (name: unknown): string | undefined => {
  if (typeof name !== "string") return undefined
  const lower = name.toLowerCase()
  return types.has(lower) ? lower : meant[lower]
}

/** Exclusive bounds as draft-04 and OpenAPI 3.0 write them: a flag beside the bound. */
const bounded = (node: Node): void => {
  for (const [flag, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"]
  ] as const) {
    if (typeof node[flag] === "number" || !Object.hasOwn(node, flag)) continue
    if (node[flag] === true && typeof node[bound] === "number") {
      node[flag] = node[bound]
      delete node[bound]
    } else delete node[flag]
  }
}

/** `nullable: true` of OpenAPI 3.0. */
const nullable = (node: Node): void => {
  if (node["nullable"] !== true) return
  if (node["type"] !== undefined) node["type"] = [...new Set([node["type"], "null"].flat())]
  if (Array.isArray(node["enum"]) && !node["enum"].includes(null)) node["enum"] = [...node["enum"], null]
}

/**
 * Rewrites a JSON Schema of any origin as well-formed 2020-12, and lists the parts that are left out.
 *
 * Published lists of tools contain Python's type names, `required: true` on a property, enums that are not lists, and
 * bounds that are strings. A wrong value with a clear meaning is corrected, and any other wrong value is left out, so
 * that a call is refused only if it violates a rule that the schema certainly contains.
 */
import { isJsonObject } from "#domain/json/JsonObject"
import { isDeeper } from "#domain/json/ValueDepth"
import * as JsonPointer from "#domain/json/JsonPointer"
import { isNames, isOf, mapSchemas } from "#domain/schema/json/KeywordValue"
import { type Kind, kindOf } from "#domain/schema/json/Keywords"
import * as OlderDialect from "#domain/schema/json/OlderDialect"
import * as Pattern from "#domain/schema/json/Pattern"
import { typeNamed } from "#domain/schema/json/Types"
import type * as JsonSchema from "effect/JsonSchema"

/** A constraint that is not checked, and why. */
export interface UncheckedConstraint {
  /** A JSON Pointer into the original schema. */
  readonly pointer: string
  readonly reason: string
}

type Node = Record<string, unknown>

/** Keywords whose value is checked. A value of the wrong kind is left out of the schema. */
const checked: ReadonlySet<string> = new Set(
  `$ref $defs definitions additionalItems additionalProperties allOf anyOf contains items not oneOf patternProperties
  prefixItems properties propertyNames required enum pattern maxItems maxLength maxProperties maximum minItems minLength
  minProperties minimum multipleOf uniqueItems`.split(/\s+/)
)

/**
 * True if a keyword's value can be used. Names and values may repeat, although the drafts forbid it. Patterns must
 * compile.
 */
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
      return typeof value === "string" && Pattern.isValid(value)
    default:
      return isOf(kind, value)
  }
}

/**
 * Keywords whose schemas are rewritten, in this order, each with the kind of its value. The schemas of other keywords
 * (`if`, `dependentSchemas` …) are not compiled.
 */
export const rewritten: ReadonlyArray<readonly [keyword: string, kind: Kind]> =
  `additionalProperties propertyNames items contains not anyOf oneOf allOf prefixItems properties patternProperties
  $defs`
    .split(/\s+/)
    .flatMap((keyword) => {
      const kind = kindOf(keyword)
      return kind === undefined ? [] : [[keyword, kind] as const]
    })

const isRewritten: ReadonlySet<string> = new Set(rewritten.map(([keyword]) => keyword))

/** The maximum number of levels of a schema that are read. */
export const maxDepth = 64

/** The reason why a part below `maxDepth` levels is left out. */
export const tooDeep = "is nested too deeply"

/**
 * Returns a copy of a schema that can be compiled. `report` receives each constraint that is left out or replaced.
 */
export const wellFormed = (
  schema: unknown,
  report: (unchecked: UncheckedConstraint) => void
): JsonSchema.JsonSchema => {
  const visit = (value: unknown, pointer: string, depth: number): JsonSchema.JsonSchema | boolean => {
    if (typeof value === "boolean") return value
    if (!isJsonObject(value)) {
      report({ pointer, reason: "is not a schema" })
      return {}
    }
    if (depth > maxDepth) {
      report({ pointer, reason: tooDeep })
      return {}
    }
    const out: Node = {}
    for (const [key, each] of Object.entries(value)) {
      if (key === "__proto__" || each === undefined) continue
      const at = `${pointer}/${JsonPointer.escape(key)}`
      if (!isRewritten.has(key) && isDeeper(each, maxDepth)) report({ pointer: at, reason: tooDeep })
      else if (isUsable(key, each)) out[key] = each
      else report({ pointer: at, reason: `is not a valid value of ${key}` })
    }
    toDraft2020(out)
    normaliseTypes(out, pointer, report)
    OlderDialect.exclusiveBounds(out)
    for (const bound of ["exclusiveMinimum", "exclusiveMaximum"]) if (typeof out[bound] !== "number") delete out[bound]
    if (out["nullable"] === true) OlderDialect.allowNull(out)
    for (const [key, kind] of rewritten) {
      if (!Object.hasOwn(out, key)) continue
      out[key] = mapSchemas(kind, out[key], (schema, path) =>
        visit(schema, `${pointer}${JsonPointer.format([key, ...path])}`, depth + 1)
      )
    }
    return out
  }
  const copy = visit(schema, "", 0)
  return typeof copy === "boolean" ? (copy ? {} : { not: {} }) : copy
}

/** Renames keywords of draft-07 to those of 2020-12, and removes `$schema` and ids. */
const toDraft2020 = (node: Node): void => {
  const { additionalItems, definitions, items } = node
  for (const old of ["$schema", "$id", "id", "definitions", "additionalItems"]) delete node[old]
  if (isJsonObject(definitions)) node["$defs"] = { ...definitions, ...(node["$defs"] as Node | undefined) }
  if (typeof node["$ref"] === "string") node["$ref"] = node["$ref"].replace(/^#\/definitions\//, "#/$defs/")
  if (!Array.isArray(items)) return
  delete node["items"]
  node["prefixItems"] = items
  if (additionalItems !== undefined) node["items"] = additionalItems
}

/** Renames types of other languages to those of JSON Schema, and removes a `type` that names an unknown type. */
const normaliseTypes = (node: Node, pointer: string, report: (unchecked: UncheckedConstraint) => void): void => {
  if (!Object.hasOwn(node, "type")) return
  const types: ReadonlyArray<unknown> = [node["type"]].flat()
  const known = types.map(typeNamed)
  for (const [index, name] of types.entries()) {
    if (known[index] === name) continue
    const read = known[index] === undefined ? "anything" : `"${known[index]}"`
    report({ pointer: `${pointer}/type`, reason: `${JSON.stringify(name)} is not a JSON type: read as ${read}` })
  }
  const all = [...new Set(known)]
  if (all.length === 0 || all.includes(undefined)) delete node["type"]
  else node["type"] = all.length === 1 ? all[0] : all
}

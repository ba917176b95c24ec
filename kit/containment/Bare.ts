/** A JSON Schema without what demands nothing: descriptions, titles, examples, unknown keywords; the order of sets. */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

/** Keywords that hold schemas by name, which are any. */
const maps: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies"
])

/** Keywords that hold a schema, or a list of them. */
const schemas: ReadonlySet<string> = new Set([
  "items",
  "prefixItems",
  "additionalItems",
  "additionalProperties",
  "propertyNames",
  "contains",
  "not",
  "if",
  "then",
  "else",
  "anyOf",
  "allOf",
  "oneOf",
  "unevaluatedItems",
  "unevaluatedProperties"
])

/** Keywords that hold a set of values. */
const sets: ReadonlySet<string> = new Set(["enum", "required", "type"])

/** Keywords that hold something else. */
const others: ReadonlySet<string> = new Set([
  "const",
  "$ref",
  "$dynamicRef",
  "$recursiveRef",
  "$anchor",
  "$dynamicAnchor",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minContains",
  "maxContains",
  "minProperties",
  "maxProperties",
  "dependentRequired",
  "nullable"
])

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? [...new Map(value.map((one) => [CallKey.canonical(one), one])).entries()].sort().map(([text]) => text)
    : value

/** What of a schema demands something. */
export const bare = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(bare)
  if (!isJsonObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      if (maps.has(keyword) && isJsonObject(value)) return [[keyword, named(value)]]
      if (schemas.has(keyword)) return [[keyword, bare(value)]]
      if (sets.has(keyword)) return [[keyword, sorted(value)]]
      return others.has(keyword) ? [[keyword, value]] : []
    })
  )
}

const named = (all: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(all).map(([name, value]) => [name, bare(value)]))

/** What references lead into beside the keywords that are known: `#/components/…`. */
const referred = (schema: unknown): ReadonlyArray<unknown> => {
  if (!isJsonObject(schema)) return []
  const heads = [...CallKey.canonical(schema).matchAll(/"\$(?:ref|dynamicRef|recursiveRef)":"#\/([^/"]+)/g)]
  const names = new Set(heads.map(([, head]) => head ?? ""))
  return [...names].filter((name) => !maps.has(name) && !schemas.has(name)).map((name) => [name, schema[name]])
}

/** A text that is equal for schemas that demand the same in the same way. */
export const bareText = (schema: unknown): string => CallKey.canonical([bare(schema), ...referred(schema)])

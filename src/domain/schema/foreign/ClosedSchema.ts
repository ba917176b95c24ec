/**
 * Closes the objects of a JSON Schema whose author did not say whether they are open, so that a misspelt field is
 * reported instead of ignored.
 *
 * **Details**
 *
 * - An object is closed if it has `properties` and no keyword that allows or describes other fields.
 * - A schema that combines several schemas for one object (`allOf`, or `properties` beside `anyOf`, `oneOf`, `$ref` or a
 *   condition) stays as it is, because one of them may describe the fields that another does not name.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import type * as JsonSchema from "effect/JsonSchema"

/** Keywords with which an author says what applies to other fields. */
const openness = ["additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames"]

/** Keywords whose schemas apply to the object that has the keyword. */
const inPlace = [
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
  "dependencies",
  "$ref",
  "$dynamicRef"
]

/** Keywords whose value is one schema, or a list of schemas. */
const nested = ["items", "additionalItems", "prefixItems", "contains", "additionalProperties", "anyOf", "oneOf"]

/** Keywords whose value is an object with schemas by name. */
const named = ["properties", "patternProperties", "$defs", "definitions"]

/** The maximum number of levels. Deeper objects stay as they are. */
const maxDepth = 64

/** Returns the schema with closed objects. */
export const close = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema =>
  // a definition may be combined with others wherever it is referred to
  mentionsAllOf(schema, 0) ? schema : (closed(schema, 0) as JsonSchema.JsonSchema) // an object stays an object

const mentionsAllOf = (value: unknown, depth: number): boolean => {
  if (depth > maxDepth) return true
  if (Array.isArray(value)) return value.some((each) => mentionsAllOf(each, depth + 1))
  return (
    isJsonObject(value) &&
    ("allOf" in value ||
      Object.values(value).some((each) => typeof each === "object" && mentionsAllOf(each, depth + 1)))
  )
}

const closed = (schema: unknown, depth: number): unknown => {
  if (depth > maxDepth || !isJsonObject(schema)) return schema
  const isObject = isJsonObject(schema["properties"])
  const isCombined = isObject && inPlace.some((keyword) => keyword in schema)
  if (isCombined) return schema
  const result: Record<string, unknown> = { ...schema }
  for (const keyword of nested) {
    const value = schema[keyword]
    if (Array.isArray(value)) result[keyword] = value.map((each) => closed(each, depth + 1))
    else if (value !== undefined) result[keyword] = closed(value, depth + 1)
  }
  for (const keyword of named) {
    const value = schema[keyword]
    if (isJsonObject(value)) result[keyword] = mapped(value, depth + 1)
  }
  return isObject && !openness.some((keyword) => keyword in schema)
    ? { ...result, additionalProperties: false }
    : result
}

const mapped = (schemas: JsonObject, depth: number): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, closed(schema, depth)]))

/** Writes the constraints of a JSON Schema as a canonical text: without annotations and unknown keywords, with sets sorted. */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { mapSchemas } from "effect-toolguard/internal/domain/schema/json/KeywordValue"
import { annotations, type Kind, kindOf } from "effect-toolguard/internal/domain/schema/json/Keywords"

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? [...new Map(value.map((one) => [CallKey.canonical(one), one])).entries()].sort().map(([text]) => text)
    : value

/** Kinds of keywords whose value is a set. */
const sets: ReadonlySet<Kind> = new Set<Kind>(["values", "names", "type"])

/** Returns the constraints of a schema, including `nullable` of OpenAPI 3.0. */
const constraints = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(constraints)
  if (!isJsonObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      const kind = annotations.has(keyword) ? undefined : kindOf(keyword)
      if (kind === undefined) return keyword === "nullable" ? [[keyword, value]] : []
      return [[keyword, sets.has(kind) ? sorted(value) : mapSchemas(kind, value, constraints)]]
    })
  )
}

/** Returns the referenced values under names that are not keywords, such as `#/components/…`. */
const referencedValues = (schema: unknown): ReadonlyArray<unknown> => {
  if (!isJsonObject(schema)) return []
  const heads = [...CallKey.canonical(schema).matchAll(/"\$(?:ref|dynamicRef|recursiveRef)":"#\/([^/"]+)/g)]
  const names = new Set(heads.map(([, head]) => head ?? ""))
  return [...names].filter((name) => kindOf(name) === undefined).map((name) => [name, schema[name]])
}

/** The texts of schemas that were compared, because a comparison uses each schema twice: once for each direction. */
const known = new WeakMap<object, string>()

/** Returns a text that is equal for two schemas if their constraints are written in the same way. */
export const constraintText = (schema: unknown): string => {
  const found = isJsonObject(schema) ? known.get(schema) : undefined
  if (found !== undefined) return found
  const text = CallKey.canonical([constraints(schema), ...referencedValues(schema)])
  if (isJsonObject(schema)) known.set(schema, text)
  return text
}

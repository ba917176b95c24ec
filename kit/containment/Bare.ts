/** A JSON Schema without what demands nothing: descriptions, titles, examples, unknown keywords; the order of sets. */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { mapSchemas } from "effect-toolguard/internal/domain/schema/json/KeywordValue"
import { annotations, type Kind, kindOf } from "effect-toolguard/internal/domain/schema/json/Keywords"

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? [...new Map(value.map((one) => [CallKey.canonical(one), one])).entries()].sort().map(([text]) => text)
    : value

/** The kinds of keywords whose value is a set. */
const sets: ReadonlySet<Kind> = new Set<Kind>(["values", "names", "type"])

/** What of a schema demands something. `nullable` does in OpenAPI 3.0. */
const bare = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(bare)
  if (!isJsonObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      const kind = annotations.has(keyword) ? undefined : kindOf(keyword)
      if (kind === undefined) return keyword === "nullable" ? [[keyword, value]] : []
      return [[keyword, sets.has(kind) ? sorted(value) : mapSchemas(kind, value, bare)]]
    })
  )
}

/** What references lead into beside the keywords that are known: `#/components/…`. */
const referred = (schema: unknown): ReadonlyArray<unknown> => {
  if (!isJsonObject(schema)) return []
  const heads = [...CallKey.canonical(schema).matchAll(/"\$(?:ref|dynamicRef|recursiveRef)":"#\/([^/"]+)/g)]
  const names = new Set(heads.map(([, head]) => head ?? ""))
  return [...names].filter((name) => kindOf(name) === undefined).map((name) => [name, schema[name]])
}

/** A text that is equal for schemas that demand the same in the same way. */
export const bareText = (schema: unknown): string => CallKey.canonical([bare(schema), ...referred(schema)])

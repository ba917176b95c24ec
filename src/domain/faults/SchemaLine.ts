/**
 * Writes a suggestion as a line of an Effect schema: `orders[].due: Schema.NullOr(…)`. `…` is what the line has
 * now.
 */
import * as FieldPath from "#domain/text/FieldPath"
import type { Suggestion } from "./Suggestion.ts"

const types: { readonly [type: string]: string } = {
  string: "Schema.String",
  number: "Schema.Finite",
  boolean: "Schema.Boolean",
  null: "Schema.Null",
  array: "Schema.Array(Schema.Json)",
  object: "Schema.Record(Schema.String, Schema.Json)"
}

/** Returns the relaxed schema; undefined if the schema is kept. */
const relaxed = (suggestion: Suggestion): string | undefined => {
  switch (suggestion._tag) {
    case "keep":
      return undefined
    case "nullable":
      return "Schema.NullOr(…)"
    case "optional":
      return "Schema.optionalKey(…)"
    case "wider enum":
      return `Schema.Literals([…, ${suggestion.values.map((value) => JSON.stringify(value)).join(", ")}])`
    case "wider bound":
      return `… without the check: ${suggestion.expected}`
    case "wider type":
      return `Schema.Union([…, ${types[suggestion.type] ?? "Schema.Json"}])`
    case "open object":
      return "… that accepts more fields"
  }
}

/** Returns the line for the field at a path; undefined if the schema is kept. The path `""` is the whole result. */
export const of = (path: string, suggestion: Suggestion): string | undefined => {
  const line = relaxed(suggestion)
  return line === undefined ? undefined : `${path === "" ? FieldPath.name("success") : path}: ${line}`
}

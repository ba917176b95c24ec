/** Reports an array without a maximum length. */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { overField } from "./Rule.ts"
import type { Fault } from "#kit/lint/reading/Subject"

export const arrayBounds = overField(
  {
    id: "array-bounds",
    category: "schema",
    step: 8,
    severity: "info",
    title: "Each array has a maximum length.",
    why: "A tool often does its work once per element, so an unbounded array lets the model request any amount of work. `maxItems` also tells the model to split a long list.",
    example: {
      bad: `{
  "name": "get_orders",
  "description": "Gets several orders.",
  "parameters": { "type": "object", "properties": { "ids": { "type": "array", "items": { "type": "string" } } } }
}`,
      good: `{
  "name": "get_orders",
  "description": "Gets several orders.",
  "parameters": {
    "type": "object",
    "properties": { "ids": { "type": "array", "items": { "type": "string" }, "maxItems": 50 } }
  }
}`
    }
  },
  ({ path, shapes }) =>
    shapes.flatMap(({ pointer, schema, type }): ReadonlyArray<Fault> =>
      type !== "array" || "maxItems" in schema || "const" in schema || "enum" in schema || isTuple(schema)
        ? []
        : [{ at: pointer, message: `\`${path}\` accepts an array of any length; add maxItems.` }]
    )
)

const isTuple = (schema: JsonObject): boolean =>
  (Array.isArray(schema["prefixItems"]) && schema["items"] === false) ||
  (Array.isArray(schema["items"]) && schema["additionalItems"] === false)

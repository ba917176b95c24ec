/** Reports a number without bounds. */
import { overField } from "./Rule.ts"
import type { Fault } from "#kit/lint/reading/Subject"
import { wordsOf } from "#kit/lint/reading/EnglishWords"

export const numberBounds = overField(
  {
    id: "number-bounds",
    category: "schema",
    step: 8,
    severity: "info",
    title: "Each number has a minimum and a maximum.",
    why: "Models send `limit: 100000`, `page: -1` and `quantity: 0`, and without bounds the tool receives them. Bounds also suggest the unit: 0 to 100 is a percentage, 0 to 1 a fraction. Numbers that identify something (`user_id`, `timestamp`) need no bounds.",
    example: {
      bad: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": { "type": "object", "properties": { "limit": { "type": "integer" } } }
}`,
      good: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": { "type": "object", "properties": { "limit": { "type": "integer", "minimum": 1, "maximum": 100 } } }
}`
    },
    strict: {
      title: "Numbers that identify something are bounded too.",
      bad: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "object", "properties": { "order_id": { "type": "integer" } } }
}`,
      good: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": {
    "type": "object",
    "properties": { "order_id": { "type": "integer", "minimum": 1, "maximum": 2147483647 } }
  }
}`
    }
  },
  ({ description, name, path, shapes }, _, { isStrict }) =>
    shapes.flatMap(({ pointer, schema, type }): ReadonlyArray<Fault> => {
      if ((type !== "number" && type !== "integer") || "enum" in schema || "const" in schema) return []
      if (!isStrict && isName(name, description)) return []
      const missing = [
        ...("minimum" in schema || "exclusiveMinimum" in schema ? [] : ["minimum"]),
        ...("maximum" in schema || "exclusiveMaximum" in schema ? [] : ["maximum"])
      ]
      return missing.length === 0
        ? []
        : [{ at: pointer, message: `\`${path}\` has no ${missing.join(" and no ")}; add a sensible range.` }]
    })
)

/** Matches the last words of the names of numbers that identify something. */
const names = /^(?:ids?|\w*uid|pid|gid|timestamp|epoch|seed|nonce|hash|phone|zip|zipcode|isbn)$/u

const isName = (name: string, description: string): boolean =>
  names.test(wordsOf(name).at(-1) ?? "") ||
  /\b(?:(?:unix|epoch) time|timestamps?|identifiers?|ids?)\b/iu.test(description)

/** Reports an array without a schema for its items. */
import { overField } from "./Rule.ts"
import type { Fault } from "#kit/lint/reading/Subject"

export const arrayItems = overField(
  {
    id: "array-items",
    category: "schema",
    step: 8,
    severity: "error",
    title: "Each array has a schema for its items.",
    why: "OpenAI refuses a request with an array that has no `items`. With other providers the model has to guess whether the items are ids, names or objects.",
    example: {
      bad: `{
  "name": "get_orders",
  "description": "Gets several orders.",
  "parameters": { "type": "object", "properties": { "ids": { "type": "array" } } }
}`,
      good: `{
  "name": "get_orders",
  "description": "Gets several orders.",
  "parameters": { "type": "object", "properties": { "ids": { "type": "array", "items": { "type": "string" } } } }
}`
    }
  },
  ({ path, shapes }) =>
    shapes.flatMap(({ pointer, schema, type }): ReadonlyArray<Fault> =>
      type !== "array" || ["items", "prefixItems", "const", "enum"].some((keyword) => keyword in schema)
        ? []
        : [
            {
              at: pointer,
              message: `\`${path}\` is an array without \`items\`, which OpenAI refuses; add a schema for its items.`
            }
          ]
    )
)

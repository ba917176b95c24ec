/** A list that does not say what is in it. */
import { overField } from "./Rule.ts"
import type { Fault } from "#kit/lint/reading/Subject"

export const arrayItems = overField(
  {
    id: "array-items",
    category: "schema",
    severity: "error",
    title: "Each list says what its elements are.",
    why: "OpenAI refuses a request with an array that has no `items`. Elsewhere the model guesses whether ids, names or objects are wanted.",
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
              message: `\`${path}\` is a list without \`items\`, which OpenAI refuses; say what its elements are.`
            }
          ]
    )
)

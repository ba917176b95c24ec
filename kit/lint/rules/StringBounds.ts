/** Reports a string without bounds. */
import { overField } from "./Rule.ts"
import type { Fault } from "#kit/lint/reading/Subject"

const bounding = ["maxLength", "pattern", "enum", "const", "format", "contentEncoding", "contentMediaType"]

export const stringBounds = overField(
  {
    id: "string-bounds",
    category: "schema",
    severity: "info",
    title: "Each string has a maximum length, a pattern, a format or an `enum`.",
    why: "A bound prevents unintended content: a whole file in a title, a sentence in an id, a prompt in a name. It also tells the model how much to write.",
    example: {
      bad: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "object", "properties": { "id": { "type": "string" } } }
}`,
      good: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "object", "properties": { "id": { "type": "string", "pattern": "^O-[0-9]{1,9}$" } } }
}`
    }
  },
  ({ path, shapes }) =>
    shapes.flatMap(({ pointer, schema, type }): ReadonlyArray<Fault> =>
      type !== "string" || bounding.some((keyword) => Object.hasOwn(schema, keyword))
        ? []
        : [
            {
              at: pointer,
              message: `\`${path}\` accepts a string of any length and content; add maxLength, a pattern, a format or an enum.`
            }
          ]
    )
)

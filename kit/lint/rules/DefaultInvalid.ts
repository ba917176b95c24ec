/** A default that its own schema refuses. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { conforms } from "#kit/lint/reading/Conformance"
import { overField } from "./Rule.ts"

export const defaultInvalid = overField(
  {
    id: "default-invalid",
    category: "schema",
    severity: "warning",
    title: "A default is a value that its schema allows.",
    why: 'Models write defaults out. One that the schema refuses (`null` for a text, `"10"` for a number) becomes a call that is refused, though the model did what it was told.',
    example: {
      bad: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": { "type": "object", "properties": { "status": { "type": "string", "default": null } } }
}`,
      good: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": { "type": "object", "properties": { "status": { "type": ["string", "null"], "default": null } } }
}`
    }
  },
  ({ path, pointer, schema, shapes }) => {
    if (!Object.hasOwn(schema, "default")) return []
    const value = schema["default"]
    if (conforms(value, shapes)) return []
    const types = [...new Set(shapes.map(({ type }) => type))].join(" or ")
    const isListed = shapes.some(({ schema }) => Array.isArray(schema["enum"]))
    const right = isListed ? "write one of its enum" : `write one that is (${types})`
    const advice = value === null ? "leave the default out, or allow null" : right
    return [
      {
        at: [...pointer, "default"],
        message: `The default ${cut(shown(JSON.stringify(value)), 40)} of \`${path}\` is not allowed by its schema; ${advice}.`
      }
    ]
  }
)

/** Reports a default that its own schema does not allow. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { conforms } from "#kit/lint/reading/Conformance"
import { overField } from "./Rule.ts"

export const defaultInvalid = overField(
  {
    id: "default-invalid",
    category: "schema",
    step: 14,
    severity: "warning",
    title: "Each default is allowed by its schema.",
    why: 'Models often send defaults explicitly. If the schema does not allow the default (`null` for a string, `"10"` for a number), the call is refused although the model followed the definition.',
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
    const right = isListed ? "use a value of its enum" : `use a value of type ${types}`
    const advice = value === null ? "remove the default, or allow null" : right
    return [
      {
        at: [...pointer, "default"],
        message: `The default ${cut(shown(JSON.stringify(value)), 40)} of \`${path}\` is not allowed by its schema; ${advice}.`
      }
    ]
  }
)

/** Reports a parameter without a description. */
import { isFixed } from "#kit/lint/reading/Conformance"
import { overField } from "./Rule.ts"
import { isMentioned, docsOf } from "#kit/lint/reading/ParameterDocs"

export const parameterDescription = overField(
  {
    id: "parameter-description",
    category: "description",
    step: 4,
    severity: "warning",
    title: "Each parameter has a description.",
    why: "A name such as `path`, `query` or `id` does not say which thing is meant, in which format, and in which unit. The tool's description also counts if it describes the parameter on a separate line (`name: …`) or mentions its name in quotation marks.",
    example: {
      bad: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "object", "properties": { "id": { "type": "string" } } }
}`,
      good: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": {
    "type": "object",
    "properties": { "id": { "type": "string", "description": "The order's id, as returned by search_orders: O-1042." } }
  }
}`
    }
  },
  (field, subject) =>
    field.role === "property" && !isFixed(field.shapes) && docsOf(field, subject) === "" && !isMentioned(field, subject)
      ? `\`${field.path}\` has no description; say what it is, and its format or unit.`
      : undefined
)

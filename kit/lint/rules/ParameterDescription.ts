/** A parameter of which nothing is said. */
import { isFixed } from "#kit/lint/reading/Conformance"
import { overField } from "./Rule.ts"
import { isMentioned, docsOf } from "#kit/lint/reading/ParameterDocs"

export const parameterDescription = overField(
  {
    id: "parameter-description",
    category: "description",
    severity: "warning",
    title: "Each parameter has a description.",
    why: "A name such as `path`, `query` or `id` leaves open which of several things is meant, in which form, and in which unit. What the tool's own description says of a parameter, on a line of its own (`name: …`) or by its name in quotation marks, counts.",
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
    "properties": { "id": { "type": "string", "description": "The order's id, as search_orders gives it: O-1042." } }
  }
}`
    }
  },
  (field, subject) =>
    field.role === "property" && !isFixed(field.shapes) && docsOf(field, subject) === "" && !isMentioned(field, subject)
      ? `\`${field.path}\` has no description; say what it is, and in which form or unit.`
      : undefined
)

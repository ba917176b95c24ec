/** Reports a parameter whose description contradicts `required`. */
import { isCalledOptional, isCalledRequired } from "#kit/lint/reading/OptionalPhrases"
import { overField } from "./Rule.ts"
import { docsOf } from "#kit/lint/reading/ParameterDocs"

export const requiredContradicted = overField(
  {
    id: "required-contradicted",
    category: "schema",
    step: 7,
    severity: "warning",
    title: "The description of a parameter agrees with `required`.",
    why: "The model follows the description, and the validator follows `required`. If the two differ, calls that the description allows are refused, or calls run without what the tool needs.",
    example: {
      bad: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": {
    "type": "object",
    "properties": { "status": { "type": "string", "description": "Optional. Only orders in this state." } },
    "required": ["status"]
  }
}`,
      good: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": {
    "type": "object",
    "properties": { "status": { "type": "string", "description": "Optional. Only orders in this state." } },
    "required": []
  }
}`
    }
  },
  (field, subject) => {
    if (field.role !== "property") return undefined
    const docs = docsOf(field, subject)
    const hasNull = field.shapes.some(({ type }) => type === "null")
    if (field.isRequired && !hasNull && isCalledOptional(docs)) {
      return `\`${field.path}\` is described as optional but listed under \`required\`; correct one of them.`
    }
    const hasDefault = field.shapes.some(({ schema }) => Object.hasOwn(schema, "default"))
    return !field.isRequired && !hasDefault && isCalledRequired(docs)
      ? `\`${field.path}\` is described as required but not listed under \`required\`; correct one of them.`
      : undefined
  }
)

/** A parameter that is described as optional and required, or the other way round. */
import { isCalledOptional, isCalledRequired } from "#kit/lint/reading/OptionalPhrases"
import { overField } from "./Rule.ts"
import { docsOf } from "#kit/lint/reading/ParameterDocs"

export const requiredContradicted = overField(
  {
    id: "required-contradicted",
    category: "schema",
    severity: "warning",
    title: "The description of a parameter and `required` say the same.",
    why: "The model reads the description, the validator reads `required`. Where the two differ, calls are refused that the description allows, or run without what the tool needs.",
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
      return `\`${field.path}\` is described as optional and listed as required; let the two say the same.`
    }
    const hasDefault = field.shapes.some(({ schema }) => Object.hasOwn(schema, "default"))
    return !field.isRequired && !hasDefault && isCalledRequired(docs)
      ? `\`${field.path}\` is described as required and not listed under \`required\`; let the two say the same.`
      : undefined
  }
)

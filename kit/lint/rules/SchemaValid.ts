/** Reports parameters or a result whose JSON Schema is invalid. */
import { overTool } from "./Rule.ts"
import { faultsOf } from "#kit/lint/reading/SchemaFaults"

export const schemaValid = overTool(
  {
    id: "schema-valid",
    category: "schema",
    step: 14,
    severity: "error",
    title: "The schemas of parameters and result are valid JSON Schema, draft-07 or 2020-12.",
    why: "A provider refuses a request with an invalid schema, or accepts the schema and ignores the invalid part. Then the model does not learn the constraint, and a validator in front of the tool fails. `$schema` declares which dialect applies. Without `$schema`, either dialect is accepted.",
    isFixable: true,
    example: {
      bad: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "dict", "properties": { "price": { "type": "float" } } }
}`,
      good: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "object", "properties": { "price": { "type": "number" } } }
}`
    }
  },
  ({ tool: { at, parameters, result } }) =>
    [
      ...(parameters === undefined ? [] : faultsOf(parameters, at.parameters)),
      ...(result === undefined ? [] : faultsOf(result, at.result))
    ].map(({ at, message }) => ({ at, message: `Invalid JSON Schema: ${message}.` }))
)

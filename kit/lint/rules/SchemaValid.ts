/** Parameters that are no JSON Schema. */
import { overTool } from "./Rule.ts"
import { faultsOf } from "#kit/lint/reading/SchemaFaults"

export const schemaValid = overTool(
  {
    id: "schema-valid",
    category: "schema",
    severity: "error",
    title: "Parameters and result are valid JSON Schema, draft-07 or 2020-12.",
    why: "A provider refuses a request with an invalid schema, or takes it and ignores what it does not know: the model is then told nothing of it, and a validator in front of the tool stops. `$schema` says which dialect counts; without it either will do.",
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
    ].map(({ at, message }) => ({ at, message: `No valid JSON Schema: ${message}.` }))
)

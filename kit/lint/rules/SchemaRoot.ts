/** Reports parameters whose schema is not an object. */
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { overTool } from "./Rule.ts"
import { typeNamed } from "effect-toolguard/internal/domain/schema/json/Types"

export const schemaRoot = overTool(
  {
    id: "schema-root",
    category: "schema",
    step: 14,
    severity: "error",
    title: "The schema of the parameters is an object with the type `object`.",
    why: 'Arguments are an object of named values. Providers refuse parameters of another type, and MCP requires `"type": "object"` at the root. Some providers refuse a `$ref` or `anyOf` at the root.',
    example: {
      bad: `{
  "name": "get_order",
  "description": "Gets one order.",
  "inputSchema": { "properties": { "id": { "type": "string" } } }
}`,
      good: `{
  "name": "get_order",
  "description": "Gets one order.",
  "inputSchema": { "type": "object", "properties": { "id": { "type": "string" } } }
}`
    }
  },
  ({ tool: { at, parameters, style } }) => {
    if (parameters === undefined) {
      return style === "mcp" || style === "anthropic"
        ? [
            {
              at: at.tool,
              message: 'The tool has no schema of its arguments; for a tool without arguments write {"type":"object"}.'
            }
          ]
        : []
    }
    const type = isJsonObject(parameters) ? parameters["type"] : undefined
    if (typeNamed(type) === "object" || (Array.isArray(type) && type.includes("object"))) return []
    const found = !isJsonObject(parameters)
      ? "not an object"
      : type === undefined
        ? "without a type"
        : `of the type ${JSON.stringify(type)}`
    return [{ at: at.parameters, message: `The schema of the parameters is ${found}; write "type": "object".` }]
  }
)

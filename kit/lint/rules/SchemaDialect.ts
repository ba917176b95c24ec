/** Reports a schema in a dialect other than draft-07 and 2020-12. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { field } from "effect-toolguard/internal/domain/json/JsonObject"
import { overTool } from "./Rule.ts"
import { dialectOf } from "#kit/lint/reading/SchemaFaults"

export const schemaDialect = overTool(
  {
    id: "schema-dialect",
    category: "schema",
    step: 14,
    severity: "warning",
    title: "A declared dialect is draft-07 or 2020-12.",
    why: "Providers and MCP hosts support these two dialects. Keywords of older drafts (`exclusiveMinimum: true`, `id`) have a different meaning in these dialects, or no meaning.",
    example: {
      bad: `{
  "name": "get_order",
  "description": "Gets one order.",
  "inputSchema": { "$schema": "http://json-schema.org/draft-04/schema#", "type": "object" }
}`,
      good: `{
  "name": "get_order",
  "description": "Gets one order.",
  "inputSchema": { "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object" }
}`
    }
  },
  ({ tool: { at, parameters, result } }) =>
    (
      [
        [parameters, at.parameters],
        [result, at.result]
      ] as const
    ).flatMap(([schema, pointer]) =>
      dialectOf(schema) === "other"
        ? [
            {
              at: [...pointer, "$schema"],
              message: `The dialect ${cut(shown(String(field(schema, "$schema"))), 80)} is neither draft-07 nor 2020-12; declare one of them.`
            }
          ]
        : []
    )
)

/**
 * Converts the tools of Gemini to the form of other formats: a list of functions whose schemas are JSON Schemas. Gemini's
 * schemas have types in upper case (`OBJECT`), `nullable`, and bounds that may be texts (`"minLength": "1"`).
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

/** Returns the declared functions of all tools. */
export const of = (tools: unknown): ReadonlyArray<JsonObject> =>
  Fields.list(tools)
    .flatMap(({ function_declarations: snakeCase, functionDeclarations = snakeCase }) =>
      Fields.list(functionDeclarations)
    )
    .map((declaration) => {
      const { description, name, parameters, response } = declaration
      const json = declaration["parametersJsonSchema"] ?? declaration["parameters_json_schema"]
      const result = declaration["responseJsonSchema"] ?? declaration["response_json_schema"]
      return {
        name,
        description,
        parameters: json ?? schemaOf(parameters, maxDepth),
        response: result ?? schemaOf(response, maxDepth)
      }
    })

/** The number of levels of a schema to convert. Deeper levels are left as they are. */
const maxDepth = 64

const bounds = /^(?:min|max)(?:Length|Items|Properties)$/u

const schemaOf = (schema: unknown, levels: number): unknown => {
  if (typeof schema !== "object" || schema === null || levels === 0) return schema
  if (Array.isArray(schema)) return schema.map((one) => schemaOf(one, levels - 1))
  const fields = Fields.of(schema)
  const converted: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(fields)) {
    if ((key === "nullable" && typeof value === "boolean") || (key === "propertyOrdering" && Array.isArray(value)))
      continue
    const isText = typeof value === "string"
    const next = isText && bounds.test(key) ? Number(value) : schemaOf(value, levels - 1)
    converted[key] = isText && key === "type" ? typeOf(value, fields["nullable"] === true) : next
  }
  return converted
}

const typeOf = (type: string, isNullable: boolean): unknown =>
  isNullable ? [type.toLowerCase(), "null"] : type.toLowerCase()

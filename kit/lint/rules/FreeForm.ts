/** Reports a parameter that accepts almost any value. */
import { type Field, valuesOf } from "#kit/lint/reading/Field"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { valuesListed } from "#kit/lint/lists/ListedValues"
import { overField } from "./Rule.ts"
import type { Fault } from "#kit/lint/reading/Subject"
import type { Shape } from "#kit/lint/reading/Shapes"
import { wordsOf } from "#kit/lint/reading/EnglishWords"

export const freeForm = overField(
  {
    id: "free-form",
    category: "schema",
    step: 12,
    severity: "warning",
    title: "No parameter is free-form, such as an undeclared `data`, `mode` or `options`.",
    why: "An object without properties, a parameter without a type, or a `mode` that is any string forces the model to invent the content. The result looks plausible and is wrong. Declare the properties or the values that the tool supports.",
    example: {
      bad: `{
  "name": "update_order",
  "description": "Updates an order.",
  "parameters": { "type": "object", "properties": { "options": { "type": "object" } } }
}`,
      good: `{
  "name": "update_order",
  "description": "Updates an order.",
  "parameters": {
    "type": "object",
    "properties": {
      "options": { "type": "object", "properties": { "notify": { "type": "boolean" } }, "additionalProperties": false }
    }
  }
}`
    }
  },
  (field) => {
    if (field.role === "root") return []
    const found = field.shapes.flatMap((shape): ReadonlyArray<Fault> => {
      const what = looseness(shape, field)
      return what === undefined ? [] : [{ at: shape.pointer, message: `\`${field.path}\` ${what}.` }]
    })
    return found.slice(0, 1)
  }
)

const looseness = (shape: Shape, field: Field): string | undefined => {
  const { properties, schema, type } = shape
  if (type === "any" && !("$ref" in field.schema) && !("enum" in schema)) return "accepts any value; give it a type"
  if (type === "object" && properties.size === 0 && !isMap(shape) && !("const" in schema) && !("enum" in schema)) {
    return "accepts any object; declare its properties, or the type of its values"
  }
  const isBare = type === "string" && !["enum", "const", "pattern", "format"].some((keyword) => keyword in schema)
  if (isBare && valuesListed(field.description, field.name).values.length > 0) return undefined
  if (isBare && field.role === "property" && modes.has(wordsOf(field.name).at(-1) ?? "")) {
    return "accepts any string although it selects one of a few values; list them in enum"
  }
  return isBare && field.role === "property" && containers.has(field.name.toLowerCase())
    ? "accepts any string; describe its content by properties, a pattern or an enum"
    : undefined
}

/** The last words of parameters that select one of a few values. */
const modes = new Set(["mode", "modus"])

/** The names of parameters that are often used for any content. */
const containers = new Set(["data", "options", "params", "payload", "opts", "extra", "kwargs", "args"])

/** True if an object has typed values, or must be empty. */
const isMap = (shape: Shape): boolean => {
  const rest = shape.schema["additionalProperties"]
  if (rest === false || shape.schema["maxProperties"] === 0) return true
  return valuesOf(shape).some(({ schema }) => isJsonObject(schema) && Object.keys(schema).length > 0)
}

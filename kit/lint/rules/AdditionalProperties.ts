/** Reports an object that accepts undeclared properties. */
import * as JsonPointer from "effect-toolguard/internal/domain/json/JsonPointer"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { overField } from "./Rule.ts"
import type { Fault } from "#kit/lint/reading/Subject"
import type { Shape } from "#kit/lint/reading/Shapes"

export const additionalProperties = overField(
  {
    id: "additional-properties",
    category: "schema",
    step: 7,
    severity: "warning",
    title: "Objects are closed: `additionalProperties` is `false`.",
    why: "An open object silently accepts a misspelt or invented name: the model believes that its filter was applied, but it was not. A closed object refuses the call, and the error names the nearest property. OpenAI's strict mode accepts only closed objects.",
    isFixable: true,
    example: {
      bad: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": { "type": "object", "properties": { "status": { "type": "string" } } }
}`,
      good: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": {
    "type": "object",
    "properties": { "status": { "type": "string" } },
    "additionalProperties": false
  }
}`
    },
    strict: {
      title: "Objects that `allOf` composes are closed too, by `unevaluatedProperties`.",
      bad: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": {
    "type": "object",
    "allOf": [{ "properties": { "status": { "type": "string" } } }, { "properties": { "sku": { "type": "string" } } }]
  }
}`,
      good: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": {
    "type": "object",
    "allOf": [{ "properties": { "status": { "type": "string" } } }, { "properties": { "sku": { "type": "string" } } }],
    "unevaluatedProperties": false
  }
}`
    }
  },
  (field, _, { isStrict }) =>
    field.shapes.flatMap((shape): ReadonlyArray<Fault> => {
      if (isStrict && isOpenComposition(shape)) {
        const message = `${field.path === "" ? "The parameters accept" : `\`${field.path}\` accepts`} undeclared properties in addition to those of allOf; add "unevaluatedProperties": false, or declare all properties in one object.`
        return [{ at: shape.pointer, message }]
      }
      if (!isOpen(shape) || (field.role !== "root" && shape.properties.size === 0)) return []
      const whole = field.path === "" ? "The parameters" : `\`${field.path}\``
      const rest = shape.schema["additionalProperties"]
      const advice = rest === undefined ? 'add "additionalProperties": false' : 'write "additionalProperties": false'
      return [
        {
          at: shape.pointer,
          message: `${whole} accept${field.path === "" ? "" : "s"} undeclared properties; ${advice}.`
        }
      ]
    })
)

/** The keywords that may declare further properties. */
const conditional = ["if", "then", "else", "dependentSchemas", "dependencies", "$dynamicRef"]

/** True if an object accepts undeclared properties. Returns false for objects composed of several schemas. */
const isOpen = ({ isComposed, pointer, properties, schema, type }: Shape): boolean =>
  type === "object" &&
  !isComposed &&
  !conditional.some((keyword) => keyword in schema) &&
  [...properties.values()].every(
    (place) => place.pointer.length === pointer.length + 2 && JsonPointer.isWithin(place.pointer, pointer)
  ) &&
  schema["additionalProperties"] !== false &&
  schema["unevaluatedProperties"] !== false &&
  !isJsonObject(schema["patternProperties"]) &&
  Object.hasOwn(schema, "type")

/** True if an object composed of several schemas accepts properties that none of them declares. */
const isOpenComposition = ({ isComposed, properties, schema, type }: Shape): boolean =>
  type === "object" &&
  isComposed &&
  properties.size > 0 &&
  schema["additionalProperties"] !== false &&
  schema["unevaluatedProperties"] !== false

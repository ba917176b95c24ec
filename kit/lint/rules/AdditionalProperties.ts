/** An object that takes properties that nobody knows. */
import * as JsonPointer from "effect-toolguard/internal/domain/json/JsonPointer"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { overField } from "./Rule.ts"
import type { Fault } from "#kit/lint/reading/Subject"
import type { Shape } from "#kit/lint/reading/Shapes"

export const additionalProperties = overField(
  {
    id: "additional-properties",
    category: "schema",
    severity: "warning",
    title: "Objects are closed: `additionalProperties` is `false`.",
    why: "An open object takes a misspelt or invented name in silence: the model believes that its filter was applied, and it was not. A closed one answers with the name that was meant. OpenAI's strict mode takes closed objects alone.",
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
    }
  },
  (field) =>
    field.shapes.flatMap((shape): ReadonlyArray<Fault> => {
      if (!isOpen(shape) || (field.role !== "root" && shape.properties.size === 0)) return []
      const whole = field.path === "" ? "The parameters" : `\`${field.path}\``
      const rest = shape.schema["additionalProperties"]
      const advice = rest === undefined ? 'add "additionalProperties": false' : 'write "additionalProperties": false'
      return [
        { at: shape.pointer, message: `${whole} take${field.path === "" ? "" : "s"} any further property; ${advice}.` }
      ]
    })
)

/** Keywords that bring properties of their own. */
const conditional = ["if", "then", "else", "dependentSchemas", "dependencies", "$dynamicRef"]

/** Whether an object that lists its properties takes others. One that is put together from several schemas is left alone. */
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

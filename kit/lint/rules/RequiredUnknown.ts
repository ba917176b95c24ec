/** Reports a required property that is not declared. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { nearest } from "effect-toolguard/internal/domain/text/NearestName"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { overField } from "./Rule.ts"
import type { Fault } from "#kit/lint/reading/Subject"

export const requiredUnknown = overField(
  {
    id: "required-unknown",
    category: "schema",
    step: 7,
    severity: "error",
    title: "Each required property is declared.",
    why: "The model has to send a field of which it knows only the name. In a closed object, no call can be valid, because the required property is forbidden.",
    example: {
      bad: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "object", "properties": { "orderId": { "type": "string" } }, "required": ["order_id"] }
}`,
      good: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "object", "properties": { "order_id": { "type": "string" } }, "required": ["order_id"] }
}`
    }
  },
  ({ path, shapes }) =>
    shapes.flatMap(({ origins, pointer, properties, schema, type }): ReadonlyArray<Fault> => {
      const names = schema["required"]
      if (type !== "object" || !Array.isArray(names)) return []
      // a map accepts undeclared names
      if (isJsonObject(schema["additionalProperties"]) || isJsonObject(schema["patternProperties"])) return []
      const undeclared = names.filter((name) => typeof name === "string" && !properties.has(name))
      return undeclared.map((name: string) => {
        const [near] = nearest(name, properties.keys())
        const advice = near === undefined ? "declare it, or remove it from required" : `nearest: ${near}`
        const where = path === "" ? "" : ` in \`${path}\``
        return {
          at: [...(origins.get("required") ?? pointer), "required"],
          message: `\`${cut(shown(name), 60)}\` is required${where}, but no property has that name; ${advice}.`
        }
      })
    })
)

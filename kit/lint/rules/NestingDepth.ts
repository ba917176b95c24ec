/** Reports properties that are nested too deeply. */
import { overField } from "./Rule.ts"

export const nestingDepth = overField(
  {
    id: "nesting-depth",
    category: "schema",
    step: 12,
    severity: "warning",
    title: "Properties are nested at most three levels deep.",
    why: "The deeper an object is nested, the more often a model closes a bracket too early or puts a field at the wrong level. A name such as `billing_city` means the same as `customer.billing.address.city`.",
    options: { max: 3 },
    example: {
      bad: `{
  "name": "create_order",
  "description": "Creates an order.",
  "parameters": {
    "type": "object",
    "properties": {
      "customer": {
        "type": "object",
        "properties": {
          "billing": {
            "type": "object",
            "properties": {
              "address": { "type": "object", "properties": { "city": { "type": "string" } } }
            }
          }
        }
      }
    }
  }
}`,
      good: `{
  "name": "create_order",
  "description": "Creates an order.",
  "parameters": {
    "type": "object",
    "properties": { "billing_address": { "type": "object", "properties": { "city": { "type": "string" } } } }
  }
}`
    }
  },
  ({ level, path, role, shapes }, _, { options: { max = 0 } }) =>
    role !== "root" && level === max && shapes.some(({ properties }) => properties.size > 0)
      ? `The properties of \`${path}\` are nested ${max + 1} levels deep, more than ${max}; move them up.`
      : undefined
)

/** Reports a key that appears twice in one object of the file. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { overListing } from "./Rule.ts"

export const duplicateKey = overListing(
  {
    id: "duplicate-key",
    category: "file",
    step: 14,
    severity: "error",
    isFixable: true,
    title: "No key appears twice in one object of the file.",
    why: "JSON parsers keep the last value of a repeated key and silently drop the others: a parameter, a bound or a whole schema is lost although the file contains it.",
    example: {
      bad: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "object", "properties": { "id": { "type": "string" }, "id": { "type": "integer" } } }
}`,
      good: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "object", "properties": { "id": { "type": "string" } } }
}`
    }
  },
  ({ duplicates }) =>
    duplicates.map((pointer) => ({
      tool: undefined,
      pointer,
      message: `The key ${cut(shown(String(pointer.at(-1))), 60)} appears twice in its object, so the first value is lost; remove one.`
    }))
)

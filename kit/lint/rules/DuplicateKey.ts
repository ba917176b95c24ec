/** A name that stands twice in one object of the file. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { overListing } from "./Rule.ts"

export const duplicateKey = overListing(
  {
    id: "duplicate-key",
    category: "file",
    severity: "error",
    title: "No name stands twice in one object of the file.",
    why: "JSON readers keep the last of the two and drop the first in silence: a parameter, a bound or a whole schema is gone, though it can be read in the file.",
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
      message: `The name ${cut(shown(String(pointer.at(-1))), 60)} stands twice in its object; the first is lost, remove one.`
    }))
)

/** Reports two tools with the same name. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { overListing } from "./Rule.ts"

export const nameCollision = overListing(
  {
    id: "name-collision",
    category: "naming",
    step: 1,
    severity: "error",
    title: "No two tools of a list have the same name.",
    why: "Providers refuse a list with a repeated name, and a host that accepts such a list may call either tool. If an agent uses several servers, give the tools of each server a prefix.",
    example: {
      bad: `[
  { "name": "search", "description": "Searches orders.", "parameters": { "type": "object" } },
  { "name": "search", "description": "Searches customers.", "parameters": { "type": "object" } }
]`,
      good: `[
  { "name": "search_orders", "description": "Searches orders.", "parameters": { "type": "object" } },
  { "name": "search_customers", "description": "Searches customers.", "parameters": { "type": "object" } }
]`
    }
  },
  ({ subjects }) => {
    const first = new Map<string, number>()
    return subjects.flatMap(({ tool }, index) => {
      const earlier = first.get(tool.name)
      if (earlier === undefined) {
        first.set(tool.name, index)
        return []
      }
      const name = cut(shown(tool.name), 80)
      return [
        {
          tool,
          pointer: tool.at.name,
          message: `Tool ${earlier + 1} of the list has the same name, ${name}; rename one of them.`
        }
      ]
    })
  }
)

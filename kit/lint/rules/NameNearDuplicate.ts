/** Reports two tools whose names are easily confused. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { overListing } from "./Rule.ts"

export const nameNearDuplicate = overListing(
  {
    id: "name-near-duplicate",
    category: "naming",
    step: 1,
    severity: "warning",
    title: "Names differ in more than case, separators, the order of words, or a version.",
    why: "A model that has read `search_orders` and `order_search`, or `get_user` and `getUser`, confuses the two names. If both tools are needed, express the difference in the names. If one is outdated, remove it from the list.",
    example: {
      bad: `[
  { "name": "search_orders", "description": "Searches orders.", "parameters": { "type": "object" } },
  { "name": "search_orders_v2", "description": "Searches orders, faster.", "parameters": { "type": "object" } }
]`,
      good: `[
  { "name": "search_orders", "description": "Searches orders.", "parameters": { "type": "object" } },
  { "name": "count_orders", "description": "Counts orders.", "parameters": { "type": "object" } }
]`
    }
  },
  ({ subjects }) => {
    const first = new Map<string, string>()
    return subjects.flatMap(({ tool, words }) => {
      const kept = withoutVersion(words)
      const key = (kept.some((word) => directed.has(word)) ? kept : kept.toSorted()).join(" ")
      const other = first.get(key)
      if (other === undefined) {
        first.set(key, tool.name)
        return []
      }
      if (other === tool.name || key === "") return []
      const [name, earlier] = [cut(shown(tool.name), 60), cut(shown(other), 60)]
      return [
        {
          tool,
          pointer: tool.at.name,
          message: `The name ${name} is easily confused with ${earlier}; express the difference, or remove one.`
        }
      ]
    })
  }
)

const version = /^(?:v?\d+|legacy|deprecated)$/u

/** Words that make the order of the other words significant, as in `miles_to_km`. */
const directed = new Set(["to", "from", "by", "for", "of", "in", "with", "per", "as", "into", "on", "at", "vs"])

const withoutVersion = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const last = words.at(-1)
  return words.length > 1 && last !== undefined && version.test(last) ? words.slice(0, -1) : words
}

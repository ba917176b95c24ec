/** A suppression that suppresses nothing. */
import { overListing } from "./Rule.ts"

export const suppressionUnused = overListing(
  {
    id: "suppression-unused",
    category: "file",
    severity: "warning",
    title: "Each suppression suppresses something.",
    why: "What was mended needs no suppression; what stays behind hides the next fault of its kind. A rule's name that is misspelt suppresses nothing either.",
    example: {
      bad: `{
  "name": "search_orders",
  "description": "Searches orders.",
  "parameters": { "type": "object" },
  "x-toolguard-ignore": { "name-verb-first": "An old name." }
}`,
      good: `{
  "name": "orders",
  "description": "Searches orders.",
  "parameters": { "type": "object" },
  "x-toolguard-ignore": { "name-verb-first": "An old name." }
}`
    }
  },
  // found where suppressions are applied: `Ignores`
  () => []
)

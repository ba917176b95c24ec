/** Reports a suppression without an effect. */
import { overListing } from "./Rule.ts"

export const suppressionUnused = overListing(
  {
    id: "suppression-unused",
    category: "file",
    step: 14,
    severity: "warning",
    title: "Each suppression suppresses something.",
    why: "A corrected fault needs no suppression, and a suppression that remains hides the next fault of its kind. A misspelt rule id suppresses nothing either.",
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
  // `Suppressions` reports these findings when it applies suppressions
  () => []
)

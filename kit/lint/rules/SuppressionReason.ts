/** A suppression without a reason. */
import { overListing } from "./Rule.ts"

export const suppressionReason = overListing(
  {
    id: "suppression-reason",
    category: "file",
    severity: "warning",
    title: "Each suppression has a reason.",
    why: "Whoever reads it next must know whether it still holds. A suppression without a reason does not count: what it suppresses is still found.",
    example: {
      bad: `{
  "name": "orders",
  "description": "Searches orders.",
  "parameters": { "type": "object" },
  "x-toolguard-ignore": { "name-verb-first": "" }
}`,
      good: `{
  "name": "orders",
  "description": "Searches orders.",
  "parameters": { "type": "object" },
  "x-toolguard-ignore": { "name-verb-first": "Named so in the recorded conversations of our evaluation." }
}`
    }
  },
  // found where suppressions are applied: `Ignores`
  () => []
)

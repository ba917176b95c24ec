/** Reports a suppression without a reason. */
import { overListing } from "./Rule.ts"

export const suppressionReason = overListing(
  {
    id: "suppression-reason",
    category: "file",
    step: 14,
    severity: "warning",
    title: "Each suppression has a reason.",
    why: "The next reader must be able to judge whether the suppression still applies. A suppression without a reason has no effect, so the finding is still reported.",
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
  "x-toolguard-ignore": { "name-verb-first": "Our recorded evaluations use this name." }
}`
    }
  },
  // `Suppressions` reports these findings when it applies suppressions
  () => []
)

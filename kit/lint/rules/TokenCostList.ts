/** Reports a list whose definitions cost many tokens. */
import { overListing } from "./Rule.ts"

export const tokenCostList = overListing(
  {
    id: "token-cost-list",
    category: "cost",
    step: 14,
    severity: "warning",
    title: "A list costs at most 10,000 tokens.",
    why: "All definitions are sent with every request, before the conversation. Models also choose less accurately from a long list. Offer only the tools that the task needs, or let the model search for tools.",
    options: { max: 10_000 },
    example: {
      bad: `[
  { "name": "search_orders", "description": "Searches orders.", "parameters": { "type": "object" } },
  { "name": "search_customers", "description": "Searches customers.", "parameters": { "type": "object" } }
]`,
      good: `[{ "name": "search_orders", "description": "Searches orders.", "parameters": { "type": "object" } }]`,
      options: { max: 30 }
    }
  },
  ({ subjects }, { options: { max = 0 } }) => {
    const total = subjects.reduce((sum, { tokens }) => sum + tokens, 0)
    return total > max
      ? [
          {
            tool: undefined,
            pointer: [],
            message: `The ${subjects.length} tools cost ${total} tokens in every request, more than ${max}; offer fewer at a time.`
          }
        ]
      : []
  }
)

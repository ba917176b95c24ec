/** Reports a tool whose definition costs many tokens. */
import { overTool } from "./Rule.ts"

export const tokenCost = overTool(
  {
    id: "token-cost",
    category: "cost",
    step: 14,
    severity: "warning",
    title: "A tool's definition costs at most 1,000 tokens.",
    why: "The definition is part of every request, whether the tool is called or not: 1,000 tokens in 50 rounds are 50,000. The count covers name, description and parameters as compact JSON, in the vocabulary o200k; other models count slightly differently.",
    options: { max: 1_000 },
    example: {
      bad: `{
  "name": "search_orders",
  "description": "Searches the orders of one customer. This tool is very useful and can be used in many situations by everybody.",
  "parameters": { "type": "object" }
}`,
      good: `{ "name": "search_orders", "description": "Searches orders.", "parameters": { "type": "object" } }`,
      options: { max: 30 }
    }
  },
  ({ tokens, tool }, { options: { max = 0 } }) =>
    tokens > max
      ? [
          {
            at: tool.at.name,
            message: `The definition costs ${tokens} tokens in every request, more than ${max}; shorten descriptions, or split the tool.`
          }
        ]
      : []
)

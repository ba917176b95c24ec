/** Reports a tool without a description. */
import { overTool } from "./Rule.ts"

export const descriptionMissing = overTool(
  {
    id: "description-missing",
    category: "description",
    step: 4,
    severity: "error",
    title: "The tool has a description.",
    why: "The description is the model's main information about a tool. Without it the model has to guess from the name what the tool does and when to use it.",
    example: {
      bad: `{ "name": "search_orders", "description": "", "parameters": { "type": "object" } }`,
      good: `{
  "name": "search_orders",
  "description": "Searches the orders of one customer. Read-only. Use it to find order ids, not for order details.",
  "parameters": { "type": "object" }
}`
    }
  },
  ({ tool: { at, description } }) =>
    description.trim() === ""
      ? [
          {
            at: at.description,
            message:
              "The tool has no description; say what it does, whether it reads or writes, when to use it and when not."
          }
        ]
      : []
)

/** Reports a description that does not say when to use the tool, or when not. */
import { saysWhen, saysWhenNot } from "#kit/lint/reading/Phrases"
import { overTool } from "./Rule.ts"
import { isEnglish } from "#kit/lint/reading/EnglishWords"

export const descriptionWhen = overTool(
  {
    id: "description-when",
    category: "description",
    severity: "info",
    title: "The description says when to use the tool, and when not.",
    why: "A model chooses between tools by their descriptions, so it is not enough to say what a tool does. `Use it to find order ids, not for order details` prevents a call of the wrong tool.",
    example: {
      bad: `{
  "name": "search_orders",
  "description": "Searches the orders of one customer.",
  "parameters": { "type": "object" }
}`,
      good: `{
  "name": "search_orders",
  "description": "Searches the orders of one customer. Use it to find order ids, not for order details.",
  "parameters": { "type": "object" }
}`
    }
  },
  ({ tool: { at, description } }) => {
    if (description.trim() === "" || !isEnglish(description)) return []
    const [hasWhen, hasWhenNot] = [saysWhen(description), saysWhenNot(description)]
    if (hasWhen && hasWhenNot) return []
    const message = hasWhen
      ? "The description does not say when not to use the tool; add what it is not for, or which tool to use instead."
      : hasWhenNot
        ? "The description does not say when to use the tool; add what it is for."
        : "The description says neither when to use the tool nor when not; add what it is for and what it is not for."
    return [{ at: at.description, message }]
  }
)

/** Reports a description that does not say when to use the tool, or when not. */
import {
  isReadable,
  languages,
  saysWhen,
  saysWhenExplicitly,
  saysWhenNot,
  saysWhenNotExplicitly
} from "#kit/lint/reading/Phrases"
import { overTool } from "./Rule.ts"

export const descriptionWhen = overTool(
  {
    id: "description-when",
    category: "description",
    step: 3,
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
    },
    strict: {
      title:
        "The description states what the tool is not for, or names the tool to use instead. A `not` in any other sense is not enough.",
      bad: `{
  "name": "search_orders",
  "description": "Searches the orders of one customer. Use it to find order ids. Cannot be slow.",
  "parameters": { "type": "object" }
}`,
      good: `[
  {
    "name": "search_orders",
    "description": "Searches the orders of one customer. Use it to find order ids, not for order details.",
    "parameters": { "type": "object" }
  },
  {
    "name": "search_refunds",
    "description": "查询客户的退款。适用于查找退款单号,不适用于发起退款。",
    "parameters": { "type": "object" }
  }
]`
    }
  },
  ({ tool: { at, description } }, { isStrict }) => {
    if (description.trim() === "") return []
    if (!isReadable(description)) {
      const message = `The description is not in ${languages}, so the rule cannot tell whether it says when to use the tool, and when not; add a sentence in ${languages}, or suppress this finding.`
      return isStrict ? [{ at: at.description, message }] : []
    }
    const hasWhen = isStrict ? saysWhenExplicitly(description) : saysWhen(description)
    const hasWhenNot = isStrict ? saysWhenNotExplicitly(description) : saysWhenNot(description)
    if (hasWhen && hasWhenNot) return []
    const message = hasWhen
      ? "The description does not say when not to use the tool; add what it is not for, or which tool to use instead."
      : hasWhenNot
        ? "The description does not say when to use the tool; add what it is for."
        : "The description says neither when to use the tool nor when not; add what it is for and what it is not for."
    return [{ at: at.description, message }]
  }
)

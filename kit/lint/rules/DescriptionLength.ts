/** A description that is too short to tell anything, or too long to be taken. */
import { overTool } from "./Rule.ts"

export const descriptionLength = overTool(
  {
    id: "description-length",
    category: "description",
    severity: "warning",
    title: "The description has between 20 and 1,024 characters.",
    why: "A few words repeat the name. Long texts cost tokens in every request, bury what matters, and OpenAI refuses descriptions over 1,024 characters. What concerns one parameter belongs into its own description.",
    options: { min: 20, max: 1_024 },
    example: {
      bad: `{ "name": "search_orders", "description": "Search orders", "parameters": { "type": "object" } }`,
      good: `{
  "name": "search_orders",
  "description": "Searches the orders of one customer. Read-only.",
  "parameters": { "type": "object" }
}`
    }
  },
  ({ tool: { at, description } }, { options: { max = 0, min = 0 } }) => {
    const { length } = description.trim()
    if (length === 0 || (length + 2 * dense(description) >= min && length <= max)) return []
    const message =
      length < min
        ? `The description has ${length} characters; say what the tool does, whether it reads or writes, when to use it and when not.`
        : `The description has ${length} characters, over ${max}; move what concerns one parameter into its description, and shorten the rest.`
    return [{ at: at.description, message }]
  }
)

/** Characters of scripts that write a word with one or two of them: each counts as three. */
const dense = (text: string): number =>
  text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0

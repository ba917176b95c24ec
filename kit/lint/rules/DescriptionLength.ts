/** Reports a description that is too short to inform, or longer than providers accept. */
import { overTool } from "./Rule.ts"

export const descriptionLength = overTool(
  {
    id: "description-length",
    category: "description",
    step: 4,
    severity: "warning",
    title: "The description has between 20 and 1,024 characters.",
    why: "A few words only repeat the name. A long text costs tokens in every request and hides what matters, and OpenAI refuses descriptions over 1,024 characters. Put what concerns one parameter into the description of that parameter.",
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
        ? `The description has only ${length} characters; say what the tool does, whether it reads or writes, when to use it and when not.`
        : `The description has ${length} characters, more than ${max}; move details into the descriptions of parameters, and shorten the rest.`
    return [{ at: at.description, message }]
  }
)

/**
 * Counts the Chinese, Japanese and Korean characters. In the minimum length, each of them counts as three, because words
 * have few such characters.
 */
const dense = (text: string): number =>
  text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0

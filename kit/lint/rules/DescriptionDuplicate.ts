/** Reports two tools with the same description. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { overListing } from "./Rule.ts"
import { wordsIn } from "#kit/lint/reading/EnglishWords"

export const descriptionDuplicate = overListing(
  {
    id: "description-duplicate",
    category: "description",
    step: 4,
    severity: "warning",
    title: "No two tools of a list have the same description.",
    why: "The model cannot distinguish two tools with the same description, and picks one at random. Usually one description was copied and not adapted.",
    example: {
      bad: `[
  { "name": "get_order", "description": "Gets the details of one order.", "parameters": { "type": "object" } },
  { "name": "get_invoice", "description": "Gets the details of one order.", "parameters": { "type": "object" } }
]`,
      good: `[
  { "name": "get_order", "description": "Gets the details of one order.", "parameters": { "type": "object" } },
  { "name": "get_invoice", "description": "Gets the invoice of one order.", "parameters": { "type": "object" } }
]`
    }
  },
  ({ subjects }) => {
    const first = new Map<string, string>()
    return subjects.flatMap(({ tool }) => {
      const text = wordsOrText(tool.description)
      const other = first.get(text)
      if (text === "" || other === tool.name) return []
      if (other === undefined) {
        first.set(text, tool.name)
        return []
      }
      return [
        {
          tool,
          pointer: tool.at.description,
          message: `The description is the same as that of ${cut(shown(other), 60)}; describe the difference.`
        }
      ]
    })
  }
)

/** Returns a key of a description that ignores case, punctuation and white space, but not digits. */
const wordsOrText = (text: string): string => {
  const words = wordsIn(text)
  return words.length === 0 ? text.trim() : `${words.join(" ")} ${(text.match(/\d+/gu) ?? []).join(" ")}`
}

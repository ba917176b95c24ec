/** Reports a description that only repeats the name. */
import { overTool } from "./Rule.ts"
import { stemsOf, wordsIn } from "#kit/lint/reading/EnglishWords"

const empty = new Set(
  "a an the of for to from in on by this tool function api endpoint method is with and given you can use".split(" ")
)

const bare = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words
    .filter((word) => !empty.has(word))
    .map((word) => stemsOf(word).toSorted((a, b) => a.length - b.length)[0] ?? word)

export const descriptionRepeatsName = overTool(
  {
    id: "description-repeats-name",
    category: "description",
    step: 4,
    severity: "warning",
    title: "The description says more than the name.",
    why: "The model reads the name anyway. A description with the same words costs tokens and says neither what the tool returns nor when to use it.",
    example: {
      bad: `{ "name": "get_user_profile", "description": "Gets the user profile.", "parameters": { "type": "object" } }`,
      good: `{
  "name": "get_user_profile",
  "description": "Gets name, email and plan of the signed-in user. Read-only.",
  "parameters": { "type": "object" }
}`
    }
  },
  ({ tool: { at, description }, words }) => {
    const descriptionWords = bare(wordsIn(description.replaceAll("_", " ")))
    const nameWords = new Set(bare(words))
    return descriptionWords.length > 0 && descriptionWords.every((word) => nameWords.has(word))
      ? [
          {
            at: at.description,
            message: "The description only repeats the name; say what the tool returns, when to use it and when not."
          }
        ]
      : []
  }
)

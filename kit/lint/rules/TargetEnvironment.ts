/** Reports a destructive or bulk tool without a parameter for its target environment. */
import { overTool } from "./Rule.ts"
import type { Subject } from "#kit/lint/reading/Subject"
import { wordsOf } from "#kit/lint/reading/EnglishWords"

export const targetEnvironment = overTool(
  {
    id: "target-environment",
    category: "safety",
    severity: "info",
    title: "A destructive or bulk tool has a parameter for its target `environment`.",
    why: 'Without a parameter for the environment, the database, account or stage that a call changes is configured outside the conversation, where neither the model nor the approver sees it. With the parameter, both read `environment: "production"` in the arguments.',
    example: {
      bad: `{
  "name": "delete_customers",
  "description": "Deletes customers for good.",
  "parameters": { "type": "object", "properties": { "ids": { "type": "array", "items": { "type": "string" } } } }
}`,
      good: `{
  "name": "delete_customers",
  "description": "Deletes customers for good.",
  "parameters": {
    "type": "object",
    "properties": {
      "ids": { "type": "array", "items": { "type": "string" } },
      "environment": { "type": "string", "enum": ["staging", "production"] }
    }
  }
}`
    }
  },
  (subject) => {
    const kind = kindOf(subject)
    return kind === undefined ||
      subject.fields.some(({ name, role }) => role === "property" && wordsOf(name).some((word) => places.has(word)))
      ? []
      : [
          {
            at: subject.tool.at.parameters,
            message: `The tool ${kind}, and no parameter says where; accept the environment as a parameter with an enum.`
          }
        ]
  }
)

/** The words in the names of parameters that say where a tool acts. */
const places = new Set(
  "environment env stage staging workspace project database db account tenant cluster namespace region instance host hostname server repo repository owner path file filename filepath directory folder bucket dry".split(
    " "
  )
)

const bulk = new Set(["bulk", "batch", "mass"])

const destroying = new Set(["delete", "remove", "drop", "purge", "truncate", "destroy", "wipe", "erase", "nuke"])

const kindOf = ({ access, firstWord, words }: Subject): string | undefined => {
  if (access === "read" || access === undefined) return undefined
  if (words.some((word) => bulk.has(word))) return "changes many things at once"
  return access === "destructive" && destroying.has(firstWord) ? "destroys something" : undefined
}

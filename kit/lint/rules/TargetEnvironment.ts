/** Reports a destructive or bulk tool without a parameter for its target environment. */
import { overTool } from "./Rule.ts"
import type { Fault, Subject } from "#kit/lint/reading/Subject"
import { wordsOf } from "#kit/lint/reading/EnglishWords"
import { isBulk, isBulkWrite, isDestructive } from "#kit/lint/reading/WritingTools"
import { isReadable } from "#kit/lint/reading/Phrases"
import { isDestroying } from "#kit/lint/reading/WritingVerbs"

export const targetEnvironment = overTool(
  {
    id: "target-environment",
    category: "safety",
    step: 10,
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
    },
    strict: {
      title:
        "Each destructive, `delete_` or bulk tool has a parameter named `environment`, whose `enum` contains staging and production. Another parameter for the place (`project`, `path`) is not enough.",
      bad: `{
  "name": "bulk_import_customers",
  "description": "Imports many customers.",
  "parameters": {
    "type": "object",
    "properties": { "project": { "type": "string" }, "environment": { "type": "string", "enum": ["eu", "us"] } }
  }
}`,
      good: `{
  "name": "bulk_import_customers",
  "description": "Imports many customers.",
  "parameters": {
    "type": "object",
    "properties": {
      "project": { "type": "string" },
      "environment": { "type": "string", "enum": ["staging", "production"] }
    }
  }
}`
    }
  },
  (subject, { isStrict }) => {
    if (isStrict) return strictly(subject)
    // in another language, the names of its parameters are unknown too
    if (!isReadable(subject.tool.description)) return []
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

const kindOf = ({ access, firstWord, words }: Subject): string | undefined => {
  if (access === "read" || access === undefined) return undefined
  if (isBulk(words)) return "changes many things at once"
  return access === "destructive" && isDestroying(firstWord) ? "destroys something" : undefined
}

const [stagings, productions] = [new Set(["staging", "stage", "stg"]), new Set(["production", "prod"])]

const strictly = (subject: Subject): ReadonlyArray<Fault> => {
  const kind = isBulkWrite(subject)
    ? "changes many things at once"
    : isDestructive(subject)
      ? "destroys something"
      : undefined
  if (kind === undefined) return []
  const field = subject.fields.find(
    ({ level, name, role }) => level === 1 && role === "property" && name === "environment"
  )
  const values = (field?.shapes ?? [])
    .flatMap(({ schema }) => schema["enum"] ?? [])
    .map((value) => String(value).toLowerCase())
  if (field === undefined) {
    const message = `The tool ${kind}; accept "environment" with the enum ["staging", "production"].`
    return [{ at: subject.tool.at.parameters, message }]
  }
  return values.some((value) => stagings.has(value)) && values.some((value) => productions.has(value))
    ? []
    : [{ at: field.pointer, message: "The enum of `environment` must contain staging and production; add them." }]
}

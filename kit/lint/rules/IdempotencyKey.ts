/** Reports a tool that creates something (in the preset `strict`: a tool that writes) but has no idempotency key. */
import { keyOf } from "#kit/lint/reading/IdempotencyKeyField"
import { overTool } from "./Rule.ts"
import type { Subject } from "#kit/lint/reading/Subject"
import { leadingVerb } from "#kit/lint/reading/ListingAnalysis"
import { isWriting } from "#kit/lint/reading/WritingTools"
import type { Shape } from "#kit/lint/reading/Shapes"
import { stemsOf } from "#kit/lint/reading/EnglishWords"

export const idempotencyKey = overTool(
  {
    id: "idempotency-key",
    category: "safety",
    step: 9,
    severity: "warning",
    title: "A tool that creates something accepts an `idempotency_key`.",
    why: "A call can time out although its effect has happened. Then the model, the agent or the user makes the call again. With a key, the second call is recognised as a repetition of the first. The key is optional: the caller that retries supplies it, and the model need not invent one. Idempotent tools (MCP `idempotentHint`) need no key, and for a guarded tool the guard manages it.",
    example: {
      bad: `{
  "name": "create_order",
  "description": "Creates an order.",
  "parameters": { "type": "object", "properties": { "sku": { "type": "string" } }, "required": ["sku"] }
}`,
      good: `{
  "name": "create_order",
  "description": "Creates an order.",
  "parameters": {
    "type": "object",
    "properties": {
      "sku": { "type": "string" },
      "idempotency_key": { "type": "string", "minLength": 16, "maxLength": 200 }
    },
    "required": ["sku"]
  }
}`
    },
    strict: {
      title:
        "Each tool that writes (`create_`, `update_`, `delete_`, `bulk_`, `set_` and others) accepts a parameter named exactly `idempotency_key`. `idempotentHint` is not enough. For a guarded tool with `idempotency` or `reconcile`, the guard manages repetitions.",
      bad: `{
  "name": "update_order",
  "description": "Updates the status of an order.",
  "parameters": { "type": "object", "properties": { "sku": { "type": "string" } } }
}`,
      good: `{
  "name": "update_order",
  "description": "Updates the status of an order.",
  "parameters": {
    "type": "object",
    "properties": {
      "sku": { "type": "string" },
      "idempotency_key": { "type": "string", "minLength": 16, "maxLength": 200 }
    }
  }
}`
    }
  },
  (subject, { isStrict }) => {
    const { fields, tool } = subject
    if (isStrict) {
      const isManaged = tool.style === "guarded" && tool.isRepeatable
      if (!isWriting(subject) || isManaged || topLevel(fields).some(({ name }) => name === "idempotency_key")) return []
      const remedy = tool.style === "guarded" ? '; set `idempotency`, such as { mode: "key" }' : " (minLength 16)"
      return [{ at: tool.at.parameters, message: `The tool writes; accept an optional "idempotency_key"${remedy}.` }]
    }
    return !createsOnEachCall(subject) || tool.isRepeatable || keyOf(fields) !== undefined
      ? []
      : [
          {
            at: tool.at.parameters,
            message:
              'The tool creates something, and a repeated call creates it again; accept an optional "idempotency_key" (minLength 16).'
          }
        ]
  }
)

const topLevel = (fields: Subject["fields"]): Subject["fields"] =>
  fields.filter(({ level, role }) => level === 1 && role === "property")

/** Verbs that create something with each call. */
const creatingVerbs = new Set(
  "add append buy checkout create deposit dispatch donate enqueue insert invite pay publish purchase refund reserve send submit withdraw".split(
    " "
  )
)

/** Creating verbs that are also nouns: `order_history` does not order anything. */
const nounVerbs = new Set(
  "book charge comment email invoice issue mail order place post register reply schedule tip tweet".split(" ")
)

const stemIn = (verbs: ReadonlySet<string>, word: string): string | undefined =>
  stemsOf(word).find((stem) => verbs.has(stem))

/** True if a sentence of a description begins with the verb and an object. */
const describesAction = (verb: string, description: string): boolean =>
  new RegExp(
    String.raw`(?:^|[.!?:\n"]\s*)${verb}(?:s|es)?\s+(?:an?|the|one|new|your|this|some|multiple|several|\w+ing)\b`,
    "iu"
  ).test(description)

/** Matches phrases that say that an existing thing is not created again. */
const createsOnlyOnce =
  /\b(?:ensures?|if (?:it )?(?:does not|doesn['’]t) (?:already )?exist|already exists?|idempotent|overwrit\w+|unless)\b/iu

/** True if the name and the description agree that each call creates something lasting. */
const createsOnEachCall = ({ access, fields, firstWord, tool, words }: Subject): boolean => {
  if (access === "read" || createsOnlyOnce.test(tool.description)) return false
  // `order_by` and `send_http_request` create nothing
  if (words[words.indexOf(firstWord) + 1] === "by" || words.at(-1) === "request") return false
  const parameters = topLevel(fields)
  // add(a, b) computes a sum
  const isNumber = ({ type }: Shape) => type === "number" || type === "integer"
  if (parameters.length > 0 && parameters.every(({ shapes }) => shapes.every(isNumber))) return false
  const noun = stemIn(nounVerbs, firstWord)
  if (noun !== undefined) return describesAction(noun, tool.description)
  if (stemIn(creatingVerbs, firstWord) === undefined) return false
  return access !== undefined || stemIn(creatingVerbs, leadingVerb(tool.description) ?? "") !== undefined
}

/** A write that cannot be told from its repeat. */
import { keyOf } from "#kit/lint/reading/IdempotencyKeyField"
import { overTool } from "./Rule.ts"
import type { Subject } from "#kit/lint/reading/Subject"
import { leadingVerb } from "#kit/lint/reading/ListingAnalysis"
import type { Shape } from "#kit/lint/reading/Shapes"
import { stemsOf } from "#kit/lint/reading/EnglishWords"

export const idempotencyKey = overTool(
  {
    id: "idempotency-key",
    category: "safety",
    severity: "warning",
    title: "A tool that makes something accepts an `idempotency_key`.",
    why: "A call times out, its effect has happened, and somebody calls again: the model, the agent, the user. With a key the second call is known to be the first. It is optional: whoever retries has one, the model need not invent any. Tools that are idempotent by themselves (MCP `idempotentHint`) need none, and of a guarded tool the guard keeps the key.",
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
    }
  },
  (subject) =>
    !makes(subject) || subject.tool.isRepeatable || keyOf(subject.fields) !== undefined
      ? []
      : [
          {
            at: subject.tool.at.parameters,
            message:
              'The tool makes something, and a repeated call makes it again; accept an optional "idempotency_key" (minLength 16).'
          }
        ]
)

/** Verbs that make something each time they are done. */
const making = new Set(
  "add append buy checkout create deposit dispatch donate enqueue insert invite pay publish purchase refund reserve send submit withdraw".split(
    " "
  )
)

/** The same, but nouns as well: an `order_history` orders nothing. */
const nouns = new Set(
  "book charge comment email invoice issue mail order place post register reply schedule tip tweet".split(" ")
)

const stemIn = (verbs: ReadonlySet<string>, word: string): string | undefined =>
  stemsOf(word).find((stem) => verbs.has(stem))

/** Whether a description begins with the verb, and what it is done to. */
const says = (verb: string, description: string): boolean =>
  new RegExp(
    String.raw`(?:^|[.!?:\n"]\s*)${verb}(?:s|es)?\s+(?:an?|the|one|new|your|this|some|multiple|several|\w+ing)\b`,
    "iu"
  ).test(description)

/** What is there already is not made again. */
const once =
  /\b(?:ensures?|if (?:it )?(?:does not|doesn['’]t) (?:already )?exist|already exists?|idempotent|overwrit\w+|unless)\b/iu

/** Whether name and description say alike that each call makes something that lasts. */
const makes = ({ access, fields, firstWord, tool, words }: Subject): boolean => {
  if (access === "read" || once.test(tool.description)) return false
  // `order_by`, `send_http_request`: nothing of that kind is made
  if (words[words.indexOf(firstWord) + 1] === "by" || words.at(-1) === "request") return false
  const parameters = fields.filter(({ level, role }) => level === 1 && role === "property")
  // add(a, b) makes a sum
  const isNumber = ({ type }: Shape) => type === "number" || type === "integer"
  if (parameters.length > 0 && parameters.every(({ shapes }) => shapes.every(isNumber))) return false
  const noun = stemIn(nouns, firstWord)
  if (noun !== undefined) return says(noun, tool.description)
  if (stemIn(making, firstWord) === undefined) return false
  return access !== undefined || stemIn(making, leadingVerb(tool.description) ?? "") !== undefined
}

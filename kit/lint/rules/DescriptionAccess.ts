/** Reports a description that does not say whether the tool reads or writes. */
import { overTool } from "./Rule.ts"
import { saysAccess } from "#kit/lint/reading/Verbs"
import { isEnglish } from "#kit/lint/reading/EnglishWords"

const stated =
  /\b(?:read[- ]?only|reads?|writes?|no side[- ]effects?|side[- ]effects?|destructive|irreversibl[ey]|permanent(?:ly)?|idempotent|does not (?:change|modify)|modif(?:y|ies)|mutat\w+)\b/iu

export const descriptionAccess = overTool(
  {
    id: "description-access",
    category: "description",
    severity: "info",
    title: "The description says whether the tool reads or writes.",
    why: "A model that does not know whether a call changes something tries it to see what happens, or asks the user before a harmless read. A clear verb is enough: `Gets`, `Creates`, `Deletes`.",
    example: {
      bad: `{ "name": "order_status", "description": "The current status of an order.", "parameters": { "type": "object" } }`,
      good: `{
  "name": "get_order_status",
  "description": "Gets the current status of an order.",
  "parameters": { "type": "object" }
}`
    }
  },
  ({ tool: { at, description } }) =>
    description.trim() === "" || !isEnglish(description) || stated.test(description) || saysAccess(description)
      ? []
      : [
          {
            at: at.description,
            message: "The description does not say whether the tool reads or writes; begin it with a clear verb."
          }
        ]
)

/** Reports a description that does not say whether the tool reads or writes. */
import { overTool } from "./Rule.ts"
import * as StatedAccess from "#kit/lint/reading/StatedAccess"
import { isReadable, languages, saysAccess, saysAccessExplicitly } from "#kit/lint/reading/Phrases"

export const descriptionAccess = overTool(
  {
    id: "description-access",
    category: "description",
    step: 2,
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
    },
    strict: {
      title: "The description states `Read-only`, `Writes` or what the tool changes. A verb of reading is not enough.",
      bad: `{
  "name": "get_order_status",
  "description": "Gets the current status of an order.",
  "parameters": { "type": "object" }
}`,
      good: `[
  {
    "name": "get_order_status",
    "description": "Gets the current status of an order. Read-only.",
    "parameters": { "type": "object" }
  },
  { "name": "get_order_items", "description": "查询一个订单的商品。只读。", "parameters": { "type": "object" } }
]`
    }
  },
  ({ tool: { access, at, description } }, { isStrict }) => {
    if (description.trim() === "") return []
    if (!isReadable(description)) {
      const message = `The description is not in ${languages}, so the rule cannot tell whether it says that the tool reads or writes; declare the access (\`annotations.readOnlyHint\`).`
      return isStrict && access === undefined ? [{ at: at.description, message }] : []
    }
    if (isStrict) {
      const message =
        "The description does not state whether the tool reads or writes; add `Read-only` (只读), `Writes` (写入), or what it changes."
      return saysAccessExplicitly(description) || StatedAccess.of(description) !== undefined
        ? []
        : [{ at: at.description, message }]
    }
    const message = "The description does not say whether the tool reads or writes; begin it with a clear verb."
    return saysAccess(description) ? [] : [{ at: at.description, message }]
  }
)

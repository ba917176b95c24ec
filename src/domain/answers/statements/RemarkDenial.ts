/**
 * Finds remarks in the answer of a write that deny the tool's action: `{"ok": true, "warning": "Nothing was changed"}`.
 *
 * **Details**
 *
 * - A remark about anything else accompanies an action that was done: `Deprecated API version`.
 * - A remark is data if the name of the tool contains its field (`comment` of `add_comment`), and if the answer identifies
 *   an entity that the tool has created.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { actionOf } from "#domain/text/ToolAction"
import { stemOf } from "#domain/text/ToolName"
import { deniesAction } from "./ActionDenial.ts"
import { wordsOf } from "./FieldWords.ts"
import { plain } from "#domain/answers/Payload"
import { isPurpose } from "#domain/answers/ReportedSuccess"
import { isStatus } from "./StatedState.ts"
import { reportsAction } from "./UndoneAction.ts"

/** Fields with remarks about an action. */
const remarks =
  /^(?:(?:warning|note|comment|remark|notice|caveat|hint|advisory|explanation)s?(?:text|message|msg|description)?|message|msg|info|information|advisories|details?|summary|warnung(?:en)?|hinweise?|bemerkung(?:en)?|anmerkung(?:en)?|avisos?|advertencias?|avertissements?|remarques?|notas?|observa(?:ciones|ções)|avviso|avvisi|警告|注意|备注|備註|備考|説明|说明|提示)$/

const maxTexts = 20

/** True if a field has remarks about an action. */
export const isRemarkField = (name: string): boolean => remarks.test(plain(name))

const textOf = (value: unknown): string | undefined => {
  if (typeof value === "string") return value
  if (!isJsonObject(value)) return undefined
  const text = value["message"] ?? value["text"] ?? value["detail"] ?? value["msg"] ?? value["description"]
  return typeof text === "string" ? text : undefined
}

/** True if an answer has the state that the tool brings about: `"status": "cancelled"` of `cancel_order`. */
const isStateReached = (answer: JsonObject, tool: string): boolean =>
  Object.entries(answer).some(
    ([name, value]) => isStatus(name) && typeof value === "string" && isPurpose([value.toLowerCase()], tool)
  )

/** True if the remarks in a field say that the action of a tool was not done. */
export const deniesInRemark = (name: string, answer: JsonObject, isEntity: boolean, tool: string): boolean => {
  if (!isRemarkField(name)) return false
  const value = answer[name]
  const action = actionOf(tool)
  if (wordsOf(name).some((word) => action.names.has(stemOf(word))) || (isEntity && action.creates)) return false
  const isDone = reportsAction(answer, tool) || isStateReached(answer, tool)
  const texts = Array.isArray(value) ? value.slice(0, maxTexts) : [value]
  return texts.some((text) => {
    const said = textOf(text)
    return said !== undefined && deniesAction(said, tool, { isDone, isEntity })
  })
}

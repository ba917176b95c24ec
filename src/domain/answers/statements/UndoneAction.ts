/**
 * Finds the field with which the answer of a write denies the tool's own action: `{"refunded": false}` of
 * `refund_order`, `{"sent": 0}` of `send_email`, `{"wasCreated": false}` of `create_project`. Such an answer states a
 * failure [3.3].
 *
 * **Details**
 *
 * - The participles of other verbs are the state of an entity: `{"archived": false}` of `create_ticket`. The same
 *   applies to participles about another thing: `{"reminderSent": false}` of `send_invoice`.
 * - Another field may report that something was done: `{"sent": 0, "queued": 3}`, `{"created": false, "updated":
 *   true}`.
 * - The participle of a tool that examines something is its finding, which raises only a doubt: `{"verified": false}`
 *   of `verify_email`. A number of affected rows that is 0 also raises only a doubt.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { type ToolAction, actionOf } from "#domain/text/ToolAction"
import type { FailureFlag } from "#domain/answers/FailureFlag"
import { type FieldReport, reportedBy } from "./FieldWords.ts"
import { excerptOf, payloadOf } from "#domain/answers/Payload"
import { isAffirmed } from "#domain/answers/ReportedSuccess"

const maxDepth = 4

/** A field that denies the action of a tool. */
interface UndoneField extends FailureFlag {
  /** True if the answer contradicts the field, or the field is the finding of a tool that examines something. */
  readonly isDoubtful: boolean
}

/** Returns the field with which an answer denies the action of its tool; `undefined` if there is none. */
export const undoneIn = (value: unknown, tool: string, depth = 0): UndoneField | undefined => {
  if (!isJsonObject(value) || ArrayBuffer.isView(value)) return undefined
  const action = actionOf(tool)
  const answer = excerptOf(value, (name) => reportedBy(name, action) !== undefined)
  const name = undoneNameIn(answer, action)
  if (name !== undefined) {
    const isDoubtful = action.examines || reportedBy(name, action) === "affected" || isAffirmed(answer)
    return { path: [name], answer, isState: false, isBare: false, isDoubtful }
  }
  const payload = depth === maxDepth ? undefined : payloadOf(value)
  if (payload === undefined) return undefined
  const inner = undoneIn(payload[1], tool, depth + 1)
  return inner === undefined ? undefined : { ...inner, path: [payload[0], ...inner.path] }
}

/** Returns the name of the field of an answer that denies the action. */
const undoneNameIn = (answer: JsonObject, action: ToolAction): string | undefined => {
  const names = Object.keys(answer)
  const reported = names.map((name) => [name, reportedBy(name, action)] as const)
  const undone = reported.find(([name, on]) => isDenied(on, name, answer, action))
  if (undone === undefined || reported.some(([name, on]) => isDone(on, answer[name]))) return undefined
  // nothing was done and nothing failed, because there was nothing to do
  const isEmptyBatch = reported.some(([name, on]) => on === "failed" && (answer[name] === 0 || answer[name] === "0"))
  return isEmptyBatch && typeof answer[undone[0]] === "number" ? undefined : undone[0]
}

const isDenied = (on: FieldReport | undefined, name: string, answer: JsonObject, action: ToolAction): boolean => {
  const value = answer[name]
  if (on !== "own" && on !== "affected") return false
  if (value === false || (typeof value === "string" && /^(?:false|no)$/i.test(value))) return true
  if (value !== 0 && value !== "0") return false
  // everything that matched was changed, which was nothing
  return !(action.selects && isAffirmed(answer))
}

/** True if a field reports that the tool did something. */
const isDone = (on: FieldReport | undefined, value: unknown): boolean =>
  ((on === "own" || on === "done") && (value === true || value === "true")) ||
  (on !== undefined && on !== "failed" && on !== "all" && typeof value === "number" && value > 0)

/**
 * True if another field of an answer reports that the tool did something: `{"sent": false, "scheduledAt": …}` of
 * `schedule_email`.
 */
export const reportsAction = (answer: JsonObject, tool: string): boolean => {
  const action = actionOf(tool)
  return Object.entries(answer).some(([name, value]) => {
    const isTime = typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value)
    const on = reportedBy(isTime ? name.replace(/_?(?:[aA]t|[oO]n|[fF]or)$/, "") : name, action)
    return isDone(on, isTime ? on === "own" : value)
  })
}

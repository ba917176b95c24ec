/**
 * Reads the numbers of failed and successful items in the answer of a write: `{"failed": 3, "succeeded": 0}`,
 * `{"updated": 8, "errors": 2}`, `{"rejected_rows": 14, "loaded_rows": 0}`.
 *
 * **Details**
 *
 * - If all items failed, the answer states a failure. If some failed, a part was not done. If the answer does not say
 *   whether any succeeded, it does not settle whether the write was done.
 * - Numbers of something else are data: `{"failed_attempts": 2}` of `create_order`.
 * - The report of a test run, a linter or a validator counts what it found: `{"passed": 10, "failed": 2}`.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { actionOf, type ToolAction } from "#domain/text/ToolAction"
import { type FieldReport, reportedBy, wordsOf } from "./FieldWords.ts"
import { excerptOf, isTechnical, payloadOf, plain } from "#domain/answers/Payload"
import { isRemark, isReport } from "#domain/answers/StatedError"

/** What the counts of an answer say. */
interface CountedItems {
  readonly failed: "all" | "some" | "unknown"
  readonly path: ReadonlyArray<string>
  readonly answer: JsonObject
}

const maxDepth = 4

/** Fields of the report of a test run or of a linter. */
const ofReports = /^(?:passed|tests?|testcases|suites|checks|assertions|findings|violations|warningcount|fixable\w*)$/

/** Fields that contain the counts of an answer alongside its other fields. */
const summaries = /^(?:summary|stats|statistics|counts?|totals?|results?)$/

/** What a tool that runs something runs in order to examine it. The items of anything else are done: `run_migration`. */
const ofExaminations =
  /^(?:test|check|suite|spec|lint|scan|audit|quer|bench|eval|ci$|code|cell|script|command|shell|sql)/

const examines = ({ examines, objects, verbs }: ToolAction): boolean =>
  examines && (!verbs.has("run") || objects.size === 0 || [...objects].some((word) => ofExaminations.test(word)))

/** Returns what the counts of an answer say about failed items; `undefined` if no count says that an item failed. */
export const countedIn = (value: unknown, tool: string, depth = 0): CountedItems | undefined => {
  if (!isJsonObject(value) || ArrayBuffer.isView(value) || isReport(value)) return undefined
  const action = actionOf(tool)
  if (examines(action) || Object.keys(value).some((name) => ofReports.test(plain(name)))) return undefined
  const own = ofCounts(
    excerptOf(value, (name) => reportedBy(name, action) !== undefined),
    action
  )
  if (own !== undefined || depth === maxDepth) return own
  const inner =
    payloadOf(value) ??
    Object.entries(value).find(([name, stats]) => summaries.test(plain(name)) && isJsonObject(stats))
  if (inner === undefined) return undefined
  const found = countedIn(inner[1], tool, depth + 1)
  return found === undefined ? undefined : { ...found, path: [inner[0], ...found.path] }
}

/** Returns a number of items, or the number of entries of a list; `undefined` for any other value. */
const countOf = (value: unknown): number | undefined => {
  if (Array.isArray(value)) return value.length
  const number = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value
  return typeof number === "number" && Number.isInteger(number) && number >= 0 ? number : undefined
}

/** Words for earlier events, which are not items of the action: `{"failed_attempts": 2}`. */
const earlier =
  /^(?:log(?:in|on)s?|sign(?:in|up)s?|attempts?|tr(?:y|ies)|retries|tests?|checks?|previous|last|past|total)$/

/**
 * Returns the word for the items that an answer counts, if some have failed and others have not: `steps` of
 * `{"steps_failed": 1, "steps_succeeded": 3}`. An entity counts other things.
 */
const itemOf = (answer: JsonObject): string | undefined => {
  const names = Object.keys(answer).map(wordsOf)
  if (names.some((words) => words.includes("id"))) return undefined
  const counted = names.filter((words) => words.length === 2 && words.some((word) => /^fail|^error|^reject/.test(word)))
  const items = counted.flatMap((words) => words.filter((word) => !/^fail|^error|^reject|^count/.test(word)))
  return items.find((item) => !earlier.test(item) && names.filter((words) => words.includes(item)).length > 1)
}

const ofCounts = (answer: JsonObject, action: ToolAction): CountedItems | undefined => {
  const item = itemOf(answer)
  const counts = Object.entries(answer).flatMap(([name, value]) => {
    const on = reportedBy(name, action, item)
    const count = countOf(value)
    return on === undefined || count === undefined ? [] : [{ name, on, count, isList: Array.isArray(value) }]
  })
  const sum = (...kinds: ReadonlyArray<FieldReport>): number | undefined => {
    const found = counts.filter(({ on }) => kinds.includes(on))
    return found.length === 0 ? undefined : found.reduce((total, { count }) => total + count, 0)
  }
  const failed = counts.find(({ count, on }) => on === "failed" && count > 0)
  if (failed === undefined) return undefined
  const done = sum("own", "done", "succeeded")
  const total = sum("all")
  const { name: field, isList } = failed
  const found = { path: [field], answer }
  // a list of errors alone is read as errors
  if (done === undefined && isList) return undefined
  if (done === undefined && Object.hasOwn(answer, "warnings")) return undefined
  if (done !== undefined && done > 0) return { ...found, failed: "some" }
  if (done !== undefined) return { ...found, failed: "all" }
  if (total !== undefined) return { ...found, failed: failed.count >= total ? "all" : "some" }
  const isAlone = Object.keys(answer).every((name) => name === field || isRemark(name) || isTechnical(name, answer))
  return isAlone ? { ...found, failed: "unknown" } : undefined
}

/** Returns a sentence with the counts of an answer. */
export const sentenceOf = ({ answer, path }: CountedItems, tool: string): string => {
  const action = actionOf(tool)
  const failed = path.at(-1) ?? ""
  const done = Object.keys(answer).find((name) => {
    const on = reportedBy(name, action, itemOf(answer))
    return on !== undefined && on !== "failed" && (countOf(answer[name]) ?? 0) > 0
  })
  const said = (name: string): string => `"${name}" is ${countOf(answer[name]) ?? 0}`
  return `The answer says that ${done === undefined ? said(failed) : `${said(failed)} and ${said(done)}`}.`
}

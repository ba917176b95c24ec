/**
 * Recognises the status of work that is not finished in the result of a read [7.2].
 *
 * A result is such a status if it is one object with one of these top-level fields: a `status`, `state` or `phase` that
 * is one of the words below, a `done` that is false, or a `percent` between 0 and 100. The word `pending` does not count,
 * because orders and tickets can stay pending for days.
 */
import * as McpResult from "./McpResult.ts"
import { isJsonObject } from "#domain/json/JsonObject"

const words: ReadonlySet<unknown> = new Set(["queued", "scheduled", "running", "in_progress", "processing", "building"])
const wordFields = ["status", "state", "phase"] as const

/** The longest text that is parsed, in characters. A status is short. */
const longestText = 16_384

/** True if a result is the status of unfinished work: an object, its JSON text, or the result of an MCP tool. */
export const isUnfinished = (result: unknown): boolean => {
  const data = McpResult.dataOf(result)
  const status = typeof data === "string" ? parsed(data) : data
  if (!isJsonObject(status)) return false
  const own = (field: string): unknown => (Object.hasOwn(status, field) ? status[field] : undefined)
  if (wordFields.some((field) => words.has(own(field))) || own("done") === false) return true
  const percent = own("percent")
  return typeof percent === "number" && percent > 0 && percent < 100
}

const parsed = (text: string): unknown => {
  const start = text.trimStart()
  if (text.length > longestText || !start.startsWith("{")) return undefined
  try {
    return JSON.parse(start)
  } catch {
    return undefined
  }
}

/**
 * Recognises the status of work that is not finished in the result of a read [7.2].
 *
 * A result counts if it is one object whose own top-level fields say so: `status`, `state` or `phase` is one of the words
 * below, `done` is false, or `percent` is between 0 and 100. `pending` alone does not count, because it is the resting state
 * of orders and tickets.
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

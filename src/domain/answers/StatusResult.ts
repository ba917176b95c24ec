/**
 * Recognises the status of work that is not finished in the result of a read [7.2].
 *
 * - *Unfinished*: one object with one of these top-level fields: a `status`, `state` or `phase` that is one of the words
 *   below, a `done` that is false, or a `percent` between 0 and 100. The word `pending` does not count, because orders and
 *   tickets can stay pending for days.
 * - *Pending*: a `status`, `state` or `phase`, or a text, that is `pending` or one of the words below, in any case.
 */
import * as McpResult from "./McpResult.ts"
import { field, isJsonObject } from "#domain/json/JsonObject"

const words: ReadonlySet<unknown> = new Set(["queued", "scheduled", "running", "in_progress", "processing", "building"])
const pendingWords: ReadonlySet<unknown> = new Set([...words, "pending"])
const anyWord = /pending|queued|scheduled|running|in.?progress|processing|building/i
const wordFields = ["status", "state", "phase"] as const

/** The longest text that is parsed, in characters. A status is short. */
const longestText = 16_384

/** True if a result is the status of unfinished work: an object, its JSON text, or the result of an MCP tool. */
export const isUnfinished = (result: unknown): boolean => {
  const data = McpResult.dataOf(result)
  const status = typeof data === "string" ? parsed(data) : data
  if (!isJsonObject(status)) return false
  if (wordFields.some((name) => words.has(field(status, name))) || field(status, "done") === false) return true
  const percent = field(status, "percent")
  return typeof percent === "number" && percent > 0 && percent < 100
}

/** True if a result says that something is pending: an object, its JSON text, one word, or the result of an MCP tool. */
export const isPending = (result: unknown): boolean => {
  const data = McpResult.dataOf(result)
  if (isPendingWord(data)) return true
  // most texts have none of the words, and need not be parsed
  if (typeof data === "string" && !anyWord.test(data)) return false
  const status = typeof data === "string" ? parsed(data) : data
  return wordFields.some((name) => isPendingWord(field(status, name)))
}

/** The longest text that can be one of the words, with spaces and punctuation. */
const longestWord = 32

const isPendingWord = (value: unknown): boolean =>
  typeof value === "string" &&
  value.length <= longestWord &&
  pendingWords.has(
    value
      .toLowerCase()
      .replace(/^[\s"]+|[\s".…]+$/g, "")
      .replace(/[\s-]+/g, "_")
  )

const parsed = (text: string): unknown => {
  const start = text.trimStart()
  if (text.length > longestText || !start.startsWith("{")) return undefined
  try {
    return JSON.parse(start)
  } catch {
    return undefined
  }
}

/**
 * Counts the failed items of a batch: `{"results": [{"source": "a.pdf", "success": false, "error": "…"}, …]}`.
 *
 * Items are the rows of one list, the values of an object, or the blocks of a text that joins several files. An item
 * failed if it reports a failure and contains no data. Entities with data and an error field (jobs, builds) do not
 * count as failed.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { isNothing } from "./StatedError.ts"

/** The failures in a batch. */
interface FailedItems {
  readonly failed: number
  readonly total: number
  /** The message of the first failed item. */
  readonly message: string
}

const maxItems = 200

const errorOf = (item: JsonObject): string | undefined => {
  const error = item["error"] ?? item["reason"] ?? item["message"]
  const text = isJsonObject(error) ? (error["message"] ?? error["detail"]) : error
  return typeof text === "string" && text.trim() !== "" ? text : undefined
}

/** Returns the message of an item that reports its failure and has at most one other field, which identifies it. */
const failureOf = (item: JsonObject): string | undefined => {
  const message = errorOf(item)
  if (message === undefined) return undefined
  const { error, isError, result, status, success } = item
  const isStated =
    success === false ||
    isError === true ||
    [status, result].some((word) => typeof word === "string" && /^(?:error|failed|failure)$/i.test(word))
  const others = Object.entries(item).filter(
    ([name, value]) => !/^(?:error|reason|message|success|isError|status|result)$/.test(name) && !isNothing(value)
  )
  const isBare = others.length <= 1 && others.every(([, value]) => typeof value !== "object")
  return isBare &&
    (isStated || (typeof error === "string" && (!Object.hasOwn(item, "id") || Object.keys(item).length === 2)))
    ? message
    : undefined
}

/** Returns the failures in a text that joins several files: `/a.txt:`, a line of dashes, `/b.txt: Error - …`. */
const blocksOf = (text: string): FailedItems | undefined => {
  if (!text.includes("\n---")) return undefined
  const blocks = text.split(/\n-{3,}\n/).map((block) => block.trim())
  const failures = blocks.filter((block) => /^[^\s:][^\n:]{0,200}: error\b[^\n]{1,400}$/i.test(block))
  const [message] = failures
  return message === undefined ? undefined : { failed: failures.length, total: blocks.length, message }
}

const rowsOf = (answer: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(answer)) return answer
  if (!isJsonObject(answer)) return []
  const values = Object.values(answer)
  const lists = values.filter((value) => Array.isArray(value) && isJsonObject(value[0]))
  if (
    lists.length === 1 &&
    Array.isArray(lists[0]) &&
    values.every((value) => value === lists[0] || !isJsonObject(value))
  ) {
    return lists[0]
  }
  return lists.length === 0 && values.length > 0 && values.every(isJsonObject) ? values : []
}

/** Returns the failed items of an answer; `undefined` if it is not a batch or no item failed. */
export const failedItemsIn = (answer: unknown): FailedItems | undefined => {
  if (typeof answer === "string") return blocksOf(answer)
  const rows = rowsOf(answer)
  if (rows.length === 0 || rows.length > maxItems) return undefined
  let message: string | undefined
  let failed = 0
  for (const row of rows) {
    const own = isJsonObject(row) ? failureOf(row) : undefined
    if (own === undefined) continue
    message ??= own
    failed += 1
  }
  return message === undefined ? undefined : { failed, total: rows.length, message }
}

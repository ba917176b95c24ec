/**
 * Pictures and other bytes in the results of tools: taken out before the guard looks at a result, put back into what the client
 * gets. They are no text that a model reads, and are not counted, searched or shortened as such.
 *
 * What stands in their place is a digest, so that results with other bytes are other results.
 */
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

/** Base64 of less than this stays where it is. */
const shortest = 256

/** Most characters that are held for results which are given again; the oldest go first. */
const mostHeld = 64_000_000

const prefix = "toolguard-bytes:"

export interface Blobs {
  readonly takeOut: (result: JsonObject) => JsonObject
  readonly putBack: (result: JsonObject) => JsonObject
}

export const make = (sha256: (text: string) => string): Blobs => {
  const held = new Map<string, string>()
  let size = 0
  const hold = (data: string): string => {
    const key = prefix + sha256(data)
    if (!held.has(key)) size += data.length
    held.delete(key)
    held.set(key, data)
    for (const [oldest, text] of held) {
      if (size <= mostHeld || oldest === key) break
      held.delete(oldest)
      size -= text.length
    }
    return key
  }
  const out = (data: unknown) => (typeof data === "string" && data.length >= shortest ? hold(data) : data)
  const back = (data: unknown) => (typeof data === "string" && data.startsWith(prefix) ? (held.get(data) ?? "") : data)
  return { takeOut: (result) => mapBytes(result, out), putBack: (result) => mapBytes(result, back) }
}

/** A result with other bytes in its blocks; the same object where none change. */
const mapBytes = (result: JsonObject, change: (data: unknown) => unknown): JsonObject => {
  const { content } = result
  if (!Array.isArray(content)) return result
  let isChanged = false
  const blocks = (content as ReadonlyArray<unknown>).map((block) => {
    if (!isJsonObject(block)) return block
    const { data, resource } = block
    const inner = isJsonObject(resource) ? mapField(resource, "blob", change) : resource
    const made =
      (block["type"] === "image" || block["type"] === "audio") && data !== undefined
        ? mapField(block, "data", change)
        : inner === resource
          ? block
          : { ...block, resource: inner }
    isChanged ||= made !== block
    return made
  })
  return isChanged ? { ...result, content: blocks } : result
}

const mapField = (holder: JsonObject, name: string, change: (data: unknown) => unknown): JsonObject => {
  const before = holder[name]
  const after = change(before)
  return before === undefined || after === before ? holder : { ...holder, [name]: after }
}

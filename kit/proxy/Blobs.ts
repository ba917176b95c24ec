/**
 * Extracts pictures and other bytes from results before the guard sees them, and restores them in the client's result. They
 * are not text for a model, so they must not be counted, searched or shortened as text.
 *
 * A digest replaces the bytes, so that results with different bytes remain different.
 */
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

/** Shorter base64 is not extracted. */
const shortest = 256

/** How many characters are held for recalled results; the oldest are dropped first. */
const mostHeld = 64_000_000

const prefix = "toolguard-bytes:"

/** Extracts bytes from results, and restores them. */
export interface Blobs {
  readonly extract: (result: JsonObject) => JsonObject
  readonly restore: (result: JsonObject) => JsonObject
}

/** Makes an empty store of bytes. `sha256` digests a text. */
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
  return { extract: (result) => mapBytes(result, out), restore: (result) => mapBytes(result, back) }
}

/** A result with changed bytes in its blocks; the same object if none change. */
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

/**
 * Extracts images and other bytes from results before the guard sees the results, and restores the bytes in the
 * client's result. The guard must not count, search or shorten bytes as if they were text for a model.
 *
 * A digest replaces the bytes, so that results with different bytes remain different.
 */
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

/** The minimum length of base64 that is extracted, in characters. */
const minLength = 256

/**
 * The maximum number of characters that are kept, because a recalled result needs its bytes again. The bytes that were
 * extracted longest ago are dropped first.
 */
const maxKept = 64_000_000

const prefix = "toolguard-bytes:"

/** Extracts bytes from results, and restores the bytes. */
export interface Blobs {
  readonly extract: (result: JsonObject) => JsonObject
  readonly restore: (result: JsonObject) => JsonObject
}

/** Creates an empty store of bytes. `sha256` digests a text. */
export const make = (sha256: (text: string) => string): Blobs => {
  const kept = new Map<string, string>()
  let size = 0
  const keep = (data: string): string => {
    const key = prefix + sha256(data)
    if (!kept.has(key)) size += data.length
    kept.delete(key)
    kept.set(key, data)
    for (const [oldest, text] of kept) {
      if (size <= maxKept || oldest === key) break
      kept.delete(oldest)
      size -= text.length
    }
    return key
  }
  const extracted = (data: unknown) => (typeof data === "string" && data.length >= minLength ? keep(data) : data)
  const restored = (data: unknown) =>
    typeof data === "string" && data.startsWith(prefix) ? (kept.get(data) ?? "") : data
  return { extract: (result) => mapBytes(result, extracted), restore: (result) => mapBytes(result, restored) }
}

/** Changes the bytes in the blocks of a result. Returns the original object if nothing changes. */
const mapBytes = (result: JsonObject, change: (data: unknown) => unknown): JsonObject => {
  const { content } = result
  if (!Array.isArray(content)) return result
  let isChanged = false
  const blocks = content.map((block: unknown) => {
    if (!isJsonObject(block)) return block
    const { data, resource } = block
    const inner = isJsonObject(resource) ? mapField(resource, "blob", change) : resource
    const changed =
      (block["type"] === "image" || block["type"] === "audio") && data !== undefined
        ? mapField(block, "data", change)
        : inner === resource
          ? block
          : { ...block, resource: inner }
    isChanged ||= changed !== block
    return changed
  })
  return isChanged ? { ...result, content: blocks } : result
}

const mapField = (holder: JsonObject, name: string, change: (data: unknown) => unknown): JsonObject => {
  const before = holder[name]
  const after = change(before)
  return before === undefined || after === before ? holder : { ...holder, [name]: after }
}

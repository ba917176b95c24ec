/**
 * The preview of a result that is too large: its structure and its beginning [4.14].
 *
 * - `first` has the shape of the result. An array has the first elements that fit whole, or the beginning of the first.
 *   Members that do not fit are left out. A string that is cut ends with `…`.
 * - `structure` states the kind and size of up to 40 top-level members, so that the model knows how much is missing.
 *
 * **Details**
 *
 * Only values that may fit are written, so the work is bounded by the room and the number of top-level members, and not
 * by the size of the result.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as JsonLength from "#domain/json/JsonLength"
import * as Utf8 from "#domain/text/Utf8"

/** The maximum number of members that are named. */
const maxMembers = 40

/** The maximum number of levels of the beginning. */
const maxDepth = 6

/** The maximum size of a member that is written whole before the others, in bytes. */
const smallMemberBytes = 200

/** Returns the kind and size of a value, in a few words. */
export const kind = (value: unknown): string => {
  if (value === null || value === undefined) return "null"
  if (Array.isArray(value)) return `array of ${value.length}`
  if (typeof value === "string") return value.length > 100 ? `string of ${value.length} characters` : "string"
  return typeof value
}

const plain = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "toJSON" in value && typeof value.toJSON === "function"
    ? value.toJSON()
    : value

/**
 * Returns the kind of an encoded result, or of each of its top-level members: `array of 5000`,
 * `string of 81920 characters`.
 *
 * **Details**
 *
 * Names at most 40 members. If their names and kinds take more than a third of `room` bytes, only the number of members
 * is stated.
 */
export const structure = (encoded: unknown, room: number): string | Readonly<Record<string, string>> => {
  const value = plain(encoded)
  if (!isJsonObject(value)) return kind(value)
  const keys = Object.keys(value)
  const named = keys.slice(0, maxMembers).map((key) => [JsonLength.cut(key, 80), kind(plain(value[key]))] as const)
  const more = keys.length > maxMembers ? [["…", counted(keys.length - maxMembers, "more member")] as const] : []
  const members = Object.fromEntries([...named, ...more])
  return Utf8.fits(JSON.stringify(members), room / 3) ? members : objectOf(keys.length)
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** Names an object by its number of members: `object of 1 member`. */
export const objectOf = (members: number): string => `object of ${counted(members, "member")}`

/** Returns `room` minus a lower bound of the value's JSON bytes. If the result is negative, the value cannot fit. */
const leftAfter = (value: unknown, room: number): number => {
  if (typeof value === "string") return room - value.length - 2
  if (typeof value !== "object" || value === null) return room - 1
  if (Array.isArray(value)) {
    let left = room - Math.max(value.length, 1) - 1
    for (let i = 0; i < value.length && left >= 0; i++) left = leftAfter(value[i], left)
    return left
  }
  const record = value as JsonObject
  let left = room - 2
  for (const key in record) {
    if (left < 0) break
    if (Object.hasOwn(record, key)) left = leftAfter(record[key], left - key.length - 3)
  }
  return left
}

/** Returns the JSON text of a value if it has at most `room` bytes. */
export const whole = (value: unknown, room: number): string | undefined => {
  if (leftAfter(plain(value), room) < 0) return undefined
  const text = JSON.stringify(value) as string | undefined
  return text !== undefined && Utf8.fits(text, room) ? text : undefined
}

const cutString = (text: string, room: number): string | undefined => {
  // A code unit takes at most three bytes.
  for (const share of [1, 0.5, 0.32]) {
    const cut = JSON.stringify(JsonLength.cut(text, Math.floor((room - 4) * share)))
    if (cut.length > 3 && Utf8.fits(cut, room)) return cut
  }
  return undefined
}

const firstElements = (values: ReadonlyArray<unknown>, room: number, depth: number): string | undefined => {
  let left = room - 2
  const texts: Array<string> = []
  for (const value of values) {
    const text = whole(value, left)
    if (text === undefined) break
    texts.push(text)
    left -= Utf8.length(text) + 1
  }
  if (texts.length === 0) {
    const only = begin(values[0], left, depth + 1)
    if (only === undefined) return undefined
    texts.push(only)
  }
  return `[${texts.join(",")}]`
}

/** Writes small members whole, in order. The large members share the remaining room. */
const firstMembers = (value: JsonObject, room: number, depth: number): string | undefined => {
  const keys = Object.keys(value).slice(0, maxMembers)
  const texts = new Map<string, string>()
  let left = room - 2
  for (const key of keys) {
    const name = JSON.stringify(key)
    const cost = Utf8.length(name) + 2
    const text = whole(value[key], Math.min(smallMemberBytes, left - cost))
    if (text === undefined) continue
    texts.set(key, `${name}:${text}`)
    left -= cost + Utf8.length(text)
  }
  let waiting = keys.filter((key) => !texts.has(key) && value[key] !== undefined).length
  for (const key of keys) {
    if (texts.has(key) || value[key] === undefined) continue
    const name = JSON.stringify(key)
    const cost = Utf8.length(name) + 2
    const text = begin(value[key], Math.floor(left / waiting) - cost, depth + 1)
    waiting -= 1
    if (text === undefined) continue
    texts.set(key, `${name}:${text}`)
    left -= cost + Utf8.length(text)
  }
  return texts.size === 0 ? undefined : `{${keys.flatMap((key) => texts.get(key) ?? []).join(",")}}`
}

const begin = (encoded: unknown, room: number, depth: number): string | undefined => {
  const value = plain(encoded)
  const text = whole(value, room)
  if (text !== undefined || depth === maxDepth) return text
  if (typeof value === "string") return cutString(value, room)
  if (Array.isArray(value)) return firstElements(value, room, depth)
  return isJsonObject(value) ? firstMembers(value, room, depth) : undefined
}

/** Writes the beginning of an encoded result as JSON text of at most `room` bytes; `undefined` if nothing fits. */
export const first = (value: unknown, room: number): string | undefined => begin(value, room, 0)

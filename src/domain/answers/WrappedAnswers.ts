/**
 * Unwraps the answers inside a result. Real tools nest them as JSON in a text, in the parts of an MCP result, and in
 * `response`, `data` and similar fields.
 *
 * **Details**
 *
 * - Never throws. Texts of more than 100,000 characters and levels below the twelfth are not unwrapped.
 * - A truncated value is unwrapped up to its end, and its text is also returned.
 * - Lists are data and are not unwrapped, except for the parts of an MCP result or of a message.
 */
import { isTruncated } from "./TruncatedText.ts"
import { read } from "#domain/classification/Literal"
import { isJsonObject } from "#domain/json/JsonObject"

const longestUnfolded = 100_000
const maxDepth = 12
const wrappers = ["response", "result", "data", "body", "output", "content", "text", "structuredContent"]

/** The beginning of a value. A bracketed word, as in `[FILE] a.txt`, does not match. */
const opening = /^(?:[{[]\s*(?:["'{[(\]}\d-]|(?:None|True|False|null|true|false)\b|\w{1,40}\()|"(?=<|\s*[{[]))/

/** The beginning of JSON. A Python repr with single quotes does not match. */
const json = /^[{[][\s{[]*["\]}\dtfn-]/

/** Returns the value of a text that is JSON or a Python repr; `undefined` for other texts. */
const unfolded = (text: string): unknown => {
  const trimmed = text.trim()
  if (trimmed.length > longestUnfolded) return undefined
  if (json.test(trimmed)) {
    try {
      return JSON.parse(trimmed)
    } catch {
      // The text is a Python repr, or it is truncated.
    }
  }
  const isClient = trimmed.startsWith("meta=") && /\bisError=(?:True|False)$/.test(trimmed)
  if (!isClient && !opening.test(trimmed)) return undefined
  const source = isClient ? `Result(${trimmed})` : trimmed
  const { end, value } = read(source, 0)
  return end >= source.length ? value : undefined
}

const partNames: ReadonlySet<string> = new Set(["type", "text", "annotations", "meta", "_meta"])

/** Returns the texts of a list of parts; `undefined` for a list of data. */
const textsOf = (list: ReadonlyArray<unknown>): ReadonlyArray<unknown> | undefined => {
  const areParts =
    list.length > 0 &&
    list.every((part) => isJsonObject(part) && Object.keys(part).every((name) => partNames.has(name)))
  const texts = areParts ? list.filter(isJsonObject).map(({ text }) => text) : []
  return texts.some((text) => typeof text === "string") ? texts : undefined
}

/** Returns a result and the answers that it wraps, outermost first. */
export const answersIn = (value: unknown, depth = 0): ReadonlyArray<unknown> => {
  if (depth > maxDepth) return []
  if (typeof value === "string") {
    const inner = unfolded(value)
    if (inner === undefined) return [value]
    const inside = answersIn(inner, depth + 1)
    return isTruncated(value) ? [value, ...inside] : inside
  }
  if (Array.isArray(value)) {
    const texts = textsOf(value)
    return texts === undefined ? [value] : texts.flatMap((text) => answersIn(text, depth + 1))
  }
  if (!isJsonObject(value)) return []
  const { content } = value
  const parts = Array.isArray(content) ? content.filter(isJsonObject).map(({ text }) => text) : []
  const inner = [
    ...parts,
    ...wrappers.filter((wrapper) => !Array.isArray(value[wrapper])).map((wrapper) => value[wrapper])
  ]
  return [value, ...inner.flatMap((part) => answersIn(part, depth + 1))]
}

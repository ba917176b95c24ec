/**
 * Describes why a text could not be read as JSON: whether it is invalid or truncated, at which position, and which
 * field before that position is complete.
 *
 * A message is one line and safe to show: of the text, it contains only field names and at most one character.
 */
import * as FieldPath from "#domain/text/FieldPath"
import * as JsonScan from "./JsonScan.ts"
import type { Steps } from "./Steps.ts"

/** Limits on a text. */
export interface Limits {
  /** The maximum length of the text, counted in UTF-16 units, which are never more than its bytes in UTF-8. */
  readonly maxBytes: number
  /** The maximum nesting of objects and arrays; at most 1,000. */
  readonly maxDepth: number
}

/** The maximum number of objects and arrays in a text. */
export const maxContainers = 200_000
/** The maximum number of fields in a text, and of commas. */
export const maxValues = 1_000_000
/** The maximum number of distinct field names in a text. Each may cost hundreds of bytes. */
export const maxNames = 100_000

/** Why a text could not be read as JSON. */
export interface ParseError {
  /** `Truncated` means that the text is valid as far as it goes, but ends early. */
  readonly _tag: "Invalid" | "Truncated" | "TooDeep" | "TooLarge"
  /** The offset of the fault in UTF-16 units, from 0. */
  readonly position: number
  /** The line of the fault, from 1. */
  readonly line: number
  /** The column of the fault in UTF-16 units, from 1. */
  readonly column: number
  /** The problem in one line, with at most field names and one character of the text. */
  readonly message: string
  /** The path of the last complete field, such as `orders[10].cents`. */
  readonly lastField?: string
  /** The format that the text seems to have, if it does not start like JSON. */
  readonly looksLike?: "empty" | "html" | "xml" | "markdown" | "text"
  /** The path of a key that is refused in any JSON, such as `__proto__`. The text is valid JSON up to this key. */
  readonly refused?: ReadonlyArray<string | number>
}

const descriptions = {
  empty: "the text is empty, not JSON",
  html: "the text is an HTML page, not JSON",
  xml: "the text is XML, not JSON",
  markdown: "the text is Markdown, not bare JSON",
  text: "the text is plain text, not JSON"
}

const html = /^<(?:!doctype\s+html|html|head|body|title|h[1-6]|p|div|span|center|pre|script|meta|br)\b/i

/** Returns the format that a text seems to have; `undefined` if it starts like an object or array. */
const resemblance = (text: string): NonNullable<ParseError["looksLike"]> | undefined => {
  const start = text.trimStart()
  if (start === "") return "empty"
  if (start.startsWith("<")) return html.test(start) ? "html" : "xml"
  if (start.startsWith("```")) return "markdown"
  return /^[[{]/.test(start) ? undefined : "text"
}

/** Returns an offset with its line and column. */
export const located = (text: string, position: number): Pick<ParseError, "position" | "line" | "column"> => {
  let line = 1
  let lineStart = 0
  for (let at = text.indexOf("\n"); at >= 0 && at < position; at = text.indexOf("\n", at + 1)) {
    line++
    lineStart = at + 1
  }
  return { position, line, column: position - lineStart + 1 }
}

/** The names of the refused keys, as messages show them. */
const forbidden = { proto: "__proto__", prototype: "constructor.prototype" } as const

const notAccepted = (name: string): string => `the key "${name}" is not accepted`

const notAcceptedProblems: ReadonlySet<string> = new Set(Object.values(forbidden).map(notAccepted))

/** Returns a callback for `JsonScan` that reports the keys that `JsonText` refuses. */
export const forbiddenName =
  (text: string): Parameters<typeof JsonScan.scan>[3] =>
  (offset, end, open) => {
    const length = end - offset
    // An escaped character of the name takes at most six characters.
    if (length < 11 || length > 70) return undefined
    const name = JsonScan.nameAt(text, offset)
    if (name === forbidden.proto) return notAccepted(forbidden.proto)
    const parent = open.at(-2)
    const insideConstructor =
      parent !== undefined && !parent.array && JsonScan.nameAt(text, parent.at) === "constructor"
    return name === "prototype" && insideConstructor ? notAccepted(forbidden.prototype) : undefined
  }

/** Returns the error for a text that would take too much memory. */
export const tooMany = (text: string): ParseError => ({
  _tag: "TooLarge",
  ...located("", 0),
  position: text.length,
  message: `the text holds more than ${maxContainers} objects and arrays, ${maxValues} values or ${maxNames} field names`
})

/** Returns the error for a text that was refused. Scans the text up to the first fault, in steps. */
export function* explain(text: string, limits: Limits): Steps<ParseError> {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0
  const found = yield* JsonScan.scan(text, limits.maxDepth, start, forbiddenName(text))
  const place = located(text, found.position)
  // in the first line, the position alone says as much in fewer tokens
  const lineAndColumn = place.line === 1 ? "" : ` (line ${place.line}, column ${place.column})`
  const at = `position ${place.position}${lineAndColumn}`
  const cut = found.end === "Truncated"
  const looksLike = resemblance(text)
  const isCutString = cut && text.trimStart().startsWith('"')
  if (looksLike !== undefined && !isCutString)
    return { _tag: "Invalid", ...place, message: descriptions[looksLike], looksLike }
  const lastField = found.last === undefined ? "" : FieldPath.format(found.last)
  const last = lastField === "" ? {} : { lastField }
  if (cut) {
    const known = lastField === "" ? "no field is complete" : `last complete field: ${lastField}`
    return { _tag: "Truncated", ...place, message: `the JSON ends too early, at ${at}; ${known}`, ...last }
  }
  if (found.end === "TooDeep") return { _tag: "TooDeep", ...place, message: `${found.problem}, at ${at}`, ...last }
  if (notAcceptedProblems.has(found.problem)) {
    const refused = [...JsonScan.pathOf(text, found.open.slice(0, -1)), JsonScan.nameAt(text, found.position)]
    return { _tag: "Invalid", ...place, message: `${found.problem}, at ${at}`, ...last, refused }
  }
  return { _tag: "Invalid", ...place, message: `invalid JSON at ${at}: ${found.problem}`, ...last }
}

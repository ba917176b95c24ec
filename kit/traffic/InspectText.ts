/**
 * Parses an object as Node prints it (`util.inspect`, `console.log`, `console.dir`), for the console exporters of
 * OpenTelemetry.
 *
 * **Gotchas**
 *
 * Node prints at most 10,000 characters of a text, 100 items of a list, and a few levels of an object. What it left out
 * is counted. A truncated text that begins a JSON text is left out, because it could not be read.
 */

/** A parsed text. */
interface Inspected {
  readonly value: unknown
  /** The number of texts, lists and objects that Node did not print completely. */
  readonly cutCount: number
}

/** The maximum number of nested objects and lists. */
const maxDepth = 100

interface Cursor {
  readonly text: string
  at: number
  cutCount: number
}

/** Parses a text. Returns `undefined` if Node would not print it. */
export const parse = (text: string): Inspected | undefined => {
  const cursor: Cursor = { text, at: 0, cutCount: 0 }
  try {
    const value = valueOf(cursor, 0)
    skipSpace(cursor)
    return cursor.at === text.length ? { value, cutCount: cursor.cutCount } : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Ends the parsing, as `JSON.parse` does. */
const unexpected = (): SyntaxError => new SyntaxError("Node would not print this.")

/** Returns the text that matches here and moves past it; `undefined` without a match. The pattern is sticky. */
const match = (cursor: Cursor, pattern: RegExp): string | undefined => {
  pattern.lastIndex = cursor.at
  const [found] = pattern.exec(cursor.text) ?? []
  if (found !== undefined) cursor.at += found.length
  return found
}

const skipSpace = (cursor: Cursor): void => void match(cursor, /\s*/y)

/** The name of a class or a number of references before an object: `Map(2) `, `<ref *1> `, `[Object: null prototype] `. */
const prefix = /(?:<ref \*\d+> )?(?:\[[^\]\n]{0,200}\] |[A-Z]\w*(?:\(\d+\))? )?(?=[{[])/y

const scalar = /-?(?:\d[\w.+:-]*|Infinity|NaN)|true|false|null|undefined/y

/** A value that Node abbreviates: `[Object]`, `[Function: x]`, `Symbol(x)`. */
const abbreviation = /\[[^\]\n]{0,200}\]|Symbol\([^)\n]*\)/y

const valueOf = (cursor: Cursor, depth: number): unknown => {
  if (depth > maxDepth) throw unexpected()
  skipSpace(cursor)
  match(cursor, prefix)
  const next = cursor.text[cursor.at]
  if (next === "{") return objectOf(cursor, depth)
  if (next === "[" && /[\s\]]/u.test(cursor.text[cursor.at + 1] ?? "")) return listOf(cursor, depth)
  if (next === "'" || next === '"' || next === "`") return textOf(cursor)
  const found = match(cursor, scalar)
  if (found !== undefined) return scalarOf(found)
  if (match(cursor, abbreviation) === undefined) throw unexpected()
  cursor.cutCount += 1
  return undefined
}

const scalarOf = (found: string): unknown => {
  if (found === "undefined") return undefined
  if (found === "null" || found === "true" || found === "false") return found === "null" ? null : found === "true"
  const number = Number(found.replace(/n$/u, ""))
  return Number.isNaN(number) && found !== "NaN" ? found : number
}

const key = /[$A-Z_a-z][\w$]*|\d+|\[[^\]\n]{0,200}\]/y

/** Reads the separator after an item. Returns true if another item follows. */
const isMore = (cursor: Cursor, end: string): boolean => {
  skipSpace(cursor)
  const next = cursor.text[cursor.at]
  cursor.at += 1
  if (next !== "," && next !== end) throw unexpected()
  return next === ","
}

const isEnd = (cursor: Cursor, end: string): boolean => {
  skipSpace(cursor)
  if (cursor.text[cursor.at] !== end) return false
  cursor.at += 1
  return true
}

/** Skips `... 20 more items` and `<2 empty items>`. Returns true if they are there. */
const isLeftOut = (cursor: Cursor): boolean => {
  skipSpace(cursor)
  if (match(cursor, /\.\.\. \d+ more items?|<\d+ empty items?>/y) === undefined) return false
  cursor.cutCount += 1
  return true
}

const objectOf = (cursor: Cursor, depth: number): unknown => {
  cursor.at += 1
  const entries: Array<readonly [string, unknown]> = []
  if (isEnd(cursor, "}")) return {}
  do {
    if (isLeftOut(cursor)) continue
    const next = cursor.text[cursor.at]
    const isQuoted = next === "'" || next === '"' || next === "`"
    const name = isQuoted ? textOf(cursor) : match(cursor, key)?.replace(/^\['(.*)'\]$/u, "$1")
    skipSpace(cursor)
    if (name === undefined || match(cursor, /:|=>/y) === undefined) throw unexpected()
    entries.push([name, valueOf(cursor, depth + 1)])
  } while (isMore(cursor, "}"))
  return Object.fromEntries(entries)
}

const listOf = (cursor: Cursor, depth: number): unknown => {
  cursor.at += 1
  const items: Array<unknown> = []
  if (isEnd(cursor, "]")) return items
  do if (!isLeftOut(cursor)) items.push(valueOf(cursor, depth + 1))
  while (isMore(cursor, "]"))
  return items
}

/** The pieces of a text, which Node splits after line ends: `'a\n' +` and `'b'` in the next line. */
const textOf = (cursor: Cursor): string | undefined => {
  let text = ""
  do {
    skipSpace(cursor)
    text += unescaped(quotedOf(cursor))
  } while (match(cursor, /\s*\+(?=\s*['"`])/y) !== undefined)
  if (match(cursor, /\.\.\. \d+ more characters?/y) === undefined) return text
  cursor.cutCount += 1
  return /^[[{]/u.test(text) ? undefined : text
}

/** Returns the text between quotes. It is searched by hand, because a pattern would take memory for each character. */
const quotedOf = (cursor: Cursor): string => {
  const { at: from, text } = cursor
  const quote = text.charCodeAt(from)
  let to = from + 1
  while (to < text.length && text.charCodeAt(to) !== quote) to += text.charCodeAt(to) === backslash ? 2 : 1
  if (to >= text.length) throw unexpected()
  cursor.at = to + 1
  return text.slice(from + 1, to)
}

const backslash = 0x5c

const controls: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", "0": "\0" }

const unescaped = (text: string): string =>
  text.includes("\\")
    ? text.replace(/\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|(.))/gsu, (_, hex?: string, unit?: string, one?: string) => {
        const code = hex ?? unit
        return code === undefined ? (controls[one ?? ""] ?? one ?? "") : String.fromCharCode(Number.parseInt(code, 16))
      })
    : text

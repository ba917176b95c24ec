/** Divides a text for models into lines and sections, and finds mentions of names and numbers. */
import { escapeRegExp } from "#kit/text/EscapeRegExp"
import { grouped } from "#kit/text/Numbers"

/** A text in lines and sections. */
export interface Document {
  readonly path: string
  readonly lines: ReadonlyArray<string>
  /** The number of the section that each line belongs to. A heading starts a section. */
  readonly sections: ReadonlyArray<number>
}

/** Divides a text into lines and sections. Headings in code blocks do not count. */
export const parse = (path: string, text: string): Document => {
  const lines = text.split(/\r?\n/)
  let section = 0
  let isCode = false
  const sections = lines.map((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode
    else if (!isCode && /^#{1,6}\s/.test(line)) section += 1
    return section
  })
  return { path, lines, sections }
}

/** True if a name cannot be an English word: it has an underscore, a hyphen, a dot, a digit or camel case. */
const isTechnical = (name: string): boolean => /[_\-.\d]|[a-z][A-Z]/.test(name)

/**
 * True if a line mentions a name. A name that may be an English word must be in code, in quotes, or before `=`, `:` or
 * `(`.
 */
export const mentionsName = (line: string, name: string): boolean => {
  const word = `(?<![\\w-])${escapeRegExp(name)}(?![\\w-])`
  if (isTechnical(name)) return new RegExp(word, "u").test(line)
  const marked = new RegExp(
    `[\`"'<]${escapeRegExp(name)}[\`"'>]|${word}\\s*[=(]|["'\`]?${word}["'\`]?\\s*:\\s|\`[^\`]*${word}[^\`]*\``,
    "u"
  )
  return marked.test(line)
}

/** Returns the indices of all lines in the sections that mention a name. */
export const around = (document: Document, name: string): ReadonlyArray<number> => {
  const sections = new Set(
    document.lines.flatMap((line, index) => (mentionsName(line, name) ? [document.sections[index]] : []))
  )
  return document.lines.flatMap((_, index) => (sections.has(document.sections[index]) ? [index] : []))
}

/** True if a line contains `number`, but not as part of a longer number. */
export const hasNumber = (line: string, number: number): boolean => {
  const plain = escapeRegExp(String(number))
  const withSeparators = escapeRegExp(grouped(number))
  return new RegExp(`(?<![\\w.,-])(?:${plain}|${withSeparators})(?![\\w]|[.,]\\d)`, "u").test(line)
}

const item = String.raw`["'\x60]?[\p{L}\p{N}](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}])?["'\x60]?`
const separator = String.raw`\s*(?:[/|、\uff0c]|,\s*(?:(?:or|and)\s)?|\s(?:or|and)\s)\s*`
const lists = new RegExp(`${item}(?:${separator}${item})+`, "giu")

/**
 * True if a line lists a value among other values of its parameter: `low/medium/high`, `low, medium, high`,
 * `low、high`. A list with two items needs a slash, a bar or `、`; a list with any other word does not count.
 */
export const listsValue = (line: string, value: string, values: ReadonlySet<string>): boolean =>
  [...line.slice(0, 10_000).matchAll(lists)].some(([list]) => {
    const items = list.split(new RegExp(separator, "iu")).map((each) => each.replaceAll(/["'`]/gu, ""))
    const isList = items.length > 2 || /[/|、]/u.test(list)
    return isList && items.includes(value) && items.every((each) => values.has(each))
  })

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

/** Characters that open or close a quotation, in English and in Chinese. */
const quotes = "\"'`\u201c\u201d\u2018\u2019\u300c\u300d\u300e\u300f"

/**
 * True if a line mentions a name. A name that may be an English word must be in code, in quotes, or before `=`, `:` or
 * `(`.
 */
export const mentionsName = (line: string, name: string): boolean => {
  const word = `(?<![\\w-])${escapeRegExp(name)}(?![\\w-])`
  if (isTechnical(name)) return new RegExp(word, "u").test(line)
  const marked = new RegExp(
    `[<${quotes}]${escapeRegExp(name)}[>${quotes}]|${word}\\s*[=(]|["'\`]?${word}["'\`]?\\s*:\\s|\`[^\`]*${word}[^\`]*\``,
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

const item = String.raw`[${quotes}]?[\p{L}\p{N}](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}])?[${quotes}]?`
const separator = String.raw`\s*(?:[/|\u3001\uff0c]|,\s*(?:(?:or|and)\s)?|\s(?:or|and|\u6216\u8005?|\u548c|\u4e0e|\u4ee5\u53ca)\s)\s*`
const lists = new RegExp(`${item}(?:${separator}${item})*`, "giu")
const quoted = new RegExp(`[${quotes}]`, "gu")

/** Chinese words between the last items of a list, usually without spaces: `low、medium或high`. */
const joint = /或者?|和|与|以及/u
const chineseStart = /^\p{Script=Han}+/u
const chineseEnd = /\p{Script=Han}+$/u

/** Returns the items of a list. Chinese words next to the first and the last item are left out: `可取low、high两种`. */
const itemsOf = (list: string, values: ReadonlySet<string>): ReadonlyArray<string> => {
  const items = list
    .split(new RegExp(separator, "iu"))
    .map((each) => each.replaceAll(quoted, ""))
    .flatMap((each) => (values.has(each) ? [each] : each.split(joint)))
  return items.map((each, index) => {
    if (values.has(each)) return each
    const rest = index === 0 ? each.replace(chineseStart, "") : each
    return index === items.length - 1 ? rest.replace(chineseEnd, "") : rest
  })
}

/**
 * True if a line lists a value among other values of its parameter: `low/medium/high`, `low, medium, high`,
 * `low、high`. A list with two items needs a slash, a bar, `、` or `或`; a list with any other word does not count. The
 * cells of a table are separate.
 */
export const listsValue = (line: string, value: string, values: ReadonlySet<string>): boolean => {
  const text = line.slice(0, 10_000)
  const cells = /^\s*\|/u.test(text) ? text.split("|") : []
  return [text, ...cells].some((part) =>
    [...part.matchAll(lists)].some(([list]) => {
      const items = itemsOf(list, values)
      const isList = items.length > 2 || (items.length === 2 && /[/|、或]/u.test(list))
      return isList && items.includes(value) && items.every((each) => values.has(each))
    })
  )
}

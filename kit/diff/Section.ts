/** A text for models in lines and sections, and where words stand in it. */
import { escapeRegExp } from "#kit/text/EscapeRegExp"
import { grouped } from "#kit/text/Numbers"

export interface Document {
  readonly path: string
  readonly lines: ReadonlyArray<string>
  /** For each line the number of its section; sections begin with headings. */
  readonly sections: ReadonlyArray<number>
}

/** Cuts a text into lines and sections. Headings inside of code are none. */
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

/** Whether a name could not be a word of a sentence: it has an underscore, a hyphen, a digit or a hump. */
const isTechnical = (name: string): boolean => /[_\-.\d]|[a-z][A-Z]/.test(name)

/** Whether a line names something: by a technical name alone, by another one in code, quotes, or before `=`, `:`, `(`. */
export const names = (line: string, name: string): boolean => {
  const word = `(?<![\\w-])${escapeRegExp(name)}(?![\\w-])`
  if (isTechnical(name)) return new RegExp(word, "u").test(line)
  const marked = new RegExp(
    `[\`"'<]${escapeRegExp(name)}[\`"'>]|${word}\\s*[=(]|["'\`]?${word}["'\`]?\\s*:\\s|\`[^\`]*${word}[^\`]*\``,
    "u"
  )
  return marked.test(line)
}

/** The lines of the sections in which something is named, with their indices. */
export const around = (document: Document, name: string): ReadonlyArray<number> => {
  const sections = new Set(
    document.lines.flatMap((line, index) => (names(line, name) ? [document.sections[index]] : []))
  )
  return document.lines.flatMap((_, index) => (sections.has(document.sections[index]) ? [index] : []))
}

/** Whether a line has a number that stands alone. */
export const hasNumber = (line: string, number: number): boolean => {
  const plain = escapeRegExp(String(number))
  const withSeparators = escapeRegExp(grouped(number))
  return new RegExp(`(?<![\\w.,-])(?:${plain}|${withSeparators})(?![\\w]|[.,]\\d)`, "u").test(line)
}

/**
 * HTML whose every interpolation is escaped: a text never becomes markup. Characters that cannot be seen are shown by number.
 */
import { nameOf, parts } from "./VisibleText.ts"

/** Markup that is ours. */
export class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

type Interpolated = string | number | Html | ReadonlyArray<Html> | undefined

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;"
}

const escape = (text: string): string => text.replaceAll(/[&<>"'`]/gu, (character) => entities[character] ?? "")

const markupOf = (value: Interpolated): string => {
  if (value === undefined) return ""
  if (value instanceof Html) return value.markup
  if (typeof value === "object") return value.map(({ markup }) => markup).join("")
  return escape(String(value))
}

/** A template whose texts are escaped, in attributes (which stand in quotes) and between tags alike. */
export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<Interpolated>): Html =>
  new Html(strings.reduce((all, string, at) => all + markupOf(values[at - 1]) + string))

export const nothing = new Html("")

/** A text of others, with hidden characters as `U+202E`, and a direction of its own. */
export const foreign = (text: string, mayBreak = false): Html =>
  new Html(
    `<bdi>${parts(text, mayBreak)
      .map((part) =>
        typeof part === "string"
          ? escape(part)
          : `<span class="hidden-character" title="a character that cannot be seen">${nameOf(part.codePoint)}</span>`
      )
      .join("")}</bdi>`
  )

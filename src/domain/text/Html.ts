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

/** A character that cannot be seen, by its number, and how often it follows on itself. */
const hidden = (codePoint: number, times: number): string =>
  `<span class="hidden-character" title="a character that cannot be seen">${nameOf(codePoint)}${times > 1 ? ` × ${times}` : ""}</span>`

const shown = (text: string, mayBreak: boolean, visible: (part: string) => string): Html => {
  let markup = "<bdi>"
  let last = -1
  let times = 0
  const end = () => {
    if (times > 0) markup += hidden(last, times)
    times = 0
  }
  for (const part of parts(text, mayBreak)) {
    if (typeof part !== "string" && times > 0 && part.codePoint === last) {
      times += 1
      continue
    }
    end()
    if (typeof part === "string") markup += visible(part)
    else [last, times] = [part.codePoint, 1]
  }
  end()
  return new Html(`${markup}</bdi>`)
}

/** A text of others, with hidden characters as `U+202E`, and a direction of its own. */
export const foreign = (text: string, mayBreak = false): Html => shown(text, mayBreak, escape)

/** The same for names and paths, whose lines break behind `_`, `-`, `.`, `/` and `:` rather than inside of a word. */
export const foreignName = (text: string): Html =>
  shown(text, false, (part) =>
    part
      .split(/(?<=[_\-./:])(?=[^_\-./:])/u)
      .map(escape)
      .join("<wbr>")
  )

/**
 * Creates HTML from templates that escape every interpolated text, so that a text never becomes markup. Hidden
 * characters of foreign texts are shown as their code points.
 */
import { nameOf, parts } from "./VisibleText.ts"

/** Trusted markup. It is inserted unescaped. */
export class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

type InterpolatedValue = string | number | Html | ReadonlyArray<Html> | undefined

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;"
}

const escape = (text: string): string => text.replaceAll(/[&<>"'`]/gu, (character) => entities[character] ?? "")

const markupOf = (value: InterpolatedValue): string => {
  if (value === undefined) return ""
  if (value instanceof Html) return value.markup
  if (typeof value === "object") return value.map(({ markup }) => markup).join("")
  return escape(String(value))
}

/**
 * Creates markup from a template. Escapes interpolated texts between tags and in attributes, whose values must be
 * quoted.
 */
export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<InterpolatedValue>): Html =>
  new Html(strings.reduce((all, string, at) => all + markupOf(values[at - 1]) + string))

/** Empty markup. */
export const nothing = new Html("")

/** Returns the markup that shows a hidden character as its code point, with the number of repetitions. */
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
    if (typeof part !== "string" && part.codePoint === last) {
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

/** Creates the markup of a foreign text. Shows hidden characters as `U+202E`, and isolates the direction of writing. */
export const foreign = (text: string, mayBreak = false): Html => shown(text, mayBreak, escape)

/**
 * Creates the markup of a foreign name or path, whose lines can break after `_`, `-`, `.`, `/` and `:`. See `foreign`.
 */
export const foreignName = (text: string): Html =>
  shown(text, false, (part) =>
    part
      .split(/(?<=[_\-./:])(?=[^_\-./:])/u)
      .map(escape)
      .join("<wbr>")
  )

/** Texts of others on the page: cut, on one line, escaped, with what cannot be seen shown by its number. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { foreign, foreignName, html, type Html } from "effect-toolguard/internal/domain/text/Html"

/** Longest name that is shown whole. */
const longestName = 100
const longestText = 320

/** Blanks and line breaks are layout of the log, and are one blank here. */
const oneLine = (text: string): string => text.replaceAll(/[\t\n\r ]+/g, " ").trim()

/** A name that a model or a log made up: of a tool, a field, a conversation. */
export const name = (text: string, longest = longestName): Html =>
  text === "" ? html`<span class="quiet">(empty)</span>` : foreignName(cut(text, longest))

/** The same, as code. */
export const code = (text: string): Html => html`<code>${name(text)}</code>`

/** The name of a model, which a log may not hold. */
export const model = (text: string): Html =>
  text === "" ? html`<span class="quiet">not in the log</span>` : name(text)

/** A sentence, arguments, an answer. */
export const said = (text: string): Html => foreign(cut(oneLine(text.slice(0, 4 * longestText)), longestText))

/** The end of a path, which tells files apart. */
export const path = (text: string): Html => {
  const from = text.length - longestName + 1
  if (from <= 1) return foreignName(text)
  return foreignName(`…${text.slice(from).replace(/^[\udc00-\udfff]/, "")}`)
}

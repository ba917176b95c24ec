/**
 * Renders texts of logs and models. Escapes the texts, shows hidden characters as code points, and truncates all texts
 * except source code.
 */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { foreign, foreignName, html, type Html } from "effect-toolguard/internal/domain/text/Html"

/** The maximum number of characters to show of a name. */
const longestName = 100
/** The maximum number of characters to show of any other text. */
const longestText = 320

/** Collapses white space into single spaces. */
const oneLine = (text: string): string => text.replaceAll(/[\t\n\r ]+/g, " ").trim()

/** Renders the name of a tool, a field or a conversation. */
export const name = (text: string, longest = longestName): Html =>
  text === "" ? html`<span class="quiet">(empty)</span>` : foreignName(cut(text, longest))

/** Renders a name as code. */
export const code = (text: string): Html => html`<code>${name(text)}</code>`

/** Renders the name of a model, or a note that the log does not contain the name. */
export const model = (text: string): Html =>
  text === "" ? html`<span class="quiet">not in the log</span>` : name(text)

/** Renders a sentence, arguments or an answer. */
export const text = (text: string): Html => foreign(cut(oneLine(text.slice(0, 4 * longestText)), longestText))

/** Renders source code with its lines. */
export const source = (text: string): Html =>
  html`${text.split("\n").map((line, index) => (index === 0 ? foreign(line) : html`<br />${foreign(line)}`))}`

/** Renders the end of a path, which distinguishes files. */
export const path = (text: string): Html => {
  const from = text.length - longestName + 1
  if (from <= 1) return foreignName(text)
  return foreignName(`…${text.slice(from).replace(/^[\udc00-\udfff]/, "")}`)
}

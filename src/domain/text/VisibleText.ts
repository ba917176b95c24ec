/**
 * Defines which characters a reader cannot see: controls, characters that change the direction of writing,
 * characters without width, and white space other than the plain space.
 *
 * Texts of models, tools and users are shown with the code points of these characters. A person then sees everything
 * that an approval contains, and no text can control a terminal.
 */

/** A visible part of a text, or the code point of a hidden character. */
type Part = string | { readonly codePoint: number }

const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

/**
 * Splits a text into its visible parts and its hidden characters. If `mayBreak` is true, line feeds are layout and stay
 * in the visible parts.
 */
export const parts = (text: string, mayBreak = false): ReadonlyArray<Part> => {
  const found: Array<Part> = []
  let from = 0
  for (const { 0: character, index } of text.matchAll(hidden)) {
    if (mayBreak && character === "\n") continue
    if (index > from) found.push(text.slice(from, index))
    found.push({ codePoint: character.codePointAt(0) ?? 0 })
    from = index + character.length
  }
  if (from < text.length) found.push(text.slice(from))
  return found
}

/** Returns the name of a code point: `U+202E`. */
export const nameOf = (codePoint: number): string => `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`

/** Returns the text with each hidden character as its code point in brackets: `[U+202E]`. */
export const shown = (text: string): string =>
  text.replaceAll(hidden, (character) => `[${nameOf(character.codePointAt(0) ?? 0)}]`)

/**
 * Returns the text as `shown` does, on one line: spaces, tabs and line breaks in a row become one space, and the ends are
 * trimmed.
 */
export const shownOnOneLine = (text: string): string => shown(text.replaceAll(/[ \t\n\v\f\r]+/g, " ")).trim()

/** Returns a JSON text for the same value, with each hidden character as an escape. */
export const visibleJson = (json: string): string =>
  json.replaceAll(hidden, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join("")
  )

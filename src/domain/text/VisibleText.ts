/**
 * A text cut into what can be seen and what cannot: control characters, characters that turn the direction of writing, and
 * characters without width. A page shows the latter by their number, so that nobody approves what they do not see.
 */

/** A visible part, or the code point of a character that is not. */
export type Part = string | { readonly codePoint: number }

const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

/** `mayBreak`: line feeds are layout and stay. */
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

/** The name of a code point: `U+202E`. */
export const nameOf = (codePoint: number): string => `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`

/** The text with what is hidden as numbers in brackets. */
export const shown = (text: string): string =>
  parts(text)
    .map((part) => (typeof part === "string" ? part : `[${nameOf(part.codePoint)}]`))
    .join("")

/** A JSON text with what is hidden as its escapes: the same value, and nothing that a terminal obeys. */
export const visibleJson = (json: string): string =>
  json.replaceAll(hidden, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join("")
  )

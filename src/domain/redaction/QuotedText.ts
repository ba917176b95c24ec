/**
 * Finds the end of a quoted value, in a text and in a text that is itself quoted.
 *
 * **Details**
 *
 * The backslashes before the opening quote tell how often the value is escaped: none in JSON, one in JSON in a string
 * (`\"token\":\"…\"`), three in a string of such a string. A quote with more backslashes belongs to the value. A doubled
 * quote is an escaped quote (SQL, YAML, C#), and in a shell `'\''` and `'"'"'` continue the value.
 *
 * A quote that ends a value of one kind can only be followed by the next value of this kind, so each part of a text is
 * read once for each kind of quote, and the time is linear.
 */
import { wrappedEnd } from "./ContinuedLines.ts"

const escapesBefore = (text: string, at: number, start: number): number => {
  let count = 0
  while (at - count > start && text[at - count - 1] === "\\") count += 1
  return count
}

/** A quote within the value: doubled, or in the notations of a shell. More of the value follows. */
const within = /'\\{1,2}''|'"'"'|(?:''|"")(?![\s,;:)\]}]|$)/y

/** Returns the index of the first line break of a part of a text, or -1. Nothing after the part is read. */
const lineBreakIn = (text: string, from: number, to: number): number => {
  const at = text.slice(from, to).indexOf("\n")
  if (at < 0) return -1
  return at > 0 && text[from + at - 1] === "\r" ? from + at - 1 : from + at
}

/** True if a quote after so many backslashes is one of the value, and not the end of it. */
const isEscaped = (escapes: number, level: number): boolean =>
  escapes !== level && (level === 2 || escapes % (2 * (level + 1)) !== level)

/**
 * Returns the end of the value that begins at `start`, directly after the opening `quote` with its backslashes, or -1 if
 * the value has no end.
 *
 * A value between three quotes can have any number of lines. Any other value ends on its line or continues as a wrapped
 * word. If only an escaped quote follows, the value ends there, because a backslash can also be the end of a path.
 */
export const closingQuote = (text: string, start: number, quote: string): number => {
  const mark = quote.replace(/^\\+/, "")
  const level = quote.length - mark.length
  const isLong = mark.length > 1
  let fallback = -1
  let from = start
  let lineEnd = -1
  for (;;) {
    const at = text.indexOf(mark, from)
    if (!isLong) lineEnd = lineBreakIn(text, from, at < 0 ? text.length : at)
    if (at < 0 || lineEnd >= 0) break
    from = at + mark.length
    const escapes = escapesBefore(text, at, start)
    // the end of the text that contains the value
    if (escapes < level) return -1
    const end = at - level
    if (isEscaped(escapes, level)) {
      if (level === 0 && fallback < 0) fallback = end
      continue
    }
    within.lastIndex = at
    const inner = isLong || level > 0 || at === start ? null : within.exec(text)
    if (inner === null) return end
    if (fallback < 0) fallback = end
    from = at + inner[0].length
  }
  return fallback < 0 && level === 0 && lineEnd >= 0 ? wrappedEnd(text, start, lineEnd, mark) : fallback
}

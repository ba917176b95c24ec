/** Reads the value after the name of a secret: a quoted text or a bare word. */
import { closingQuote } from "./QuotedText.ts"
import type { Span } from "./SecretFinder.ts"

/** The number of characters that are read of a value, in order to decide whether it is a secret. */
const longestValue = 300

/** A value and its place in the text. */
export interface Value extends Span {
  /** The value, or the beginning of a long value. */
  readonly text: string
  /** The character after a bare word; empty at the end of the text and after a quoted value. */
  readonly after: string
  readonly isQuoted: boolean
}

/** Matches an opening quote. Before it, a prefix of Python or C#, `Some(` of Rust and PowerShell's conversion are allowed. */
const opening =
  /(?:(?:Some|Ok)\(|ConvertTo-SecureString[ \t]{1,3}(?:-String[ \t]{1,3})?(?=["'])|[bu@](?=["']))?(\\{0,3}(?:"""|'''|["'`]))(?:["'](?=\w))?/y
const bare = new RegExp(String.raw`[^\s"'\x60,;&<>()[\]{}|\\]{0,${longestValue}}`, "y")

/** Returns the value that begins at `at`: a quoted string or a bare word. */
export const valueAt = (text: string, at: number): Value => {
  opening.lastIndex = at
  const [before, quote] = opening.exec(text) ?? []
  if (before !== undefined && quote !== undefined) {
    const start = at + before.length
    const end = closingQuote(text, start, quote)
    const value = text.slice(start, Math.min(end, start + longestValue))
    if (end >= 0) return { start, end, text: value, after: "", isQuoted: true }
  }
  const start = at + (before?.length ?? 0)
  bare.lastIndex = start
  const found = bare.exec(text)?.[0] ?? ""
  const after = text[start + found.length] ?? ""
  // A full stop or a colon at the end is punctuation and not part of the value.
  const value = /[.:]$/.test(found) && /^\s?$/.test(after) ? found.slice(0, -1) : found
  return { start, end: start + value.length, text: value, after, isQuoted: false, isCut: value.length === longestValue }
}

/**
 * Rows over text: whole phrases that programs and services print, in the order in which they are asked.
 *
 * A phrase is matched against the text in lower case; `^` and `$` are the ends of a line. Its quantifiers are bounded,
 * so that no text makes it slow.
 */
import type { Verdict } from "./Verdict.ts"

/** A row: its name in `Classified.rule`, what it says, and its phrases as one expression. */
export interface Phrase {
  readonly name: string
  readonly verdict: Verdict
  readonly form: RegExp
}

/** A row of phrases. */
export const phrase = (name: string, verdict: Verdict, phrases: ReadonlyArray<RegExp>): Phrase => ({
  name,
  verdict,
  form: new RegExp(phrases.map(({ source }) => source).join("|"), "m")
})

/** The first row one of whose phrases occurs in the text. */
export const firstOf = (phrases: ReadonlyArray<Phrase>, lower: string): Phrase | undefined =>
  phrases.find(({ form }) => form.test(lower))

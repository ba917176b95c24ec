/**
 * Rows over text: whole phrases that programs and services print, in the order in which they are asked.
 *
 * **Details**
 *
 * - A phrase is matched against the text in lower case; `^` and `$` are the ends of a line. Its quantifiers are bounded,
 *   so that no text makes it slow.
 * - A row is tried only where the text holds a piece of one of its phrases (`Pieces`): one search finds those of all rows.
 */
import * as Keywords from "#domain/redaction/Keywords"
import { piecesOf } from "./Pieces.ts"
import type { Verdict } from "./Verdict.ts"

/** A row: its name in `Classified.rule`, what it says, and its phrases as one expression. */
export interface Phrase {
  readonly name: string
  readonly verdict: Verdict
  readonly form: RegExp
  /** Its place in `rows`. */
  readonly index: number
}

/** All rows that were made. */
const rows: Array<Phrase> = []

/** A row of phrases. */
export const phrase = (name: string, verdict: Verdict, phrases: ReadonlyArray<RegExp>): Phrase => {
  const form = new RegExp(phrases.map(({ source }) => source).join("|"), "m")
  const row = { name, verdict, form, index: rows.length }
  rows.push(row)
  search = undefined
  return row
}

/** The first row one of whose phrases occurs in the text. */
export const firstOf = (phrases: ReadonlyArray<Phrase>, lower: string): Phrase | undefined => {
  search ??= searchOf(rows)
  const mayMatch = search(lower)
  return phrases.find(({ form, index }) => mayMatch[index] === 1 && form.test(lower))
}

/** Says of each row whether it can match in a text. The lists are asked one after the other about the same text. */
type Search = (lower: string) => Uint8Array

let search: Search | undefined

const searchOf = (rows: ReadonlyArray<Phrase>): Search => {
  const always = new Uint8Array(rows.length)
  const byPiece = new Map<string, Array<number>>()
  for (const { form, index } of rows) {
    const pieces = piecesOf(form)
    if (pieces === undefined) always[index] = 1
    for (const piece of pieces ?? []) byPiece.set(piece, [...(byPiece.get(piece) ?? []), index])
  }
  const keywords = Keywords.make([...byPiece.keys()])
  const rowsOf = [...byPiece.values()]
  let last: string | undefined
  let mayMatch = always
  return (lower) => {
    if (lower === last) return mayMatch
    last = lower
    mayMatch = always.slice()
    Keywords.search(keywords, lower, (piece) => {
      for (const row of rowsOf[piece] ?? []) mayMatch[row] = 1
      return 0
    })
    return mayMatch
  }
}

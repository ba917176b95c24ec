/**
 * Rows over text: whole phrases that programs and services print, in the order in which they are asked.
 *
 * **Details**
 *
 * - A phrase is matched against the text in lower case; `^` and `$` are the ends of a line. Its quantifiers are bounded,
 *   so that no text makes it slow.
 * - A phrase is tried only where the text holds a piece of it (`Pieces`): one search finds those of all rows.
 */
import * as Keywords from "#domain/redaction/Keywords"
import { piecesOf } from "./Pieces.ts"
import type { Diagnosis } from "#domain/classification/codes/Diagnosis"

/** A row: its name in `Classified.rule`, what it says, and its phrases. */
export interface Phrase {
  readonly name: string
  readonly diagnosis: Diagnosis
  readonly forms: ReadonlyArray<RegExp>
  /** Its place in `rows`. */
  readonly index: number
}

/** All rows that were made. */
const rows: Array<Phrase> = []

/** A row of phrases. */
export const phrase = (name: string, diagnosis: Diagnosis, phrases: ReadonlyArray<RegExp>): Phrase => {
  const row = { name, diagnosis, forms: phrases.map(({ source }) => new RegExp(source, "m")), index: rows.length }
  rows.push(row)
  search = undefined
  return row
}

/** The first row one of whose phrases occurs in the text. */
export const firstOf = (phrases: ReadonlyArray<Phrase>, lower: string): Phrase | undefined => {
  search ??= searchOf(rows)
  const mayMatch = search(lower)
  return phrases.find(({ index }) => mayMatch[index]?.some((form) => form.test(lower)) === true)
}

/** By row: its phrases that can match in a text. The lists are asked one after the other about the same text. */
type Search = (lower: string) => ReadonlyArray<ReadonlyArray<RegExp> | undefined>

let search: Search | undefined

const searchOf = (rows: ReadonlyArray<Phrase>): Search => {
  const always: Array<Array<RegExp> | undefined> = []
  const byPiece = new Map<string, Array<readonly [row: number, form: RegExp]>>()
  for (const { forms, index } of rows) {
    for (const form of forms) {
      const pieces = piecesOf(form)
      if (pieces === undefined) (always[index] ??= []).push(form)
      for (const piece of pieces ?? []) byPiece.set(piece, [...(byPiece.get(piece) ?? []), [index, form]])
    }
  }
  const keywords = Keywords.make([...byPiece.keys()])
  const found = [...byPiece.values()]
  let last: string | undefined
  let mayMatch: Array<ReadonlyArray<RegExp> | undefined> = always
  return (lower) => {
    if (lower === last) return mayMatch
    last = lower
    mayMatch = always.slice()
    Keywords.search(keywords, lower, (piece) => {
      for (const [row, form] of found[piece] ?? []) {
        const known = mayMatch[row] ?? []
        if (!known.includes(form)) mayMatch[row] = [...known, form]
      }
      return 0
    })
    return mayMatch
  }
}

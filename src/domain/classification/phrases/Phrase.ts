/**
 * Defines rows of phrases that programs and services print, and finds the first row that matches a text.
 *
 * **Details**
 *
 * - A phrase is a regular expression over the text in lower case; `^` and `$` match at line ends. Its quantifiers are
 *   bounded, so no text makes it slow.
 * - A phrase is tried only if the text contains one of its required literals (`Prefilter`). One search finds the
 *   literals of all rows.
 */
import * as Keywords from "#domain/redaction/Keywords"
import { literalsOf } from "./Prefilter.ts"
import type { Diagnosis } from "#domain/classification/codes/Diagnosis"

/** A row: a name, which `ErrorClassification.rule` reports, a diagnosis, and phrases. */
export interface Phrase {
  readonly name: string
  readonly diagnosis: Diagnosis
  readonly forms: ReadonlyArray<RegExp>
  /** The index of the row in `rows`. */
  readonly index: number
}

/** Every row that `phrase` has created. */
const rows: Array<Phrase> = []

/** Creates a row and registers it for the search. */
export const phrase = (name: string, diagnosis: Diagnosis, phrases: ReadonlyArray<RegExp>): Phrase => {
  let forms: ReadonlyArray<RegExp> | undefined
  const row = {
    name,
    diagnosis,
    // most programs that import the library have not classified an error yet
    get forms() {
      return (forms ??= phrases.map(({ source }) => new RegExp(source, "m")))
    },
    index: rows.length
  }
  rows.push(row)
  search = undefined
  return row
}

/** Finds the first row with a phrase that matches the text, which must be in lower case. */
export const firstOf = (phrases: ReadonlyArray<Phrase>, lower: string): Phrase | undefined => {
  search ??= searchOf(rows)
  const mayMatch = search(lower)
  return phrases.find(({ index }) => mayMatch[index]?.some((form) => form.test(lower)) === true)
}

/**
 * Returns for each row the phrases that can match a text. Caches the result for the last text, because each list of
 * rows searches the same text in turn.
 */
type Search = (lower: string) => ReadonlyArray<ReadonlyArray<RegExp> | undefined>

let search: Search | undefined

const searchOf = (rows: ReadonlyArray<Phrase>): Search => {
  const always: Array<Array<RegExp> | undefined> = []
  const byLiteral = new Map<string, Array<readonly [row: number, form: RegExp]>>()
  for (const { forms, index } of rows) {
    for (const form of forms) {
      const literals = literalsOf(form)
      if (literals === undefined) (always[index] ??= []).push(form)
      for (const literal of literals ?? []) byLiteral.set(literal, [...(byLiteral.get(literal) ?? []), [index, form]])
    }
  }
  const keywords = Keywords.make([...byLiteral.keys()])
  const found = [...byLiteral.values()]
  let last: string | undefined
  let mayMatch: Array<ReadonlyArray<RegExp> | undefined> = always
  return (lower) => {
    if (lower === last) return mayMatch
    last = lower
    mayMatch = always.slice()
    Keywords.search(keywords, lower, (literal) => {
      for (const [row, form] of found[literal] ?? []) {
        const known = mayMatch[row] ?? []
        if (!known.includes(form)) mayMatch[row] = [...known, form]
      }
      return 0
    })
    return mayMatch
  }
}

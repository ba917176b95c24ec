/**
 * The rows of a run's journal form a chain: the sum of each row covers the previous sum, so that a missing, changed or
 * misplaced row is detected.
 */

/** The version of the row format. It increases if a reader of the old format could misread the new format. */
export const format = 1

/** A row of a journal. */
export interface Row {
  /** The position of the row, from 1. */
  readonly seq: number
  readonly body: string
  readonly sum: string
}

/** Returns the SHA-256 of a text as hex digits. */
export type Sha256 = (text: string) => string

const sumOf = (sha256: Sha256, before: string, seq: number, body: string): string =>
  sha256(`${before}\n${seq}\n${body}`)

/** Creates the row after `last`. */
export const next = (sha256: Sha256, last: Pick<Row, "seq" | "sum"> | undefined, body: string): Row => {
  const seq = (last?.seq ?? 0) + 1
  return { seq, body, sum: sumOf(sha256, last?.sum ?? "", seq, body) }
}

/** Returns the first fault of a journal's rows; `undefined` if the rows are as they were written. */
export const fault = (
  sha256: Sha256,
  rows: ReadonlyArray<Row>,
  written: { readonly count: number; readonly sum: string }
): string | undefined => {
  let sum = ""
  for (const [index, row] of rows.entries()) {
    if (row.seq !== index + 1) return `Row ${index + 1} of ${written.count} is missing.`
    if (row.sum !== sumOf(sha256, sum, row.seq, row.body)) return `Row ${row.seq} was changed.`
    sum = row.sum
  }
  if (rows.length !== written.count) return `It has ${rows.length} rows, but ${written.count} were written.`
  return sum === written.sum ? undefined : "Its last row is not the last row that was written."
}

/**
 * The rows of a run's journal as a chain: each row's sum covers the sum before it, so that a row which is missing, changed
 * or out of its place shows.
 */

/** The form in which this version writes rows. Raised when a reader of the old form could misread the new one. */
export const format = 1

export interface Row {
  /** From 1. */
  readonly seq: number
  readonly body: string
  readonly sum: string
}

export type Sha256 = (text: string) => string

const sumOf = (sha256: Sha256, before: string, seq: number, body: string): string =>
  sha256(`${before}\n${seq}\n${body}`)

/** The row after `last`. */
export const next = (sha256: Sha256, last: Pick<Row, "seq" | "sum"> | undefined, body: string): Row => {
  const seq = (last?.seq ?? 0) + 1
  return { seq, body, sum: sumOf(sha256, last?.sum ?? "", seq, body) }
}

/** What is wrong with the rows of a journal; undefined where they are what was written. */
export const fault = (
  sha256: Sha256,
  rows: ReadonlyArray<Row>,
  written: { readonly count: number; readonly sum: string }
): string | undefined => {
  let sum = ""
  for (const [index, row] of rows.entries()) {
    if (row.seq !== index + 1) return `Row ${index + 1} of ${written.count} is missing.`
    if (row.sum !== sumOf(sha256, sum, row.seq, row.body)) return `Row ${row.seq} is not as it was written.`
    sum = row.sum
  }
  if (rows.length !== written.count) return `It has ${rows.length} rows, and ${written.count} were written.`
  return sum === written.sum ? undefined : `Its last row is not the one that was written last.`
}

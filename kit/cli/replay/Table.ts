/**
 * Formats tables of text to fit a width. Columns are as wide as their cells; if the table is too wide, the widest text
 * columns are truncated.
 */
import { displayWidth } from "effect/cli/CliOutput"
import { fit, plain } from "#kit/cli/console/Screen"

/** A column of a table. */
export interface Column<Row> {
  readonly name: string
  readonly of: (row: Row) => string
  /** True for a column of numbers, which is right-aligned. */
  readonly isNumber?: boolean
}

const gap = 2
/** The smallest width of a truncated column. */
const minWidth = 8

const padded = (text: string, width: number, isNumber: boolean): string => {
  const blanks = " ".repeat(Math.max(0, width - displayWidth(text)))
  return isNumber ? blanks + text : text + blanks
}

/** Returns the lines of a table, starting with the column names. */
export const lines = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  width: number,
  indent = 2
): ReadonlyArray<string> => {
  const cells = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ of }) => plain(of(row))))]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => displayWidth(line[index] ?? ""))))
  let excess = indent + widths.reduce((sum, each) => sum + each, 0) + gap * (widths.length - 1) - width
  while (excess > 0) {
    const widest = widths.reduce(
      (best, each, index) => {
        const isText = columns[index]?.isNumber !== true
        return isText && each > (widths[best] ?? 0) ? index : best
      },
      columns.findIndex(({ isNumber }) => isNumber !== true)
    )
    const before = widths[widest] ?? 0
    if (before <= minWidth) break
    const cut = Math.min(excess, Math.max(1, Math.floor((before - minWidth) / 4)))
    widths[widest] = before - cut
    excess -= cut
  }
  return cells.map((line) =>
    (
      " ".repeat(indent) +
      line
        .map((text, index) =>
          padded(fit(text, widths[index] ?? 0), widths[index] ?? 0, columns[index]?.isNumber === true)
        )
        .join(" ".repeat(gap))
    ).trimEnd()
  )
}

/** Tables of text that fit a width: columns as wide as they need, the widest text column cut. */
import { displayWidth } from "effect/cli/CliOutput"
import { fit, plain } from "#kit/cli/console/Screen"

export interface Column<Row> {
  readonly name: string
  readonly of: (row: Row) => string
  /** Numbers stand to the right. */
  readonly isNumber?: boolean
}

const gap = 2
const least = 8

const padded = (text: string, width: number, isNumber: boolean): string => {
  const blanks = " ".repeat(Math.max(0, width - displayWidth(text)))
  return isNumber ? blanks + text : text + blanks
}

/** The lines of a table, its head first. */
export const lines = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  width: number,
  indent = 2
): ReadonlyArray<string> => {
  const cells = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ of }) => plain(of(row))))]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => displayWidth(line[index] ?? ""))))
  let over = indent + widths.reduce((sum, each) => sum + each, 0) + gap * (widths.length - 1) - width
  while (over > 0) {
    const widest = widths.reduce(
      (best, each, index) => {
        const isText = columns[index]?.isNumber !== true
        return isText && each > (widths[best] ?? 0) ? index : best
      },
      columns.findIndex(({ isNumber }) => isNumber !== true)
    )
    const before = widths[widest] ?? 0
    if (before <= least) break
    const taken = Math.min(over, Math.max(1, Math.floor((before - least) / 4)))
    widths[widest] = before - taken
    over -= taken
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

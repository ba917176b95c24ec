/** Prints what could not be read, with whole reasons: a reason may name the fields of a line, and what to log instead. */
import { plain, type Screen, wrap } from "#kit/cli/console/Screen"
import type { BoundedList, SkippedRow } from "#kit/report/Report"
import { grouped } from "#kit/text/Numbers"

/** The maximum number of rows. The JSON and the page have all rows. */
const maxRows = 10

/** Prints the rows below a heading. `relative` shortens the name of a file. */
export const write = (
  screen: Screen,
  { shown, total }: BoundedList<SkippedRow>,
  width: number,
  relative: (file: string) => string
): void => {
  for (const { file, line, reason } of shown.slice(0, maxRows)) {
    const [first = "", ...rest] = wrap(plain(`${relative(file)}:${line}: ${reason}`), width - 4)
    screen.line(`  ${first}`)
    for (const more of rest) screen.line(`    ${more}`)
  }
  if (total > maxRows) screen.line(`  … and ${grouped(total - Math.min(maxRows, shown.length))} more`)
}

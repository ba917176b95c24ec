/** Prints how calls are distributed over time, over conversations, and over sequences of identical calls. */
import type { LengthRow, Report, TimeAxis } from "#kit/report/Report"
import { counted, grouped } from "#kit/text/Numbers"
import { lengthOfTime, utc } from "#kit/text/Times"
import type { Printer } from "./FirstScreen.ts"

const blocks = " ▁▂▃▄▅▆▇█"

/** Draws counts as one line of blocks. Only a count of zero is blank. */
const sparkline = (counts: ReadonlyArray<number>): string => {
  const most = Math.max(1, ...counts)
  return counts.map((count) => blocks[Math.ceil((8 * count) / most)] ?? "").join("")
}

const longestBar = 30

/** Prints the distributions that the log has. */
export const write = (printer: Printer, { lengths, time, totals }: Report): void => {
  if (time !== null && time.columns.length > 1) overTime(printer, time, totals.calls)
  distribution(printer, "Calls per conversation", "calls", "conversations", lengths.conversations)
  distribution(printer, "Sequences of identical calls", "length", "sequences", lengths.repeats)
}

const overTime = ({ heading, print, table }: Printer, time: TimeAxis, calls: number): void => {
  const { columns, from, stepMillis, timed } = time
  heading("Calls over time")
  const row = (name: string, of: (column: TimeAxis["columns"][number]) => number) => {
    const counts = columns.map(of)
    return {
      name,
      line: sparkline(counts),
      most: Math.max(...counts),
      all: counts.reduce((sum, count) => sum + count, 0)
    }
  }
  table(
    [
      { name: "calls", of: ({ name }) => name },
      { name: utc(from, stepMillis), of: ({ line }) => line },
      { name: "most", of: ({ most }) => grouped(most), isNumber: true },
      { name: "all", of: ({ all }) => grouped(all), isNumber: true }
    ],
    [
      row("all", (column) => column.calls),
      row("failed", ({ failed }) => failed),
      row("not made", ({ blocked }) => blocked)
    ]
  )
  print(
    `A column is ${lengthOfTime(stepMillis)}; the last starts at ${utc(from + (columns.length - 1) * stepMillis, stepMillis)} UTC. ${timed === calls ? "All calls have" : `${grouped(timed)} of ${counted(calls, "call")} have`} a time.`
  )
}

const distribution = (
  { heading, table }: Printer,
  title: string,
  unit: string,
  counts: string,
  rows: ReadonlyArray<LengthRow>
): void => {
  if (rows.length < 2) return
  const most = Math.max(...rows.map(({ count }) => count))
  heading(title)
  table<LengthRow>(
    [
      { name: unit, of: rangeOf, isNumber: true },
      { name: counts, of: ({ count }) => grouped(count), isNumber: true },
      { name: "", of: ({ count }) => "█".repeat(Math.ceil((longestBar * count) / most)) }
    ],
    rows
  )
}

/** Formats the bounds of a class of lengths: `4`, `5 to 8`. */
const rangeOf = ({ from, to }: LengthRow): string =>
  from === to ? grouped(from) : `${grouped(from)} to ${grouped(to)}`

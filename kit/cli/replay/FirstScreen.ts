/**
 * Prints what people ask first about a log, on one screen of 24 lines: which tool costs most, which schema is wrong, and
 * what changes when the guard enforces.
 */
import { instruction } from "#kit/propose/Proposal"
import { changeName } from "#kit/report/ChangeNames"
import type { RejectedField, Report, StrictTool, ToolRow } from "#kit/report/Report"
import { about, counted, dollars, grouped, share } from "#kit/text/Numbers"
import type { Column } from "./Table.ts"

/** The maximum number of rows of each answer. */
const maxRows = 3

/** Prints parts of the report. */
export interface Printer {
  readonly heading: (text: string) => void
  /** Prints a text in lines that fit the screen. */
  readonly print: (text: string) => void
  /** Prints a text on one line of any length, so that it can be pasted. */
  readonly printWhole: (text: string) => void
  readonly table: <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>) => void
}

/** The command that only reports the violations of some tools, and the tools whose module must say so itself. */
export interface Advice {
  readonly commandWith: (tools: ReadonlyArray<string>) => string
  readonly isOwn: (tool: string) => boolean
}

/** Prints the answers. */
export const write = (printer: Printer, report: Report, advice: Advice): void => {
  costs(printer, report)
  schemas(printer, report, advice)
  changes(printer, report)
}

const costs = ({ heading, table }: Printer, { tools, totals }: Report): void => {
  if (tools.length === 0) return
  const all = totals.inputTokens + totals.outputTokens
  const tokens = ({ inputTokens, outputTokens }: ToolRow) => inputTokens + outputTokens
  heading("Which tool costs most")
  table<ToolRow>(
    [
      { name: "tool", of: ({ tool }) => tool },
      { name: "calls", of: ({ calls }) => grouped(calls), isNumber: true },
      { name: "failed", of: ({ failed }) => grouped(failed), isNumber: true },
      { name: "tokens of its requests", of: (row) => about(tokens(row)), isNumber: true },
      { name: "share", of: (row) => share(tokens(row), all), isNumber: true },
      { name: "of its answers", of: ({ answerTokens }) => about(answerTokens), isNumber: true },
      ...(tools.every(({ money }) => money === null)
        ? []
        : [{ name: "cost", of: ({ money }: ToolRow) => dollars(money ?? 0), isNumber: true }])
    ],
    tools.slice(0, maxRows)
  )
}

/** True if the log is evidence against the schema. */
const isWrong = ({ suggestion }: RejectedField): boolean => suggestion._tag !== "keep"

const schemas = (
  { heading, print, printWhole, table }: Printer,
  { rejected, strict }: Report,
  advice: Advice
): void => {
  const accepting = strict.filter(({ accepted }) => accepted > 0)
  const wrong = rejected.filter(isWrong)
  heading("Which schema is wrong")
  if (accepting.length === 0 && wrong.length === 0) {
    return print(
      rejected.length === 0
        ? "None: no arguments and no checked results violate a schema."
        : `None: the values of ${counted(rejected.length, "rejected field")} are wrong, and their schemas are right.`
    )
  }
  if (wrong.length > 0) {
    table<RejectedField>(
      [
        { name: "tool", of: ({ tool }) => tool },
        { name: "field", of: ({ part, path }) => `${path} of the ${part}` },
        { name: "calls", of: ({ count }) => grouped(count), isNumber: true },
        { name: "worked", of: ({ accepted }) => grouped(accepted), isNumber: true },
        { name: "change", of: ({ problem, suggestion }) => instruction(suggestion, problem) }
      ],
      wrong.slice(0, maxRows - 1)
    )
  }
  const [most] = accepting
  if (most !== undefined) print(strictness(most, accepting))
  const refusing = accepting.filter(({ refused }) => refused > 0)
  const listed = refusing.map(({ tool }) => tool).filter((tool) => !advice.isOwn(tool))
  if (listed.length > 0) printWhole(`Report such calls only: ${advice.commandWith(listed)}`)
  else if (refusing.length > 0) print('Report such calls only: set enforce: "advise" for these tools.')
}

const strictness = ({ accepted, tool, violating, worked }: StrictTool, all: ReadonlyArray<StrictTool>): string =>
  `${tool} accepted ${grouped(accepted)} of ${counted(violating, "call")} that its schema forbids (${share(accepted, worked)} of its good calls)${all.length === 1 ? "" : `, and ${counted(all.length - 1, "more tool")} likewise`}.`

const changes = ({ heading, print, table }: Printer, { changes: rows, suspects, totals }: Report): void => {
  heading("What changes when the guard enforces")
  if (rows.length === 0)
    return print(totals.calls === 0 ? "Nothing: there are no calls." : "Nothing: every call would be made.")
  const calls = rows.reduce((sum, row) => sum + row.calls, 0)
  const shown = rows.slice(0, rows.length > maxRows ? maxRows - 1 : maxRows)
  const rest = rows.slice(shown.length)
  const sum = (of: (row: Report["changes"][number]) => number) => rest.reduce((all, row) => all + of(row), 0)
  table(
    [
      { name: "not made, because", of: ({ name }) => name },
      { name: "calls", of: ({ calls: count }) => grouped(count), isNumber: true },
      { name: "of all", of: ({ calls: count }) => share(count, totals.calls), isNumber: true },
      { name: "suspects", of: ({ suspects: count }) => grouped(count), isNumber: true }
    ],
    [
      ...shown.map((row) => ({ ...row, name: changeName(row.reason) })),
      ...(rest.length === 0
        ? []
        : [
            {
              name: counted(rest.length, "other reason"),
              calls: sum((row) => row.calls),
              suspects: sum((row) => row.suspects)
            }
          ])
    ]
  )
  print(
    suspects.total === 0
      ? `None of these ${grouped(calls)} calls is a suspect: the log does not contradict the guard.`
      : `Suspects: ${grouped(suspects.total)} of these ${grouped(calls)} calls (${share(suspects.total, calls)}) worked in the log, or soon after. Review them first.`
  )
}

/** Prints the calls whose outcome differs between two versions of the tools, by cause, with examples. */
import { names } from "#kit/report/CallChange"
import type { ChangeRow, ComparedReport } from "#kit/report/Comparison"
import { sharedFolder } from "#kit/report/Report"
import { counted, grouped, share } from "#kit/text/Numbers"
import { fit, plain, type Screen, wrap } from "#kit/cli/console/Screen"
import { lines } from "./Table.ts"

/** The maximum number of rows, and of examples. The JSON and the page have all rows, each with an example. */
const maxRows = 10
const maxExamples = 5

/** Prints the comparison and an empty line, if the report has a comparison. */
export const write = (screen: Screen, { comparison, files, totals }: ComparedReport): void => {
  if (comparison === undefined) return
  const { after, answered, before, broken, calls, causes, changed } = comparison
  const width = Math.min(screen.columns, 100)
  const folder = sharedFolder(files)
  const at = ({ example: { call, file, line } }: ChangeRow): string =>
    `${file.startsWith(folder) ? file.slice(folder.length) : file}:${line}#${call}`
  const print = (text: string, indent = 0) =>
    wrap(plain(text), width - indent).forEach((line) => screen.line(" ".repeat(indent) + line))
  screen.line(screen.styled("bold", fit(plain(`What changes with ${after} in place of ${before}`), width)))
  print(
    changed === 0
      ? `Nothing: all ${counted(totals.calls, "call")} have the same outcome, ${grouped(calls)} of them of the tools compared.`
      : `${grouped(changed)} of ${counted(totals.calls, "call")} (${share(changed, totals.calls)}) ${changed === 1 ? "has" : "have"} another outcome; ${counted(calls, "call")} of the tools compared. The log answered ${grouped(answered)} of the changed calls well; ${grouped(broken)} of these ${broken === 1 ? "succeeds" : "succeed"} with ${before} and not with ${after}.`
  )
  if (changed > 0) {
    const [head = "", ...rest] = lines(
      [
        { name: "cause", of: ({ cause }: ChangeRow) => names[cause] },
        { name: "tool", of: ({ tool }) => tool },
        { name: "field", of: ({ path }) => path },
        { name: "rule", of: ({ rule }) => rule },
        { name: "calls", of: ({ count }) => grouped(count), isNumber: true },
        { name: "answered", of: ({ answered, count }) => share(answered, count), isNumber: true },
        { name: "first", of: at }
      ],
      causes.slice(0, maxRows),
      width
    )
    screen.line(screen.styled("dim", head))
    rest.forEach(screen.line)
    if (causes.length > maxRows) screen.line(`  … and ${grouped(causes.length - maxRows)} more`)
    for (const row of causes.slice(0, maxExamples)) {
      const { after: later, arguments: args, before: earlier } = row.example
      screen.line(fit(`  ${plain(`${row.tool} ${args} at ${at(row)}`)}`, width))
      for (const [name, { detail, verdict }] of [
        [before, earlier],
        [after, later]
      ] as const) {
        print(`${name}: ${verdict}${detail === "" ? "" : `; ${detail}`}`, 4)
      }
    }
  }
  screen.line("")
}

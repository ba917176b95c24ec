/** Prints the counts with their cells, the false answers of upstreams, and the share of runs that a person must decide. */
import { nameOf } from "./Cells.ts"
import { type ComparedCell, count, type Kind, kinds } from "./Counts.ts"
import { omitted } from "./Situation.ts"

/** The largest number of cells that are printed for one count. `--json` prints all. */
const maxCells = 20

const reported = ({ cell: { report } }: ComparedCell): string =>
  report.outcome === "failure"
    ? `${report.class} ${report.code ?? ""} ${report.sideEffect}`
    : `${report.outcome} ${report.sideEffect}`

const lineOf = (compared: ComparedCell): string =>
  `${nameOf(compared.cell.situation)}: ${reported(compared)} (done ${compared.cell.ledger.done})`

const isFalse = (compared: ComparedCell, kind?: Kind): boolean =>
  compared.falseReports.some((falseReport) =>
    kind === undefined ? falseReport.kind.startsWith("false") : falseReport.kind === kind
  )

const list = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0
    ? []
    : [
        "",
        title,
        ...lines.slice(0, maxCells).map((line) => `  ${line}`),
        ...(lines.length > maxCells ? [`  and ${lines.length - maxCells} more`] : [])
      ]

const ends = (all: ReadonlyArray<ComparedCell>): ReadonlyArray<string> => {
  const rows = new Map<string, { runs: number; ended: number }>()
  for (const { cell } of all) {
    const { access, answer, caller } = cell.situation
    if (caller !== "loop" || access === "read" || answer.depth > 0) continue
    const row = rows.get(answer.name) ?? { runs: 0, ended: 0 }
    rows.set(answer.name, { runs: row.runs + 1, ended: row.ended + (cell.report.endsForPerson ? 1 : 0) })
  }
  const width = Math.max(...[...rows.keys()].map((name) => name.length))
  return [...rows].map(
    ([name, { ended, runs }]) =>
      `  ${name.padEnd(width)}  ${String(Math.round((100 * ended) / runs)).padStart(3)} % of ${runs}`
  )
}

/** Returns the report for people. */
export const print = (all: ReadonlyArray<ComparedCell>, seconds: number): string => {
  const counts = count(all)
  const honest = all.filter(({ keepsProtocol }) => keepsProtocol)
  const repeated = all.filter((compared) => !compared.keepsProtocol && isFalse(compared))
  const left = Object.values(omitted()).reduce((sum, each) => sum + each, 0)
  return [
    `${all.length} situations in ${seconds.toFixed(1)} s; ${left} combinations left out:`,
    ...Object.entries(omitted()).map(([reason, number]) => `  ${String(number).padStart(6)}  ${reason}`),
    "",
    `Where the upstream keeps to its protocol (${honest.length} situations):`,
    ...Object.entries(counts).map(
      ([kind, number]) => `  ${kind.padEnd(24)}${String(number).padStart(5)}   ${kinds[kind as Kind]}`
    ),
    ...(Object.keys(kinds) as ReadonlyArray<Kind>).flatMap((kind) =>
      list(
        `${kind}:`,
        honest
          .filter((compared) => isFalse(compared, kind))
          .map(
            (compared) =>
              `${lineOf(compared)}: ${compared.falseReports
                .filter((falseReport) => falseReport.kind === kind)
                .map(({ detail }) => detail)
                .join("; ")}`
          )
      )
    ),
    "",
    `The upstream's answer is false in ${all.length - honest.length} situations. The report repeats it in ${repeated.length} of them.`,
    ...list("Some of them:", [
      ...new Map(
        repeated.map((compared) => [
          `${compared.cell.situation.answer.name} ${compared.cell.situation.deed}`,
          lineOf(compared)
        ])
      ).values()
    ]),
    "",
    "Runs of writes that a person must decide, by answer:",
    ...ends(all)
  ].join("\n")
}

/** Returns every cell as plain data. */
export const toJson = (all: ReadonlyArray<ComparedCell>) => ({
  situations: all.length,
  counts: count(all),
  leftOut: omitted(),
  cells: all.map(({ cell: { ledger, report, situation }, falseReports, keepsProtocol }) => ({
    access: situation.access,
    did: situation.deed,
    answer: situation.answer.name,
    caller: situation.caller,
    policy: situation.policy,
    keepsProtocol,
    done: ledger.done,
    doneElsewhere: ledger.elsewhere,
    requests: ledger.requests,
    told: report,
    falseReports
  }))
})
